"""Bounds, readings and exact checks against independent derivations."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
import reference
from scipy import stats
from scipy.stats import binom

from dpbandits.core.streams import Streams
from dpbandits.stochastic import theory
from dpbandits.stochastic.claims.lemma_24 import lemma_24_tightness
from dpbandits.stochastic.claims.lemmas import lemma_6_sides
from dpbandits.stochastic.engine import short_horizon
from dpbandits.stochastic.readings import crossing, growth_in_k, privacy_starts_to_cost, ratio


@pytest.mark.parametrize("r", [0, 2, 5])
def test_overestimation_is_the_expectation_over_betas(r):
    n, best, level = 2**r, 0.75, 0.7
    s = np.arange(n + 1)
    law = stats.beta(s + 1, n - s + 1)
    expected = (stats.binom.pmf(s, n, best) * law.cdf(level) / law.sf(level)).sum()
    assert theory.overestimation(best, level, 2**r) == pytest.approx(expected, rel=1e-9)


def test_brackets_double():
    gaps = [0, 0.1, 0.1999, 0.2, 0.4, 0.79]
    found = theory.brackets(gaps)
    assert [n for _, n in found] == [2, 1, 2]
    np.testing.assert_allclose([d for d, _ in found], [0.1, 0.2, 0.4])


def test_constants_of_the_proofs():
    assert theory.sufficient_epoch(0.1, 1, math.e, 24) == math.ceil(math.log2(2400))
    assert theory.rnm_ftnl_bound([0, 0.1], 1, 1e6) == pytest.approx(2560)
    assert theory.rnm_ftnl_bound([0, 0.1], 0.01, 1e6) == pytest.approx(25600)
    assert theory.private_lower_bound(8, 0.1) == pytest.approx(0.098 * math.log(8))
    m = theory.lower_bound_rounds(8, 0.1, 0.1)
    assert 0.2 * 0.49 * m * 0.1 == pytest.approx(theory.private_lower_bound(8, 0.1))


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 5.0])
@pytest.mark.parametrize("horizon", [1e5, 1e8, 1e11])
def test_worst_cases_cover_every_instance_and_keep_their_rate(epsilon, horizon):
    """Instances whose gaps are at least Delta*; smaller ones cost T Delta* at most."""
    rng = np.random.default_rng(0)
    for arms in (2, 5, 20):
        ucb = theory.lazy_ucb_worst_case(arms, epsilon, horizon)
        ts = theory.lazy_ts_worst_case(arms, epsilon, horizon)
        critical = math.sqrt(arms * math.log(horizon) / horizon)
        rate = horizon * critical + arms * math.log(horizon) / epsilon
        assert ucb <= min(horizon, 200 * rate)
        assert ts <= min(horizon, 800 * rate)  # 577, and Theorem T over ln T
        for _ in range(20):
            gaps = np.exp(rng.uniform(math.log(critical), 0, arms - 1))
            instance = min(horizon, theory.lazy_ucb_bound([0, *gaps], epsilon, horizon))
            assert instance <= ucb * (1 + 1e-12)


def overestimation_in_full(best, level, n):
    """The whole sum, in logarithms: nothing is left out, nothing runs out of range."""
    s = np.arange(n + 1)
    law = binom.logpmf(np.arange(n + 2), n + 1, level)
    below = np.logaddexp.accumulate(law)[:-1]
    above = np.logaddexp.accumulate(law[::-1])[::-1][1:]
    return float(np.exp(binom.logpmf(s, n, best) + above - below).sum())


def test_overestimation_leaves_no_tail_out():
    """What counts lies up to hundreds of standard deviations below the mean (gap 0.003)."""
    for gap in (0.003, 0.01, 0.05, 0.5):
        for r in (0, 3, 6, 9, 11, 13):
            full = overestimation_in_full(0.5, 0.5 - gap / 6, 2**r)
            assert theory.overestimation(0.5, 0.5 - gap / 6, 2**r) == pytest.approx(full, rel=1e-6)
    level = 1 - 0.1 / 6
    assert theory.overestimation(1, level, 64) == pytest.approx(level**65 / (1 - level**65))


def test_optimism_is_bounded_and_its_bound_falls_with_the_gap():
    for best, gap in ((0.25, 0.01), (0.5, 0.01), (0.5, 0.3), (0.75, 0.05)):
        found, bound = theory.optimism_pulls(best, gap, 1e9), theory.optimism_bound(gap, 1e9)
        assert found <= bound <= 688 * (math.log2(1e9) + 1) / gap**2
    assert 0.01**2 * theory.optimism_pulls(0.5, 0.01, 1e9) > 170  # it grows as the gap falls
    gaps = np.geomspace(1e-4, 1, 30)
    costs = [gap * theory.optimism_bound(gap, 1e12) for gap in gaps]
    assert (np.diff(costs) <= 0).all()


def test_doubling_gaps_fill_one_bracket_each():
    from dpbandits.stochastic.studies.conjecture import conjecture_gaps

    gaps = conjecture_gaps("doubling", 8)
    assert gaps.max() == 0.5
    assert [n for _, n in theory.brackets(gaps)] == [1] * 7


def test_lemma_24_against_sampling():
    rng = np.random.default_rng(0)
    r, best, gap, epsilon, runs = 4, 0.6, 0.3, 0.5, 400_000
    n = 2**r
    noise = rng.laplace(0, 1 / epsilon, (2, runs))
    wins = rng.binomial(n, best - gap, runs) + noise[0] >= rng.binomial(n, best, runs) + noise[1]
    p = lemma_24_tightness(r, best, gap, epsilon) * theory.noise_tail_bound(r, gap, epsilon)
    assert abs(wins.mean() - p) < 5 * math.sqrt(p / runs)  # flake rate below 1e-6 if reseeded


def test_lemma_6_is_never_exceeded_on_random_states():
    left, right = lemma_6_sides(40)
    assert (left <= right * (1 + 1e-9)).all()


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_short_horizon_tables_are_laws(epsilon):
    """Sum over decisions of P(decisions | data) is 1: sums not reached by a path do not matter."""
    table = short_horizon.ucb_table(epsilon, 6)
    for first in (0, 1):
        total = 0.0
        for (_path, sums), p in table.items():
            if sums[:2] == (first, 1) and all(s == 1 for s in sums[2:]):
                total += p
        assert total == pytest.approx(1, abs=1e-4)  # trapezoids at kinks: (rate/512)^2/12


def test_short_horizon_agrees_with_the_simulated_algorithm():
    """Frequency of the first decision against the table, all four data sets mixed."""
    from dpbandits.core.algorithms import run

    epsilon, runs = 1.0, 40000
    table = short_horizon.ucb_table(epsilon, 3)
    expected = sum(p / 4 for (path, _), p in table.items() if path == (0,))
    pulls = run("anytime-lazy-ucb", {"means": [0.5, 0.5]}, epsilon, 3, range(runs), [3])
    share = (pulls.extras["pulls"][:, 0] == 2).mean()
    assert abs(share - expected) < 5 * 0.5 / math.sqrt(runs)


def test_halving_the_grid_hardly_moves_the_loss(monkeypatch):
    fine = short_horizon.worst_loss(short_horizon.ucb_table(1.0, 7))[0]
    monkeypatch.setattr(short_horizon, "GRID", 256)
    coarse = short_horizon.worst_loss(short_horizon.ucb_table(1.0, 7))[0]
    assert abs(fine - coarse) < 1e-5


def test_readings_on_made_up_tables():
    rows = pd.DataFrame({"mean": [2.0, 1.0], "sem": [0.02, 0.01]})
    found = ratio(rows.loc[0], rows.loc[1])
    assert found.low < 2 == found.value < found.high
    x = np.array([0.01, 0.1, 1.0])
    assert crossing(x, np.array([100.0, 10.0, 1.0]), 10**0.5) == pytest.approx(10**-0.5)
    assert crossing(x, np.array([100.0, 10.0, 1.0]), 0.5) == np.inf  # not 1: the scan ends there
    assert crossing(x, np.array([100.0, 10.0, 1.0]), 200.0) == 0
    k = np.arange(5, 21)
    table = pd.DataFrame({"arms": k, "mean": 1 + 2 * np.log(k), "sem": 0.01})
    fit = growth_in_k(table)
    assert fit.log_misfit < fit.line_misfit
    assert fit.slope.value == pytest.approx(2, rel=1e-6)
    assert growth_in_k(table.assign(mean=3.0 * k)).exponent.value == pytest.approx(1)


def test_privacy_starts_to_cost_where_the_rule_says():
    epsilon = np.array([0.1, 1.0, 10.0, np.inf])
    regret = np.array([10.0, 1.5, 1.0, 1.0])
    table = pd.DataFrame({
        "algorithm": "a", "epsilon": epsilon, "metric": "regret", "t": 5,
        "mean": regret, "low": regret * 0.99, "high": regret * 1.01,
    })  # fmt: skip
    found = privacy_starts_to_cost(table, "a")
    assert found.value == pytest.approx(1.0)
    assert found.low < 1 < found.high


@pytest.mark.parametrize(("name", "horizon"), [(0, 6), (1, 5)])
def test_short_horizon_tables_path_by_path(name, horizon):
    """20,000 plain runs whose arm 0 always pays: every path within 5 standard errors (24 of them,
    flake rate below 2e-5 if reseeded)."""
    epsilon, runs = 0.8, 20_000
    table = short_horizon.ts_table(epsilon) if name else short_horizon.ucb_table(epsilon, horizon)
    tape = Streams(29, tuple(range(runs))).states()
    played = reference.lazy(name, True, np.array([1.0, 0.0]), 1 / epsilon, horizon, tape)
    paths, counts = np.unique(played[:, 2:], axis=0, return_counts=True)
    seen = {tuple(map(int, path)): n / runs for path, n in zip(paths, counts, strict=True)}
    total = 0.0
    for path in itertools.product((0, 1), repeat=horizon - 2):
        sums, used, fresh = [1, 0], [1, 1], [0, 0]
        for arm in path[: horizon - 2 - name]:  # the other table leaves out what ends with it
            fresh[arm] += 1
            if fresh[arm] == 2 * used[arm]:
                used[arm], fresh[arm] = fresh[arm], 0
                sums.append(used[arm] * (arm == 0))
        expected = table.get((path, tuple(sums)), 0.0)
        total += expected
        assert abs(seen.get(path, 0.0) - expected) < 5 * math.sqrt(expected / runs) + 1e-3
    assert total == pytest.approx(1, abs=1e-4)
