"""HU's figures."""
