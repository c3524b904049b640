"""docs/proofs/US.md, section 5: its steps on many instances, and searches against its theorems.

A deterministic statement is tried on random instances, then on moves of the worst one. Frequencies
are compared with binomial limits (flake rate below 1e-6, seeds fixed).
"""

import math

import numpy as np
import pytest
from finite_kernels import Finite, largest_found, relative_norm

from dpbandits.kernel import estimator
from dpbandits.kernel.problem import KernelSetting, problem_of
from dpbandits.reproduction.ledger.claims import get_claim
from dpbandits.reproduction.us import theory

RNG_SEED = 2025


def test_5_steps_on_random_kernels():
    """The identity of step 1, and the inequalities that steps 2 to 6 use."""
    rng = np.random.default_rng(RNG_SEED)
    for _ in range(300):
        kernel, tau, horizon, multiple = Finite(rng), float(np.exp(rng.normal())), 60, 5
        e, z = kernel.effective(horizon, tau)
        tilde = kernel.sampled(rng, horizon * multiple, multiple, tau)
        counts = rng.multinomial(horizon, kernel.law)
        usual = (kernel.phi.T * counts) @ kernel.phi
        hat = usual + tau * np.eye(len(z))
        b, b_1 = relative_norm(z, tilde), relative_norm(z, hat)
        f, noise = rng.standard_normal(len(z)), rng.standard_normal(len(z))
        inverse = np.linalg.inv(tilde)
        left = inverse @ (usual @ f + noise) - f
        right = inverse @ (noise + (hat - z) @ f + (z - tilde) @ f - tau * f)
        assert np.allclose(left, right, atol=1e-9)
        if b >= 1:
            continue
        assert np.linalg.eigvalsh((1 + b_1) / (1 - b) * tilde - usual).min() >= -1e-9
        quadratic = kernel.phi @ np.linalg.inv(z) @ (z - tilde) @ inverse @ (z - tilde) @ f
        most = math.sqrt(e.largest) * b**2 / (1 - b) * math.sqrt(f @ z @ f)
        assert (np.abs(quadratic) <= most * (1 + 1e-9)).all()
        bias = tau * np.abs(kernel.phi @ inverse @ f)
        sigma = np.sqrt(np.einsum("ij,ij->i", kernel.phi @ inverse, kernel.phi))
        assert (bias <= math.sqrt(tau) * sigma * np.linalg.norm(f) * (1 + 1e-9)).all()


@pytest.mark.parametrize("kernel", ["se", "cosine"])
def test_5_few_runs_exceed_the_bounds(kernel):
    """delta = 0.3, 100 runs: more than 60 above the bound have probability below 1e-9."""
    setting = KernelSetting(kernel=kernel, grid=9, noise=0.5)
    problem, horizon, delta = problem_of(setting), 2000, 0.3
    e, multiple = theory.effective_of(setting, horizon), 200
    known = {"points": setting.cells, "norm": 1.0, "R": theory.sub_gaussian(setting)}
    eta = theory.corrected_uniform_error(e, multiple, delta, **known)
    difference = theory.corrected_difference(e, multiple, delta, **known)
    assert math.isfinite(eta)
    above = np.zeros(2)
    f = problem.values.reshape(-1)
    for seed in range(100):
        rng = np.random.default_rng(seed)
        cells, rewards = problem.observe(rng, horizon)
        Z = rng.multinomial(horizon * multiple, problem.cell_law).astype(float)
        mubar = estimator.estimate(setting, cells, rewards, Z, multiple).mean
        mu = estimator.posterior_mean(setting, cells, rewards)
        above += np.abs(mubar - f).max() > eta, np.abs(mubar - mu).max() > difference
    assert (above <= 60).all()


def test_5_corrected_bounds_by_hand():
    """Every term by hand at L = 0.01, N = 2, s = 1/2, T = 100, tau = 1, K = 10, delta = 0.5."""
    e = theory.Effective(0.01, 2.0, 0.5, 100, 1.0)
    u, logs = math.log(4 / (0.5 * 0.1)), math.log(10 * 3 / 0.5)
    b = 0.001 * u / 3 + math.sqrt((0.001 * u / 3) ** 2 + 2 * 0.0005 * u)
    b_1 = 0.01 * u / 3 + math.sqrt((0.01 * u / 3) ** 2 + 2 * 0.005 * u)
    squared = 0.01 / (1 - b)
    terms = (
        math.sqrt(squared * 2 * logs / (1 - b)) * (0.3 * math.sqrt(1 + b_1) + 2),
        2 / 3 * 2 * squared * logs,
        2 * math.sqrt(squared),
        2 * (math.sqrt(2 * 0.01 * logs / 10) + 2 * 0.01 * logs / 30),
        0.1 * b * b / (1 - b) * math.sqrt(100 * 4 + 4),
    )
    uniform = theory.corrected_uniform_error(e, 10, 0.5, points=3, norm=2.0, R=0.3)
    assert uniform == pytest.approx(sum(terms), rel=1e-12)
    more = (2 + 0.3 * math.sqrt(2 * logs)) * math.sqrt(0.01 / (1 - b_1))
    difference = theory.corrected_difference(e, 10, 0.5, points=3, norm=2.0, R=0.3)
    assert difference == pytest.approx(sum(terms) + more, rel=1e-12)
    assert math.isinf(theory.corrected_uniform_error(e, 1, 1e-300, points=3, norm=2.0, R=0.3))


def test_5_the_norm_step_fails_where_its_premises_hold():
    q = 10
    z, hat = np.diag([4.0 * q * q, 1.0]), np.array([[4.0 * q * q, q / 5], [q / 5, 1.0]])
    for order in (10 / 9 * z - hat, hat - 8 / 9 * z, hat - np.eye(2) / 2):
        assert np.linalg.eigvalsh(order).min() > 0
    left = np.linalg.solve(z, (hat - np.eye(2) / 2) @ [1.0, 0.0])
    assert left @ left == pytest.approx(get_claim("US-S6.3-norm").sides()[0] ** 2)


def test_5_posterior_variance_on_the_circle():
    """The trace inequality at random points, and the certificate's two integrals as sums."""
    rng = np.random.default_rng(RNG_SEED)
    frequencies = np.arange(1, 40)
    values = np.concatenate([[1.0], np.repeat(1.0 / (1 + frequencies) ** 2, 2)])
    values /= values.sum()
    for _ in range(50):
        horizon, tau = int(rng.integers(1, 200)), float(np.exp(rng.normal(0, 2)))
        angle = 2 * np.pi * np.outer(rng.random(horizon) ** rng.integers(1, 4), frequencies)
        waves = np.stack([np.cos(angle), np.sin(angle)], axis=2).reshape(horizon, -1)
        phi = np.hstack([np.ones((horizon, 1)), math.sqrt(2) * waves]) * np.sqrt(values)
        hat = phi.T @ phi + tau * np.eye(len(values))
        shares = values * horizon / (values * horizon + tau)
        assert np.trace(np.diag(values) @ np.linalg.inv(hat)) >= shares.sum() / horizon - 1e-12
        entropy = np.log1p(horizon * values / tau).sum()
        assert np.linalg.slogdet(hat / tau)[1] <= entropy + 1e-9
    left, right = get_claim("US-S6.3-variance").sides()
    j = np.arange(1, 10**6)
    x = 10**4 / j.astype(float) ** 2
    twice = np.where(j == 1, 1, 2)
    ratio = 13 * 100 / 108 * (twice * x / (1 + x)).sum() / (twice * np.log1p(x)).sum()
    assert 1 < left / right <= ratio


def sum_of_terms(c, f, b, *, gamma, horizon, tau, bound, noise, logs):
    """S of Section 5, times rho."""
    rho = math.sqrt(gamma / horizon)
    leading = c * f * (math.sqrt(4.5 * logs) * (math.sqrt(2) * noise + bound))
    leading += 1.23 * c * f * math.sqrt(tau) * bound
    small = rho * (5 / 3 * (c * f) ** 2 * bound * logs + 1.42 * c * f * bound * math.sqrt(logs))
    quadratic = 1.5 * c * f * bound * b**2 * math.sqrt(horizon + tau)
    grid = bound * (math.sqrt(3 / tau) + 1) / horizon
    return rho * (leading + small + quadratic) + grid


def part_of_printed(f, *, gamma, horizon, tau, bound, noise, printed_logs):
    """A part of the printed bound, and therefore below it."""
    coefficient = 81 / 52 * f**2 * printed_logs + 5.76 * bound * f * math.sqrt(tau)
    coefficient += 12.2 * f * noise * (printed_logs - math.log(2))
    return math.sqrt(gamma / horizon) * coefficient


def test_5_terms_of_the_threshold():
    """20,000 random L, N, T, tau, F, then 2,000 moves: the theorem with the error of the grid is
    below rho S, and `part_of_printed` is below the printed bound."""
    rng, met = np.random.default_rng(RNG_SEED), []

    def ratio(x):
        tau, horizon = math.exp(x[0]), math.ceil(math.exp(8 + 8 * abs(x[1])))
        f, bound, noise = math.exp(abs(x[2])), math.exp(x[3]), math.exp(x[4])
        c = math.sqrt(2 / (tau * math.log1p(1 / tau)))
        gamma = math.exp(abs(x[5])) * 2 + 1
        dimension = min(1.0, math.exp(-abs(x[6]))) * gamma * c**2
        largest = min(1.0, math.exp(-abs(x[7]))) * f**2 * dimension / horizon
        e = theory.Effective(largest, max(dimension, 1e-9), 0.9, horizon, tau)
        multiple = math.ceil(horizon / gamma)
        b, b_1 = (theory.corrected_spectral_bound(e, k, 0.02) for k in (multiple, 1))
        if b > 1 / 3 or b_1 > 1 or gamma > horizon:
            return 0.0
        r = math.ceil(horizon**1.5)
        logs, shared = math.log(100 * r), {"gamma": gamma, "horizon": horizon, "tau": tau}
        shared |= {"bound": bound, "noise": noise}
        eta = theory.corrected_uniform_error(e, multiple, 0.1, points=r, norm=bound, R=noise)
        off = bound * (math.sqrt((1 + b_1) * horizon / ((1 - b) * tau)) + 1) / r
        known = theory.Constants(bound, f, noise, tau, grids=horizon, printed="proof")
        printed = theory.uniform_error_bound(gamma, horizon, 0.1, known)
        assert part_of_printed(f, printed_logs=math.log(320 * horizon), **shared) <= printed
        met.append(x)
        return (eta + off) / sum_of_terms(c, f, b, logs=logs, **shared)

    def draw():
        return (1.5 * rng.standard_normal(8),)

    def move(x):
        return (x + 0.2 * rng.standard_normal(8),)

    assert 0.7 < largest_found(ratio, draw, move, 20_000, 2000) <= 1.0
    assert len(met) > 2000


def test_5_explicit_threshold():
    """Circle, lambda_j ~ j^-2, tau = B = 1, R = 0.1, delta = 0.1, |U_r| = r: from 2^11 on."""
    scale, c = 1 / (1 + math.pi**2 / 3), math.sqrt(2 / math.log(2))

    def holds(power):
        horizon = 2**power
        first = horizon * scale
        a = math.pi * math.sqrt(first)  # sum over j of x/(1 + x) and ln(1 + x), x = first/j^2
        dimension = a / math.tanh(a) - 1 + first / (first + 1)
        entropy = 2 * (a + math.log(-math.expm1(-2 * a) / 2 / a)) + math.log1p(first)
        e = theory.Effective(dimension / horizon, dimension, 1.0, horizon, 1.0)
        conditions = []
        for gamma in (0.5 * entropy, dimension / c**2):  # gamma_T is between them (Section 4)
            b, b_1 = (
                theory.corrected_spectral_bound(e, k, 0.02) for k in (math.ceil(horizon / gamma), 1)
            )
            known = {"gamma": gamma, "horizon": horizon, "tau": 1.0, "bound": 1.0, "noise": 0.1}
            total = sum_of_terms(c, math.sqrt(2), b, logs=math.log(100 * horizon**1.5), **known)
            part = part_of_printed(math.sqrt(2), printed_logs=math.log(320 * horizon), **known)
            conditions.append(b <= 1 / 3 and b_1 <= 1 and total <= part)
        return all(conditions)

    assert [power for power in range(8, 61) if holds(power)] == list(range(11, 61))


def test_5_a_rare_context():
    """The probabilities of the certificates of both lemmas, compared with 2,000 draws at a smaller
    F; and N1bar."""
    rng, f, m, b, tau, delta = np.random.default_rng(RNG_SEED), 1e6, 400, 1e12, 1e-10, 0.1
    horizon = m * f**2
    gamma = 0.5 * math.log1p(horizon / tau)
    n = rng.poisson(m, 2000)  # Bin(T, F^-2) to 1e-9
    fresh = rng.normal(m, math.sqrt(m * gamma / horizon), 2000)  # Bin(TK, F^-2)/K
    first = np.abs(b / 2 * (n - fresh - tau) / (fresh + tau))
    second = np.abs(b / 2 * n * (fresh - n) / ((n + tau) * (fresh + tau)))
    known = theory.Constants(b, f, 0.0, tau, grids=horizon)
    bound = theory.uniform_error_bound(gamma, horizon, delta, known)
    pointwise = theory.beta_1(delta, known) * math.sqrt(gamma / horizon)
    most = 2 / math.sqrt(2 * math.pi * m) + 1 / m
    for errors, x in ((first, bound), (second, pointwise)):
        assert x < b / (4 * (2 * m + tau) * (1 + tau))
        assert np.mean(errors <= x) <= most + 5 * math.sqrt(most / 2000)
    forms = theory.n1bar_forms(2, 1, f**2, math.log(4 / delta))
    assert horizon > max(*forms.values(), 16 * gamma * math.log(4 / delta) / tau)


def test_5_the_bias_that_is_left_out():
    """k = f = 1, no noise; and the corrected bound on 300 random kernels, R = 0."""
    assert theory.beta(0.1, theory.Constants(1.0, 1.0, 0.0, 1.0)) == 0.0
    rng = np.random.default_rng(RNG_SEED)
    for _ in range(300):
        kernel, tau = Finite(rng), float(np.exp(rng.normal()))
        hat = kernel.sampled(rng, 60, 1, tau)
        f = rng.standard_normal(len(hat))
        variance = np.einsum("ij,jk,ik->i", kernel.phi, np.linalg.inv(hat), kernel.phi)
        bias = np.abs(tau * kernel.phi @ np.linalg.solve(hat, f))
        assert (bias <= math.sqrt(tau) * np.linalg.norm(f) * np.sqrt(variance) * (1 + 1e-9)).all()
