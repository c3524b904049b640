"""Binomial draws whose set-up is kept: from the same words the same numbers as `noise.binomial`.

A study draws from one law, an epoch's, for every run and for every action of that mean. A law is a
row of an array, filled when it is asked for; the masses of few trials as far as draws have gone.
"""

import math
from typing import NamedTuple

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.noise import _stirling_tail, uniform
from dpbandits.core.source import inlined

# Columns. A draw is START + SIGN k; k by search over the masses from MASSES on, or by rejection.
CHANCE, START, SIGN, FEW, ODDS, MASSES = 0, 1, 2, 3, 4, 5
A, B, C, AT_ONCE, ALPHA, MODE, HEAD, SLOPE = 5, 6, 7, 8, 9, 10, 11, 12
LONGEST = 200  # as in noise


class Laws(NamedTuple):
    trials: np.ndarray  # 0 where nothing is kept
    rows: np.ndarray


def room(laws: int) -> Laws:
    """For so many laws; a row takes no memory before it is used."""
    return Laws(np.zeros(laws), np.empty((laws, MASSES + LONGEST + 1)))


@jit
def keep(laws, i, n, p):
    """Row i is Binomial(n, p) from now on, n at least 1."""
    if laws.trials[i] == n:
        return
    law, q = laws.rows[i], min(p, 1.0 - p)
    laws.trials[i] = n
    law[START], law[SIGN] = (n, -1.0) if p > 0.5 else (0.0, 1.0)
    law[CHANCE], law[FEW] = q, n * q < 10.0
    if n * q < 10.0:
        law[ODDS], law[MASSES] = q / (1.0 - q), math.exp(n * math.log1p(-q))
        law[MASSES + 1] = math.inf
    else:
        _keep_rejection(law, np.float64(n), q)


@jit
def _keep_rejection(law, n, p):
    """The constants of `noise._binomial_rejection`."""
    spread = math.sqrt(n * p * (1.0 - p))
    b = 1.15 + 2.53 * spread
    law[A], law[B], law[C] = -0.0873 + 0.0248 * b + 0.01 * p, b, n * p + 0.5
    law[AT_ONCE], law[ALPHA] = 0.92 - 4.2 / b, (2.83 + 5.1 / b) * spread
    law[HEAD] = math.inf


@jit
def _keep_test(law, n, p):
    """What only a candidate that is not taken at once asks for."""
    mode = math.floor((n + 1.0) * p)
    top = (mode + 0.5) * math.log((mode + 1.0) / (n - mode + 1.0))
    law[HEAD] = top + _stirling_tail(mode) + _stirling_tail(n - mode)
    law[MODE], law[SLOPE] = mode, math.log(p / (1.0 - p))


@inlined
def row_of(laws, first, n, means, j, before):
    """Action j's row of those from `first` on; that of the action before it, if its mean is too."""
    if j > 0 and means[j] == means[j - 1]:
        return before
    keep(laws, first + j, n, means[j])
    return first + j


@inlined
def draw(stream, laws, i):
    """A number of row i's law, as a float."""
    n, law = laws.trials[i], laws.rows
    if law[i, CHANCE] == 0.0:
        return law[i, START]
    k = _search(stream, n, law, i) if law[i, FEW] else _rejection(stream, n, law, i)
    return law[i, START] + law[i, SIGN] * k


@inlined
def _search(stream, n, law, i):
    while True:
        u, k = uniform(stream), 0
        while u > law[i, MASSES + k]:
            u -= law[i, MASSES + k]
            k += 1
            if law[i, MASSES + k] == math.inf and k < LONGEST:  # no draw went further so far
                ratio = law[i, ODDS] * (n - k + 1.0) / k
                law[i, MASSES + k] = law[i, MASSES + k - 1] * ratio
                law[i, MASSES + k + 1] = math.inf
        if k <= n and k < LONGEST:
            return np.float64(k)


@inlined
def _rejection(stream, n, law, i):
    a, b = law[i, A], law[i, B]
    while True:
        u = uniform(stream) - 0.5
        v = uniform(stream)
        us = 0.5 - abs(u)
        k = math.floor((2.0 * a / us + b) * u + law[i, C])
        if us >= 0.07 and v <= law[i, AT_ONCE]:
            return k
        if k < 0.0 or k > n:
            continue
        if law[i, HEAD] == math.inf:
            _keep_test(law[i], n, law[i, CHANCE])
        bound = (
            law[i, HEAD]
            + (n + 1.0) * math.log1p((k - law[i, MODE]) / (n - k + 1.0))
            + (k + 0.5) * math.log((n - k + 1.0) / (k + 1.0))
            + (k - law[i, MODE]) * law[i, SLOPE]
            - _stirling_tail(k)
            - _stirling_tail(n - k)
        )
        if math.log(v * law[i, ALPHA] / (a / (us * us) + b)) <= bound:
            return k
