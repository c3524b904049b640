"""docs/proofs/US.md, sections 1 to 4: their steps on many instances, and searches against their
theorems; `test_2_...` is about section 2.

A deterministic statement is tried on random instances, then on moves of the worst one. Frequencies
are compared with binomial limits (flake rate below 1e-6, seeds fixed).
"""

import math

import numpy as np
import pytest
from finite_kernels import Finite, largest_found, relative_norm
from scipy.stats import binom

from dpbandits.kernel.problem import KernelSetting
from dpbandits.reproduction.ledger.claims import get_claim
from dpbandits.reproduction.us import exact_arithmetic, theory
from dpbandits.reproduction.us.gain_bounds import gain_bounds

RNG_SEED = 2025


def dimension_bound(gamma: float, tau: float) -> float:
    """N <= 2 gamma_T/(tau ln(1 + 1/tau)) (Section 4)."""
    return 2.0 * gamma / (tau * math.log1p(1.0 / tau))


# 2. The spectral bound ------------------------------------------------------------------------


def test_2_no_instance_exceeds_the_bound_too_often():
    """200 random kernels, then 200 moves of the worst: 400 kernels, 200 draws each, delta = 0.2."""
    rng, delta, runs = np.random.default_rng(RNG_SEED), 0.2, 200

    def quantile(kernel, horizon, multiple, tau):
        e, z = kernel.effective(horizon, tau)
        norms = [
            relative_norm(z, kernel.sampled(rng, horizon * multiple, multiple, tau))
            for _ in range(runs)
        ]
        b = theory.corrected_spectral_bound(e, multiple, delta)
        assert np.sum(np.array(norms) > b) <= binom.isf(1e-9, runs, delta)
        return np.quantile(norms, 1 - delta) / b

    def draw():
        return Finite(rng), int(rng.integers(1, 300)), int(rng.integers(1, 9)), 1.0

    def move(kernel, horizon, multiple, tau):
        scale = np.exp(rng.normal(0, 0.3, 2))
        return kernel, max(1, int(horizon * scale[0])), multiple, tau * scale[1]

    assert 0.3 < largest_found(quantile, draw, move, 200, 200) < 1.0


def test_2_bound_is_nearly_attained():
    assert 0.94 < exact_arithmetic.spectral_tightness() < 1.0
    assert exact_arithmetic.spectral_tightness(10**6) < exact_arithmetic.spectral_tightness(10**9)


# 3. Lemma 4.4's counterexamples ---------------------------------------------------------------


def test_3_gain_of_the_hub_is_exact():
    """The formula equals the determinant, and none of 2,000 other counts has a larger gain."""
    rng, arms, per_arm = np.random.default_rng(RNG_SEED), 6, 4
    spoke = 1 / (2 * per_arm)
    phi = np.hstack([np.full((arms, 1), math.sqrt(1 - spoke)), math.sqrt(spoke) * np.eye(arms)])

    def gain(counts, rows=phi):
        return 0.5 * np.linalg.slogdet((rows.T * counts) @ rows + np.eye(arms + 1))[1]

    horizon = arms * per_arm
    exact = 0.5 * (
        math.log(1 + horizon * (1 - spoke + spoke / arms))
        + (arms - 1) * math.log(1 + spoke * per_arm)
    )
    assert gain(np.full(arms, per_arm)) == pytest.approx(exact, rel=1e-12)
    for _ in range(2000):
        assert gain(rng.multinomial(horizon, rng.dirichlet(np.ones(arms)))) <= exact + 1e-12
        inside = rng.dirichlet(np.ones(arms), size=horizon)  # contexts inside the simplex
        rows = np.hstack([np.full((horizon, 1), phi[0, 0]), phi[0, 1] * inside])
        assert gain(np.ones(horizon), rows) <= exact + 1e-12


def circle(horizon, most):
    """lambda_j of the fixed kernel, |j| <= most, the ends of gamma_T, and K = ceil(T/gamma_T)."""
    j = np.abs(np.arange(-most, most + 1)).astype(float)
    eigen = np.where(j == 0, 0.5, 1.5 / np.pi**2 / np.maximum(j, 1) ** 2)
    low = 0.5 * np.log1p(horizon * eigen).sum()
    return eigen, low, low + horizon * 1.5 / np.pi**2 / most, math.ceil(horizon / low)


def sums(rng, points, most, scale):
    """S_k, 0 <= k <= 2 most, of uniform points on the circle."""
    turn, power, result = np.exp(-1j * rng.uniform(0, 2 * np.pi, points)), np.ones(points), []
    for _ in range(2 * most + 1):
        result.append(power.sum() / scale)
        power = power * turn
    return np.array(result)


def operator(s, eigen):
    """The entries sqrt(lambda_j lambda_l) S_(j-l) + 1{j = l} for |j|, |l| <= most."""
    most = len(eigen) // 2
    k = np.arange(-most, most + 1)[:, None] - np.arange(-most, most + 1)
    entries = np.where(k >= 0, s[np.abs(k)], s[np.abs(k)].conj())
    return np.sqrt(np.outer(eigen, eigen)) * entries + np.eye(len(eigen))


def test_3_fixed_kernel_steps_on_draws():
    """Steps 1 to 4 and Lemma 6.3's norm at T = 256: each draw's norms are above step 2's bounds,
    and means of 60 draws are those of steps 3 and 4 (5 standard errors: flake rate 1e-6)."""
    rng, horizon, most, first = np.random.default_rng(RNG_SEED), 256, 50, 12
    eigen, _, _, multiple = circle(horizon, most)
    share, high = horizon / multiple, slice(most + first + 1, most + 2 * first + 1)
    inner, q, y = np.arange(2 * most + 1) != most, [], []
    for _ in range(60):
        s = sums(rng, horizon * multiple, most, multiple)
        z, u = operator(s, eigen), np.zeros(2 * most + 1, complex)
        error = np.linalg.solve(z, np.diag(horizon * eigen + 1)) - np.eye(2 * most + 1)
        u[high] = z[high, most]
        image = (z @ u)[inner]
        assert np.linalg.norm(error, 2) >= np.vdot(u, u).real / np.linalg.norm(image)
        drawn = operator(sums(rng, horizon, most, 1.0), eigen)[:, most]  # Phi Phi' e_0, off e_0
        w = np.zeros_like(drawn)
        w[high] = drawn[high]
        norm = np.linalg.norm(np.linalg.solve(z, drawn - np.eye(2 * most + 1)[most]))
        assert norm >= np.vdot(w, w).real / np.linalg.norm(z @ w)
        q.append(np.vdot(u, u).real / 0.5)
        expected = np.where(inner, (1 + horizon * eigen * (u != 0)) * u, 0)[inner]
        y.append(np.linalg.norm(image - expected) ** 2 / 0.5)
    one, two = eigen[high].sum(), (eigen[high] ** 2).sum()
    assert abs(np.mean(q) - share * one) < 5 * np.std(q) / math.sqrt(60)
    assert np.mean(y) < 2 * share**2 * two + share * one**2 / multiple**2 + 5 * np.std(y) / 8


@pytest.mark.parametrize("bits", [12, 16, 20])
def test_3_fixed_kernel_closed_forms_bound_the_sums(bits):
    """gamma_T and the norm of claims.toml, compared with sums in place of integrals."""
    horizon, first, p = 2**bits, round(0.78 * 2 ** (bits / 2)), 0.05
    eigen, low, high, _ = circle(horizon, horizon // 2 - 1)
    root = math.sqrt(1.5 * horizon) + 0.5 * math.log1p(horizon / 2)
    loss = math.log1p(1.5 / np.pi**2 * horizon) + 2 + 3 / np.pi**2
    assert root - loss <= low <= high <= root * 1.01
    top = eigen[len(eigen) // 2 + first + 1 : len(eigen) // 2 + 2 * first + 1]
    share = low / (1 + low / horizon)
    rest = 2 / p * (2 * share * (top**2).sum() / top.sum() + top.sum() * (high / horizon) ** 2)
    norm = math.sqrt(share * top.sum() / 4) / (1 + horizon * top[0] + math.sqrt(rest))
    left, right = get_claim("US-L4.4").sides("fixed-kernel", T=horizon, J=first)
    assert 0.9 * norm < left <= norm
    assert right >= theory.spectral_bound(low, horizon, 1.0, 0.05)
    chance = exact_arithmetic.fixed_kernel_chance(first)
    assert chance <= 1 - 4 * (top**2).sum() / top.sum() ** 2 - p
    again = math.sqrt(horizon * top.sum() / 4) / (
        1 + horizon * top[0] + math.sqrt(2 / p * high * (top**2).sum() / top.sum())
    )
    assert (
        0.9 * again < get_claim("US-S6.3-norm").sides("real-draws", T=horizon, J=first)[0] <= again
    )


# 4. Effective dimension and information gain --------------------------------------------------


@pytest.mark.parametrize("kernel", ["se", "matern32", "matern52", "cosine"])
@pytest.mark.parametrize("tau", [0.05, 1.0, 20.0])
def test_4_dimension_below_information_gain(kernel, tau):
    setting = KernelSetting(kernel=kernel, grid=11, tau=tau)
    spectrum = theory.spectrum_of(setting)
    for horizon in (1, 10, 100, 1000):
        gain = gain_bounds(setting, horizon)[0]
        e = theory.effective_of(setting, horizon)
        entropy = np.log1p(horizon * spectrum.values / tau).sum()
        assert e.dimension <= entropy <= dimension_bound(gain, tau) * (1 + 1e-9)
        assert e.largest <= spectrum.F**2 * e.dimension / horizon * (1 + 1e-9)


def test_4_lemma_7_1_for_large_t():
    """Steps 2 and 3 of its proof in numbers, on kernels and T that meet its conditions."""
    assert 2 / (0.73 * 2 / 3 * math.log(2)) < 81 / 13
    assert all(1 - math.ceil(t / 4) / t >= 0.74 for t in range(100, 5000))
    met = 0
    for kernel, tau in (("matern52", 1.0), ("se", 1.0), ("cosine", 20.0)):
        setting, horizon = KernelSetting(kernel=kernel, grid=11, tau=tau), 2**14
        e = theory.effective_of(setting, horizon)
        gain = gain_bounds(setting, horizon)[0]
        chance, rho = tau * e.dimension / (100 * horizon), 0.0
        for early in (horizon // 4, horizon // 2, horizon):
            earlier = theory.effective_of(setting, early)
            rho = max(rho, theory.corrected_variance_bound(earlier, 1, chance))
        if rho <= 1:
            met += 1
            assert e.dimension <= 2 * gain * rho / (0.73 * math.log1p(rho))
    assert met == 3
