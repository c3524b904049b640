"""US's bounds by hand: spectra, constants, information gain and closed forms.

The expected numbers follow from the paper and docs/proofs/US.md; nothing is random.
"""

import math
from fractions import Fraction as F

import numpy as np
import pytest
from kernel_dense import dense_posterior, merged_operator
from made_up_tables import same

from dpbandits.kernel import information, kernels
from dpbandits.kernel.problem import KernelSetting, grid_points, problem_of
from dpbandits.reproduction.us import exact_arithmetic, theory
from dpbandits.reproduction.us.gain_bounds import gain_bounds

# Of the printed formulas, with delta = 0.1, gamma = 3, T = 100 and |U_T| = 7; the expected numbers
# were computed by hand from the paper's text
KNOWN = {"B": 2.0, "F": 1.3, "R": 0.3, "tau": 0.5}


def test_beta_1_in_both_printed_forms():
    """(sqrt(162 8/(13 1.69)) + 81 1.69/52) ln 80 + 28/17 x + 4 sqrt(108 1.69 0.5/13)
    + 1.2 ln 40 sqrt(243 1.69/26); x = ln 40/0.5 in the statement, its root in the proof."""
    assert theory.beta_1(0.1, theory.Constants(**KNOWN)) == pytest.approx(
        85.53422264684028, rel=1e-12
    )
    proof = theory.beta_1(0.1, theory.Constants(**KNOWN, printed="proof"))
    assert proof == pytest.approx(77.85636590866936, rel=1e-12)


def test_beta():
    """0.6/0.5 ln 10 sqrt(108 1.69/13)."""
    assert theory.beta(0.1, theory.Constants(**KNOWN)) == pytest.approx(
        10.35334029376066, rel=1e-12
    )


def test_lemma_6_3():
    """(22/3 + 0.9 sqrt(3 81 1.69/13 ln 20))/100 + (beta + beta_1)(0.1/28) sqrt(0.03)."""
    bound = theory.uniform_error_bound(3.0, 100, 0.1, theory.Constants(**KNOWN, grids=7.0))
    assert bound == pytest.approx(29.970146816425306, rel=1e-12)


def test_lemmas_7_1_and_6_1():
    """81 1.69 3/1300 and 28/17 sqrt(3 ln 10/50)."""
    assert theory.variance_bound(3.0, 100, 1.3) == pytest.approx(0.3159, rel=1e-12)
    assert theory.spectral_bound(3.0, 100, 0.5, 0.1) == pytest.approx(0.612198948751738, rel=1e-12)


def test_n1bar():
    """beta_p = 3 (the power 3), C_p = 0.4, 16 C_p F^2 = 10.816, F^(2/16) = 1.69^(1/16)."""
    forms = list(theory.n1bar_forms(3, 0.4, 1.69, math.log(10)).values())
    by_hand = [0.009648216280090199, 172.8774448511675, 161870.20854578976, 0.009648216280090199]
    assert forms == pytest.approx(by_hand, rel=1e-11)


def test_theorem_8_2():
    """R = 0.6/sqrt(3), B = 1.6, d = 2, D_0 = sqrt(2), L_f = 1/0.5, eps = 0.7."""
    setting = KernelSetting(lengthscale=0.5, dim=2, noise=0.6, tau=0.5, grid=3)
    terms = theory.error_rate_bound(setting, 3.0, 100, 0.7, 0.1, 1.3, grids=7.0)
    assert terms == pytest.approx((324.85265125806256, 140.71646315218837), rel=1e-12)


def test_spectrum_of_a_kernel_by_its_definition():
    """k = Psi Lambda Psi', the columns of Psi orthonormal under the law of cells."""
    setting = KernelSetting(grid=4, context_law="beta")
    law, spectrum = problem_of(setting).cell_law, theory.spectrum_of(setting)
    points = grid_points(4, 2)
    gram = kernels.kernel_matrix(setting, points, points)
    values, vectors = np.linalg.eig(gram * law)
    order = np.argsort(-values.real)
    values, vectors = values.real[order], vectors.real[:, order]
    vectors /= np.sqrt(law @ vectors**2)
    assert spectrum.values == pytest.approx(values, abs=1e-12)
    assert spectrum.values.sum() == pytest.approx(1.0)
    large = values >= 1e-8 * values[0]
    assert spectrum.F / np.abs(vectors[:, large]).max() == pytest.approx(1.0, rel=1e-5)
    assert theory.Spectrum(np.array([1.0, 0.5, 0.25]), 1.0).C_p(2.0) == 2.25


def test_constants_of_settings():
    same(theory.sub_gaussian(KernelSetting(noise=0.6)), 0.6 / math.sqrt(3))
    slopes = {"se": 1.0, "matern32": math.sqrt(3), "matern52": math.sqrt(5 / 3)}
    for kernel, slope in slopes.items():
        same(theory.lipschitz(KernelSetting(kernel=kernel, norm=3.0, lengthscale=0.5)), 6 * slope)
    # pi^2 (2/4 + 2/9 + 2 4/16) over the sum of the weights, for norm 3
    weights = 1 + 2 / 4 + 2 / 9 + 4 / 16
    squared = math.pi**2 * (2 / 4 + 2 / 9 + 8 / 16) / weights
    cosine = KernelSetting(kernel="cosine", grid=2, norm=3.0)
    same(theory.lipschitz(cosine), 3 * math.sqrt(squared))


def test_first_useful_horizon_is_the_first():
    """The bound is below 2 norm there, and above it 2% earlier; gamma by its lower bound."""
    setting = KernelSetting(kernel="cosine", grid=4, norm=0.5)
    spectrum = theory.spectrum_of(setting)
    first = theory.first_useful_horizon(setting, 0.3, 0.2)

    def bound(horizon):
        gamma = sum(math.log(1 + horizon * x) for x in spectrum.values) / 4
        return sum(theory.error_rate_bound(setting, gamma, horizon, 0.3, 0.2, spectrum.F))

    assert bound(first * 1.0001) < 1.0 < bound(first * 0.98)
    assert theory.first_useful_horizon(setting, 1e-9, 0.2) > first


def test_effective_quantities_by_their_definitions():
    setting = KernelSetting(grid=3, tau=0.4, context_law="beta")
    e = theory.effective_of(setting, 50)
    law = problem_of(setting).cell_law
    same(e.largest, np.diag(merged_operator(setting, 50 * law)).max())
    gram = kernels.kernel_matrix(setting, grid_points(3, 2), grid_points(3, 2))
    values = np.linalg.eigvals(50 * gram * law).real
    assert e.dimension == pytest.approx((values / (values + 0.4)).sum())
    assert e.share == pytest.approx(values.max() / (values.max() + 0.4))
    assert (e.horizon, e.tau) == (50, 0.4)


def test_bounds_of_the_gain_by_their_definitions():
    """gain(n) = ln det(1 + K/tau)/2 at greedy's picks; the slack (T max s - sum n s)/(2 tau)."""
    setting = KernelSetting(kernel="matern32", grid=4, tau=0.3)
    low, high = gain_bounds(setting, 7)
    picks = information.greedy_picks(setting, 7)[1][:7]
    points = grid_points(4, 2)[picks]
    gram = kernels.kernel_matrix(setting, points, points)
    assert low == pytest.approx(np.linalg.slogdet(np.eye(7) + gram / 0.3)[1] / 2)
    _, variance = dense_posterior(setting, picks, np.zeros(7))
    slack = (7 * variance.max() - variance[picks].sum()) / 0.6
    assert slack > 0.01
    assert high == pytest.approx(low + slack)


def test_two_point_errors_and_first_entries_by_hand():
    """T = 1, K = 1, tau = 1: mu_T = n/(n + 1) and mubar = n/(m + 1), n and m fair coins."""
    usual, private = exact_arithmetic.two_point_errors(1, 1, F(1))
    assert usual == F(1, 2) * 1 + F(1, 2) * F(1, 4)
    assert private == F(1, 4) * (1 + 1 + 0 + F(1, 4))
    first, second = exact_arithmetic.first_entries()
    assert first == {0: F(1, 4), 1: F(1, 2), 2: F(1, 4)}
    assert second == {F(k, 2): F(math.comb(4, k), 16) for k in range(5)}
