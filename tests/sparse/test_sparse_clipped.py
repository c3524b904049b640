"""Clipped sums of which only a few are drawn, against whole clipped rows."""

import math

import numpy as np
import pytest
from by_hand import rng
from scipy.integrate import quad
from scipy.stats import ks_2samp, kstest, norm

from dpbandits.core.generators import borrowed
from dpbandits.sparse.engine.clipped import (
    LAST,
    ClippedContexts,
    ClippedRows,
    _excess_bound,
    _growth,
    bridges,
)
from dpbandits.sparse.engine.clipped_scores import DIRECT, _beyond, _bound, _draw, _exceeding
from dpbandits.sparse.engine.contexts import RowContexts, Rows
from dpbandits.sparse.problem import SparseSetting, covariance

N, D = 3, 9
WHERE = np.array([1, 2, 6])


@pytest.mark.parametrize("rho", [0.0, 0.5, -0.6])
@pytest.mark.parametrize("clip", [0.5, 1.5])
def test_clipped_sums_have_the_law_of_whole_rows(rho, clip):
    """Given three columns, the sums of five others, jointly (means and second moments, 5 SE) and
    one by one (KS, 1e-5); those of the known ones are exact. Flake rate below 3e-4."""
    setting = SparseSetting(d=D, sparsity=3, true_sparsity=3, rho=rho)
    known, u = 3 * rng(1).standard_normal((N, 3)), rng(2).standard_normal(N)
    columns, new = np.array([0, 1, 3, 4, 6, 8]), [0, 2, 3, 5]
    whole, few = [], []
    for seed in range(4000):
        rows = Rows(setting, clip, WHERE, known, seed)
        whole.append(rows.rmatvec(u)[columns])
        lazy = ClippedRows(setting, clip, WHERE, known, seed, rng(seed))
        scores = lazy.only_product(u)
        nominal = scores.values.copy()
        scores.refine(columns)
        few.append(scores.values[columns])
        assert np.all(np.abs(scores.values - nominal) <= scores.slack)
    whole, few = np.round(whole, 9), np.round(few, 9)  # all rows clipped: one value, but rounding
    np.testing.assert_allclose(few[:, [1, 4]], whole[:, [1, 4]])
    pairs = [(i, j) for i in new for j in new if i <= j]
    for moment in (
        lambda x: x[:, new],
        lambda x: np.array([x[:, i] * x[:, j] for i, j in pairs]).T,
    ):
        p, q = moment(whole), moment(few)
        error = np.sqrt((p.var(axis=0) + q.var(axis=0)) / len(p))
        assert np.all(np.abs(p.mean(axis=0) - q.mean(axis=0)) <= 5 * error)
    assert min(ks_2samp(whole[:, j], few[:, j]).pvalue for j in new) > 1e-5


@pytest.mark.parametrize("rho", [0.0, 0.1, -0.6])
def test_bridges_are_the_regression_on_known_and_drawn_coordinates(rho):
    sigma = covariance(SparseSetting(d=12, sparsity=3, true_sparsity=3, rho=rho))
    where, columns = np.array([2, 3, 7]), np.array([0, 1, 4, 5, 6, 10, 11])
    left, right, weights, spread = bridges(columns, where, rho, True)
    for k, j in enumerate(columns):
        given = np.concatenate((where, columns[:k]))
        exact = np.linalg.solve(sigma[np.ix_(given, given)], sigma[given, j])
        got = np.zeros(len(given))
        for place, weight in zip((left[k], right[k]), weights[k], strict=True):
            if place == LAST:
                got[len(where) + k - 1] += weight
            elif place >= 0:
                got[place] += weight
        np.testing.assert_allclose(got, exact, atol=1e-12)
        np.testing.assert_allclose(spread[k] ** 2, 1 - exact @ sigma[given, j], atol=1e-12)


@pytest.mark.parametrize(("theta", "low"), [(0.7, 3.0), (2.0, 3.5), (5.0, 3.5), (1.0, -0.5)])
def test_growth_is_the_integral_above_the_level(theta, low):
    exact, _ = quad(lambda g: 2 * math.expm1(theta * (g - low)) * norm.pdf(g), low, 40)
    assert abs(_growth(theta, low) - exact) <= 1e-8 * exact


def test_the_excess_exceeds_its_bound_as_rarely_as_said():
    """At 1% (and the bound is not idle: the excess reaches a third of it)."""
    random = rng(3)
    weights, reach = np.abs(random.standard_normal(300)), random.uniform(0, 0.4, 300)
    bound = _excess_bound(weights, reach, 2.5, math.log(100))
    g = np.abs(random.standard_normal((20_000, 300)))
    excess = np.maximum(g + reach - 2.5, 0) @ weights
    assert np.mean(excess > bound) < 0.01
    assert excess.max() > bound / 3


@pytest.mark.parametrize(("rho", "clip"), [(0.1, 0.5), (-0.6, 1.8), (0.3, 2.5), (0.95, 2.0)])
@pytest.mark.parametrize("second", [-1.3, 0.0])
def test_chosen_rows_have_the_law_of_drawing_all_rows(rho, clip, second):
    """Arms, regret and the coordinates that scores read, from rows drawn whole and by thinning.

    Clips from where all rows are drawn at once to where few exceed; `second` = 0: theta and beta*
    are parallel. Means and second moments at 5 standard errors, KS at 1e-5: over the 8 cases 260
    tests, flake rate below 2e-3, and the seeds are fixed.
    """
    setting = SparseSetting(
        d=9, sparsity=3, beta=(0.9, -0.7, 0.5)[: 3 if second else 1], rho=rho, preset="corrected"
    )
    estimate = np.zeros(9)
    estimate[[0, 4, 7]] = 0.8, second, second / 2
    seen = []
    for seed, engine in enumerate((RowContexts, ClippedContexts)):
        contexts = engine(setting, rng(seed))
        contexts.clip = clip
        episode = contexts.play(estimate, 60_000)
        known = np.clip(episode.design.known, -clip - 1, clip + 1)
        regret = np.maximum(episode.regret, 0)
        seen.append(np.column_stack((known, episode.rewards, regret)))
    for moment in (lambda x: x, lambda x: np.einsum("ni,nj->nij", x, x).reshape(len(x), -1)):
        p, q = map(moment, seen)
        error = np.sqrt((p.var(axis=0) + q.var(axis=0)) / len(p))
        assert np.all(np.abs(p.mean(axis=0) - q.mean(axis=0)) <= 5 * error + 1e-12)
    for p, q in zip(seen[0].T, seen[1].T, strict=True):
        assert ks_2samp(p, q).pvalue > 1e-5
    worst = np.abs(seen[1][:, :-2]).max()
    assert worst > clip  # and the learner sees clipped contexts


def test_rows_exceed_as_often_as_rows_drawn_at_once():
    """Given the scores, for coordinates that exceed together: thinning, and plain draws (5 SE)."""
    beta = (0.9, -0.7, 0.5, 0.6, -0.8, 0.7, -0.5, -0.6)
    setting = SparseSetting(d=12, sparsity=8, beta=beta, rho=0.97, preset="corrected")
    contexts = ClippedContexts(setting, rng(1))
    contexts.clip = 2.0
    _, law, _, _ = contexts.law(np.array([1.0, 1, -1, -1, 1, 1, -1, -1, 0, 0, 0, 0]))
    bound, draws, x = _bound(law, 0), 40_000, np.empty(8)
    fresh = np.sqrt(1 - law.ratio**2)
    assert 0.2 < bound < DIRECT
    seen = np.zeros((2, draws, 2))
    with borrowed(rng(2)) as random:
        for i, uniform in enumerate(rng(4).random(draws)):
            if _exceeding(random, law, fresh, uniform, bound, 0.2, -0.1, x):
                seen[0, i] = 1, np.sum(np.abs(x) > 2.0)
            _draw(random, law, fresh, 0.2, -0.1, x)
            number = np.sum(np.abs(x) > 2.0)
            seen[1, i] = number > 0, number
    mean, error = seen.mean(axis=1), seen.std(axis=1) / np.sqrt(draws)
    assert mean[1, 1] > 2 * mean[1, 0]  # they do
    assert np.all(np.abs(mean[0] - mean[1]) <= 5 * np.hypot(*error))


@pytest.mark.parametrize("z", [-1.0, 0.2, 1.0, 4.0])
def test_normal_beyond_a_point(z):
    with borrowed(rng(8)) as random:
        draws = np.array([_beyond(random, z) for _ in range(6000)])
    assert draws.min() > z
    assert kstest(draws, lambda x: 1 - norm.sf(x) / norm.sf(z)).pvalue > 1e-5
