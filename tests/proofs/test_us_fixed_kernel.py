"""docs/proofs/US.md, Sections 3 and 5: one fixed kernel on which Lemma 4.4's norm and Lemma 6.3's
norm step fail by a power of T. The theorem's numbers, its moments, and small draws. Fixed seeds."""

import math
from itertools import product

import numpy as np
import pytest

NOUGHT, SCALE, DELTA = 0.5, 1.5 / math.pi**2, 0.05  # lambda_0, and lambda_j = SCALE/j^2; tau = 1


def information(horizon: float) -> tuple[float, float]:
    """gamma_T between a uniform grid's and the average over rotations (ln det is concave)."""
    top = int(min(horizon / 2 - 1, max(1000, 60 * math.sqrt(horizon))))
    j = np.arange(1.0, top + 1)
    low = 0.5 * math.log1p(horizon * NOUGHT) + np.log1p(horizon * SCALE / j**2).sum()
    return low, low + horizon * SCALE / top


def bounds(horizon: float, p: float = 0.05):
    """(probability, norm from below, what Lemma 4.4 prints, Lemma 6.3's norm from below)."""
    low, high = information(horizon)
    k = math.ceil(horizon / high)
    least, most = low / (1 + low / horizon), high  # T/K
    first = int(math.sqrt(2 * horizon * SCALE))
    lam = SCALE / np.arange(first + 1.0, 2 * first + 1) ** 2
    one, two, top = lam.sum(), (lam**2).sum(), lam[0]
    spread = math.sqrt(2 / p * (2 * most * two / one + one / k**2))
    norm = math.sqrt(NOUGHT * least * one / 2) / (1 + horizon * top + spread)
    other = math.sqrt(2 / p * most * two / one)
    step = math.sqrt(NOUGHT * horizon * one / 2) / (1 + horizon * top + other)
    printed = 28 / 17 * math.sqrt(high * math.log(1 / DELTA) / horizon)
    return 1 - 4 * two / one**2 - p, norm, printed, step


def test_the_norm_passes_the_printed_bound_by_a_power_of_t():
    found = {k: bounds(2.0**k) for k in (20, 30, 42)}
    ratios = [norm / printed for _, norm, printed, _ in found.values()]
    assert all(chance > DELTA and chance > 0.94 for chance, *_ in found.values())
    assert ratios == pytest.approx([1.27, 7.7, 63], rel=0.02)
    assert math.log2(ratios[2] / ratios[1]) / 12 == pytest.approx(1 / 4, abs=0.01)
    assert found[30][3] == pytest.approx(22, rel=0.03)
    assert found[42][3] / found[30][3] == pytest.approx(2**3, rel=0.02)


def test_the_moments_of_the_proof_exactly():
    """Three points: E|S_j|^2|S_l|^2 and E|y|^2 by all patterns of coincidence."""
    n = 3

    def mean(powers):  # E of the product of omega_i^power over all n^len(powers) choices
        total = 0
        for at in product(range(n), repeat=len(powers)):
            sums = [sum(w for i, w in zip(at, powers, strict=True) if i == k) for k in range(n)]
            total += not any(sums)
        return total

    assert mean((2, -2)) == n
    assert mean((2, -2, 3, -3)) == n * n
    assert mean((2, -2, 2, -2)) == 2 * n * n - n
    frequencies, weights = (3, 4, 5), (0.3, 0.2, 0.1)
    for shift in (-2, 1, 4, 7, 9):
        used = [(j, w) for j, w in zip(frequencies, weights, strict=True) if j != shift]
        size = sum(w * v * mean((shift - j, j, -(shift - i), -i)) for j, w in used for i, v in used)
        bound = 2 * n * n * sum(w * w for w in weights) + n * sum(weights) ** 2
        assert size <= bound + 1e-12


def draw(rng, horizon: int, modes: int):
    low, _ = information(horizon)
    k, index = math.ceil(horizon / low), np.arange(-modes, modes + 1)
    lam = np.where(index == 0, NOUGHT, SCALE / np.maximum(np.abs(index), 1.0) ** 2)

    def covariance(count, scale):
        points, turn = rng.uniform(0, 2 * np.pi, count), 1j * np.arange(2 * modes + 1)
        sums = np.array([np.exp(t * points).sum() for t in turn]) / scale
        apart = index[:, None] - index[None, :]
        sums = np.where(apart >= 0, sums[np.abs(apart)], sums[np.abs(apart)].conj())
        return np.sqrt(np.outer(lam, lam)) * sums

    surrogate = covariance(horizon * k, k) + np.eye(len(index))
    seen = covariance(horizon, 1.0)[:, modes]
    inverse = np.linalg.inv(surrogate)
    away = inverse @ np.diag(horizon * lam + 1) - np.eye(len(index))
    return np.linalg.norm(away, 2), np.linalg.norm(inverse @ seen)


def test_small_draws_are_above_the_theorem_and_above_five_thirds():
    rng = np.random.default_rng(31)
    for horizon in (64, 256):
        norm, step = draw(rng, horizon, 60)
        _, least, _, least_step = bounds(float(horizon))
        assert norm > least
        assert step > max(least_step, 5 / 3)
