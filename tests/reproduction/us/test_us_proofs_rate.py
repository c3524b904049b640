"""docs/proofs/US.md, sections 7 to 12: their steps on many instances, and searches against their
theorems; `test_7_...` is about section 7.

A deterministic statement is tried on random instances, then on moves of the worst one. Frequencies
are compared with binomial limits (flake rate below 1e-6, seeds fixed).
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from finite_kernels import largest_found

from dpbandits.kernel.kernels import kernel_matrix
from dpbandits.kernel.problem import KernelSetting, problem_of
from dpbandits.reproduction.us import exact_arithmetic, theory
from dpbandits.reproduction.us.gain_bounds import gain_bounds

RNG_SEED = 2025


def repaired_error_rate(
    eta: float, scale: float, epsilon: float, *, dim: int, slope: float
) -> float:
    """4 eta + the mechanism's own loss at scale m (2B sup sigmabar^2); slope = D_0 L_f (9)."""
    if math.isinf(epsilon):
        return 4.0 * eta
    logs = max(0.0, math.log(slope * epsilon / (2.0 * scale * dim)))
    return 4.0 * eta + 2.0 * scale / epsilon * (1.0 + dim + dim * logs)


def gain_bound(horizon: float, tau: float, decay: float, constant: float, bound: float) -> float:
    """gamma_T from lambda_j <= C_p j^-beta_p and F (Section 10)."""
    rank = math.ceil((bound**2 * constant * horizon / tau) ** (1.0 / decay))
    return rank / 2.0 * (math.log1p(horizon / (rank * tau)) + 1.0 / (decay - 1.0))


def repaired_threshold(gamma: float, tau: float, delta: float) -> float:
    """The T from which the proof of Lemma 6.1 has its 1/4, in place of N1bar."""
    return 16.0 * gamma * math.log(1.0 / delta) / tau


# 7. Privacy -----------------------------------------------------------------------------------


def test_7_posterior_mean_moves_by_a_constant():
    setting = KernelSetting(kernel="se", grid=9)
    points = problem_of(setting).points
    gram = kernel_matrix(setting, points, points)
    v, z = 0, 80
    kappa = gram[v, z] ** 2
    for horizon in (2, 50, 5000):
        # records 2..T at z merged into one of noise variance tau/(T - 1)
        k = np.array([[1.0 + 1.0, gram[v, z]], [gram[v, z], 1.0 + 1.0 / (horizon - 1)]])
        moved = 2 * np.linalg.solve(k, [1.0, gram[v, z]])[0]
        assert moved >= 2 * (1 - kappa) / (2 - kappa) - 1e-12


# 9. The error rate ----------------------------------------------------------------------------


def test_9_loss_of_the_mechanism_on_random_functions():
    """4,000 piecewise linear f, scores within eta, scales; then 2,000 moves of the best."""
    rng = np.random.default_rng(RNG_SEED)
    x = (np.arange(2000) + 0.5) / 2000

    def ratio(knots, shift, epsilon, scale):
        f = np.interp(x, np.linspace(0, 1, len(knots)), knots)
        eta = np.abs(shift).max()
        score = f + np.interp(x, np.linspace(0, 1, len(shift)), shift)
        weights = np.exp(epsilon * (score - score.max()) / (2 * scale))
        loss = weights @ (f.max() - f) / weights.sum()
        slope = np.abs(np.diff(knots)).max() * (len(knots) - 1)
        return loss / repaired_error_rate(eta, scale, epsilon, dim=1, slope=slope)

    def draw():
        knots = rng.standard_normal(rng.integers(2, 12)).cumsum()
        shift = rng.standard_normal(5) * rng.choice([0, 0.01, 0.3])
        return knots, shift, float(np.exp(rng.normal(0, 3))), float(np.exp(rng.normal(0, 2)))

    def move(knots, shift, epsilon, scale):
        knots = knots + 0.2 * rng.standard_normal(len(knots)) * np.abs(knots).mean()
        return knots, shift, epsilon * math.exp(rng.normal(0, 0.2)), scale

    assert 0.4 < largest_found(ratio, draw, move, 4000, 2000) <= 1.0


# 10. The threshold ----------------------------------------------------------------------------


@pytest.mark.parametrize("decay", [1.5, 2.0, 3.0])
@pytest.mark.parametrize("tau", [0.1, 1.0])
def test_10_gain_bound_and_threshold(decay, tau):
    setting = KernelSetting(kernel="cosine", decay=decay, grid=15, tau=tau)
    spectrum = theory.spectrum_of(setting)
    constant = spectrum.C_p(decay)
    for horizon in (1, 30, 1000):
        most = gain_bound(horizon, tau, decay, constant, spectrum.F)
        gain = gain_bounds(setting, horizon)[0]
        assert gain <= most
        needed = repaired_threshold(gain, tau, 0.01)
        assert (theory.proof_condition(gain, horizon, tau, 0.01) <= 0.25) == (horizon >= needed)


# 11. Remarks and assumptions ------------------------------------------------------------------


def test_11_quotient_of_errors_at_two_points_grows_like_t():
    """The exact mean squares are those of 20,000 draws, too."""
    rng = np.random.default_rng(RNG_SEED)
    usual, private = exact_arithmetic.two_point_errors(16, 2, Fraction(1))
    visits, levels = rng.binomial(16, 0.5, 20_000), rng.binomial(32, 0.5, 20_000) / 2 + 1
    for exact, squares in ((usual, (1 / (visits + 1)) ** 2), (private, (visits / levels - 1) ** 2)):
        assert abs(squares.mean() - float(exact)) < 6 * squares.std() / math.sqrt(20_000)
    quotients = [float(b / a) for a, b in (
        exact_arithmetic.two_point_errors(t, 2, Fraction(1)) for t in (16, 64, 256))]  # fmt: skip
    assert quotients[1] > 3.5 * quotients[0]
    assert quotients[2] > 3.5 * quotients[1]


def test_11_private_in_its_own_context():
    """Random pairs of laws of four actions, at the epsilon that they satisfy."""
    rng = np.random.default_rng(RNG_SEED)
    for _ in range(5000):
        p, q = rng.dirichlet(np.full(4, 0.3), 2) + 1e-9
        epsilon = np.abs(np.log((p / p.sum()) / (q / q.sum()))).max()
        errors = 1 - p[0] / p.sum(), 1 - q[1] / q.sum()  # action 0 is best for p, action 1 for q
        assert max(errors) >= 1 / (1 + math.exp(epsilon)) - 1e-12


# 12. What uniform queries cannot do -----------------------------------------------------------


def fejer(u, degree):
    j = np.arange(1 - degree, degree)
    return (np.cos(2 * np.pi * np.outer(u, j)) @ (1 - np.abs(j) / degree)) / degree


def test_12_no_decoder_beats_fano():
    """How often maximum likelihood finds the bump after T uniform rounds, in 4,000 draws each: at
    most the bound, up to 5 standard errors."""
    rng, degree, draws = np.random.default_rng(RNG_SEED), 64, 4000
    arms, height = degree // 2, 3 * degree**-1.5
    x = (np.arange(512) + 0.5) / 512
    bumps = height * fejer(
        x[:, None].repeat(arms, 1).ravel() - np.tile(2 * np.arange(arms) / degree, 512), degree
    )
    bumps = bumps.reshape(512, arms)
    law = np.log1p(bumps) - np.log1p(-bumps)
    for horizon in (10**5, 10**6, 10**7):
        bound = (0.7 * horizon * height**2 / degree + math.log(2)) / math.log(arms)
        visits = rng.multinomial(horizon, np.full(512, 1 / 512), size=draws)
        ones = rng.binomial(visits, (1 + bumps[:, 0]) / 2)  # bump 0 is the true one, by symmetry
        likelihood = ones @ law + visits @ np.log1p(-bumps)
        success = np.mean(likelihood.argmax(axis=1) == 0)
        assert success <= bound + 5 * math.sqrt(0.25 / draws)
