"""What exact noise costs on the executed steps of FLIPHAT (zcdp) and dp-signs: FL.md, part J."""

from fractions import Fraction as F
from itertools import permutations

import numpy as np
import pytest
from scipy.special import logsumexp

from dpbandits.core import port
from dpbandits.core.maximise import maximise
from dpbandits.core.port import ExactNoise
from dpbandits.core.zcdp import largest_rho
from dpbandits.sparse import dp_signs, fliphat
from dpbandits.sparse.fliphat import FliphatSetting


class Sampler:
    """In the place of OpenDP: keeps the integers and scales; outputs are the first run's."""

    def __init__(self, monkeypatch):
        self.seen, self.frozen = [], []
        monkeypatch.setattr(port, "_gaussian", lambda scale: self.release(scale))
        monkeypatch.setattr(port, "_noisy_top", lambda law, scale, count: self.top(scale, count))

    def begin(self):
        """A run on the second data set: the outputs of the first one again."""
        first, self.seen, self.position = self.seen, [], 0
        return first

    def out(self, output):
        if self.position is None:
            self.frozen.append(output)
            return output
        self.position += 1
        return self.frozen[self.position - 1]

    def release(self, scale):
        return lambda steps: self.kept("release", steps, scale, steps)

    def top(self, scale, count):
        return lambda steps: self.kept("top", steps, scale, np.argsort(steps)[::-1][:count], count)

    def kept(self, what, steps, scale, output, count=1):
        self.seen.append((what, np.array(steps, float), scale, count))
        return self.out(output)


def cost(first, second):
    """rho of the differences: A3 for selections of `count`, A4 for releases."""
    total = 0.0
    for (what, a, scale, count), (_, b, other, _) in zip(first, second, strict=True):
        assert scale == other
        moved = np.abs(a - b) / scale
        total += count * moved.max() ** 2 / 2 if what == "top" else (moved**2).sum() / 2
    return total


def both(sampler, run, one, two):
    sampler.seen, sampler.frozen, sampler.position = [], [], None
    run(*one)
    first = sampler.begin()
    run(*two)
    return cost(first, sampler.seen)


def neighbours(rng, n, d, x_max, clip):
    x, y = rng.choice([-1.0, 1.0], (n, d)) * x_max, rng.choice([-1.0, 1.0], n) * clip
    x2, y2 = x.copy(), y.copy()
    x2[0], y2[0] = x[0] * rng.choice([1.0, 1.0, 0.5]), -y[0]
    return (x, y), (x2, y2)


def test_fliphat_spends_rho_at_most(monkeypatch):
    s = FliphatSetting(d=8, sparsity=8, clip=1.5, steps_factor=0.3, step_size=0.3)
    n, rng, sampler = 60, np.random.default_rng(1), Sampler(monkeypatch)
    tuning, moved, rho = s.tuning(2.0, n), s.moved(n), largest_rho(2.0, s.delta)
    assert tuning.M == 1

    def run(x, y):
        fliphat.niht(x, y, s, tuning, ExactNoise(), moved)

    worst = max(
        both(sampler, run, *neighbours(rng, n, s.d, s.x_max, tuning.R)) / rho for _ in range(300)
    )
    assert 0.9 < worst <= 1


def test_dp_signs_spends_rho_at_most(monkeypatch):
    s = FliphatSetting(d=8, sparsity=8)
    n, rng, sampler = 40, np.random.default_rng(2), Sampler(monkeypatch)
    rho, theta = largest_rho(2.0, s.delta), np.full(8, 0.01)

    def run(x, y):
        dp_signs.sign_step(s, rho, ExactNoise(), theta, dp_signs.KeptRows(x), y)

    pairs = (neighbours(rng, n, s.d, s.x_max, 1.0) for _ in range(300))
    worst = max(both(sampler, run, *pair) / rho for pair in pairs)
    assert 0.85 < worst <= 1  # the two quartiles, 0.1 of rho, need not move with the rest


# --- the second derivation, J2 ------------------------------------------------------------------
ORDERS = 1 + np.geomspace(1e-3, 1e3, 60)


def exact_rho(a, b, s, select, release):
    """The largest D_alpha/alpha of one step, in both directions, from its law: the s largest of
    |a_j| plus Gumbel noise in order (A3.1), then Gaussian noise on these entries, D_alpha of which
    is alpha times the squared shift over 2 release^2, for whole shifts an upper bound."""
    logs, shifts = [], []
    for chosen in map(list, permutations(range(len(a)), s)):
        law = []
        for u in (np.abs(a) / select, np.abs(b) / select):
            left, total = np.full(len(u), True), 0.0
            for j in chosen:
                total += u[j] - logsumexp(u[left])
                left[j] = False
            law.append(total)
        logs.append(law)
        shifts.append(((a[chosen] - b[chosen]) ** 2).sum() / (2 * release**2))
    (p, q), shifts = np.array(logs).T, np.array(shifts)
    o = ORDERS[:, None]
    both = [
        logsumexp(o * x - (o - 1) * y + o * (o - 1) * shifts, axis=1) for x, y in ((p, q), (q, p))
    ]
    return (np.max(both, axis=0) / (ORDERS - 1) / ORDERS).max()


@pytest.mark.parametrize(("d", "s", "rho", "near"), [(2, 1, 0.01, 0.95), (3, 2, 0.5, 0.5)])
def test_exact_law_of_a_step_on_the_grid_costs_rho_at_most(d, s, rho, near, monkeypatch):
    """Small data sets and a neighbour, searched; the integers are those of the executed step, whose
    whole v is released if s = d."""
    setting = FliphatSetting(d=d, sparsity=d, true_sparsity=1, beta=(0.5,), clip=1.0,
                            step_size=0.3)  # fmt: skip
    n, sampler = 2, Sampler(monkeypatch)
    tuning, moved = setting.tuning(2.0, n), setting.moved(n)
    step = 2.0 ** np.floor(np.log2(moved[0] * port.FINENESS))
    scale = moved[0] * np.sqrt(s / rho) * (1 + port.MARGIN) / step

    def whole(x, y):
        sampler.seen, sampler.frozen, sampler.position = [], [], None
        fliphat.niht(x, y, setting, tuning, ExactNoise(), moved)
        (_, sizes, *_), (_, v, *_) = sampler.seen
        order = np.argsort(sizes)[::-1]
        return v[np.argsort(order)]

    def value(rows):
        records = setting.x_max * np.clip(rows[:, : 3 * d].reshape(-1, 3, d), -1, 1)
        rewards, found = np.clip(rows[:, 3 * d :], -1, 1), []
        for x, y in zip(records, rewards, strict=True):
            first, second = whole(x[:n], y[:n]), whole(x[1:], y[1:])
            found.append(exact_rho(first, second, s, scale, scale) / rho)
        return np.array(found)

    found = maximise(value, 3 * d + 3, 1500, np.random.default_rng(4), parents=10, children=10)
    assert near < found.value <= 1
    assert found.crossed == 0


def test_floating_point_errors_of_the_executed_gradient_are_within_j2():
    """In rational arithmetic; the bound is nearly reached by the last operation alone."""
    rng, u, worst = np.random.default_rng(0), 2.0**-53, 0.0
    for _ in range(60):
        n, d = int(rng.choice([2, 5, 17, 64])), int(rng.choice([2, 3, 10]))
        x_max, R, C, eta = 10 ** rng.uniform(-3, 3, size=4)
        x = x_max * np.where(rng.random((n, d)) < 0.5, rng.uniform(-1, 1, (n, d)), 1.0)
        y, theta = R * rng.uniform(-1, 1, n), C * rng.dirichlet(np.ones(d))
        computed = theta - eta * (-2 / n * x.T @ (y - x @ theta))  # as in `niht`
        X, Y, T = (
            [[F(v) for v in row] for row in z.tolist()] for z in (x, y[:, None], theta[None])
        )
        residuals = [b - sum(map(F.__mul__, row, T[0])) for row, (b,) in zip(X, Y, strict=True)]
        for j in range(d):
            sums = sum(row[j] * r for row, r in zip(X, residuals, strict=True))
            exact = T[0][j] + 2 * F(float(eta)) / n * sums
            size = 2 * eta * x_max * (R + x_max * C)
            bound = size * (n + d + 6) * u * (1 + 1e-9) + u * abs(float(exact))
            worst = max(worst, float(abs(F(float(computed[j])) - exact)) / bound)
    assert 0.3 < worst <= 1
