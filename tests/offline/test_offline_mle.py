"""The maximum likelihood over a ball: conditions of optimality and closed forms."""

import numpy as np
import pytest
from preferences import draw_preferences
from scipy.special import expit

from dpbandits.offline.mle import SeparableData, fit


@pytest.mark.parametrize("radius", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("d", [1, 2, 4])
def test_mle_meets_the_conditions_of_optimality(d, radius):
    """They are sufficient: the likelihood is concave."""
    generator = np.random.default_rng(d)
    signed = draw_preferences(30, np.full(d, 1.5 / np.sqrt(d)), 0.4, generator).signed
    theta = fit(signed, radius)
    assert np.linalg.norm(theta) <= radius * (1 + 1e-12)
    gradient = expit(-signed @ theta) @ signed
    if np.linalg.norm(theta) < radius - 1e-9:
        assert np.abs(gradient).max() < 1e-9
    else:  # on the sphere the gradient points outwards along theta
        outward = (gradient @ theta) / radius**2
        assert outward >= 0
        assert np.abs(gradient - outward * theta).max() < 1e-7


def test_closed_form_in_dimension_one():
    """k of n labels 1 at difference 2: theta = ln(k/(n-k))/2."""
    signed = np.array([[2.0]] * 7 + [[-2.0]] * 3)
    assert fit(signed)[0] == pytest.approx(np.log(7 / 3) / 2, abs=1e-13)
    assert fit(signed, 0.1)[0] == pytest.approx(0.1, abs=1e-13)


def test_separable_data_have_no_unconstrained_mle_but_a_constrained_one():
    signed = np.array([[1.0, 0.2], [0.5, -0.1], [2.0, 0.0]])
    with pytest.raises(SeparableData, match="separates the labels"):
        fit(signed)
    assert np.linalg.norm(fit(signed, 2.0)) == pytest.approx(2.0, abs=1e-12)
