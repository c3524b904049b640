"""Checks of what the paper claims."""
