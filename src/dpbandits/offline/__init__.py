"""Policies learned from stored data: what KL is about (docs/algorithms/KL.md)."""
