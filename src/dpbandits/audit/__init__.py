"""Exact and certified privacy losses.

The engine behind every privacy verdict. Read in this order:
intervals (ball arithmetic), finite (distributions with finitely many outcomes), laplace,
exponential, rnm, peeling, niht, lazy (mechanisms with their worst neighbours), blackbox (lower
bounds from samples), zoo (broken on purpose), calibrate (the smallest noise that meets a target).
"""
