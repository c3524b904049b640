"""Sparse learners by hand: episodes and penalties."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from dpbandits.sparse import dp_signs, sa_lasso

E = math.e
close = pytest.approx


def test_the_first_episode_of_dp_signs():
    """ln d (2 s + 3 pi sqrt(s/(2 x 0.6 rho))): s = 3, rho = 0.1, d = e^2: the root is 5."""
    own = SimpleNamespace(sparsity=3, d=E**2)
    assert dp_signs.first_episode(own, 0.1) == math.ceil(2 * (6 + 3 * math.pi * 5))
    shares = (dp_signs.SELECTION, dp_signs.RELEASE, 2 * dp_signs.QUARTILE)
    assert sum(shares) == close(1)


def test_the_growing_lasso_solves_the_whole_problem():
    """Against its optimality conditions, on rows that come in two parts: a coordinate in use has
    x_j'(y - X b) = n alpha sign(b_j), any other at most that."""
    rng = np.random.default_rng(4)
    fit, x = sa_lasso.GrowingLasso(30), rng.standard_normal((40, 30))
    y = 3 * x[:, 2] - 2 * x[:, 5] + 0.5 * rng.standard_normal(40)
    for part in (slice(0, 25), slice(25, 40)):
        fit.add(x[part], y[part])
        n = part.stop
        for alpha in (0.4, 0.1):
            b = fit.solve(alpha)
            pull = x[:n].T @ (y[:n] - x[:n] @ b)
            used = b != 0
            assert 2 <= used.sum() < 30
            assert pull[used] == close(n * alpha * np.sign(b[used]), rel=1e-5)
            assert np.abs(pull).max() <= n * alpha * (1 + 2e-6)
    assert len(fit.active) < 30
    assert not sa_lasso.GrowingLasso(3).solve(1.0).any()
