"""The steps of docs/proofs/HU.md on many instances, its theorems attacked; sections as on the page.

All seeds are fixed and all values exact (closed forms, polynomials, convolutions): nothing flakes.
"""

import itertools
import math

import numpy as np
import pytest

from dpbandits.audit.computed.selection import selection_probabilities
from dpbandits.core.maximise import maximise, share
from dpbandits.core.streams import Streams
from dpbandits.reproduction.hu import theory
from dpbandits.reproduction.hu.rate_attacks import (
    copies_ratio,
    nodes,
    privacy_ratio,
    selection,
    weights,
)
from dpbandits.stochastic.engine.rnm_ftnl import noisy_leader
from dpbandits.stochastic.rnm_ftnl import variant_of

NOISES = ("gumbel", "exponential")
STREAM = Streams(8, (0,)).states()[0]


def potential(noise: str, scores: np.ndarray) -> np.ndarray:
    """E max(scores + noise), without the mean of Gumbel noise (Euler's constant)."""
    weight, highest = weights(scores), scores.max(-1)
    if noise == "gumbel":
        return highest + np.log(weight.sum(-1))
    u, mass = nodes(weight.shape[-1])
    exceeded = 1 - (1 - weight[..., None, :] * u[:, None]).prod(-1)
    return highest + (exceeded / u) @ mass


# 1. Report-noisy-max --------------------------------------------------------------------------


@pytest.mark.parametrize("noise", NOISES)
def test_laws_of_the_noisy_leader_against_drawn_noise(noise):
    """Within 5 standard errors of 200,000 draws, and the potential's slope is the probability."""
    rng, scores = np.random.default_rng(0), np.array([0.0, -0.4, -2.0, 0.0])
    draw = rng.gumbel if noise == "gumbel" else rng.exponential
    noisy = scores + draw(size=(200_000, 4))
    expected = selection(noise, scores)
    shares = np.bincount(noisy.argmax(1), minlength=4) / 200_000
    assert (np.abs(shares - expected) < 5 * np.sqrt(expected / 200_000)).all()
    highest = noisy.max(1) - (np.euler_gamma if noise == "gumbel" else 0)
    error = highest.std() / math.sqrt(200_000)
    assert abs(highest.mean() - potential(noise, scores)) < 5 * error
    h = 1e-5 * np.array([0, 1, 0, 0])
    slope = (potential(noise, scores + h) - potential(noise, scores - h)) / 2e-5
    assert slope == pytest.approx(expected[1], abs=1e-6)


@pytest.mark.parametrize("noise", NOISES)
def test_lemma_2_bounds_the_fall_of_a_probability(noise):
    rng = np.random.default_rng(2)
    before = rng.normal(0, 3, (20000, 5))
    a, b = rng.uniform(0, 2, (2, 20000))
    after = before + rng.uniform(-2, 1, before.shape) * b[:, None]
    after = np.minimum(after, before + b[:, None])
    after[:, 0] = before[:, 0] - a
    fall = np.log(selection(noise, before)[:, 0] / selection(noise, after)[:, 0])
    assert (fall <= a + b + 1e-9).all()
    assert (fall / (a + b)).max() > 0.9  # the bound is nearly reached


@pytest.mark.parametrize(("noise", "arms"), [(n, k) for n in NOISES for k in (2, 3, 5, 8)])
def test_theorem_p_withstands_the_search(noise, arms):
    """60,000 pairs of neighbours per case, half a million in all, come within 1e-6 of eps."""
    rng = np.random.default_rng(arms)
    ratio = lambda rows: privacy_ratio(noise, arms, share(rows))  # noqa: E731
    worst = maximise(ratio, 2 * arms + 1, 60_000, rng)
    assert worst.instances == 60_000
    assert 1 - 1e-6 < worst.value <= 1 + 1e-12


def test_theorem_p_is_attained():
    for epsilon in (0.1, 1.0):
        laws = selection("exponential", epsilon / 2 * np.array([[5.0, 9.0], [6.0, 8.0]]))
        assert math.log(laws[1, 0] / laws[0, 0]) == pytest.approx(epsilon, rel=1e-12)
        p, q = (selection_probabilities(sums, 1 / epsilon)[0] for sums in ([0, 640], [1, 639]))
        assert 1.9 * epsilon < float((q / p).log()) <= 2 * epsilon


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize(("arms", "rounds"), [(2, 6), (3, 4), (4, 2)])
def test_worst_neighbours_over_all_tables_of_sums(noise, arms, rounds):
    """Every pair of neighbours: at most eps. In the worst one an arm at 0 rises by 1 while all
    others fall from `rounds`, as stochastic.mechanisms.rnm argues for log-concave noise."""
    epsilon, sums = 0.7, np.array(list(itertools.product(range(rounds + 1), repeat=arms)))
    largest = 0.0
    law = selection(noise, epsilon / 2 * sums)
    for move in itertools.product((-1, 0, 1), repeat=arms):
        neighbours = sums + np.array(move)
        possible = ((neighbours >= 0) & (neighbours <= rounds)).all(1)
        ratio = selection(noise, epsilon / 2 * neighbours[possible]) / law[possible]
        largest = max(largest, np.log(ratio).max())
    assert largest <= epsilon * (1 + 1e-12)
    worst = np.array([[0.0] + [rounds] * (arms - 1), [1.0] + [rounds - 1] * (arms - 1)])
    before, after = selection(noise, epsilon / 2 * worst)[:, 0]
    assert largest == pytest.approx(math.log(after / before), rel=1e-9)


@pytest.mark.parametrize("noise", ["laplace", *NOISES])
def test_leader_of_the_engine_has_the_audited_law(noise):
    """The engine's own leader on sums (6, 6, 0): 40,000 decisions, within 5 standard errors."""
    variant = {"laplace": "corrected", "exponential": "permute-and-flip", "gumbel": "gumbel"}[noise]
    rule, means, stream = variant_of(variant, 0.5), np.array([1.0, 1.0, 0.0]), STREAM.copy()
    leaders = [noisy_leader(stream, means, 6, rule.noise, rule.scale) for _ in range(40_000)]
    shares = np.bincount(leaders, minlength=3) / len(leaders)
    if noise == "laplace":
        law = np.array([float(p) for p in selection_probabilities([6, 6, 0], 4.0)])
    else:
        law = selection(noise, 0.25 * np.array([6.0, 6.0, 0.0]))
    assert (np.abs(shares - law) < 5 * np.sqrt(law * (1 - law) / len(leaders))).all()


# 2. The optimal rate --------------------------------------------------------------------------


def joint_laws(rng, cases, arms):
    """Random laws of one reward vector: all 2^arms vectors with Dirichlet weights, many sparse."""
    vectors = (np.arange(2**arms)[:, None] >> np.arange(arms)) & 1
    return vectors, rng.dirichlet(np.full(2**arms, 0.2), cases)


@pytest.mark.parametrize("noise", NOISES)
def test_step_o_2_the_potential_falls_as_claimed(noise):
    """Steps 3 to 5, for arms that depend on each other in any way: 4,000 states."""
    rng, arms, cases = np.random.default_rng(3), 4, 4000
    vectors, law = joint_laws(rng, cases, arms)
    eta = 10 ** rng.uniform(-2, 0.5, (cases, 1))
    sums = rng.integers(0, 30, (cases, arms)).astype(float)
    sums[:, 0] += rng.integers(0, 30, cases)
    p, start = selection(noise, eta * sums), potential(noise, eta * sums)
    change = np.zeros(cases)
    for vector, weight in zip(vectors, law.T, strict=True):
        rise = potential(noise, eta * (sums + vector)) - start
        change += weight * (rise - eta[:, 0] * vector[0])
    grows = law @ ((vectors[:, :1] - vectors) == 1)  # q_j^+
    falls = law @ ((vectors[:, :1] - vectors) == -1)
    decrease = (p * (grows * -np.expm1(-eta) - falls * np.expm1(eta))).sum(1)
    assert (change <= -decrease + 1e-9).all()
    gap = grows - falls
    step_5 = gap * np.sinh(eta) - (grows + falls) * (np.cosh(eta) - 1)
    np.testing.assert_allclose((p * step_5).sum(1), decrease, atol=1e-9)


def test_step_o_1_weights_of_the_schedules():
    """phase: its weights are those of 200,000 equidistant starts, and at most e; prefix by hand."""
    weights = [theory.phase_weight(m) for m in range(1, 3000)]
    assert max(weights) <= math.e
    start = (np.arange(200_000) + 0.5) / 200_000
    lengths = np.floor(np.exp(np.arange(6)[:, None] + start))
    for m in (1, 2, 3, 7, 20):
        rounds = (lengths[1:] * (lengths[:-1] == m)).sum() / 200_000
        assert rounds == pytest.approx(theory.phase_weight(m), rel=1e-3)
    assert lengths[0].mean() == pytest.approx(theory.FIRST["phase"], abs=1e-4)
    assert [theory.prefix_weight(m) for m in (1, 2, 3)] == [2, 4, 4]


@pytest.mark.parametrize("noise", NOISES)
@pytest.mark.parametrize("schedule", ["prefix", "phase"])
def test_theorem_o_withstands_the_search(noise, schedule):
    """2,000 exact regrets per case (K to 2000, eps 0.05 to 10, any law of a lead): at most 0.66."""
    rng = np.random.default_rng(5)
    ratio = lambda rows: copies_ratio(noise, schedule, share(rows), 128)  # noqa: E731
    worst = maximise(ratio, 4, 2000, rng, parents=10, children=10)
    assert worst.instances == 2000
    assert 0.4 < worst.value < 0.66


def test_instance_bound_refines_theorem_o():
    rng = np.random.default_rng(6)
    for _ in range(500):
        arms = int(rng.integers(2, 40))
        gaps = 10 ** rng.uniform(-3, 0, arms - 1)
        epsilon = 10 ** rng.uniform(-3, 1)
        for schedule in theory.WEIGHT:
            bound = theory.theorem_o_instance_bound(gaps, epsilon, schedule)
            assert bound <= theory.theorem_o_bound(arms, gaps.min(), epsilon, schedule) * 1.0001


def test_corollary_of_theorem_o_whatever_the_gaps():
    """Small gaps counted as T Delta*, over 2,000 random instances."""
    rng = np.random.default_rng(9)
    for _ in range(2000):
        arms, horizon = int(rng.integers(2, 40)), 10 ** rng.uniform(1, 9)
        gaps, epsilon = 10 ** rng.uniform(-6, 0, arms - 1), 10 ** rng.uniform(-4, 1)
        k, critical = math.log(arms), math.sqrt(math.log(arms) / horizon)
        large = gaps[gaps >= critical]
        for schedule, weight in theory.WEIGHT.items():
            bound = horizon * critical + theory.theorem_o_instance_bound(large, epsilon, schedule)
            rate = 4 * k / epsilon + 4 * (1 + k) * math.sqrt(horizon / k)
            corollary = theory.FIRST[schedule] + horizon * critical + weight * rate
            assert bound <= corollary * (1 + 1e-12)
