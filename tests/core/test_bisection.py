"""The one search for thresholds, and what it found in place of others' root finders."""

import math

import pytest

from dpbandits.core.bisection import last


@pytest.mark.parametrize("threshold", [1e-300, 3e-5, 0.7, 2e4, 1e300])
@pytest.mark.parametrize("upwards", [True, False])
def test_the_last_number_that_passes(threshold, upwards):
    """Up to neighbouring floats, or to a tolerance, on either side of the threshold."""
    ends = (threshold / 7, threshold * 1e6)[:: 1 if upwards else -1]

    def passes(x):
        return x <= threshold if upwards else x >= threshold

    assert last(passes, *ends) == threshold
    near = last(passes, *ends, tolerance=1e-6)
    assert passes(near)
    assert near == pytest.approx(threshold, rel=1e-6)


def test_ends_of_other_signs_and_zero():
    assert last(lambda x: x <= -0.5, -1.0, 3.0) == -0.5
    assert last(lambda x: x >= 0.25, 0.5, 0.0) == 0.25
    assert last(lambda x: x * x <= 2, 0.0, 2.0) == pytest.approx(math.sqrt(2), rel=1e-15)
    assert last(lambda x: x >= -3.5, -1.0, -4.0) == -3.5
