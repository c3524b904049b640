"""Checks of what the papers claim."""
