"""Checks of the claims in claims.toml."""
