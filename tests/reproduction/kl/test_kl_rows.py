"""What is measured at a counterexample, by hand."""

from math import log, nan

import numpy as np
import pytest
from flint import arb

from dpbandits.offline.theory import Bound
from dpbandits.reproduction.kl.claims.findings import values_of
from dpbandits.reproduction.kl.counterexamples.counterexample import Counterexample, Step

COINS = [[arb(3) / 4, arb(1) / 4], [arb(1) / 2, arb(1) / 2]]
FAILS = (Step("fails", arb(2), arb(1)),)


def coins(repaired=(), measured=0.25, epsilon=0.25, allowed=0.125):
    """delta(eps) = 3/4 - e^eps/2 in one direction, 1/2 - e^eps/4 in the other."""
    epsilon = None if epsilon is None else arb(epsilon)
    bounds = tuple(repaired)
    return Counterexample(arb(measured), arb(allowed), epsilon, COINS, FAILS, repaired=bounds)


def test_values_of_a_counterexample_by_hand():
    corrected = Bound(0.5, 0.125), Bound(0.25, 0.25)
    frame = values_of(coins(corrected))
    x = frame["at"].astype(float).to_numpy()
    exact = np.maximum(np.maximum(0.75 - np.exp(x) / 2, 0.5 - np.exp(x) / 4), 0)
    assert frame["measured"].to_numpy() == pytest.approx(exact, abs=1e-5)
    assert frame["at_most"].isna().tolist() == (x < 0.25).tolist()
    assert set(frame["at_most"].dropna()) == {0.125}
    least = np.where(x < 0.25, nan, np.where(x < 0.5, 0.25, 0.125))
    assert frame["repaired"].to_numpy() == pytest.approx(least, nan_ok=True)
    assert {0.0, 0.25, 0.5} < set(x)
    assert x.max() == pytest.approx(0.55)  # 1.1 x 0.5, beyond twice the eps


def test_a_bound_on_the_pure_loss_allows_no_delta_from_there_on():
    loss, frame = values_of(coins(measured=log(2), epsilon=None, allowed=0.5))
    assert loss[["measured", "at_most"]].to_numpy() == pytest.approx(np.array([[log(2), 0.5]]))
    x = frame["at"].astype(float).to_numpy()
    assert x.max() == pytest.approx(1.1 * log(2))
    assert set(frame["at_most"][x >= 0.5]) == {0.0}
    assert frame["at_most"][x < 0.5].isna().all()


def test_first_value_is_at_the_very_eps_that_is_promised():
    """delta = 3/4 - e^eps/4 just below ln 3, where a fraction near eps would not do."""
    epsilon = log(3) - 1e-13
    pair = [arb(0.75), arb(0.25)], [arb(0.25), arb(0.75)]
    near = Counterexample(arb(0.5), arb(0), arb(epsilon), pair, FAILS, repaired=(Bound(0.0, 1.0),))
    exact = 0.75 - arb(epsilon).exp() / 4
    assert 0 < exact < 1e-13
    frame = values_of(near)
    assert float(frame.measured[8]) == pytest.approx(float(exact), rel=1e-2)
