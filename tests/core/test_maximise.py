"""The search against a bound finds the largest value, and takes 0/0 as no loss at all."""

import numpy as np
import pytest

from dpbandits.core.maximise import maximise

GENERATOR = np.random.default_rng(0)


@pytest.mark.parametrize("shift", [-2.0, 0.05])
def test_undefined_values_count_as_zero(shift):
    """0/0 everywhere but in one corner: the best is 0, or the corner if it is above 0."""

    def value(rows):
        return np.where(rows[:, 0] > 0.5, shift, np.nan)

    found = maximise(value, 1, 4000, np.random.default_rng(0))
    assert found.value == max(shift, 0.0)
    assert found.crossed == 0


def test_crossings_are_counted():
    found = maximise(lambda rows: np.full(len(rows), 1.5), 2, 3000, GENERATOR)
    assert (found.value, found.crossed) == (1.5, found.instances)
