"""docs/proofs/KL.md: the maximiser outside of the ball."""

import math
from fractions import Fraction as F

import numpy as np
import pytest

from dpbandits.offline import theory
from dpbandits.offline.mle import SeparableData, fit
from dpbandits.reproduction.kl import theory as claimed


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
    printed = float(claimed.theorem3_pure(1 + 4 * records, 1, 1.0, radius).epsilon)
    assert printed == pytest.approx((2 + 2 * math.exp(2 * radius)) / (4 * records))
    assert loss > printed
    removal = math.log(policy(records - 2, records) / policy(records - 2, records - 1))
    assert removal == pytest.approx(math.log(2 * (records - 1) / records))
    assert removal > float(claimed.theorem4_pure(1 + 4 * records, 1, 1.0, 0.0, radius).epsilon)
    if radius < 1:  # neither a constant factor nor the corrected bound for a ball is enough
        assert loss > float(theory.corrected_theorem3_pure(1 + 4 * records, 1, 1.0, radius).epsilon)


def test_no_maximiser_if_all_labels_agree():
    with pytest.raises(SeparableData):
        fit(np.full((20, 1), 2.0))
