"""TS: Thompson sampling itself is differentially private (arXiv 2407.14879)."""
