"""Smooth functions of an action and a context: what US is about (docs/algorithms/US.md)."""
