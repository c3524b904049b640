"""FLIPHAT's engine, which needs numba: for every preset."""
