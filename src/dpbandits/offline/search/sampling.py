"""Two helpers of the families of designed data sets."""

import numpy as np


def log_uniform(generator, low, high, size=None):
    return np.exp(generator.uniform(np.log(low), np.log(high), size))


def ratio(measured: float, bound: float) -> float:
    return 0.0 if measured <= 0 else measured / bound if bound > 0 else np.inf
