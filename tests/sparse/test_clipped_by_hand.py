"""Sums of clipped columns as plain Python, number by number against dense linear algebra that
reads the same random numbers; their laws are tested, compiled, beside this file."""

import math

import numpy as np
import pytest
from by_hand import ENGINES, RHOS, WHERE, D, regression, rng, setting, sigma
from interpreted import interpreted
from scipy.stats import norm

from dpbandits.sparse.engine import clipped
from dpbandits.sparse.engine.clipped import LAST, NONE, ClippedRows

plainly = interpreted(*ENGINES)


@pytest.mark.parametrize("rho", RHOS)
def test_bridges_are_the_regression(rho):
    s, columns = sigma(rho), np.array([0, 3, 4, 7])
    for drawn in (False, True):
        left, right, weights, spread = clipped.bridges(columns, WHERE, rho, drawn)
        for k, j in enumerate(columns):
            given = [*WHERE, *(columns[:k] if drawn else [])]
            exact = np.linalg.solve(s[np.ix_(given, given)], s[given, j])
            got = np.zeros(len(given))
            for place, weight in zip((left[k], right[k]), weights[k], strict=True):
                if place == LAST:
                    got[given.index(columns[k - 1], 3)] += weight
                elif place != NONE:
                    got[place] += weight
            np.testing.assert_allclose(got, exact, atol=1e-13)
            assert spread[k] ** 2 == pytest.approx(1 - exact @ s[given, j], abs=1e-13)
        assert (left[0], right[3]) == (NONE, NONE)
        assert left[2] == (LAST if drawn else 1)
    # a known column itself is its own left neighbour's next: nothing is left of it
    _, right, weights, spread = clipped.bridges(WHERE, WHERE, rho, False)
    assert list(right) == [0, 1, 2]
    assert weights[:, 1] == pytest.approx([1, 1, 1])
    assert spread == pytest.approx([0, 0, 0])


def test_the_largest_of_each_row():
    assert list(clipped._largest(np.array([[1.0, -3.0], [0.5, 0.2]]))) == [3.0, 0.5]


@pytest.mark.parametrize(("theta", "low"), [(0.7, 3.0), (2.0, 3.5), (1.0, -0.5)])
def test_the_growth_by_its_two_tails(theta, low):
    """E exp(theta (|g| - low)) over |g| > low is 2 e^(theta^2/2 - theta low) P(g > low - theta)."""
    moved = 2 * math.exp(theta**2 / 2 - theta * low) * norm.sf(low - theta)
    assert clipped._growth(theta, low) == pytest.approx(moved - 2 * norm.sf(low), rel=1e-12)


def test_the_excess_bound_is_chernoffs_over_rounded_up_bins():
    weights, reach, odds = np.array([0.2, 1.0, 0.55, 0.0]), np.array([0.5, 0.1, 0.0, 0.25]), 3.0
    up = lambda x: (np.minimum((x / x.max() * 12).astype(int), 11) + 1) / 12 * x.max()  # noqa: E731
    for clip in (1.0, 2.5):
        sums = []
        for rate in clipped.RATES:
            grown = [
                clipped._growth(rate * w, clip - r)
                for w, r in zip(up(weights), up(reach), strict=True)
            ]
            sums.append((odds + sum(grown)) / rate)
        found = clipped._excess_bound(weights, reach, clip, odds)
        assert found == pytest.approx(min(sums), rel=1e-12)
        twice = clipped._excess_bound(2 * weights, reach, clip, odds)
        assert twice == pytest.approx(2 * found, rel=1e-12)  # a scale law
    assert list(clipped.RATES) == [0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6]
    none = clipped._excess_bound(weights, np.zeros(4), 2.5, odds)
    assert none < found


def test_clipped_sums_meet_the_sums_of_unclipped_columns():
    """Columns are drawn in turn from their neighbours, then moved along u to the given sums."""
    rho, n, clip = 0.5, 3, 0.8
    columns, u, sums = np.array([0, 3, 4]), np.array([0.5, -1.0, 2.0]), np.array([0.3, -1.0, 4.0])
    known = rng(7).standard_normal((n, 3))
    path = clipped.bridges(columns, WHERE, rho, True)
    found = clipped._clipped_sums(rng(8), u, sums, clip, known, path)
    z, x = rng(8).standard_normal((3, n)), np.zeros((3, n))
    s = sigma(rho)
    for k, j in enumerate(columns):
        given = [*WHERE, *columns[:k]]
        gain = np.linalg.solve(s[np.ix_(given, given)], s[given, j])
        left = math.sqrt(1 - gain @ s[given, j])
        x[k] = np.column_stack((known, *x[:k])) @ gain + left * z[k]
    x += np.outer((sums - x @ u) / (u @ u), u)
    np.testing.assert_allclose(x @ u, sums)
    np.testing.assert_allclose(found, np.clip(x, -clip, clip) @ u, atol=1e-12)


def test_a_product_is_free_noise_moved_to_the_known_columns():
    rho, clip, seen = 0.5, 0.9, {}
    known, u = rng(9).standard_normal((4, 3)), np.array([0.5, -1.0, 2.0, 0.1])
    rows = ClippedRows(setting(rho), clip, WHERE, known, 5, rng(10))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clipped, "_excess_bound", lambda *given: seen.update(bound=given) or 0.25)
        patch.setattr(
            clipped, "_clipped_sums", lambda *given: seen.update(sums=given) or given[2] + 9
        )
        scores = rows.only_product(u)
        free = np.linalg.norm(u) * np.linalg.cholesky(sigma(rho)) @ rng(10).standard_normal(D)
        gain = regression(rho)
        unclipped = free + gain @ (u @ known - free[WHERE])
        expected = unclipped.copy()
        expected[WHERE] = u @ np.clip(known, -clip, clip)
        np.testing.assert_allclose(scores.values, expected, atol=1e-12)
        assert scores.slack == 0.25
        weights, reach, at, odds = seen["bound"]
        others = np.setdiff1d(np.arange(D), WHERE)
        pull = np.abs(gain[others]).sum(axis=1).max()
        np.testing.assert_allclose(weights, np.abs(u))
        np.testing.assert_allclose(reach, pull * np.abs(known).max(axis=1))
        assert (at, odds) == (clip, pytest.approx(math.log(8e18)))
        scores.refine(np.array([0, 2, 5]))
        np.testing.assert_allclose(seen["sums"][2], unclipped[[0, 5]])
        expected[[0, 5]] = unclipped[[0, 5]] + 9
        np.testing.assert_allclose(scores.values, expected, atol=1e-12)
        path = clipped.bridges(np.array([0, 5]), WHERE, rho, True)
        for ours, theirs in zip(seen["sums"][5], path, strict=True):
            np.testing.assert_allclose(ours, theirs)
