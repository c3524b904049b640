"""Algorithms that US is only compared with."""
