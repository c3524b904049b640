"""Rows of all coordinates and the sparse descent as plain Python, number by number against dense
linear algebra that reads the same random numbers; laws are tested, compiled, beside this file."""

import math

import numpy as np
import pytest
from by_hand import ENGINES, RHOS, WHERE, D, plain_descent, regression, rng, setting, sigma
from interpreted import interpreted

from dpbandits.core.streams import streams_for
from dpbandits.sparse.engine import autoregressive, dense, descent, known
from dpbandits.sparse.engine.contexts import LazyRows
from dpbandits.sparse.fliphat import simulate_with

plainly = interpreted(*ENGINES)


# Autoregressive


@pytest.mark.parametrize("rho", RHOS)
def test_the_factor_is_cholesky(rho):
    factor = np.linalg.cholesky(sigma(rho))
    v = rng(1).standard_normal(D)
    np.testing.assert_allclose(autoregressive.colour(v, rho), factor @ v, atol=1e-14)
    np.testing.assert_allclose(autoregressive.colour_transposed(v, rho), factor.T @ v, atol=1e-14)
    np.testing.assert_allclose(autoregressive.covariance_times(v, rho), sigma(rho) @ v, atol=1e-13)
    some = autoregressive.at_coordinates(rng(2), WHERE, (2, 3), rho)
    z = rng(2).standard_normal((2, 3, 3))
    own = np.linalg.cholesky(sigma(rho)[np.ix_(WHERE, WHERE)])
    np.testing.assert_allclose(some, z @ own.T, atol=1e-14)


@pytest.mark.parametrize("rho", [*RHOS, 1e-7])
def test_pins_are_the_regression(rho):
    found = np.zeros((D, 3))
    where, first, ends, weight = autoregressive.pins(WHERE, D, rho)
    for k, part in enumerate(np.split(weight, ends[1:-1])):
        found[first[k] : first[k] + len(part), k] = part
    np.testing.assert_allclose(found, regression(rho), atol=1e-13)
    assert where is WHERE
    # beyond 1e-18 nothing is read: at rho = 1e-7 two places on each side, and a third
    alone = autoregressive.pins(np.array([20]), 41, 1e-7)
    assert (list(alone.first), list(alone.ends)) == ([17], [0, 7])
    free = autoregressive.pins(np.array([20]), 41, 0)
    assert (list(free.first), list(free.ends)) == ([20], [0, 1])


# Dense


@pytest.mark.parametrize(("rho", "clip"), [(0.4, np.inf), (-0.6, 0.8)])
@pytest.mark.parametrize("forced", [False, True])
@pytest.mark.parametrize("greedy", [False, True])
def test_dense_rows_are_those_of_their_normals(rho, clip, forced, greedy):
    n, arms, s = 6, 3, setting(rho)
    gaps, theta = rng(2).random(n), rng(3).standard_normal(D)
    direction = sigma(rho) @ s.signal / (s.signal @ sigma(rho) @ s.signal)
    world = dense.World(arms, rho, clip, s.signal, forced, direction)
    chosen = np.array([0, 2, 1, 1, 0, 2])
    expected = chosen.copy()
    rows, scores = dense.play_dense(rng(4), world, theta, greedy, chosen, gaps)
    x = rng(4).standard_normal((n, arms, D)) @ np.linalg.cholesky(sigma(rho)).T
    if forced:
        for t in range(n):
            own = x[t] @ s.signal
            best = np.argmax(own)
            x[t, best] += (np.sort(own)[-2] + gaps[t] - own[best]) * direction
    np.testing.assert_allclose(scores, x @ s.signal, atol=1e-12)
    x = np.clip(x, -clip, clip)
    if greedy:
        expected = np.argmax(x @ theta, axis=1)
    assert list(chosen) == list(expected)
    np.testing.assert_allclose(rows, x[np.arange(n), expected], atol=1e-12)


@pytest.mark.parametrize("rho", RHOS)
def test_rows_given_some_coordinates_are_moved_free_ones(rho):
    n, known = 6, rng(5).standard_normal((6, 3))  # four at a time, and two
    fixed = autoregressive.pins(WHERE, D, rho)
    free = rng(6).standard_normal((n, D)) @ np.linalg.cholesky(sigma(rho)).T
    expected = free + (known - free[:, WHERE]) @ regression(rho).T
    x = dense.clipped_rows(rng(6), D, rho, 0.9, known, fixed)
    np.testing.assert_allclose(x, np.clip(expected, -0.9, 0.9), atol=1e-12)
    weights, sums = np.array([1.0, -2.0, 0.5, 1.5, -1.0, 0.7]), np.full(D, 10.0)
    dense.add_signs(rng(6), sums, rho, weights, known, fixed)
    np.testing.assert_allclose(sums, 10 + weights @ np.sign(expected), atol=1e-12)


# Descent


@pytest.mark.parametrize("rho", RHOS)
@pytest.mark.parametrize("preset", ["printed", "released"])
def test_the_sparse_descent_is_the_plain_one(rho, preset, monkeypatch):
    """Few and many rows, axes turned or not, directions that repeat and that do not."""
    for sparsity, epsilon in ((2, 50.0), (7, np.inf)):
        s = setting(rho, preset=preset, sparsity=sparsity, peeling_noise="fresh", steps_factor=0.9)
        streams, at = streams_for("fliphat", s, epsilon, 70, range(1)), np.array([3, 20, 70])
        sparse = simulate_with("lazy", s, epsilon, 70, streams, at)
        with monkeypatch.context() as patch:
            patch.setattr(LazyRows, "descend", plain_descent)
            plain = simulate_with("lazy", s, epsilon, 70, streams, at)
        np.testing.assert_allclose(sparse.regret, plain.regret, rtol=1e-10)
        for name, curve in plain.curves.items():
            np.testing.assert_allclose(sparse.curves[name], curve, rtol=1e-8, atol=1e-12)


def test_products_of_columns_far_apart_are_those_of_sigma():
    """The sweeps over sorted columns, and from them to all of R^d; some gaps exceed all powers."""
    d = 90
    for rho in (0.3, -0.5, 0.0):
        k = known.known(known.powers(rho, d), 5, d, 6, 1, 5)
        known._enter(k, np.array([70, 3, 4, 88]))
        known._enter(k, np.array([3, 0, 70]))
        assert list(k.columns[: k.counts[0]]) == [70, 3, 4, 88, 0]
        assert list(k.order[: k.counts[0]]) == [4, 1, 2, 0, 3]
        columns, v = k.columns[:5], np.array([1.0, -2.0, 0.5, 3.0, 0.7])
        whole = np.zeros(d)
        whole[columns] = v
        exact = sigma(rho, d) @ whole
        np.testing.assert_allclose(known._covariance_times(k, v), exact[columns], atol=1e-15)
        out = np.ones(d)
        descent._add_covariance_times(k, v, out)
        np.testing.assert_allclose(out, 1 + exact, atol=1e-15)
    assert len(known.powers(0.3, 90)) == math.ceil(18 / -math.log10(0.3)) + 1
    assert len(known.powers(0.3, 9)) == 10
    assert known.known(known.powers(0.3, 9), 5, 9, 20, 1, 5).directions.shape == (1, 9)
    assert list(known.powers(0.0, 9)) == [1.0, 0.0]


def test_the_projection_is_the_soft_threshold():
    v = np.array([3.0, -1.0, 0.5, 0.1])
    descent.project_l1(v, 2.5)
    np.testing.assert_allclose(v, [2.25, -0.25, 0, 0])  # level 3/4
    small = np.array([0.1, -0.2])
    descent.project_l1(small, 0.3 + 1e-12)
    assert list(small) == [0.1, -0.2]
