"""The distributions of random variates against SciPy; by hand: test_noise_by_hand.py."""

import math

import numpy as np
import pytest
from scipy import stats

from dpbandits.core import variates
from dpbandits.core.compiled import jit
from dpbandits.core.streams import Streams, key_of


@jit
def _fill(which, states, a, out):
    for i in range(len(out)):
        if which == 0:
            out[i] = variates.uniform(states)
        elif which == 1:
            out[i] = variates.laplace(states, a)
        elif which == 2:
            out[i] = variates.normal(states)
        elif which == 3:
            out[i] = variates.exponential(states)
        else:
            out[i] = variates.gamma(states, a)


def draws(which: int, a: float = 1.0, n: int = 100_000) -> np.ndarray:
    out = np.empty(n)
    _fill(which, Streams(key_of("draws", which, a), (0,)).states()[0], a, out)
    return out


CONTINUOUS = [
    (0, 1, stats.uniform()),
    (1, 1, stats.laplace()),
    (1, 2.5, stats.laplace(scale=2.5)),
    (2, 1, stats.norm()),
    (3, 1, stats.expon()),
    (4, 0.4, stats.gamma(0.4)),
    (4, 7.5, stats.gamma(7.5)),
]


@pytest.mark.parametrize(("which", "a", "law"), CONTINUOUS)
def test_continuous_variates(which, a, law):
    # Kolmogorov-Smirnov at level 1e-6 with a fixed seed: 7 tests, flake rate 7e-6 per new seed.
    assert stats.kstest(draws(which, a), law.cdf).pvalue > 1e-6


def test_normal_in_every_layer_and_in_the_tail():
    """Chi-square over 400 cells between the layers' widths, and beyond them; level 1e-6."""
    x = draws(2, n=4_000_000)
    edges = stats.norm.ppf(np.linspace(0, 1, 401))
    edges = np.union1d(edges, [*np.linspace(3, 4.3, 14), *-np.linspace(3, 4.3, 14)])
    expected = np.diff(stats.norm.cdf(edges)) * len(x)
    assert expected.min() > 10
    seen = np.histogram(x, edges)[0]
    statistic = ((seen - expected) ** 2 / expected).sum()
    assert stats.chi2.sf(statistic, len(seen) - 1) > 1e-6


@jit
def _fill_binomial(stream, n, p, out):
    for i in range(len(out)):
        out[i] = variates.binomial(stream, n, p)


@pytest.mark.parametrize(("n", "p"), [(10**9, 0.3), (10**12, 0.5), (10**12, 1e-9), (10**15, 0.9)])
def test_binomial_at_huge_n(n, p):
    # Mean within 5 standard errors, variance within 5%, shape by KS against the continuous limit.
    out = np.empty(50_000)
    _fill_binomial(Streams(key_of("binomial", n, p), (0,)).states()[0], n, p, out)
    spread = math.sqrt(n * p * (1 - p))
    z = (out - n * p) / spread
    assert abs(z.mean()) < 5 / math.sqrt(len(out))
    assert abs(z.var() - 1) < 0.05
    assert out.min() >= 0
    assert out.max() <= n
    if spread > 1000:
        assert stats.kstest(z, "norm").pvalue > 1e-6


def test_edges_of_binomial():
    stream = Streams(key_of("edges"), (0,)).states()[0]
    assert [variates.binomial(stream, n, p) for n, p in [(0, 0.5), (9, 0.0), (9, 1.0)]] == [0, 0, 9]
