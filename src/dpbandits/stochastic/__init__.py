"""Bernoulli arms: what HU is about (docs/algorithms/HU.md)."""
