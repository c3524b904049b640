"""The lazy Gaussian matrix against dense draws, and the autoregressive helpers."""

import numpy as np
import pytest
from by_hand import rng
from scipy.stats import ks_2samp

from dpbandits.core.generators import borrowed
from dpbandits.sparse.engine.autoregressive import (
    at_coordinates,
    colour,
    colour_transposed,
    covariance_times,
    pins,
)
from dpbandits.sparse.engine.contexts import LazyRows
from dpbandits.sparse.engine.dense import clipped_rows
from dpbandits.sparse.engine.lazy import LazyGaussian
from dpbandits.sparse.problem import SparseSetting, covariance


def asked(matvec, rmatvec, u):
    """A mix of products, each depending on earlier results, as N-IHT asks them."""
    d = 5
    v = np.linspace(-1, 1, d)
    a = rmatvec(u)
    b = matvec(a)
    c = matvec(v)
    e = rmatvec(b - 2 * c)
    f = matvec(v - 0.5 * e)
    return np.concatenate((a, b, c, e, f))


def test_joint_law_of_several_products_matches_dense_draws():
    """Means, all second moments, and the law of every coordinate (KS).

    60 + 465 moments at 5 standard errors and 27 KS tests at 1e-5: flake rate below 1e-3, and the
    seeds are fixed.
    """
    u, draws = np.linspace(1, 2, 6), 4000
    dense, lazy = [], []
    for seed in range(draws):
        g = rng(2 * seed).standard_normal((6, 5))
        dense.append(asked(lambda v, g=g: g @ v, lambda u, g=g: g.T @ u, u))
        matrix = LazyGaussian(6, 5, rng(2 * seed + 1))
        lazy.append(asked(matrix.matvec, matrix.rmatvec, u))
    same_law(np.array(dense), np.array(lazy))


def same_law(first, second):
    """Means and all second moments at 5 standard errors; KS of every coordinate at 1e-5."""
    for moment in (lambda x: x, lambda x: np.einsum("ni,nj->nij", x, x).reshape(len(x), -1)):
        p, q = moment(first), moment(second)
        error = np.sqrt(p.var(axis=0) / len(p) + q.var(axis=0) / len(q))
        assert np.all(np.abs(p.mean(axis=0) - q.mean(axis=0)) <= 5 * error + 1e-12)
    assert min(ks_2samp(p, q).pvalue for p, q in zip(first.T, second.T, strict=True)) > 1e-5


def test_rotated_rows_have_the_joint_law_of_what_does_not_depend_on_axes():
    """40 rows in 9 coordinates: lengths, inner products with u and d-vectors of the same mix.

    19 means, 190 second moments at 5 standard errors, 19 KS tests at 1e-5: flake rate below 5e-4.
    """
    n, draws = 40, 4000
    u = np.linspace(1, 2, n)

    def seen(products, u):
        a, b, c, e, f = np.split(products, np.cumsum([5, len(u), len(u), 5]))
        pairs = (b @ u, c @ u, f @ u, b @ b, b @ c, c @ c, b @ f, c @ f, f @ f)
        return np.concatenate((a, e, pairs))

    dense, lazy = [], []
    for seed in range(draws):
        g = rng(2 * seed).standard_normal((n, 5))
        dense.append(seen(asked(lambda v, g=g: g @ v, lambda w, g=g: g.T @ w, u), u))
        matrix = LazyGaussian(n, 5, rng(2 * seed + 1))
        matrix.reveal(np.eye(5)[0], matrix.rng.standard_normal(n))
        turned = matrix.rotated(u, 3)
        assert len(turned) == 5
        np.testing.assert_allclose(turned @ turned, u @ u)
        lazy.append(seen(asked(matrix.matvec, matrix.rmatvec, turned), turned))
    same_law(np.array(dense), np.array(lazy))


def test_products_are_consistent_with_one_matrix():
    """u'(G v) = (G'u)'v for all that was revealed, repeated and dependent directions included."""
    random = rng(1)
    matrix = LazyGaussian(40, 30, random)
    image = random.standard_normal(40)
    known = random.standard_normal(30)
    matrix.reveal(known, image)
    vs, us = random.standard_normal((4, 30)), random.standard_normal((4, 40))
    right, left = [], []
    for v, u in zip(vs, us, strict=True):
        right.append(matrix.matvec(v))
        left.append(matrix.rmatvec(u))
    np.testing.assert_allclose(us @ np.array(right).T, np.array(left) @ vs.T, atol=1e-11)
    np.testing.assert_allclose(matrix.matvec(known), image, atol=1e-11)
    np.testing.assert_allclose(us @ image, np.array(left) @ known, atol=1e-11)
    combined = 2 * vs[0] - 3 * vs[2] + known
    expected = 2 * right[0] - 3 * right[2] + image
    np.testing.assert_allclose(matrix.matvec(combined), expected, atol=1e-11)
    np.testing.assert_allclose(matrix.rmatvec(us[1]), left[1], atol=1e-11)


def test_every_entry_revealed_gives_back_one_matrix():
    matrix = LazyGaussian(7, 4, rng(3))
    g = np.column_stack([matrix.matvec(e) for e in np.eye(4)])
    u = np.arange(7.0)
    np.testing.assert_allclose(matrix.rmatvec(u), g.T @ u, atol=1e-12)


@pytest.mark.parametrize("rho", [0.0, 0.1, -0.6])
def test_autoregressive_factor(rho):
    sigma = covariance(SparseSetting(d=12, sparsity=3, rho=rho))
    factor = np.column_stack([colour(e, rho) for e in np.eye(12)])  # columns L e_j
    np.testing.assert_allclose(factor @ factor.T, sigma, atol=1e-14)
    v = np.arange(12.0)
    np.testing.assert_allclose(colour_transposed(v, rho), factor.T @ v, atol=1e-13)
    np.testing.assert_allclose(covariance_times(v, rho), sigma @ v, atol=1e-12)


@pytest.mark.parametrize("rho", [0.0, 0.1, -0.6])
def test_pins_are_the_regression_on_the_known_coordinates(rho):
    where = np.array([0, 3, 4, 9])
    sigma = covariance(SparseSetting(d=12, sparsity=3, rho=rho))
    exact = sigma[:, where] @ np.linalg.inv(sigma[np.ix_(where, where)])
    sparse = np.zeros((12, 4))
    _, first, ends, weight = pins(where, 12, rho)
    for k, part in enumerate(np.split(weight, ends[1:-1])):
        sparse[first[k] : first[k] + len(part), k] = part
    np.testing.assert_allclose(sparse, exact, atol=1e-13)


def test_clipped_rows_have_the_conditional_law():
    """Known coordinates stay, the others have mean and covariance of the regression (5 SE)."""
    rho, where, d, n = 0.6, np.array([1, 4]), 7, 40_000
    sigma = covariance(SparseSetting(d=d, sparsity=3, rho=rho))
    known = np.tile([1.0, -0.5], (n, 1))
    with borrowed(rng(5)) as random:
        x = clipped_rows(random, d, rho, 50.0, known, pins(where, d, rho))
    gain = sigma[:, where] @ np.linalg.inv(sigma[np.ix_(where, where)])
    left = sigma - gain @ sigma[where]
    sd = np.sqrt(np.diag(left).clip(min=0) / n)
    np.testing.assert_allclose(x[:, where], known, atol=1e-12)
    assert np.all(np.abs(x.mean(axis=0) - gain @ known[0]) <= 5 * sd + 1e-9)
    np.testing.assert_allclose(np.cov(x.T), left, atol=5 * np.sqrt(2 / n))
    with borrowed(rng(5)) as random:
        x = clipped_rows(random, d, rho, 0.7, known, pins(where, d, rho))
    assert np.abs(x).max() == 0.7


def test_coordinates_drawn_alone_have_their_covariance():
    where, n = np.array([0, 1, 5]), 40_000
    x = at_coordinates(rng(6), where, (n,), 0.5)
    sigma = covariance(SparseSetting(d=6, sparsity=3, rho=0.5))
    np.testing.assert_allclose(np.cov(x.T), sigma[np.ix_(where, where)], atol=5 * np.sqrt(2 / n))


def test_lazy_rows_have_covariance_sigma():
    """Second moments of X'u for a unit u, over draws (5 SE)."""
    setting = SparseSetting(d=6, sparsity=3, rho=0.5)
    u = np.ones(4) / 2
    draws = np.array([LazyRows(4, setting, rng(s)).rmatvec(u) for s in range(8000)])
    np.testing.assert_allclose(np.cov(draws.T), covariance(setting), atol=5 * np.sqrt(2 / 8000))
