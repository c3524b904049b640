"""KL's claims, one file per subject."""
