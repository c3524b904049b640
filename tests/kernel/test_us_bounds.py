"""US's bounds by hand: spectra, constants, information gain, estimates, closed forms.

The numbers are worked out from the paper and from docs/proofs/US.md; all exact, nothing flakes.
"""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from kernel_dense import dense_posterior, merged_operator
from made_up_tables import same

from dpbandits.core.streams import Streams
from dpbandits.kernel import PAPER, kernels, theory
from dpbandits.kernel.engine import certificates, estimator, information, runs
from dpbandits.kernel.engine import counterexamples as closed
from dpbandits.kernel.problem import KernelSetting, grid_points, problem_of

# Bounds ---------------------------------------------------------------------------------------


def test_spectrum_of_a_kernel_by_its_definition():
    """k = Psi Lambda Psi', the columns of Psi orthonormal under the law of cells."""
    setting = KernelSetting(grid=4, context_law="beta")
    law, found = problem_of(setting).cell_law, theory.spectrum_of(setting)
    points = grid_points(4, 2)
    gram = kernels.kernel_matrix(setting, points, points)
    values, vectors = np.linalg.eig(gram * law)
    order = np.argsort(-values.real)
    values, vectors = values.real[order], vectors.real[:, order]
    vectors /= np.sqrt(law @ vectors**2)
    assert found.values == pytest.approx(values, abs=1e-12)
    assert found.values.sum() == pytest.approx(1.0)
    kept = values >= 1e-8 * values[0]
    assert found.bound == pytest.approx(np.abs(vectors[:, kept]).max(), rel=1e-5)
    assert theory.Spectrum(np.array([1.0, 0.5, 0.25]), 1.0, True).constant(2.0) == 2.25


def test_constants_of_settings():
    same(theory.sub_gaussian(KernelSetting(noise=0.6)), 0.6 / math.sqrt(3))
    slopes = {"se": 1.0, "matern32": math.sqrt(3), "matern52": math.sqrt(5 / 3)}
    for kernel, slope in slopes.items():
        found = theory.lipschitz(KernelSetting(kernel=kernel, norm=3.0, lengthscale=0.5))
        same(found, 6 * slope)
    # pi^2 (2/4 + 2/9 + 2 4/16) over the sum of the weights, for norm 3
    weights = 1 + 2 / 4 + 2 / 9 + 4 / 16
    squared = math.pi**2 * (2 / 4 + 2 / 9 + 8 / 16) / weights
    found = theory.lipschitz(KernelSetting(kernel="cosine", grid=2, norm=3.0))
    same(found, 3 * math.sqrt(squared))


def test_error_rate_bound_without_privacy():
    setting = KernelSetting(grid=3)
    bound = theory.error_rate_bound(setting, 3.0, 100, math.inf, 0.1, 1.3)
    finite = theory.error_rate_bound(setting, 3.0, 100, 1.0, 0.1, 1.3)
    assert (bound.first, bound.second) == (finite.first, 0.0)
    statement = theory.error_rate_bound(setting, 3.0, 100, 1.0, 0.1, 1.3, printed="proof")
    assert statement.first < finite.first


def test_first_useful_horizon_is_the_first():
    """1% later the bound is below 2 norm, 2% earlier above; gamma by its lower end."""
    setting = KernelSetting(kernel="cosine", grid=4, norm=0.5)
    spectrum = theory.spectrum_of(setting)
    found = theory.first_useful_horizon(setting, 0.3, 0.2)

    def bound(horizon):
        gamma = sum(math.log(1 + horizon * x) for x in spectrum.values) / 4
        return theory.error_rate_bound(setting, gamma, horizon, 0.3, 0.2, spectrum.bound).total

    assert bound(found * 1.0001) < 1.0 < bound(found * 0.98)
    assert theory.first_useful_horizon(setting, 1e-9, 0.2) > found


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


def test_repaired_bounds_by_hand():
    """L = 0.01, N = 2, s = 1/2, delta = 0.5: u = ln 16; at K = 10 and at K = 1."""
    e, u = theory.Effective(0.01, 2.0, 0.5, 100, 1.0), math.log(16)
    for k in (1, 10):
        linear = 0.01 * u / 3 / k
        b = linear + math.sqrt(linear**2 + 2 * 0.005 * u / k)
        same(theory.relative_spectral_bound(e, k, 0.5), b)
        same(theory.repaired_variance_bound(e, k, 0.5), 0.01 / (1 - b))
    wide = theory.Effective(1.0, 2.0, 0.5, 100, 1.0)
    known = {"points": 3, "norm": 1.0, "noise": 0.1}
    assert theory.relative_spectral_bound(wide, 1, 0.1) > 1
    assert theory.repaired_variance_bound(wide, 1, 0.1) == math.inf
    assert theory.repaired_uniform_error(wide, 1, 0.1, **known) == math.inf
    assert theory.repaired_uniform_error(wide, 10**6, 0.1, **known) < math.inf
    assert theory.repaired_difference(wide, 10**6, 0.1, **known) == math.inf  # b_1 >= 1


# Information gain and estimates ---------------------------------------------------------------


def test_ends_of_the_gain_by_their_definitions():
    """gain(n) = ln det(1 + K/tau)/2 at greedy's picks; the slack (T max s - sum n s)/(2 tau)."""
    setting = KernelSetting(kernel="matern32", grid=4, tau=0.3)
    low, high = information.gain_bounds(setting, 7)
    picks = information.known_picks(setting, 7)[1][:7]
    points = grid_points(4, 2)[picks]
    gram = kernels.kernel_matrix(setting, points, points)
    assert low == pytest.approx(np.linalg.slogdet(np.eye(7) + gram / 0.3)[1] / 2)
    _, variance = dense_posterior(setting, picks, np.zeros(7))
    slack = (7 * variance.max() - variance[picks].sum()) / 0.6
    assert slack > 0.01
    assert high == pytest.approx(low + slack)


def test_fresh_points_per_round(monkeypatch):
    monkeypatch.setattr(information, "information_gain", lambda s, t: np.array([9.0, 3.0]))
    assert [information.fresh_multiple(None, t) for t in (9, 10, 12)] == [3, 4, 4]


def test_an_estimate_s_certificate_takes_the_worse_error(monkeypatch):
    """The range is asked for by the number of contexts."""
    setting = KernelSetting(grid=2, noise=0.0)
    stub = SimpleNamespace(mean=lambda sums: sums, largest_variance=lambda: (0.5, 0.125),
                           largest_range=lambda contexts: 3.0 * (contexts == 2))  # fmt: skip
    monkeypatch.setattr(estimator, "operator_of", lambda *_: stub)
    for other, error in ((0.01, 0.125), (0.7, 0.7)):
        monkeypatch.setattr(estimator, "mean_errors", lambda *_, e=other: np.array([e]))
        args = (setting, np.array([1, 1]), np.array([2.0, 0.5]), np.array([3.0, 0, 0, 0]), 1)
        found = estimator.estimate(*args, with_range=True)
        assert (found.mean.tolist(), found.largest_variance) == ([0, 2.5, 0, 0], 0.5)
        assert (found.error, found.largest_range) == (error, 3.0)
        assert math.isnan(estimator.estimate(*args).largest_range)


def test_each_length_has_a_stream_of_its_own():
    """Named by the seed and by T, whatever else is run."""
    at = np.array([3, 8])
    drawn = runs.each_run(lambda rng, t: {"regret": rng.random(), "t": t}, Streams(4, (5, 6)), at)
    alone = runs.each_run(lambda rng, t: {"regret": rng.random(), "t": t}, Streams(4, (6,)), at[1:])
    assert drawn.curves["t"].tolist() == [[3, 8], [3, 8]]
    assert drawn.regret[1, 1] == alone.regret[0, 0]
    assert len(np.unique(drawn.regret)) == 4


# Closed forms ---------------------------------------------------------------------------------


def test_lengths_above_a_floor():
    from fractions import Fraction as F

    above = certificates._length_above
    assert above(F(0), F(2), F(1), F(3), F(2)) == 1
    assert above(F(0), F(2), F(3), F(1), F(1)) == 2
    assert above(F(0), F(2), F(3), F(1), F(3)) == 0
    assert above(F(0), F(2), F(3), F(1), F(4)) == 0
    assert above(F(1), F(3), F(5), F(5), F(5)) == 2


def test_two_point_errors_and_first_entries_by_hand():
    """T = 1, K = 1, tau = 1: mu_T = n/(n + 1) and mubar = n/(m + 1), n and m fair coins."""
    from fractions import Fraction as F

    usual, private = closed.two_point_errors(1, 1, F(1))
    assert usual == F(1, 2) * 1 + F(1, 2) * F(1, 4)
    assert private == F(1, 4) * (1 + 1 + 0 + F(1, 4))
    first, second = closed.first_entries()
    assert first == {0: F(1, 4), 1: F(1, 2), 2: F(1, 4)}
    assert second == {F(k, 2): F(math.comb(4, k), 16) for k in range(5)}


def test_each_series_has_a_look_of_its_own():
    """Numbers 33 to 41. The third paper of the house."""
    assert sorted(PAPER.looks.values()) == list(range(33, 42))
    assert (PAPER.key, PAPER.order) == ("us", 3)


def test_theorem_8_2_s_certificate_by_hand():
    """T = 100, tau = B = 1, F^2 = 2, L_f = pi/2, delta = 1/10, |U_T| = T^2; gamma_T between
    ln(101)/2 and ln 51; the bracket is -1."""
    found, low, c = (
        certificates.theorem_8_2_is_negative(100),
        math.log(101) / 2,
        2592 * math.pi / 13,
    )
    epsilon = low / math.e * (0.1 / 3) / (100 * c)
    same(found["epsilon"], epsilon)
    beta_1 = theory.beta_1(0.1 / 12e4, 1.0, math.sqrt(2), 0.0, 1.0)
    first = 10 * (11 / 300 + beta_1 * math.sqrt(math.log(51) / 100))
    assert found["bound"] == pytest.approx(first - low / (100 * epsilon) * 1296 / 13)
    assert found["certified"]


def test_lemma_6_2_s_certificate_by_hand():
    """gap 3/4 B 3/8/tau - 5/4 B; B = 100, tau = 1e-7, and B = 1, tau = 1e-5."""
    for form, b, tau in (("statement", 100.0, 1e-7), ("proof", 1.0, 1e-5)):
        found = certificates.lemma_6_2_counterexample(form)
        assert (found["B"], found["delta"]) == (b, pytest.approx(0.05))
        same(found["gap"], 9 / 32 * b / tau - 1.25 * b)
        beta_1 = theory.beta_1(0.05, b, math.sqrt(2), 0.0, tau, form)
        same(found["bound"], beta_1 * math.sqrt(math.log(1 + 1 / tau) / 2))


def test_what_is_certified_needs_the_gap_and_the_negative_total(monkeypatch):
    from flint import arb

    monkeypatch.setattr(certificates, "_beta_1", lambda *_: arb(10) ** 30)
    assert not certificates.lemma_6_2_counterexample("statement")["certified"]
    assert not certificates.theorem_8_2_is_negative(100)["certified"]
