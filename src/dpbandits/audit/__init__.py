"""Exact and certified privacy losses."""
