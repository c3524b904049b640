"""Leaps of Lazy-DP-TS over rounds of tied arms: their chances, counts, and ends of epochs.

Means and variances are compared within 5 standard errors, counts by chi-square at 1e-6: if the
seeds were drawn anew, one run in about 10^4 would fail by chance.
"""

import math

import numpy as np
import pytest
import reference
from flint import arb, ctx
from scipy import special, stats

from dpbandits.core import algorithms
from dpbandits.core.compiled import jit
from dpbandits.core.source import words_of
from dpbandits.core.streams import Streams
from dpbandits.stochastic import lazy_dp_ts
from dpbandits.stochastic.engine import leap as leaps
from dpbandits.stochastic.engine.leap import leap
from dpbandits.stochastic.engine.play import diary_of, run_all
from dpbandits.stochastic.engine.win_chances import NODES, TO_END, WEIGHTS, win_chances
from dpbandits.stochastic.problem import StochasticSetting

RUNS = 10_000  # leaps of one state

# Chances --------------------------------------------------------------------------------------


def by_sinc(centre, used):
    """P(arm j's draw is the largest), with densities of 48 digits at equidistant places, h apart.

    An indefinite integral is h sum_m f(x_m) (1/2 + Si(pi (k - m))/pi) at x_k: for Gaussian bumps to
    exp(-(pi/h)^2/2), h in their spreads.
    """
    ctx.prec = 160
    spread, best = np.sqrt(centre * (1 - centre) / used), centre.max()
    h = 0.3 * spread.min()
    first, last = (centre - 8.5 * spread).min() - best, (centre + 8.5 * spread).max() - best
    places = range(math.ceil(first / h), math.floor(last / h) + 1)
    density = np.array([
        [float(log_density(arb(best) + i * arb(h), arb(c), arb(int(u))).exp()) * h for i in places]
        for c, u in zip(centre, used, strict=True)
    ])  # fmt: skip
    steps = np.arange(1 - len(places), len(places))
    below = [
        np.convolve(f, 0.5 + special.sici(np.pi * steps)[0] / np.pi)[len(places) - 1 :]
        for f in density
    ]
    below = np.array(below)[:, : len(places)]
    return np.array([
        (f * np.delete(below, j, axis=0).prod(axis=0)).sum() for j, f in enumerate(density)
    ])  # fmt: skip


def log_density(x, centre, used):
    k = centre * used
    n = used - k
    constant = (used + 2).lgamma() - (k + 1).lgamma() - (n + 1).lgamma()
    return constant + k * x.log() + n * (1 - x).log()


def by_panels(centre, used):
    """The same by SciPy's densities and distributions: also for laws of very different spreads."""
    laws = [stats.beta(c * u + 1, (1 - c) * u + 1) for c, u in zip(centre, used, strict=True)]
    edges = np.unique(np.clip([o.mean() + z * o.std() for o in laws for z in range(-40, 41)], 0, 1))
    x, w = np.polynomial.legendre.leggauss(24)
    half, middle = np.diff(edges)[:, None] / 2, (edges[1:] + edges[:-1])[:, None] / 2
    places, weights = (middle + half * x).ravel(), (half * w).ravel()
    below = np.array([law.cdf(places) for law in laws])
    return np.array([
        (weights * law.pdf(places) * np.delete(below, j, axis=0).prod(axis=0)).sum()
        for j, law in enumerate(laws)
    ])  # fmt: skip


def chances(centre, used):
    found = np.empty(len(used))
    assert win_chances(np.asarray(centre), np.asarray(used), found)
    return found


def test_quadrature_on_a_panel():
    nodes, weights = np.polynomial.legendre.leggauss(8)
    np.testing.assert_allclose(NODES, nodes, rtol=0, atol=2e-16)
    np.testing.assert_allclose(WEIGHTS, weights, rtol=0, atol=1e-15)
    for power in range(8):
        exact = (1 - nodes ** (power + 1)) / (power + 1)
        np.testing.assert_allclose(TO_END @ nodes**power, exact, rtol=0, atol=1e-15)


@pytest.mark.parametrize("power", range(4, 13))
def test_chances_of_tied_arms_to_almost_all_digits(power):
    """To 1e-13, or what it takes to round a centre by 2^-53: that over its spread, sqrt(used)."""
    rng = np.random.default_rng(power)
    for arms, middle in ((2, 0.75), (3, 0.5), (5, 0.1)):
        used = np.array([10**power >> int(i) for i in rng.integers(0, 3, arms)])
        centre = middle + rng.normal(size=arms) * np.sqrt(middle * (1 - middle) / used)
        found, close = chances(centre, used), 1e-13 + 2.0**-53 * 10 ** (power / 2)
        np.testing.assert_allclose(found, by_sinc(centre, used), rtol=0, atol=close)
        assert found.sum() == pytest.approx(1, abs=1e-13)
    even = chances([middle] * 4, np.full(4, 10**power))
    np.testing.assert_allclose(even, 0.25, rtol=0, atol=1e-14)


def test_chances_with_arms_of_few_pulls():
    """Wide laws beside narrow ones: to the digits of ln k! at small k, 3e-11."""
    rng = np.random.default_rng(1)
    for _ in range(40):
        pulls, base, few = int(10 ** rng.uniform(3, 5)), rng.uniform(0.2, 0.9), rng.uniform(1.7, 3)
        used = np.array([pulls, 2 * pulls, int(10**few)])
        shift = rng.normal() * math.sqrt(base * (1 - base) / pulls)
        centre = np.array([base, min(base + shift, 1), rng.uniform(0, base)])
        expected = by_panels(centre, used)
        np.testing.assert_allclose(chances(centre, used), expected, rtol=0, atol=1e-10)


def test_chances_are_not_said_to_be_exact_at_the_edges():
    """A mean of 1, one of 0; but not if such an arm cannot win."""
    found, used = np.empty(3), np.full(3, 10**5)
    assert not win_chances(np.array([1.0, 0.99999, 0.5]), used, found)
    assert not win_chances(np.array([0.0, 0.0, 0.0]), used, found)
    assert win_chances(np.array([0.0, 0.5, 0.5]), used, found)
    np.testing.assert_allclose(found, [0, 0.5, 0.5], atol=1e-14)


# The table of a block -------------------------------------------------------------------------


def table_of(mean, used, noise, first, last):
    """(table, low, high, its unit of ln t, if it is smooth)."""
    table, low, high = np.empty((leaps.POINTS, len(used))), np.empty(len(used)), np.empty(len(used))
    scale = (leaps.POINTS - 1) / math.log(last / first)
    smooth = leaps._tabulate(mean, used, noise, math.log(first), scale, table, low, high)
    return table, low, high, scale, smooth


def interpolated(table, place):
    return sum(special.binom(place, i) * row for i, row in enumerate(table))


def test_interpolated_chances():
    """Random states of tied arms: within 1e-12, and within the bounds; or refused."""
    rng, kept = np.random.default_rng(2), 0
    for _ in range(300):
        t, arms, epsilon = 10 ** rng.uniform(4, 8), rng.integers(2, 5), 10 ** rng.uniform(-2, 1)
        used = (t / arms * 2.0 ** -rng.integers(0, 3, arms)).astype(np.int64)
        centre = rng.uniform(0.2, 0.9) + rng.normal(size=arms) * np.sqrt(0.25 / used)
        mean = centre - 3 * math.log(t) / (epsilon * used)
        table, low, high, scale, smooth = table_of(mean, used, 1 / epsilon, t, t * 25 / 24)
        kept += smooth
        for place in rng.uniform(0, leaps.POINTS - 1, 4 * smooth):
            bonus = 3 * (math.log(t) + place / scale) / epsilon
            found = interpolated(table, place)
            np.testing.assert_allclose(
                found, chances(mean + bonus / used, used), rtol=0, atol=1e-12
            )
            assert (low - 1e-13 < found).all()
            assert (found < high + 1e-13).all()
    assert 200 < kept < 300


def test_a_block_in_which_a_centre_reaches_1_is_refused():
    """A kink: centres 0.9999 + 3 ln t/(eps used), clipped in the middle of the block."""
    used, t = np.full(2, 10**6), 10**6
    at = 1 - 3 * math.log(1.02 * t) / (0.1 * used)
    assert not table_of(at, used, 10.0, t, 1.04 * t)[-1]
    assert table_of(at - 0.01, used, 10.0, t, 1.04 * t)[-1]


# Leaps ----------------------------------------------------------------------------------------


@jit
def many(world, diaries, states, mean, used, fresh, noise, t, end, found):
    for run in range(len(states)):
        own, diary = fresh.copy(), diary_of(diaries, run)
        last, arm, ends = leap(world, diary, words_of(states[run]), mean, used, own, noise, t, end)
        found[run, 0], found[run, 1], found[run, 2] = last, arm, ends
        for j in range(len(own)):
            found[run, 3 + j] = own[j] - fresh[j]


def leapt(mean, used, fresh, noise, t, end, runs, at=()):
    """(last round, arm, if its epoch ended, wins of every arm) and regret, gaps being 0, 1, ..."""
    mean, used, fresh = np.array(mean), np.array(used), np.array(fresh)
    found = np.zeros((runs, 3 + len(used)), np.int64)

    def engine(world, diaries, states):
        world = world._replace(gaps=np.arange(len(used)) + 0.0)
        many(world, diaries, states, mean, used, fresh, noise, t, end, found)

    setting = StochasticSetting(means=(0.5,) * len(used))
    result = run_all(engine, setting, end, Streams(len(at), range(runs)), np.array(at, np.int64))
    np.testing.assert_array_equal(result.extras["pulls"], found[:, 3:])
    np.testing.assert_array_equal(found[:, 3:].sum(axis=1), found[:, 0] - t)
    at_end = (2 * np.array(used) - fresh)[found[:, 1]] == found[np.arange(runs), 3 + found[:, 1]]
    np.testing.assert_array_equal(found[:, 2] == 1, at_end)
    assert (found[:, 3:] + fresh - 2 * np.array(used) <= 0).all()
    assert ((found[:, 0] == end) | (found[:, 2] == 1)).all()
    return found, result.regret


@pytest.mark.parametrize("fresh", [1000, 1890])
def test_counts_of_a_leap(fresh):
    """eps without end: multinomial, all arms with sure parts, and one near its epoch's end."""
    mean, used, rounds = [0.5, 0.51, 0.45, 0.505], [4000, 3000, 1000, 2000], 1000
    law = chances(mean, used)
    found, _ = leapt(mean, used, [0, 0, fresh, 0], 0.0, 10**5, 10**5 + rounds, RUNS)
    assert not found[:, 2].any()
    wins = found[:, 3:]
    spread = np.sqrt(rounds * law * (1 - law))
    assert (np.abs(wins.mean(axis=0) - rounds * law) < 5 * spread / math.sqrt(RUNS)).all()
    assert (np.abs(wins.var(axis=0) / spread**2 - 1) < 5 * math.sqrt(2 / RUNS)).all()
    for j in range(4):
        assert_fits(stats.binom(rounds, law[j]), wins[:, j])


def assert_fits(law, drawn):
    """By chi-square, in about twenty bins."""
    edges = np.unique(law.ppf(np.linspace(0.05, 0.95, 19)))
    share = np.diff(np.concatenate([[0], law.cdf(edges), [1]]))
    seen = np.bincount(np.searchsorted(edges, drawn), minlength=len(share))
    assert stats.chisquare(seen, share * len(drawn)).pvalue > 1e-6


@pytest.mark.parametrize("epsilon", [0.05, 0.2])
def test_chances_that_move_within_a_leap(epsilon):
    """Wins in three parts of 4,000 rounds, by the regret at checkpoints: sums of all chances."""
    t, end, runs, noise = 20_000, 24_000, RUNS, 1 / epsilon
    used, centre = np.array([6000, 12_000]), np.array([0.50, 0.505])
    mean = centre - 3 * math.log(t) * noise / used
    law = np.array([
        chances(mean + 3 * math.log(r) * noise / used, used)[1] for r in range(t + 1, end + 1)
    ])  # fmt: skip
    assert table_of(mean, used, noise, t + 1, end)[-1]
    assert np.ptp(law) > 10 * math.sqrt(1 / 1000 / runs)  # one chance for all would be seen
    at = [t + 1000, t + 2000, end]
    found, regret = leapt(mean, used, [0, 0], noise, t, end, runs, at)
    np.testing.assert_array_equal(regret[:, -1], found[:, 4])
    wins = np.diff(regret, axis=1, prepend=0)
    for part, own in zip(np.split(law, [1000, 2000]), wins.T, strict=True):
        error = math.sqrt((part * (1 - part)).sum() / runs)
        assert abs(own.mean() - part.sum()) < 5 * error
        assert abs(own.var() / (runs * error**2) - 1) < 5 * math.sqrt(2 / runs)


@pytest.mark.parametrize("lacking", [1, 5, 127, 128, 140, 1000])
def test_the_round_in_which_an_epoch_ends(lacking):
    """One arm alone can end it: in the round of its win number `lacking`, a negative binomial."""
    used, mean = [2000, 3000], [0.5, 0.503]
    law = chances(mean, used)[0]
    found, _ = leapt(mean, used, [4000 - lacking, 0], 0.0, 10**5, 10**5 + 5000, RUNS)
    found = found[found[:, 2] == 1]
    assert len(found) == RUNS
    assert (found[:, 1] == 0).all()
    assert_fits(stats.nbinom(lacking, law, loc=lacking), found[:, 0] - 10**5)


def test_which_epoch_ends_first():
    """Arms that lack 300 and 450 wins: P(300 come first) by the negative binomial of losses."""
    used, mean = [2000, 3000], [0.5, 0.5037]
    law = chances(mean, used)[0]
    found, _ = leapt(mean, used, [3700, 5550], 0.0, 10**5, 10**5 + 5000, RUNS)
    share = stats.nbinom(300, law).cdf(449)
    assert 0.05 < share < 0.95
    assert found[:, 2].all()
    assert abs((found[:, 1] == 0).sum() - RUNS * share) < 5 * math.sqrt(RUNS / 4)


# Whole runs -----------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [2.0, 20.0])
def test_runs_with_leaps_have_the_law_of_the_plain_loop(epsilon):
    """Leaps from round 512 on, over blocks of 5 rounds that are not quiet."""
    means, horizon, runs, noise = (0.7, 0.7, 0.5), 6000, 200, 1 / epsilon
    setting, at = StochasticSetting(means=means), np.array([1000, 3000, horizon])
    tape = Streams(5, range(3 * runs))
    result = run_all(lazy_dp_ts._simulate, setting, horizon, tape, at, noise, 512, True)
    walked = run_all(lazy_dp_ts._simulate, setting, horizon, tape, at, noise, horizon, True)
    assert (result.extras["pulls"] != walked.extras["pulls"]).any(axis=1).mean() > 0.9
    states = Streams(6, range(runs)).states()
    played = reference.lazy(1, False, np.array(means), noise, horizon, states)
    plain = reference.regret_of(played, setting.gaps, at), reference.pulls_of(played, 3)
    for mine, other in zip((result.regret, result.extras["pulls"]), plain, strict=True):
        assert_same_law(mine, other)
        assert_same_law(np.sort(mine, axis=1) ** 2, np.sort(other, axis=1) ** 2)
    assert_same_law(result.extras["pulls"], walked.extras["pulls"])


def assert_same_law(one, other):
    error = np.sqrt(one.var(0, ddof=1) / len(one) + other.var(0, ddof=1) / len(other))
    assert (np.abs(one.mean(0) - other.mean(0)) < 5 * error).all()


def test_far_runs_leap_and_are_their_own():
    """To 10^12 rounds; alone or among others, with and without checkpoints on the way."""
    run = lambda seeds, at: algorithms.run(  # noqa: E731
        "lazy-dp-ts", {"means": [0.75, 0.75, 0.5]}, 1.0, 10**12, seeds, np.array(at)
    )
    two, one = run(range(2), [10**12]), run([1], [10**12])
    np.testing.assert_array_equal(two.regret[1:], one.regret)
    np.testing.assert_array_equal(two.extras["pulls"][1:], one.extras["pulls"])
    assert (two.extras["pulls"].sum(axis=1) == 10**12).all()
    np.testing.assert_allclose(two.regret[:, 0], two.extras["pulls"][:, 2] / 4)
    assert (two.regret[:, 0] < 3000).all()
    grown = run([1], np.geomspace(100, 10**12, 60).astype(np.int64))
    assert (np.diff(grown.regret) >= 0).all()
