"""US's figures."""
