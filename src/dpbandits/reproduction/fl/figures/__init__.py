"""FL's figures."""
