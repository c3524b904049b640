"""FL's claims, one file per subject."""
