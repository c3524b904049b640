"""HU's claims, one file per subject."""
