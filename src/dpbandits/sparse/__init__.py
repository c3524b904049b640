"""Arms with contexts, and a sparse linear reward: what FL is about (docs/algorithms/FL.md)."""
