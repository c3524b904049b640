"""Notions of privacy, and claims of algorithms."""

import math

import pytest

from dpbandits.core.algorithms import get_algorithm
from dpbandits.core.notions import gaussian_delta


@pytest.mark.parametrize(("name", "setting", "worth"), [
    ("rnm-ftnl", {"means": [1, 0], "variant": "printed"}, 2.0),
    ("rnm-ftnl", {"means": [1, 0]}, 1.0),
    ("rnm-ftnl", {"means": [1, 0], "variant": "prefix"}, 1.0),
    ("fliphat-presets", {"preset": "released"}, math.inf),
    ("fliphat-presets", {"preset": "zcdp"}, 1.0),
    ("ucb1", {"means": [1, 0]}, math.inf),
])  # fmt: skip
def test_real_epsilon(name, setting, worth):
    assert get_algorithm(name).real_epsilon(setting, 1.0) == worth


def test_delta_of_gaussian_privacy_by_hand():
    """mu = 1: 2 Phi(1/2) - 1 = 0.38292 at 0 and Phi(-1/2) - e Phi(-3/2) = 0.126936 at 1, from
    printed tables of the normal law."""
    assert gaussian_delta(1.0, 0.0) == pytest.approx(0.3829249, abs=1e-7)
    expected = 0.3085375387 - math.e * 0.0668072013
    assert gaussian_delta(1.0, 1.0) == pytest.approx(expected, abs=1e-9)
    assert gaussian_delta(2.0, 2.0) == pytest.approx(0.5 - math.e**2 * 0.0227501319, abs=1e-9)
    assert 0 <= gaussian_delta(0.1, 50.0) < 1e-300  # without an overflow
