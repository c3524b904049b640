"""Numbers behind rows of FL's ledger."""

import math

import pytest

from dpbandits.reproduction.fl.claims import rates
from dpbandits.reproduction.fl.theory import lower_bound, psi, regret_terms


def test_threshold_of_remark_1():
    level = rates.exact_threshold(1e6, 400, 10, 5, 0.01)
    for factor, leads in ((0.99, True), (1.01, False)):
        other, private = regret_terms(0.0, 1e6, 400, 10, 5, factor * level, delta=0.01)
        assert (private > other) is leads


def test_two_forms_of_psi():
    """At alpha = 1 the sum of Section 5 tends to 150, that of E.3.1 grows like 2 ln^4 T."""
    assert psi(1.0, 1e300) == pytest.approx(150, abs=1e-6)
    t = 1e30
    assert rates.psi_of_the_appendix(1.0, t) == pytest.approx(2 * (1 - 1 / t) * math.log(t) ** 4)


def test_theorem_3_2_fails_as_delta_falls():
    """From ln(1/delta) = 4.17e6 on the printed rate is above 2T, at epsilon = 1 (constant 1)."""
    at, _ = lower_bound(10_000, 400, 5, 1.0, math.exp(-700))  # the rate grows like the root
    assert at * math.sqrt(4.17e6 / 700) == pytest.approx(2e4, rel=1e-3)
