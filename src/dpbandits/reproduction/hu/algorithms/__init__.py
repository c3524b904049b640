"""Algorithms that `na-tt` is compared with: each stops by itself, then plays its answer."""
