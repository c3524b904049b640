"""The grey-box audit: what the recorder sees, against exact audits and against broken programs."""

import math
from itertools import product

import numpy as np
import pytest
from dpbandits.audit.replayed.program import function_program
from dpbandits.audit.replayed.replays import Claim, Replays
from dpbandits.audit.replayed.verdict import judged
from plain import seeded

from dpbandits.audit.computed import rnm
from dpbandits.audit.computed.laplace import LaplaceParams, audit_laplace
from dpbandits.audit.computed.selection import selection_probabilities
from dpbandits.audit.replayed.programs import (
    RecordedParams,
    audit_learner,
    audit_recorded_function,
)
from dpbandits.core.algorithms import ALGORITHMS
from dpbandits.core.notions import gaussian_delta
from dpbandits.core.zcdp import delta_of
from dpbandits.reproduction.hu.mechanisms import lazy
from dpbandits.sparse.fliphat import niht, peeling
from dpbandits.sparse.presets import from_text, sensitivities
from dpbandits.sparse.problem import SparseSetting


def recorded(function, **keys):
    return audit_recorded_function(function, RecordedParams(**keys))


def test_what_follows_a_shown_maximum_counts_too():
    """Noise of a maximum that is published is counted once, and a later release on top of it."""

    def shown(data, generator, later=False):
        noisy = np.bincount(data, minlength=2) + generator.laplace(scale=2.0, size=2)
        last = sum(data) + generator.laplace(scale=0.5) if later else 0.0
        return int(noisy.argmax()), float(noisy.max()), last

    def both(data, generator):
        return shown(data, generator, later=True)

    first = recorded(shown)
    assert np.isfinite(first.epsilon)
    assert recorded(both).epsilon == pytest.approx(first.epsilon + 1 / 0.5, rel=1e-9)


# --- equal to the exact audits ------------------------------------------------------------------
VARIANTS = {"printed": 2, "corrected": 1, "permute-and-flip": 1, "gumbel": 1, "prefix": 1}


@pytest.mark.parametrize("variant", [*VARIANTS, "phase"])
def test_theorem_8_as_printed_and_corrected(variant):
    """HU-T8: 2 eps as printed, eps in every other variant; the winners' laws are the exact ones."""
    keys = {"epsilon": 0.7, "variant": variant}
    result = audit_learner("rnm-ftnl", keys | {"horizon": 3})
    assert result.epsilon == pytest.approx(0.7 * VARIANTS.get(variant, 1), rel=1e-12)
    assert result.quantity == "Phi"
    assert result.within == (variant != "printed")
    if variant in ("prefix", "phase"):
        return  # their exact audit is a bound
    params = lazy.LazyParams(algorithm="rnm-ftnl", horizon=4, **keys)  # the last action is seen
    assert result.at_least == pytest.approx(lazy.audit_lazy(params, ()).pure_epsilon, rel=1e-12)


@pytest.mark.parametrize("noise", ["laplace", "exponential", "gumbel"])
@pytest.mark.parametrize(("arms", "rounds", "scale"), [(2, 3, 0.8), (3, 2, 2.0)])
def test_noisy_max_over_all_counts_is_the_exact_audit(noise, arms, rounds, scale):
    """Records are counts; every pair of counts that differ by at most 1 is replayed."""

    def winner(data, generator):
        return int(np.argmax(data + getattr(generator, noise)(scale=scale, size=arms)))

    replays = Replays(function_program(winner), 1, 0, Claim(1.0))
    for counts in product(range(rounds + 1), repeat=arms):
        moves = (np.add(counts, step) for step in product((-1, 0, 1), repeat=arms))
        near = [m.tolist() for m in moves if 0 <= m.min() and m.max() <= rounds]  # noqa: SIM300
        replays.try_all(list(counts), [(other, None) for other in near])
    params = rnm.RnmParams(scale=scale, arms=arms, rounds=rounds, adjacency="replace", noise=noise)
    exact = rnm.audit_rnm(params, ()).pure_epsilon
    result = judged(replays, "")
    assert result.at_least == pytest.approx(exact, rel=1e-12)
    assert result.epsilon == pytest.approx(2 / scale, rel=1e-12)


@pytest.mark.parametrize("releases", [1, 4])
def test_laplace_releases_are_the_exact_audit(releases):
    def release(data, generator):
        return 1.5 * sum(data) + generator.laplace(scale=0.8, size=releases)

    params = LaplaceParams(scale=0.8, sensitivity=1.5, releases=releases)
    exact = audit_laplace(params, ()).pure_epsilon
    result = recorded(release, epsilon=exact)
    assert result.epsilon == pytest.approx(exact, rel=1e-12)
    assert result.at_least == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize(("s", "d"), [(1, 3), (2, 4), (3, 3)])
def test_peeling_is_the_exact_audit(s, d):
    """3 s r, or (3 s - 2) r if all are selected (docs/proofs/AUDIT.md)."""
    move = np.where(np.arange(d) < (1 if s == d else s), -1.0, 1.0)
    start = np.where(np.arange(d) < s, 9.0, 3.0)

    def peel(data, generator):
        return peeling(start + data[0] * move, s, 2.0, generator)

    result = recorded(peel, data=[0], neighbour=[1], epsilon=5, transcripts=9)
    assert result.epsilon == pytest.approx((3 * s - 2 * (s == d)) / 2, rel=1e-12)


def test_gaussian_delta_and_a_conversion():
    release = lambda data, generator: sum(data) + generator.normal(scale=2.0)  # noqa: E731
    result = recorded(release, epsilon=1, delta=1e-3)
    assert result.delta == pytest.approx(gaussian_delta(0.5, 1.0), rel=1e-12)
    assert result.rho == pytest.approx(1 / 8)
    assert not result.within
    assert gaussian_delta(0.5, 1.0) < delta_of(1 / 8, 1.0) < 0.05


# --- FL -----------------------------------------------------------------------------------------
def step_of(preset):
    """One step of N-IHT on records [x, y]; x_max = 3, R = 2, C = 1: B = R + x_max C = 5."""
    setting = SparseSetting(d=4, sparsity=2, true_sparsity=2, preset=preset, sigma=0.0, clip=2.0,
                            beta=(0.5, 0.5))  # fmt: skip

    def step(data, generator):
        X, y = (np.array([record[i] for record in data], float) for i in (0, 1))
        tuning = from_text(setting, 1.0, len(y), 1, 2.0)
        moved = sensitivities(setting, len(y))[:1]
        return niht(X, y, setting, tuning, generator, moved)

    return setting, step


def test_step_of_fl_s4_moves_by_more_than_the_printed_sensitivity():
    setting, step = step_of("printed")
    x = [setting.x_max] * 4
    data = [[x, 2.0], [x, 2.0], [x, 2.0]]
    result = recorded(step, data=data, neighbour=[*data[:2], [x, -2.0]], epsilon=1, delta=0.01)
    B = 2.0 + setting.x_max * setting.b_max
    moves = 4 * setting.step_size * setting.x_max * 2.0 / 3
    declared = float(sensitivities(setting, 3)[0])
    assert result.above_declared
    assert result.moved[0]["movement"] == pytest.approx(moves, rel=1e-12)
    default = setting.x_max * setting.b_max + math.sqrt(2 * math.log(3)) * setting.sigma
    assert declared == pytest.approx(setting.step_size * (default + B - 2.0) / 3, rel=1e-12)


# --- learners: more in tests/core/test_algorithm_contract.py --------------------------------------
@pytest.mark.parametrize("times", [1, 2])
def test_a_learner_of_ours_that_reads_a_reward_twice(times, monkeypatch):
    cls = ALGORITHMS.get("anytime-lazy-ucb").learner
    update = cls.update
    monkeypatch.setattr(cls, "update", lambda self, J, X: update(self, J, times * X))
    result = audit_learner("anytime-lazy-ucb", {"horizon": 6})
    assert result.within == (times == 1)
    assert result.epsilon == pytest.approx(times, rel=1e-12)


def test_a_searched_table_finds_the_loss_of_all_tables():
    keys = {"epsilon": 1.0, "horizon": 20, "variant": "printed", "arms": 3, "tries": 200}
    result = audit_learner("rnm-ftnl", keys)
    assert "search" in result.covered
    assert result.epsilon == pytest.approx(2.0, rel=1e-9)
    assert not result.within


# --- what the generator sees --------------------------------------------------------------------
def loss(function, **keys):
    return recorded(function, data=[0, 1, 1], **keys).epsilon


def test_ways_to_add_noise_are_the_same():
    def in_place(data, generator):
        counts = np.array([sum(data), 5.0])
        counts += generator.laplace(scale=0.5, size=2)
        return counts

    ways = [
        in_place,
        lambda data, g: sum(data) + g.laplace(scale=0.5),
        lambda data, g: g.laplace(sum(data), 0.5),
        lambda data, g: 3 - (1 - sum(data) - g.laplace(0, 0.5)),
        lambda data, g: (2 * sum(data) + g.laplace()) / 2,
        lambda data, g: sum(data) + 0.5 * g.laplace(),
        lambda data, g: np.cumsum(np.array(data) + g.laplace(scale=0.5, size=3)),
        lambda data, g: [x + z for x, z in zip(data, g.laplace(scale=0.5, size=3), strict=True)],
        lambda data, g: g.port.laplace(sum(data), 0.5),
    ]
    assert [loss(way) for way in ways] == pytest.approx([2.0] * len(ways))


def test_programs_of_choices_are_judged_exactly():
    """All ways of the coins are enumerated: randomised response loses ln(keep/(1 - keep))."""

    def answered(data, generator, keep=0.75):
        return [int(x if generator.random() < keep else 1 - x) for x in data]

    def two_winners_one_shown(data, generator):
        first, second = (generator.argmax([sum(data), 0.0], 1.6) for _ in range(2))
        return first if second else 1

    result = recorded(answered, data=[0, 1])
    assert result.refuted
    assert result.at_least == pytest.approx(math.log(3), rel=1e-12)
    assert "loses exactly 1.09861" in result.verdict
    assert recorded(answered, data=[0, 1], epsilon=1.0987).within
    once = selection_probabilities([2, 0], 1.6), selection_probabilities([1, 0], 1.6)
    (p, q), (p1, q1) = ([float(x) for x in law] for law in once)
    exact = max(abs(math.log((p * q) / (p1 * q1))), abs(math.log((1 - p * q) / (1 - p1 * q1))))
    result = recorded(two_winners_one_shown, data=[1, 1], neighbour=[0, 1])
    assert result.epsilon == pytest.approx(exact, rel=1e-9)


# --- the proof of the recorder's bounds, attacked (docs/proofs/AUDIT.md) --------------------------
LAWS = {  # density and distribution function on a grid
    "laplace": (lambda x: np.exp(-abs(x)) / 2,
                lambda x: np.where(x < 0, np.exp(-abs(x)) / 2, 1 - np.exp(-abs(x)) / 2)),
    "exponential": (lambda x: np.where(x < 0, 0, np.exp(-np.maximum(x, 0))),
                    lambda x: np.where(x < 0, 0, -np.expm1(-np.maximum(x, 0)))),
    "gumbel": (lambda x: np.exp(-x - np.exp(-x)), lambda x: np.exp(-np.exp(-x))),
}  # fmt: skip


def first_two(scores, law):
    """P(i is the largest, j the second) of three noisy scores, by sums on a fine grid."""
    f, F = LAWS[law]
    grid = np.linspace(-16, 26, 84_001)
    step, chances = grid[1] - grid[0], []
    for i in range(3):
        for j in {0, 1, 2} - {i}:
            (k,) = {0, 1, 2} - {i, j}
            second = f(grid - scores[j]) * F(grid - scores[k])
            chances.append((f(grid - scores[i]) * np.cumsum(second)).sum() * step**2)
    return np.array(chances)


@pytest.mark.parametrize("law", LAWS)
def test_bound_of_selections_against_exact_laws(law):
    largest = {1: 0.0, 2: 0.0}
    for case in range(12):
        g = seeded(91, case)
        before, move = g.normal(size=3) * 2, np.sign(g.normal(size=3)) * g.choice([0, 0.5, 1], 3)
        p, q = (first_two(scores, law) for scores in (before, before + move))
        assert p.sum() == pytest.approx(1, abs=2e-3)
        for k, (a, b) in {1: (p.reshape(3, 2).sum(1), q.reshape(3, 2).sum(1)), 2: (p, q)}.items():

            def select(data, generator, move=move, before=before, k=k):
                scores = before + data[0] * move
                return generator.argmax(scores, 1.0, law, count=None if k == 1 else k)

            bound = recorded(select, data=[0], neighbour=[1], epsilon=9).epsilon
            found = abs(np.log(a / b)).max()
            assert found <= bound + 2e-3  # the error of the sums
            largest[k] = max(largest[k], found / bound if bound else 0.0)
    assert min(largest.values()) > 0.4  # the bound is not idle


def test_recorded_loss_is_at_most_the_sum_and_attained_by_one():
    """An adaptive program: its joint density ratio on a grid of outputs is at most the sum."""

    def program(data, generator):
        first = generator.laplace(sum(data), 1.0)
        scale = 2.0 if float(first) > 0 else 0.5
        return float(first), float(generator.laplace(data[0], scale))

    result = recorded(program, data=[0, 1], neighbour=[1, 1], epsilon=9)
    assert result.epsilon == pytest.approx(1 + 1 / 0.5)
    assert 1 <= result.at_least <= result.epsilon * (1 + 1e-12)
