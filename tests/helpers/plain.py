"""Privacy accounting in floating point, independent of dpbandits.audit, for its tests.

A privacy loss distribution on a grid of width h: rounding every loss up gives an upper bound on
delta, rounding down a lower one. Composition is convolution.
"""

from functools import reduce
from operator import mul

import numpy as np

H = 1e-3


def seeded(*key):
    """A generator of its own for each case, so that cases do not depend on each other."""
    return np.random.Generator(np.random.Philox(np.random.SeedSequence(key)))


def assert_between(value, bounds, slack=1e-12):
    low, high = bounds
    assert low - slack <= value <= high + slack, (value, bounds)


class Losses:
    """P(loss = (first + i) h) = mass[i]; `side` is +1 for rounding up, -1 for down."""

    def __init__(self, losses, masses, side, h=H):
        scaled = np.asarray(losses, float) / h
        places = np.ceil(scaled - 1e-9) if side > 0 else np.floor(scaled + 1e-9)
        places = places.astype(int)
        self.first, self.h = places.min(), h
        self.mass = np.bincount(places - self.first, weights=masses)

    def __mul__(self, other):
        product = object.__new__(Losses)
        product.first, product.h = self.first + other.first, self.h
        product.mass = np.convolve(self.mass, other.mass)
        return product

    def delta(self, epsilon):
        losses = (self.first + np.arange(len(self.mass))) * self.h
        return float((self.mass * -np.expm1(np.minimum(0.0, epsilon - losses))).sum())


def laplace_losses(shift, side, h=H):
    """X ~ Lap(1) against Lap(1) shifted: the loss is |x - shift| - |x|, cut where it is linear."""
    x = np.arange(0, shift + h / 4, h / 2).clip(max=shift)
    inside = np.diff(-np.exp(-x)) / 2  # P(x_i < X < x_{i+1})
    ends = x[:-1] if side > 0 else x[1:]
    losses = np.r_[shift, shift - 2 * ends, -shift]
    return Losses(losses, np.r_[0.5, inside, np.exp(-shift) / 2], side, h)


def response_losses(loss, side, h=H):
    """Binary randomized response."""
    right = 1 / (1 + np.exp(-loss))
    return Losses([loss, -loss], [right, 1 - right], side, h)


def composed_delta(parts, epsilon):
    return reduce(mul, parts).delta(epsilon)


def composed(shift, selections, releases, epsilon, h=H):
    """(lower, upper) delta of `selections` randomized responses of loss 2 shift and `releases`
    Laplace releases."""
    deltas = []
    for side in (-1, 1):
        parts = [response_losses(2 * shift, side, h)] * selections
        parts += [laplace_losses(shift, side, h)] * releases
        deltas.append(composed_delta(parts, epsilon))
    return tuple(deltas)


def winner(counts, scale, noise="laplace", points=80_001):
    """Selection probabilities by the trapezium rule on the defining integral."""
    counts = np.asarray(counts, float) / scale
    x = np.linspace(counts.min() - 40, counts.max() + 40, points)
    z = x[None, :] - counts[:, None]
    tail = np.exp(-np.abs(z))
    if noise == "laplace":
        cdf, density = np.where(z < 0, tail / 2, 1 - tail / 2), tail / 2
    elif noise == "gumbel":
        cdf = np.exp(-np.exp(-z))
        density = np.exp(-z - np.exp(-z))
    else:
        cdf, density = np.where(z < 0, 0, 1 - tail), np.where(z < 0, 0, tail)
    wins = [density[j] * np.delete(cdf, j, 0).prod(axis=0) for j in range(len(counts))]
    return np.trapezoid(wins, x, axis=1)
