"""US's claims, one file per subject."""
