"""The printed formulas, compared with numbers that were computed from the paper's text by hand.

All at delta = 0.1, B = 2, F = 1.3, R = 0.3, tau = 0.5, gamma = 3, T = 100, |U_T| = 7.
"""

import pytest

from dpbandits.kernel import theory
from dpbandits.kernel.problem import KernelSetting

KNOWN = {"B": 2.0, "F": 1.3, "R": 0.3, "tau": 0.5}


def test_beta_1_in_both_printed_forms():
    """(sqrt(162 8/(13 1.69)) + 81 1.69/52) ln 80 + 28/17 x + 4 sqrt(108 1.69 0.5/13)
    + 1.2 ln 40 sqrt(243 1.69/26); x = ln 40/0.5 in the statement, its root in the proof."""
    assert theory.beta_1(0.1, **KNOWN) == pytest.approx(85.53422264684028, rel=1e-12)
    proof = theory.beta_1(0.1, **KNOWN, printed="proof")
    assert proof == pytest.approx(77.85636590866936, rel=1e-12)


def test_beta():
    """0.6/0.5 ln 10 sqrt(108 1.69/13)."""
    assert theory.beta(0.1, 1.3, 0.3, 0.5) == pytest.approx(10.35334029376066, rel=1e-12)


def test_lemma_6_3():
    """(22/3 + 0.9 sqrt(3 81 1.69/13 ln 20))/100 + (beta + beta_1)(0.1/28) sqrt(0.03)."""
    bound = theory.uniform_error_bound(3.0, 100, 0.1, **KNOWN, grids=7.0)
    assert bound == pytest.approx(29.970146816425306, rel=1e-12)


def test_lemmas_7_1_and_6_1():
    """81 1.69 3/1300 and 28/17 sqrt(3 ln 10/50)."""
    assert theory.variance_bound(3.0, 100, 1.3) == pytest.approx(0.3159, rel=1e-12)
    assert theory.spectral_bound(3.0, 100, 0.5, 0.1) == pytest.approx(0.612198948751738, rel=1e-12)


def test_n1bar():
    """beta_p = 3 (the power 3), C_p = 0.4, 16 C_p F^2 = 10.816, F^(2/16) = 1.69^(1/16)."""
    forms = list(theory.n1bar_forms(3.0, 0.4, 1.3, 0.1).values())
    by_hand = [0.009648216280090199, 172.8774448511675, 161870.20854578976, 0.009648216280090199]
    assert forms == pytest.approx(by_hand, rel=1e-11)


def test_theorem_8_2():
    """R = 0.6/sqrt(3), B = 1.6, d = 2, D_0 = sqrt(2), L_f = 1/0.5, eps = 0.7."""
    setting = KernelSetting(lengthscale=0.5, dim=2, noise=0.6, tau=0.5, grid=3)
    terms = theory.error_rate_bound(setting, 3.0, 100, 0.7, 0.1, 1.3, grids=7.0)
    assert terms == pytest.approx((324.85265125806256, 140.71646315218837), rel=1e-12)
