"""Figures that together draw with every function of `plots` look as they did.

All figures: tests/reproduction/pipeline/test_every_figure.py.
"""

import pytest
from drawings import golden, sums

TOGETHER = (
    "fl/claims/FL-T3.2",
    "fl/fig1_left",
    "fl/refuted",
    "kl/choice",
    "hu/refuted",
)


@pytest.mark.parametrize("name", TOGETHER)
def test_drawing_is_the_golden_one(name):
    assert sums(name) == golden()[name]
