"""Exact and certified privacy losses; docs/proofs/AUDIT.md has the proofs.

Read in this order: balls (interval arithmetic), selection (who wins a noisy argmax), then the
mechanisms, each with its calibration: laplace, rnm, peeling, niht, lazy. Lower bounds
from samples alone: blackbox, and function for any Python function.
"""
