"""Every variate as a function of its uniforms, by hand; the code is interpreted, not compiled.

The laws of the compiled variates are tested in test_streams. Here a script says which uniforms
come, so that each branch is reached, also those that a stream hardly ever takes.
"""

import math
import sys

import numpy as np
import pytest
from flint import arb
from interpreted import interpreted
from scipy.special import gammaln
from scipy.stats import binom
from test_streams import KNOWN, word

from dpbandits.core import noise, philox

plainly = interpreted(philox, noise)


@pytest.fixture
def plain():
    return noise


@pytest.fixture
def scripted(plain, monkeypatch):
    """Call a variate on these uniforms; how many it took is checked."""

    def call(name, uniforms, *arguments, rest=0):
        left = list(uniforms)
        monkeypatch.setattr(plain, "uniform", lambda stream: left.pop(0))
        found = getattr(plain, name)(None, *arguments)
        assert len(left) == rest
        return found

    return call


@pytest.mark.parametrize(("counter", "key", "expected"), KNOWN)
def test_words_of_a_stream(plain, counter, key, expected):
    """Two words of each counter, also beyond a block; the position counts words."""
    del plain
    generator = sys.modules[philox.__name__]
    stream = np.zeros(generator.WIDTH, np.uint64)
    stream[:2] = word(*key), word(*counter[2:])
    at = slice(3, None, generator.AT_ONCE)  # the two words of a block's first counter
    pairs = []
    for index in range(2 * generator.AT_ONCE):
        block = stream.copy()
        generator.fill(block, np.uint64(index))
        pairs += [int(w) for w in block[at][:2]]
    assert [int(generator.next_word(stream)) for _ in pairs] == pairs
    assert int(stream[2]) == len(pairs)
    with np.errstate(over="ignore"):  # the counters behind the last one
        generator.fill(stream, word(*counter[:2]))
    low = 0xFFFFFFFF
    assert [int(x) for w in stream[at][:2] for x in (w & low, w >> np.uint64(32))] == expected


def test_uniforms_are_the_middles_of_2_to_the_53_cells(plain, monkeypatch):
    for high, expected in ((0, 0.5), (1, 1.5), (2**53 - 1, 2**53 - 0.5)):
        bits = np.uint64((high << 11) | 0x7FF)  # the last eleven bits do not count
        monkeypatch.setattr(plain, "next_word", lambda stream, bits=bits: bits)
        assert plain.uniform(None) == expected * 2.0**-53


def test_inverted_laws(scripted):
    """-ln u; -+ ln(1 - 2 |u - 1/2|) b."""
    assert scripted("exponential", [0.5]) == pytest.approx(math.log(2))
    assert scripted("laplace", [0.75], 2.0) == pytest.approx(-2 * math.log(2))
    assert scripted("laplace", [0.375], 3.0) == pytest.approx(-3 * math.log(0.75))
    assert scripted("laplace", [0.3], 0.0) == 0


def test_polar_method(scripted):
    """(u, v) -> 2u - 1, 2v - 1 = (1/2, 1/4): r = 5/16, x sqrt(-2 ln r/r); else another pair."""
    good, value = [0.75, 0.625], 0.5 * math.sqrt(-2 * math.log(5 / 16) * 16 / 5)
    assert scripted("normal", good) == pytest.approx(value)
    for refused in ([0.5, 0.5], [1.0, 0.5], [0.95, 0.9]):
        assert scripted("normal", [*refused, *good]) == pytest.approx(value)


def test_gamma_and_beta(scripted, plain, monkeypatch):
    """Marsaglia and Tsang: d = a - 1/3, v = (1 + x/(3 sqrt d))^3, taken if
    ln u < x^2/2 + d (1 - v + ln v); below shape 1, a + 1 and a factor u^(1/a)."""
    d = 4.0 - 1 / 3
    for x in (-1.5, 0.2, 2.0):
        v = (1 + x / math.sqrt(9 * d)) ** 3
        edge = math.exp(x * x / 2 + d * (1 - v + math.log(v)))
        monkeypatch.setattr(plain, "normal", lambda stream, x=x: x)
        assert scripted("gamma", [edge * 0.999], 4.0) == pytest.approx(d * v)
        again = [edge * 1.001, edge * 0.999]
        assert scripted("gamma", again, 4.0) == pytest.approx(d * v)
    normals = [-3 * math.sqrt(d), 0.0]  # v = 0 is refused before a uniform is taken
    monkeypatch.setattr(plain, "normal", lambda stream: normals.pop(0))
    assert scripted("gamma", [0.5], 4.0) == pytest.approx(d)
    monkeypatch.setattr(plain, "normal", lambda stream: 0.0)
    assert scripted("gamma", [0.3, 0.5], 0.25) == pytest.approx(0.3**4 * (1.25 - 1 / 3))
    assert scripted("gamma", [0.5], 1.0) == pytest.approx(1 - 1 / 3)
    monkeypatch.setattr(plain, "gamma", lambda stream, shape: shape)
    assert plain.beta(None, 3.0, 5.0) == 3 / 8


@pytest.mark.parametrize(("n", "p"), [(1, 0.3), (7, 0.5), (40, 0.02), (10**6, 9e-6)])
def test_few_successes_by_inversion(scripted, n, p):
    for u in (1e-4, 0.2, 0.5, 0.77, 0.999, 1 - 1e-9):
        assert scripted("_binomial_inversion", [u], float(n), p) == binom.ppf(u, n, p)
    # only rounding could leave some of u: then another is taken
    assert scripted("_binomial_inversion", [1.0 + 1e-6, 0.5], float(n), p) == binom.ppf(0.5, n, p)


@pytest.mark.parametrize("k", [0, 1, 5, 9, 10, 11, 40, 1000])
def test_the_rest_of_stirlings_formula(plain, k):
    """ln k! - ((k + 1/2) ln(k + 1) - (k + 1) + ln(2 pi)/2); it is cut at (k + 1)^-7/1680."""
    x = arb(k + 1)
    rest = x.lgamma() - ((x - 0.5) * x.log() - x + (2 * arb.pi()).log() / 2)
    tolerance = 1e-10 if k in (10, 11) else 1e-13 if k < 100 else 1e-11  # rounding of lgamma
    assert plain._stirling_tail(float(k)) == pytest.approx(float(rest), abs=tolerance)


def test_the_series_begins_at_ten(plain):
    r = 1 / 11
    series = r / 12 - r**3 / 360 + r**5 / 1260
    assert plain._stirling_tail(10.0) == pytest.approx(series, rel=1e-14)


@pytest.mark.parametrize(("n", "p"), [(40, 0.3), (47, 0.4), (100, 0.5), (5000, 0.01)])
def test_rejection_follows_hormanns_table(scripted, n, p):
    """BTRS (1993), step by step with its constants; the test of a candidate by SciPy's law."""
    q = 1 - p
    spread = math.sqrt(n * p * q)
    b = 1.15 + 2.53 * spread
    a, c, v_r = -0.0873 + 0.0248 * b + 0.01 * p, n * p + 0.5, 0.92 - 4.2 / b
    alpha, mode = (2.83 + 5.1 / b) * spread, math.floor((n + 1) * p)
    law = [gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1) + k * math.log(p / q)
           for k in range(n + 1)]  # fmt: skip
    random, seen = np.random.Generator(np.random.Philox(1)), set()
    fallback, middle = [0.5, 0.1], math.floor(c)  # taken at once: the middle
    edges = [(0.5 - 0.0701, v_r), (0.5 - 0.0701, v_r + 1e-9), (0.5 - 0.0699, 0.001), (-0.4999, 0.5)]
    for u, v in [*edges, *zip(random.random(300) - 0.5, random.random(300), strict=True)]:
        us = 0.5 - abs(u)
        k = math.floor((2 * a / us + b) * u + c)
        if us >= 0.07 and v <= v_r:
            step = "at once"
        elif not 0 <= k <= n:
            step = "outside"
        else:
            good = math.log(v * alpha / (a / us**2 + b)) <= law[k] - law[mode]
            step = "taken" if good else "refused"
        seen.add(step)
        taken = step in ("at once", "taken")
        uniforms = [u + 0.5, v, *fallback]
        found = scripted("_binomial_rejection", uniforms, float(n), p, rest=2 * taken)
        assert found == (k if taken else middle), (step, k)
    assert seen == {"at once", "outside", "taken", "refused"}


def test_which_way_a_binomial_is_drawn(plain, monkeypatch):
    monkeypatch.setattr(plain, "_binomial_inversion", lambda stream, n, p: ("few", n, p))
    monkeypatch.setattr(plain, "_binomial_rejection", lambda stream, n, p: ("many", n, p))
    monkeypatch.setattr(plain.np, "int64", lambda x: x)
    assert plain.binomial(None, 20, 0.5) == ("many", 20.0, 0.5)
    assert plain.binomial(None, 19, 0.5) == ("few", 19.0, 0.5)
    for n, p, value in ((0, 0.5, 0), (-1, 0.5, 0), (9, 0.0, 0), (9, -1.0, 0), (9, 1.0, 9)):
        assert plain.binomial(None, n, p) == value
    monkeypatch.setattr(plain, "binomial_half", lambda stream, n, p: n * p)
    assert plain.binomial(None, 8, 0.75) == 8 - 8 * 0.25
    assert plain.binomial(None, 8, 0.25) == 8 * 0.25
