"""Random variates by hand, as functions of given words of a stream.

So each branch is reached, also those that random words hardly ever reach. Distributions:
test_noise_laws.py.
"""

import math

import numpy as np
import pytest
from scipy.special import gammaln
from scipy.stats import binom, norm

from dpbandits.core import philox, variates
from dpbandits.core.streams import AT_ONCE, Streams


def tape(*uniforms: float) -> np.ndarray:
    """A stream whose next words give these uniforms, rounded to the middles of 2^53 cells."""
    stream = Streams(1, (2,)).states()[0]
    stream[2] = 1  # from a block's second word on its words stand in the row
    for place, u in enumerate(uniforms, start=1):
        word = np.uint64(math.floor(u * 2.0**53)) << np.uint64(11)
        stream[3 + place // 2 + AT_ONCE * (place % 2)] = word
    return stream


def used(stream: np.ndarray) -> int:
    """The number of words of a tape that were used."""
    return int(stream[2]) - 1


def test_words_of_a_stream_are_those_of_its_counters():
    """Two words of each counter, also beyond a block; the position counts words."""
    stream, block = Streams(5, (7,)).states()[0], Streams(5, (7,)).states()[0]
    for counter in range(2 * AT_ONCE):
        philox.fill(block, np.uint64(counter))
        expected = [block[3], block[3 + AT_ONCE]]
        assert [philox.next_word(stream) for _ in range(2)] == expected
    assert stream[2] == 4 * AT_ONCE


def test_uniforms_are_midpoints_of_2_to_the_53_cells():
    for cell in (0, 1, 2**53 - 1):
        stream = tape(cell * 2.0**-53)
        stream[3 + AT_ONCE] |= np.uint64(0x7FF)  # the last eleven bits do not count
        assert variates.uniform(stream) == (cell + 0.5) * 2.0**-53


def test_exponential_and_laplace_by_inversion():
    """-ln u; -+ ln(1 - 2 |u - 1/2|) b."""
    assert variates.exponential(tape(0.5)) == pytest.approx(math.log(2))
    assert variates.laplace(tape(0.75), 2.0) == pytest.approx(-2 * math.log(2))
    assert variates.laplace(tape(0.375), 3.0) == pytest.approx(-3 * math.log(0.75))
    assert variates.laplace(tape(0.3), 0.0) == 0


def words(*layers_and_points: tuple[int, float]) -> np.ndarray:
    """A stream whose next words give these layers, and these points of their width in (-1, 1)."""
    stream = tape(*(1 + 0.5 * x if x < 0 else 0.5 * x for _, x in layers_and_points))
    for place, (layer, _) in enumerate(layers_and_points, start=1):
        stream[3 + place // 2 + AT_ONCE * (place % 2)] |= np.uint64(layer)
    return stream


def test_normal_inside_the_next_layer():
    """256 layers of equal area under exp(-x^2/2), the lowest with the tail, end at height 1."""
    right, heights = 3.6541528853610088, [math.exp(-(3.6541528853610088**2) / 2)]
    area = right * heights[0] + math.sqrt(2 * math.pi) * norm.sf(right)
    widths = [right]
    for _ in range(254):
        heights.append(heights[-1] + area / widths[-1])
        widths.append(math.sqrt(-2 * math.log(heights[-1])))
    assert heights[-1] + area / widths[-1] == pytest.approx(1, abs=1e-11)
    for layer in (1, 2, 100, 254):  # a point just inside of the next layer needs one word only
        inside = 0.999 * widths[layer] / widths[layer - 1]
        stream = words((layer, -inside))
        assert variates.normal(stream) == pytest.approx(-inside * widths[layer - 1], abs=1e-9)
        assert used(stream) == 1


def test_normal_beside_the_next_layer_and_in_the_tail():
    """A point under the density is accepted, one above it is not; the tail needs exponentials."""
    right, next_right = 3.6541528853610088, 3.4492782985614316
    x, low = 3.5, math.exp(-(right**2) / 2)
    share = (math.exp(-(x**2) / 2) - low) / (math.exp(-(next_right**2) / 2) - low)
    assert variates.normal(words((1, x / right), (0, 0))) == pytest.approx(x)  # u = 0
    stream = words((1, x / right), (0, 2 * (share + 0.01)), (1, 0.5))
    assert variates.normal(stream) == pytest.approx(0.5 * right)
    assert used(stream) == 3
    stream = words((0, -0.99), (0, 2 * math.exp(-1)), (0, 2 * math.exp(-2)))  # E = 1 and 2
    assert variates.normal(stream) == pytest.approx(-(right + 1 / right))


@pytest.mark.parametrize(("n", "p"), [(1, 0.3), (7, 0.5), (40, 0.02), (10**6, 9e-6)])
def test_binomial_by_inversion(n, p):
    for u in (1e-4, 0.2, 0.5, 0.77, 0.999, 1 - 1e-9):
        assert variates.binomial_half(tape(u), n, p) == binom.ppf(u, n, p)
        if p < 0.5:
            mirrored = n - binom.ppf(u, n, 1 - (1 - p))
            assert variates.binomial(tape(u), n, 1 - p) == mirrored


@pytest.mark.parametrize(("n", "p"), [(40, 0.3), (47, 0.4), (100, 0.5), (5000, 0.01)])
def test_binomial_by_rejection(n, p):
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
    edges = [(0.5 - 0.0701, v_r - 1e-9), (0.5 - 0.0701, v_r + 1e-9), (0.5 - 0.0699, 0.001),
             (-0.4999, 0.5)]  # fmt: skip
    for u, v in [*edges, *zip(random.random(300) - 0.5, random.random(300), strict=True)]:
        us = 0.5 - abs(u)
        k = math.floor((2 * a / us + b) * u + c)
        if us >= 0.07 and v <= v_r:
            step = "at once"
        elif not 0 <= k <= n:
            step = "outside"
        else:
            good = math.log(v * alpha / (a / us**2 + b)) <= law[k] - law[mode]
            step = "accepted" if good else "refused"
        seen.add(step)
        accepted = step in ("at once", "accepted")
        stream = tape(u + 0.5, v, *fallback)
        assert variates.binomial_half(stream, n, p) == (k if accepted else middle), (step, k)
        assert used(stream) == (2 if accepted else 4)
    assert seen == {"at once", "outside", "accepted", "refused"}


@pytest.mark.parametrize("u", [0.1, 0.5, 0.95])
def test_binomial_of_a_fair_coin_is_not_mirrored(u):
    assert variates.binomial(tape(u), 7, 0.5) == variates.binomial_half(tape(u), 7, 0.5)
    assert variates.binomial(tape(u), 7, 1.0) == 7
