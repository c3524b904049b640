"""What tests by hand share."""

import pytest


def same(found, expected):
    assert found == pytest.approx(expected, rel=1e-12)
