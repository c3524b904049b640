"""The factor L of Sigma = L L', Sigma_ij = rho^|i-j|: white noise in, AR(1) out.

x = L g means x_1 = g_1 and x_j = rho x_{j-1} + sqrt(1 - rho^2) g_j; L and L' cost O(d).
"""

import math
from collections import namedtuple
from functools import cache

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.generators import normals


@jit
def colour(g, rho):
    """L g."""
    if rho == 0:
        return g
    out, fresh = g.copy(), math.sqrt(1 - rho * rho)
    for j in range(1, len(g)):
        out[j] = rho * out[j - 1] + fresh * g[j]
    return out


@jit
def colour_transposed(v, rho):
    """L'v."""
    if rho == 0:
        return v
    out, fresh = v.copy(), math.sqrt(1 - rho * rho)
    for j in range(len(v) - 1, 0, -1):
        out[j - 1] += rho * out[j]
        out[j] *= fresh
    return out


@jit
def covariance_times(v, rho):
    """Sigma v."""
    return colour(colour_transposed(v, rho), rho)


def at_coordinates(rng: np.random.Generator, where: np.ndarray, shape: tuple, rho: float):
    """Draws of an N(0, Sigma) vector at the sorted coordinates `where` only: shape x len(where)."""
    ratio = np.array([rho ** float(gap) for gap in np.diff(where)])
    x = normals(rng, (*shape, len(where)))
    link(x.reshape(-1, len(where)), ratio, np.sqrt(1 - ratio * ratio))
    return x


@jit
def link(rows, ratio, fresh):
    """x_k <- ratio_k x_{k-1} + fresh_k x_k, in place; four rows side by side.

    (Each number of a row waits for the one before.)
    """
    n, width = rows.shape
    whole = n - n % 4
    for t in range(0, whole, 4):
        a, b, c, d = rows[t, 0], rows[t + 1, 0], rows[t + 2, 0], rows[t + 3, 0]
        for k in range(1, width):
            old, new = ratio[k - 1], fresh[k - 1]
            a, b = old * a + new * rows[t, k], old * b + new * rows[t + 1, k]
            c, d = old * c + new * rows[t + 2, k], old * d + new * rows[t + 3, k]
            rows[t, k], rows[t + 1, k], rows[t + 2, k], rows[t + 3, k] = a, b, c, d
    for t in range(whole, n):
        for k in range(1, width):
            rows[t, k] = ratio[k - 1] * rows[t, k - 1] + fresh[k - 1] * rows[t, k]


# Regression of x ~ N(0, Sigma) on x[where]: the k-th of `where` is read by the coordinates from
# first[k] on, with the weights from ends[k] to ends[k + 1].
Pins = namedtuple("Pins", "where first ends weight")


def pins(where: np.ndarray, d: int, rho: float) -> Pins:
    """How x follows from x at `where`, but for what is left to chance.

    A draw x becomes a draw given x[where] = values by adding it to what the values miss (kriging).
    By the Markov property a coordinate reads its two pinned neighbours only.
    """
    reach = 0 if rho == 0 else math.ceil(math.log(1e-18) / math.log(abs(rho)))  # then: rounding
    gaps = [math.inf, *np.diff(where).tolist(), math.inf]
    first, ends, weight = [], [0], []
    for j, lower, upper in zip(where.tolist(), gaps[:-1], gaps[1:], strict=True):
        left, right = _weights(lower, reach, rho)[: j + 1], _weights(upper, reach, rho)[: d - j]
        first.append(j + 1 - len(left))
        weight += [*left[:0:-1], *right]
        ends.append(len(weight))
    return Pins(where, np.array(first), np.array(ends), np.array(weight))


@cache
def _weights(gap: float, reach: int, rho: float) -> list[float]:
    """The coefficients of x_0 in E(x_i | x_0, x_gap), for i = 0, 1, ... between 0 and the gap."""
    span = rho**gap
    distances = range(min(gap, reach + 1))
    return [(rho**i - rho ** (gap - i) * span) / (1 - span * span) for i in distances]
