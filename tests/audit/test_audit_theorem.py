"""The theorem of docs/proofs/AUDIT.md, attacked: the least cost of a shift by all corners of its
polyhedron, and the densities of ways by sums over a grid, for programs drawn at random."""

import math
from itertools import combinations

import numpy as np
import pytest
from plain import seeded
from scipy.integrate import quad
from scipy.stats import norm

from dpbandits.audit.replayed.align import align
from dpbandits.audit.replayed.functions import FunctionParams, audit_function
from dpbandits.audit.replayed.tape import Event, Tape
from dpbandits.core.mechanisms import delta_of_pure
from dpbandits.core.notions import gaussian_delta

LOGS = {  # logarithms of the densities
    "laplace": lambda x: -np.abs(x) - math.log(2),
    "logistic": lambda x: -np.abs(x) - 2 * np.log1p(np.exp(-np.abs(x))),
    "exponential": lambda x: np.where(x < 0, -np.inf, -x),
    "gumbel": lambda x: -x - np.exp(np.minimum(-x, 700)),
}
GRIDS = {1: np.linspace(-40, 40, 80_001), 2: np.linspace(-22, 22, 881)}


class Drawn:
    """A way of a program drawn at random: releases and comparisons of up to three draws."""

    def __init__(self, g):
        n = int(g.integers(1, 4))
        self.laws = list(g.choice(list(LOGS), n))
        r, m = int(g.integers(max(0, n - 2), n + 1)), int(g.integers(1, 4))
        self.A = g.choice([-2.0, -1.0, 0.0, 1.0, 1.0, 0.5], (r + m, n))
        self.A[r:, 0] += 4 * ~self.A[r:].any(axis=1)  # each comparison has noise
        self.before = g.choice([-1.0, 0.0, 0.5, 2.0], r + m)
        self.after = self.before + g.choice([-1.0, 0.0, 0.0, 1.0], r + m)
        z = g.laplace(size=n) * 2
        z = np.where(np.array(self.laws) == "exponential", np.abs(z), z)
        values = self.before + self.A @ z
        self.released = np.arange(r + m) < r
        self.outs = [
            float(v) if x else bool(v > 0) for v, x in zip(values, self.released, strict=True)
        ]
        self.clear = np.linalg.matrix_rank(self.A[:r]) == r if r else True

    def tape(self, bases):
        events = [
            Event("=" if release else "<", "", [(float(b), dict(enumerate(row.tolist())))], out)
            for row, b, release, out in zip(self.A, bases, self.released, self.outs, strict=True)
        ]
        laws, born = [(law, 1.0) for law in self.laws], [""] * len(self.laws)
        return Tape(seeded(1), laws=laws, born=born, events=events)

    def density(self, bases) -> float:
        """Over the fibre of the releases; up to a factor that both data sets have."""
        z, N = np.zeros(len(self.laws)), np.eye(len(self.laws))
        if self.released.any():
            R, y = self.A[self.released], np.array(self.outs, float) - bases
            z = np.linalg.lstsq(R, y[self.released], rcond=None)[0]
            N = np.linalg.svd(R)[2][len(R) :].T
        z = z[None]
        if k := N.shape[1]:
            t = np.stack(np.meshgrid(*[GRIDS[k] + 0.0037] * k, indexing="ij"), -1)
            z = z + t.reshape(-1, k) @ N.T
        for row, b, release, out in zip(self.A, bases, self.released, self.outs, strict=True):
            if not release:
                z = z[(b + z @ row > 0) == out]
        return float(np.exp(sum(LOGS[law](z[:, i]) for i, law in enumerate(self.laws))).sum())

    def cheapest(self) -> float:
        goal, n, best = self.before - self.after, len(self.laws), math.inf
        planes = [*zip(self.A, goal, strict=True), *((row, 0.0) for row in np.eye(n))]
        two = np.isin(self.laws, ["laplace", "logistic"])
        for corner in combinations(planes, n):
            M = np.array([row for row, _ in corner])
            if abs(np.linalg.det(M)) < 1e-9:
                continue
            s = np.linalg.solve(M, np.array([value for _, value in corner]))
            left = self.A @ s - goal
            left = np.where(self.released, -abs(left), np.where(self.outs, left, -left))
            if (left > -1e-8).all() and (two | (s > -1e-9)).all():
                best = min(best, np.abs(s).sum())
        return best


def test_costs_and_ratios_of_programs_drawn_at_random():
    close = []
    for case in range(60):
        way = Drawn(seeded(67, case))
        if not way.clear:
            continue
        found = align(way.tape(way.before), way.tape(way.after)).pure
        assert found == pytest.approx(way.cheapest(), rel=1e-7, abs=1e-7), case
        p, q = way.density(way.before), way.density(way.after)
        if 0 < found < math.inf and p > 1e-6:
            close.append(math.log(p / q) / found)
    assert len(close) > 10
    assert max(close) < 1 + 1e-2  # the error of the sums
    assert max(close) > 0.99


def audited(function, **keys):
    keys = {"neighbours": "replace", "runs": 0, "records": 2} | keys
    return audit_function(function, FunctionParams(**keys))


@pytest.mark.parametrize(("moves", "times", "loss"), [(1, 1, 0.7), (2, 1, 1.4), (1, 2, math.inf)])
def test_geometric_noise_hides_whole_moves_alone(moves, times, loss):
    """P(g - h = k) is proportional to exp(-0.7 |k|), and 0 between whole numbers."""
    p = -math.expm1(-0.7)

    def release(data, rng):
        return moves * sum(data) + times * (rng.geometric(p) - rng.geometric(p))

    assert audited(release).epsilon == pytest.approx(loss)


def test_a_movement_counts_in_units_of_its_noise():
    """Once, programs whose numbers were small lost nothing, by the tolerance of the solver."""

    def small(data, rng):
        return 1e-9 * sum(data) + 1e-12 * (rng.laplace() + rng.laplace())

    assert audited(small).epsilon == pytest.approx(1000)


@pytest.mark.parametrize("arms", [4, 40])
def test_what_is_compared_with_gaussian_noise_counts_as_released(arms):
    """One half of equal scores moves down by 1/2, the other one up. For 40 arms the shift of the
    winner alone, by 1, would give less than the exact delta of "one of this half wins"."""
    half = arms // 2

    def wins(gap):  # of the first half, if it is higher by this
        density = lambda x: half * norm.pdf(x) * norm.cdf(x) ** (half - 1)  # noqa: E731
        return quad(lambda x: density(x) * norm.cdf(x + gap) ** half, -3, 9, limit=400)[0]

    def winner(data, rng):
        scores = np.repeat([0.5 - data[0], data[0] - 0.5], half)
        return int(np.argmax(scores + rng.normal(size=arms)))

    exact = max(wins(gap) - math.e * wins(gap - 1) for gap in np.arange(-1, 1.1, 0.25))
    found = audited(winner, records=1, delta=0.5).delta
    assert found == pytest.approx(gaussian_delta(math.sqrt(arms), 1.0), rel=1e-6)
    assert found > exact
    assert (gaussian_delta(1.0, 1.0) < exact) == (arms == 40)


def test_delta_of_a_shift_that_another_way_may_choose_otherwise():
    """A release has the delta of the Laplace mechanism, a winner that of randomised response."""

    def winner(data, rng):
        return int(np.argmax(np.array([sum(data), 1.0]) + rng.laplace(scale=2.0, size=2)))

    release = audited(lambda data, rng: sum(data) + rng.laplace(), epsilon=0.2, delta=0.5)
    assert release.delta == pytest.approx(-math.expm1((0.2 - 1) / 2))
    found = audited(winner, epsilon=0.2, delta=0.5)
    assert found.delta == pytest.approx(delta_of_pure(found.epsilon, 0.2))


def test_costs_that_share_comparisons_are_added_before_they_are_squared():
    """Sparse vector: the threshold moves by 1, the answer by 2; two releases do not share."""

    def first_above(data, rng):
        bar = 2 + rng.laplace()
        queries = [sum(data), sum(data), len(data) - sum(data)]
        return next((i for i, q in enumerate(queries) if q + rng.laplace() > bar), None)

    found = audited(first_above, epsilon=9)
    assert found.epsilon == pytest.approx(3)
    assert found.rho == pytest.approx(9 / 2)
    twice = audited(lambda data, rng: [sum(data) + rng.laplace() for _ in range(2)], epsilon=9)
    assert twice.rho == pytest.approx(2 / 2)
