"""What exact noise costs on the executed steps of FLIPHAT (zcdp) and dp-signs: FL.md, part J."""

import numpy as np

from dpbandits.core import port
from dpbandits.core.port import ExactNoise
from dpbandits.sparse import dp_signs, fliphat
from dpbandits.sparse.presets import sensitivities, tuning_for
from dpbandits.sparse.problem import SparseSetting
from dpbandits.sparse.zcdp import largest_rho


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
    s = SparseSetting(d=8, sparsity=8, preset="zcdp", clip=1.5, steps_factor=0.3, step_size=0.3)
    n, rng, sampler = 60, np.random.default_rng(1), Sampler(monkeypatch)
    tuning, moved, rho = tuning_for(s, 2.0, n), sensitivities(s, n), largest_rho(2.0, s.delta)
    assert tuning.M == 1

    def run(x, y):
        fliphat.niht(x, y, s, tuning, ExactNoise(), moved)

    worst = max(
        both(sampler, run, *neighbours(rng, n, s.d, s.x_max, tuning.R)) / rho for _ in range(300)
    )
    assert 0.9 < worst <= 1


def test_dp_signs_spends_rho_at_most(monkeypatch):
    s = SparseSetting(d=8, sparsity=8, preset="zcdp")
    n, rng, sampler = 40, np.random.default_rng(2), Sampler(monkeypatch)
    rho, theta = largest_rho(2.0, s.delta), np.full(8, 0.01)

    def run(x, y):
        dp_signs.sign_step(s, rho, ExactNoise(), theta, dp_signs.Rows(x), y)

    pairs = (neighbours(rng, n, s.d, s.x_max, 1.0) for _ in range(300))
    worst = max(both(sampler, run, *pair) / rho for pair in pairs)
    assert 0.85 < worst <= 1  # the two quartiles, 0.1 of rho, need not move with the rest
