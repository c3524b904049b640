"""The parts of engines: Beta tails, divergences and bounds, against scipy or brute force."""

import math

import numpy as np
import pytest
import reference
from scipy import stats

from dpbandits.core.compiled import jit
from dpbandits.core.noise import binomial
from dpbandits.core.streams import Streams
from dpbandits.stochastic.engine.bernoulli_kl import exceeds, leader, upper_bound
from dpbandits.stochastic.engine.beta_tails import (
    beta,
    beta_above,
    beta_below,
    candidate_above,
    decay_above,
    dominates_smaller_means,
    fill,
    keeps,
    log_density,
    mass_above,
    share_above,
)
from dpbandits.stochastic.engine.kept_binomials import draw, keep, room
from dpbandits.stochastic.engine.noisy_leader import error_bound, sure_length
from dpbandits.stochastic.engine.phases import batch, divergence, upper_bound_private
from dpbandits.stochastic.ftl import sure_lead

SHAPES = [(0.0, 0.0), (0.0, 7.0), (7.0, 0.0), (0.3, 2.5), (40.0, 12.5), (3e5, 1e5), (2.5e11, 7e11)]


@pytest.mark.parametrize(("k", "n"), SHAPES)
def test_log_density(k, n):
    law = stats.beta(k + 1, n + 1)
    x = law.ppf([1e-6, 0.1, 0.5, 0.9, 1 - 1e-6])
    got = np.array([log_density(v, k, n) for v in x])
    mode_scale = max(1.0, (k + n) * 2e-15)  # scipy's own lgammas cancel for huge parameters
    np.testing.assert_allclose(got, law.logpdf(x), atol=1e-9 * mode_scale + 1e-9, rtol=1e-9 + 1e-3
                               * (k + n > 1e9))  # fmt: skip


def test_density_of_huge_parameters_integrates_to_one():
    """Where scipy's density is no longer exact: integrate ours over 12 standard deviations."""
    k, n = 2.5e11, 7e11
    mean, sd = (k + 1) / (k + n + 2), math.sqrt(k * n / (k + n) ** 3)
    z = np.linspace(-12, 12, 4001)
    density = np.exp([log_density(mean + sd * v, k, n) for v in z])
    assert np.trapezoid(density, z * sd) == pytest.approx(1, abs=1e-6)


@jit
def draw_betas(stream, k, n, count):
    x = np.empty(count)
    for i in range(count):
        x[i] = beta(stream, k, n)
    return x


@jit
def draw_tail(stream, k, n, top_k, top_n, y, count):
    """Draws of Beta(k + 1, n + 1) above y under the curve of Beta(top_k + 1, top_n + 1)."""
    decay = decay_above(top_k, top_n, y)
    height = log_density(y, top_k, top_n)
    x = np.full(count, -1.0)
    for i in range(count):
        v = candidate_above(stream, y, decay, share_above(y, decay))
        if keeps(stream, v, k, n, height, y, decay):
            x[i] = v
    return x


def stream(seed=3):
    return Streams(17, (seed,)).states()[0]


@pytest.mark.parametrize(("k", "n"), SHAPES[:-1])
def test_beta_sampler(k, n):
    """Kolmogorov-Smirnov at 1e-4 with a fixed seed (6 shapes: flake rate 6e-4 if reseeded)."""
    x = draw_betas(stream(), k, n, 20000)
    assert stats.kstest(x, stats.beta(k + 1, n + 1).cdf).pvalue > 1e-4


@pytest.mark.parametrize(("k", "n", "top", "y"), [
    (30.0, 70.0, 33.0, 0.45), (0.0, 8.0, 0.5, 0.3), (60.0, 1.0, 60.5, 0.998), (3.0, 3.0, 3.0, 0.6),
])  # fmt: skip
def test_tail_candidates(k, n, top, y):
    """Kept candidates have the conditional law; candidates x kept share = the tail probability."""
    top_n = k + n - top
    assert dominates_smaller_means(top, top_n, y)
    x = draw_tail(stream(), k, n, top, top_n, y, 40000)
    kept = x[x > 0]
    law = stats.beta(k + 1, n + 1)
    assert stats.kstest(kept, lambda v: 1 - law.sf(v) / law.sf(y)).pvalue > 1e-4
    decay = decay_above(top, top_n, y)
    mass = mass_above(log_density(y, top, top_n), decay, share_above(y, decay))
    expected = law.sf(y) / mass
    assert expected <= 1
    error = math.sqrt(expected * (1 - expected) / len(x))
    assert abs(len(kept) / len(x) - expected) < 4.5 * error + 1e-12


@pytest.mark.parametrize("p", [0.0, 1e-9, 0.2, 0.75, 1 - 1e-9, 1.0])
@pytest.mark.parametrize("level", [1e-9, 1e-3, 0.3, 5.0, 40.0])
def test_kl_upper_bound(p, level):
    x = upper_bound(p, level)
    if p == 1:
        assert x == math.inf
        return
    q = 1 / (1 + math.exp(-x)) if x < 700 else 1.0
    assert q == pytest.approx(reference.kl_bound(p, level), abs=3e-9)
    if 0.1 < p < 0.9:  # else the two levels differ by less than rounding
        assert not exceeds(p, level * (1 - 1e-6), x)
        assert exceeds(p, level * (1 + 1e-6), x)


def test_kl_leader_takes_the_first_of_equals():
    assert leader(np.array([1.0, 1.0, 1.0]), np.array([3.0, 5.0, 1.0])) == 0
    assert leader(np.array([0.0, 0.0, 0.0]), np.array([0.1, 0.1, 0.1])) == 0
    assert leader(np.array([0.2, 0.9, 0.9]), np.array([0.1, 0.1, 0.1])) == 1


@pytest.mark.parametrize("epsilon", [0.05, 0.5, 3.0])
def test_private_divergence_and_its_bound(epsilon):
    for x in (0.0, 0.1, 0.5, 0.93):
        for y in (0.1, 0.4, 0.7, 0.99, 1.0):
            if y >= x:
                expected = reference.d_eps(x, y, epsilon)
                assert divergence(x, y, epsilon) == pytest.approx(expected, abs=1e-9)
        for level in (1e-4, 0.01, 0.2, 2.0):
            logit = upper_bound_private(x, level, epsilon)
            y = 1 / (1 + math.exp(-logit))
            assert divergence(x, y, epsilon) <= level * (1 + 1e-9)
            if y < 1:
                assert divergence(x, y, epsilon) == pytest.approx(level, rel=1e-6)


def test_batches_add_up_to_the_growth():
    sizes = [batch(m, 1.1) for m in range(1, 200)]
    assert min(sizes) == 1
    assert sizes[150] / sizes[140] == pytest.approx(1.1**10, rel=1e-2)


@pytest.mark.parametrize("noise", [0.0, 0.1, 2.0, 20.0])
@pytest.mark.parametrize("means", [(0.5, 0.4), (0.9, 0.2), (0.1, 0.35, 0.3), (0.0, 1.0)])
@pytest.mark.parametrize("length", [4, 64, 1024])
def test_bound_on_a_wrong_leader(noise, means, length):
    """Against the exact chance that one action passes the best: convolution, then Laplace tails."""
    gaps = max(means) - np.array(means)
    best = np.argmin(gaps)
    support = np.arange(length + 1)
    chance = 0.0
    for j in range(len(means)):
        if j != best:
            counts = [stats.binom.pmf(support, length, means[i]) for i in (best, j)]
            ahead = np.convolve(counts[0], counts[1][::-1])[length:]  # P(best leads by 0, 1, ...)
            behind = 1 - ahead.sum()
            tail = np.exp(-support / noise) * (2 + support / noise) / 4 if noise else support == 0
            chance = max(chance, behind / 2 + ahead @ tail)
    assert chance <= error_bound(gaps, noise, float(length)) + 1e-12


def test_the_other_noises_pass_less_often_than_laplace():
    x = np.linspace(0, 60, 6001)
    laplace = (2 + x) * np.exp(-x) / 4
    assert (np.exp(-x) / 2 <= laplace).all()
    assert (np.exp(-x) / (1 + np.exp(-x)) <= laplace * (1 + 1e-12)).all()


def test_epochs_are_sure_only_without_ties():
    assert sure_length(np.array([0.0, 0.0, 0.5]), 1.0) == 2.0**62
    length = sure_length(np.array([0.0, 0.25]), 4.0)
    assert error_bound(np.array([0.0, 0.25]), 4.0, length) <= 2.0**-64
    assert error_bound(np.array([0.0, 0.25]), 4.0, length / 2) > 2.0**-64


def test_curves_by_hand():
    """Beta(3, 6) above 0.5: density 168 x^2 (1 - x)^5, so 1.3125 there; decay 5/0.5 - 2/0.5 = 6."""
    curves, mass = np.zeros((2, 4)), 1.3125 / 6 * (1 - math.exp(-3))
    assert fill(curves, 1, 2.0, 5.0, 0.5, True) == pytest.approx(-math.log1p(-mass))
    expected = [math.log(1.3125), 6.0, 1 - math.exp(-3), -math.log1p(-mass)]
    assert curves[1].tolist() == pytest.approx(expected)
    assert curves[0].tolist() == [0, 0, 0, 0]
    assert mass_above(math.log(1.3125), 6.0, 1 - math.exp(-3)) == pytest.approx(mass)
    assert fill(curves, 0, 2.0, 5.0, 0.5, False) == math.inf  # a curve that may not be used
    assert fill(curves, 0, 2.0, 5.0, 0.2, True) == math.inf  # below the mode 2/7
    assert fill(curves, 0, 2.0, 5.0, 0.35, True) == math.inf  # 2.39/1.98 (1 - e^-1.3): too often
    assert curves[0, 1] == pytest.approx(5 / 0.65 - 2 / 0.35)
    assert decay_above(2.0, 5.0, 0.0) == decay_above(2.0, 5.0, 1.0) == -1
    # y (n + 1/2) >= (1 - y)(k + 1): 5.5 y >= 3 (1 - y) from 6/17 on
    assert dominates_smaller_means(2.0, 5.0, 6.001 / 17)
    assert not dominates_smaller_means(2.0, 5.0, 5.999 / 17)


@pytest.mark.parametrize("below", [True, False])
def test_conditional_betas(below):
    """Beta(3, 6) on one side of 0.3: Kolmogorov-Smirnov at 1e-4, fixed seed."""
    law, tape = stats.beta(3, 6), stream(5)
    draw = beta_below if below else beta_above
    x = np.array([draw(tape, 2.0, 5.0, 0.3) for _ in range(3000)])
    assert (x <= 0.3).all() if below else (x > 0.3).all()
    low, high = (0, law.cdf(0.3)) if below else (law.cdf(0.3), 1)
    assert stats.kstest((law.cdf(x) - low) / (high - low), "uniform").pvalue > 1e-4


@jit
def _drawn(stream, n, p, plain, kept, laws):
    """As many of the plain sampler as of laws that are kept, on one row after the other."""
    for i in range(len(kept)):
        row = i % 2
        keep(laws, row, n + row, p)
        if plain:
            kept[i] = binomial(stream, n + row, p)
        else:
            kept[i] = draw(stream, laws, row)


@pytest.mark.parametrize("p", [0.0, 1e-9, 0.004, 0.3, 0.5, 0.5 + 2**-12, 0.9, 1 - 1e-9, 1.0])
@pytest.mark.parametrize("n", [1, 2, 7, 16, 19, 25, 40, 2000, 2**40])
def test_kept_binomials_are_those_of_the_plain_sampler(n, p):
    """The same numbers from the same words, to the last word."""
    drawn, words = [], []
    for plain in (True, False):
        tape, kept = Streams(31, (n,)).states()[0], np.empty(4000)
        _drawn(tape, n, p, plain, kept, room(2))
        drawn.append(kept)
        words.append(tape[2])
    np.testing.assert_array_equal(*drawn)
    assert words[0] == words[1]


def test_a_row_forgets_its_law_when_another_is_kept():
    laws, tapes = room(1), [Streams(32, (1,)).states()[0] for _ in range(2)]
    for n, p in ((9, 0.4), (90, 0.4), (9, 0.4), (90, 0.4), (5, 0.4)):
        keep(laws, 0, n, p)
        kept = [draw(tapes[0], laws, 0) for _ in range(300)]
        assert kept == [binomial(tapes[1], n, p) for _ in range(300)]


@pytest.mark.parametrize(("means", "fall"), [((0.6, 0.5), 2 / 3), ((0.2, 0.7, 0.8, 0.7), 7 / 12)])
def test_a_sure_lead_is_lost_with_a_chance_below_2_to_the_minus_64(means, fall):
    """A walk on leads 0 to 400 that stops at both ends: how likely it ends at 0, from 5 and 50."""
    p, q = sorted(means)[:-3:-1]
    up, down = p * (1 - q), q * (1 - p)
    steps = np.diag(np.full(398, up), 1) + np.diag(np.full(398, down), -1)
    ends_at_0 = np.linalg.solve(np.eye(399) * (up + down) - steps, down * np.eye(399)[0])
    np.testing.assert_allclose(ends_at_0[[4, 49]], [fall**5, fall**50], rtol=1e-9)
    lead = sure_lead(means)
    assert len(means) * fall**lead == pytest.approx(2.0**-64)


def test_which_leads_are_sure_at_once_and_which_never():
    assert sure_lead((0.3, 1.0)) == sure_lead((0.3, 0.0)) == 1
    assert sure_lead((0.3, 0.7, 0.7)) == sure_lead((1.0, 1.0)) == math.inf
