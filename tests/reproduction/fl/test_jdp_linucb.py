"""JDP-LinUCB (Shariff and Sheffet 2018) by hand."""

import math

import numpy as np
import pytest

from dpbandits.core.models import canonical
from dpbandits.reproduction.fl.algorithms import jdp_linucb
from dpbandits.reproduction.fl.algorithms.jdp_linucb import JdpSetting
from dpbandits.sparse import problem
from dpbandits.sparse.problem import SparseSetting

E = math.e
ROOT = math.sqrt
close = pytest.approx


def test_the_constants_of_jdp_linucb():
    """d = 4, T = e^9/2: ln(2 T) = 9, nodes = 1 + ceil(log2 T) = 13, ln(2 T^2) = 18 - ln 2."""
    horizon = E**9 / 2
    own = JdpSetting(d=4, sparsity=2, beta=(3.0, -4.0), sigma=0.5, delta=4 / E**2)
    norm, reward = jdp_linucb.bounds(own, horizon)
    x = ROOT(2 * math.log(4))
    assert norm == close(ROOT(4 + 2 * 6 + 18))
    assert reward == close(x * 7 + 0.5 * ROOT(18))
    found, s = jdp_linucb.learner(own, 0.5, horizon), 4 * (34 + reward**2) * 2 / 0.5
    assert found.scale == close(s)
    tail = 2 * (18 - math.log(2))
    assert found.rho_min == close(s * ROOT(26) * (8 + tail))
    gamma = s * ROOT(13 / found.rho_min) * (2 + ROOT(tail))
    assert found.bias == close(5 * ROOT(3 * found.rho_min) + gamma)
    found.refit()
    explore = 0.5 * ROOT(2 * math.log(2 * E**9) + 4 * math.log(2))
    assert found.beta == close(explore + found.bias)
    found.refit((1e-9 - 2) * found.rho_min * np.eye(5))
    assert found.beta == close(found.bias)
    assert jdp_linucb.learner(own, math.inf, 64).rho_min == 1


def test_the_width_of_jdp_linucb_changes_nothing_else():
    """Neither noise nor shift; and the full one keeps the seeds of older results."""
    sizes = {"d": 4, "sparsity": 2, "true_sparsity": 2}
    full, narrow = (JdpSetting(**sizes, width=width) for width in (1, 0.1))
    one, other = (jdp_linucb.learner(own, 0.5, 64) for own in (full, narrow))
    one.refit()
    other.refit()
    assert other.beta == close(0.1 * one.beta)
    assert (other.scale, other.upsilon) == (one.scale, one.upsilon)
    assert canonical(full) == canonical(SparseSetting(**sizes)) != canonical(narrow)


def test_jdp_linucb_without_noise_is_linucb_on_whole_stretches():
    """Refitted at 2, 4, 8; V = 2 + all rows' outer products, the width of the plain formula."""
    own = JdpSetting(d=3, sparsity=2, beta=(0.9, -0.7), rho=0.3, sigma=0.2, arms=2)
    random, horizon = np.random.default_rng(3), 11
    found = jdp_linucb.regret_of_run(own, math.inf, horizon, np.random.default_rng(3))
    norm, most = jdp_linucb.bounds(own, horizon)
    linucb, signal = jdp_linucb.learner(own, math.inf, horizon), np.array([0.9, -0.7, 0])
    factor = np.linalg.cholesky(problem.correlations(0.3, range(3), range(3)))
    v, sums, expected, start = 2 * np.eye(3), np.zeros(3), [], 1
    while start <= horizon:
        stop = min(2 * start, horizon + 1)
        contexts = random.standard_normal((stop - start, 2, 3)) @ factor.T
        noise, theta, rows = random.standard_normal(stop - start), np.linalg.solve(v, sums), []
        log_det = np.linalg.slogdet(v)[1]  # rho_min = 1
        width = 0.2 * ROOT(2 * math.log(4 * 11) + log_det) + linucb.bias
        for x in contexts:
            length = np.linalg.norm(x, axis=1, keepdims=True)
            seen = x * np.minimum(1, norm / length)
            spread = np.sqrt(np.einsum("ki,ij,kj->k", seen, np.linalg.inv(v), seen))
            arm = int(np.argmax(seen @ theta + width * spread))
            expected.append((x @ signal).max() - x[arm] @ signal)
            rows.append((seen[arm], x[arm] @ signal))
        random.standard_normal((4, 4))
        for (x, mean), e in zip(rows, noise, strict=True):
            v = v + np.outer(x, x)
            sums = sums + x * np.clip(mean + 0.2 * e, -most, most)
        start = stop
    assert found == close(np.array(expected), abs=1e-12)
