"""docs/proofs/KL.md: the maximiser outside of the ball, and other numbers of that page."""

import math
from fractions import Fraction as F

import numpy as np
import pytest

from dpbandits.offline import theory
from dpbandits.offline.mle import SeparableData, fit


def policy(won: int, records: int) -> F:
    """The probability of the action -1, eta = 1: n copies of a record of difference 2."""
    signed = np.array([[2.0]] * won + [[-2.0]] * (records - won))
    theta = float(fit(signed)[0])
    assert theta == pytest.approx(math.log(won / (records - won)) / 2)
    assert 1 / (1 + math.exp(2 * theta)) == pytest.approx((records - won) / records)
    return F(records - won, records)


@pytest.mark.parametrize("records", [20, 100])
@pytest.mark.parametrize("radius", [0.2, 1.0])
def test_loss_of_a_flip_outside_of_the_ball_is_ln_2_at_every_length(records, radius):
    loss = math.log(policy(records - 2, records) / policy(records - 1, records))
    assert loss == pytest.approx(math.log(2))
    printed = float(theory.theorem3_pure(1 + 4 * records, 1, 1.0, radius).epsilon)
    assert printed == pytest.approx((2 + 2 * math.exp(2 * radius)) / (4 * records))
    assert loss > printed
    removal = math.log(policy(records - 2, records) / policy(records - 2, records - 1))
    assert removal == pytest.approx(math.log(2 * (records - 1) / records))
    assert removal > float(theory.theorem4_pure(1 + 4 * records, 1, 1.0, 0.0, radius).epsilon)
    if radius < 1:  # neither a constant factor nor the corrected bound for a ball is enough
        assert loss > float(theory.corrected_theorem3_pure(1 + 4 * records, 1, 1.0, radius).epsilon)


def test_no_maximiser_if_all_labels_agree():
    with pytest.raises(SeparableData):
        fit(np.full((20, 1), 2.0))


def test_corrected_b12_and_its_condition():
    for few, most, beta0, eta in ((3, 50, 2.0, 0.5), (1, 9, 7.0, 0.3)):
        lead = (1 + beta0 / math.sqrt(most) - beta0 / math.sqrt(few)) / eta
        assert 1 / (1 + math.exp(-lead)) == pytest.approx(
            float(theory.probability_from_log_odds(lead))
        )
    both = 2 * math.e  # counts 5, 5 and N0 = 5: the event is certain
    assert both / (1 + both) < 1


def test_zero_of_the_exponent_of_t1_approx():
    for beta0, most, ratio in ((1.2, 1e4, 1.0), (2.0, 1e4, 1.5), (50.0, 100.0, 1.0)):
        eta = 0.01
        lead = 1 + eta * math.log(ratio)
        at = beta0 / (2 * eta) * ((beta0 / (lead + beta0 / math.sqrt(most))) ** 2 - 1) ** -1.5
        bound = theory.corrected_theorem1_approx(most, eta, beta0, at, reference_ratio=ratio)
        assert float(bound.delta) == pytest.approx(0.5)
    for epsilon in (0.1, 10.0, 1e6):
        assert theory.corrected_theorem1_approx(1e4, 0.01, 1.0, epsilon).delta >= 0.5


def test_t2_approx_may_rise_in_the_width_under_the_printed_condition():
    n, floor, beta0 = 100, 2.0, 11.0
    assert beta0 > math.sqrt(n + 1)
    assert math.sqrt(n + 1) - beta0 * math.sqrt(floor / (floor + 1)) > 0
    assert math.sqrt((n - 1) * floor / (floor - 1)) - beta0 > 0
    enough = max(math.sqrt((n + 1) * (floor + 1) / floor), math.sqrt((n - 1) * floor / (floor - 1)))
    assert math.sqrt(n + 1) - enough * math.sqrt(floor / (floor + 1)) <= 1e-12
    assert math.sqrt((n - 1) * floor / (floor - 1)) - enough <= 1e-12
