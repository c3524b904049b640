"""Algorithms that FL is only compared with."""
