"""Points of claims' plots: their limits, and what is beyond them."""

import pytest

from dpbandits.reproduction.ledger.points import is_upper, points

AXES = ("x", "y")


def test_point_is_beyond_only_if_its_whole_interval_is():
    measured = [1.0, 3.0, 3.0, 0.5, 0.5, 2.0]
    low, high = [0.5, 2.5, 1.5, 0.4, 0.4, 2.0], [1.5, 3.5, 3.5, 0.6, 1.2, 2.0]
    frame = points(range(6), measured, low=low, high=high, at_least=1.0, at_most=2.0, axes=AXES)
    assert frame["beyond"].tolist() == [False, True, False, True, False, False]
    assert not points([0], [99.0], axes=AXES)["beyond"].any()


@pytest.mark.parametrize(("limit", "excess"), [(2.0, 1e-12), (-2.0, 1e-12), (2.0, 1e-7)])
def test_rounding_errors_are_not_beyond(limit, excess):
    frame = points([0], [limit + excess], at_most=[limit], axes=AXES)
    assert frame["beyond"].all() == (excess > 1e-9)


def test_point_beyond_the_repaired_bound_is_refused():
    for side, allowed, refused in (("at_most", 2.0, 1.9), ("at_least", 2.0, 2.1)):
        frame = points([1], [2], axes=AXES, **{side: 5}, repaired=allowed)
        assert is_upper(frame) == (side == "at_most")
        with pytest.raises(ValueError, match="beyond the repaired bound"):
            points([1], [2], axes=AXES, **{side: 5}, repaired=refused)
    assert is_upper(points([1], [2], axes=AXES))
    interval = {"low": [1.0], "high": [3.0]}  # reaches into both bounds
    assert not points([1], [2], axes=AXES, at_most=1.5, repaired=1.2, **interval)["beyond"].any()
