"""Thinning in Lazy-DP-TS and Thompson sampling, round by round and curve by curve.

Counts are within 5 standard errors: for other seeds each of the 60 comparisons would fail with
probability below one in a million.
"""

import math

import numpy as np
import pytest
from scipy import stats

from dpbandits.core.streams import Streams
from dpbandits.core.variates import exponential
from dpbandits.stochastic.engine import lazy_dp_ts, thompson
from dpbandits.stochastic.engine.beta_tails import ALWAYS, new_curves
from dpbandits.stochastic.engine.lazy_dp_ts import Arms
from dpbandits.stochastic.engine.thinning import Posteriors, play_round


def stream(seed):
    return Streams(22, (seed,)).states()[0]


def assert_rounds_have_their_law(block, posteriors, seed):
    """5,000 rounds; a quiet one is the leader's. P(arm j is best) by quadrature."""
    x = (np.arange(20_000) + 0.5) / 20_000
    laws = [stats.beta(k + 1, n + 1) for k, n in zip(*posteriors, strict=True)]
    below = np.array([law.cdf(x) for law in laws])
    law = np.array([
        (law.pdf(x) * np.delete(below, j, axis=0).prod(axis=0)).mean() for j, law in enumerate(laws)
    ])  # fmt: skip
    law /= law.sum()
    wins, state = np.zeros(len(laws)), stream(seed)
    distance = exponential(state)
    for _ in range(5000):
        if not block.busy and distance >= block.rate:
            arm, distance = block.leader, distance - block.rate
        else:
            arm, distance = play_round(state, posteriors, block, distance)
        wins[arm] += 1
    error = np.sqrt(5000 * law * (1 - law)) + 1
    assert (np.abs(wins - 5000 * law) < 5 * error).all(), (wins, 5000 * law)


def assert_covered(curves, j, start, shapes):
    """ln of the densities beyond `start` is below the curve, whose mass makes the rate."""
    height, decay = curves.log_height[j], curves.decay[j]
    mass = math.exp(height) / decay * -math.expm1(-decay * (1 - start))
    assert curves.rate[j] == pytest.approx(-math.log1p(-mass))
    x = start + (1 - start) * np.linspace(0, 0.999, 40) ** 2
    for k, n in shapes:
        density = stats.beta(k + 1, n + 1).logpdf(x)
        assert (density <= height - decay * (x - start) + 1e-7).all(), (k, n, start)


# Lazy-DP-TS -----------------------------------------------------------------------------------


def lazy_arms(mean, used, epsilon):
    used = np.array(used)
    return Arms(np.array(mean), used, np.zeros_like(used), 1 / epsilon)


def posteriors_at(t, arms):
    """Line 4 of Algorithm 3."""
    centre = np.clip(arms.mean + 3 * math.log(t) * arms.noise / arms.used, 0, 1)
    return Posteriors(centre * arms.used, (1 - centre) * arms.used)


STATES = [  # private means, observations, the leader; at rounds 200 to 230 and eps = 20
    ([0.78, 0.51, 0.69, 0.46], [128, 64, 128, 4], 0, False),
    ([0.41, 0.72, 0.5, 0.4], [16, 128, 16, 4], 1, False),
    ([0.14, 0.15, 0.67, 0.32], [4, 32, 128, 4], 2, False),
    ([0.31, 0.32, 0.56, 0.68], [128, 4, 64, 128], 3, False),
    ([0.63, 0.58, 0.74], [64, 32, 128], 2, True),
    ([0.69, 0.15, 0.34, 0.4], [256, 256, 8, 4], 0, True),
    ([0.69, 0.3, 0.46, 0.73], [16, 4, 256, 64], 3, True),
]


@pytest.mark.parametrize(("mean", "used", "first", "is_busy"), STATES)
def test_lazy_dp_ts_thinning_keeps_the_law(mean, used, first, is_busy):
    """At either end of a block."""
    arms = lazy_arms(mean, used, 20)
    block = lazy_dp_ts.open_block(arms, 200, 230, new_curves(len(mean)))
    assert (block.leader, block.busy) == (first, is_busy)
    for t in (200, 230):
        assert_rounds_have_their_law(block, posteriors_at(t, arms), t)


def test_curves_of_lazy_dp_ts_cover_every_round_of_a_block():
    """Blocks of rounds 200 to 800, longer than any that is played, so that late rounds differ."""
    rng, others, leaders, busy_blocks = np.random.default_rng(1), 0, 0, 0
    for _ in range(80):
        used = 2 ** rng.integers(2, 9, 3)
        arms = lazy_arms(rng.uniform(-0.1, 0.9, 3), used, rng.choice([5, 20, 100]))
        leader, level, busy, rate, curves = lazy_dp_ts.open_block(arms, 200, 800, new_curves(3))
        finite = curves.rate < ALWAYS
        assert rate == pytest.approx(curves.rate[finite].sum())
        busy_blocks += busy
        assert not (busy and finite[leader])
        for j in np.flatnonzero(finite):
            laws = [np.array(posteriors_at(t, arms))[:, j] for t in (200, 400, 800)]
            if j == leader:
                assert_covered(curves, j, 1 - level, [(n, k) for k, n in laws])
                leaders += 1
            else:
                assert_covered(curves, j, level, laws)
                others += 1
    assert min(others, leaders, busy_blocks) > 8


# Thompson sampling ----------------------------------------------------------------------------

POSTERIORS = [  # successes, failures, the leader
    ([42.0, 45.0, 87.0], [36.0, 38.0, 42.0], 2),
    ([26.0, 71.0, 55.0], [32.0, 48.0, 61.0], 1),
    ([25.0, 40.0, 62.0, 66.0], [12.0, 78.0, 68.0, 76.0], 0),
]


@pytest.mark.parametrize(("good", "bad", "leader"), POSTERIORS)
def test_thompson_thinning_keeps_the_law(good, bad, leader):
    """At the start of a block of 4, and after three failures or successes."""
    good, bad = np.array(good), np.array(bad)
    block = thompson.open_block(Posteriors(good, bad), leader, 4, new_curves(len(good)))
    assert 0.1 < block.rate < 0.7
    for won, lost in ((0, 0), (0, 3), (3, 0)):
        now = Posteriors(good.copy(), bad.copy())
        now.k[leader] += won
        now.n[leader] += lost
        assert_rounds_have_their_law(block, now, lost)


def test_curves_of_thompson_cover_every_round_of_a_block():
    """For all rewards of the leader in the block; and the level, by hand."""
    rng, quiet_blocks = np.random.default_rng(2), 0
    for _ in range(80):
        good, bad = rng.integers(0, 60, 3) + 0.0, rng.integers(0, 60, 3) + 0.0
        leader, length = int(np.argmax((good + 1) / (good + bad + 2))), 6
        block = thompson.open_block(Posteriors(good, bad), leader, length, new_curves(3))
        if block.busy:
            continue
        quiet_blocks += 1
        assert block.rate == pytest.approx(block.curves.rate.sum())
        assert block.rate < 0.7
        worst = stats.beta(good[leader] + 1, bad[leader] + length + 1)
        others = [stats.beta(good[j] + 1, bad[j] + 1) for j in range(3) if j != leader]
        levels = [
            (worst.mean() * other.std() + other.mean() * worst.std()) / (other.std() + worst.std())
            for other in others
        ]
        assert block.level == pytest.approx(max(levels))
        assert block.level < worst.mean()
        for j in set(range(3)) - {leader}:
            assert_covered(block.curves, j, block.level, [(good[j], bad[j])])
        laws = [
            (bad[leader] + b, good[leader] + a) for a in range(length) for b in range(length - a)
        ]
        assert_covered(block.curves, leader, 1 - block.level, laws)
    assert quiet_blocks > 15
