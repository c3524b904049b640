"""Clipped sums of which only a few are drawn, against whole clipped rows."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import ks_2samp, norm

from dpbandits.sparse._clipped import LAST, ClippedRows, _excess_bound, _growth, bridges
from dpbandits.sparse._contexts import Rows
from dpbandits.sparse.problem import SparseSetting, covariance

N, D = 3, 9
WHERE = np.array([1, 2, 6])


def rng(seed):
    return np.random.Generator(np.random.Philox(key=seed))


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
