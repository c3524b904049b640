"""docs/proofs/FL.md, part H: its lower bounds against all mechanisms, tests and laws tried."""

import math

import numpy as np
import pytest
from scipy.optimize import linprog

from dpbandits.sparse.theory import private_errors, private_floor, two_point_floor


def test_h1_the_best_test_between_two_signs_errs_as_often():
    """At b = sigma/(2 sqrt T): even who sees |x| = 1 each round errs more often than H1.2 says."""
    for horizon in (1, 10, 10**4):
        distance = 2 / (2 * math.sqrt(horizon)) * math.sqrt(horizon)  # of the means, in sigma
        both = 2 * math.erfc(distance / 2 / math.sqrt(2)) / 2  # error at + and at -
        assert both >= 1 / 2
        assert (
            two_point_floor(horizon, 1.0) <= horizon * 2 / 3 / (2 * math.sqrt(horizon)) * both / 2
        )
    pairs = np.random.default_rng((7,)).uniform(-1, 1, (200_000, 2))
    assert np.abs(pairs[:, 0] - pairs[:, 1]).mean() == pytest.approx(2 / 3, abs=0.01)  # 8 sem


def least_error(n: int, epsilon: float, delta: float) -> float:
    """min p_n(2) + p_0(1) over all mechanisms on the chain D_0..D_n, by linear programming."""
    grow, rows, bounds = math.exp(epsilon), [], []
    for k in range(n):
        for a, b in ((k, k + 1), (k + 1, k)):
            row = np.zeros(n + 1)
            row[a], row[b] = 1.0, -grow  # p_a(2) <= e^eps p_b(2) + delta
            rows.append(row)
            bounds.append(delta)
            other = np.zeros(n + 1)
            other[a], other[b] = -1.0, grow  # the same of 1 - p
            rows.append(other)
            bounds.append(grow - 1 + delta)
    cost = np.zeros(n + 1)
    cost[n] += 1.0
    cost[0] -= 1.0
    found = linprog(cost, A_ub=np.array(rows) if rows else None, b_ub=bounds or None, bounds=(0, 1))
    return found.fun + 1


def test_h2_against_all_mechanisms():
    for n in range(9):
        for epsilon in (0.05, 0.3, 1.0, 3.0):
            for delta in (0.0, 1e-3, 0.05):
                least, claimed = least_error(n, epsilon, delta), private_errors(n, epsilon, delta)
                assert claimed <= least + 1e-7
                if n % 2 == 0 and delta == 0:
                    assert claimed == pytest.approx(least, abs=1e-7)
    assert private_floor(10_000, 0.1, 0.0) == pytest.approx(1 / math.tanh(0.05))
    assert private_floor(10_000, 0.1, 0.01) < private_floor(10_000, 0.1, 0.0)


def test_h3_a_plane_has_a_direction_that_is_too_likely():
    """Laws that try: two coordinates on a ring, on a square's border, far from 0."""
    angles = np.linspace(0, math.pi, 721)
    turn = np.random.default_rng((8,)).uniform(0, 2 * math.pi, 4000)
    ring = 0.9 * np.stack([np.cos(turn), np.sin(turn)])
    for points in (ring, np.sign(ring), np.random.default_rng((9,)).uniform(-1, 1, (2, 4000))):
        for h in (1e-1, 1e-2, 1e-3):
            inner = (np.stack([np.cos(angles), np.sin(angles)]).T @ points) ** 2 <= h
            assert inner.mean(axis=1)[:-1].mean() >= 0.95 * math.sqrt(2 * h) / math.pi
