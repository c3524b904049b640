"""Exact and certified privacy losses: the engine behind every privacy verdict.

Read in this order: balls (arithmetic that proves), selection (who wins a noisy argmax), then the
mechanisms with their worst neighbours, each with its calibration: laplace, exponential, rnm,
peeling, niht, lazy. blackbox finds lower bounds from samples alone; calibrate is the bisection that
mechanisms share; studies/zoo holds mechanisms broken on purpose.
"""
