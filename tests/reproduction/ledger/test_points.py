"""What a check measured: its limits, and what is beyond them."""

import pytest

from dpbandits.reproduction.ledger.points import is_upper, largest_ratio, points_of


def test_value_is_beyond_only_if_its_whole_interval_is():
    measured = [1.0, 3.0, 3.0, 0.5, 0.5, 2.0]
    low, high = [0.5, 2.5, 1.5, 0.4, 0.4, 2.0], [1.5, 3.5, 3.5, 0.6, 1.2, 2.0]
    frame = points_of(measured, low=low, high=high, at_least=1.0, at_most=2.0)
    assert frame["beyond"].tolist() == [False, True, False, True, False, False]
    assert not points_of([99.0])["beyond"].any()


@pytest.mark.parametrize(("limit", "excess"), [(2.0, 1e-12), (-2.0, 1e-12), (2.0, 1e-7)])
def test_rounding_errors_are_not_beyond(limit, excess):
    frame = points_of([limit + excess], at_most=[limit])
    assert frame["beyond"].all() == (excess > 1e-9)


def test_value_beyond_the_repaired_bound_is_refused():
    for side, allowed, refused in (("at_most", 2.0, 1.9), ("at_least", 2.0, 2.1)):
        frame = points_of([2], **{side: 5}, repaired=allowed)
        assert is_upper(frame) == (side == "at_most")
        with pytest.raises(ValueError, match="beyond the repaired bound"):
            points_of([2], **{side: 5}, repaired=refused)
    assert is_upper(points_of([2]))
    interval = {"low": [1.0], "high": [3.0]}  # reaches into both bounds
    assert not points_of([2], at_most=1.5, repaired=1.2, **interval)["beyond"].any()


def test_largest_ratio_names_the_quantity_and_the_place():
    """Three tables of values: 6 against 2, of a lower bound 5 against 1, and 1 against 0."""
    above = points_of([[1, 2], [3, 6]], at_most=[2, 2], what="loss", x="T", at=[10, 100],
                     series=[["a"], ["b"]])  # fmt: skip
    assert largest_ratio([above]) == (3.0, "loss; b; T = 100")
    below = points_of([1.0], at_least=5, what="regret", at=["here"])
    assert largest_ratio([above, below]) == (5.0, "regret; here")
    assert largest_ratio([points_of([1.0], at_most=0)])[0] == float("inf")
    assert str(largest_ratio([points_of([1.0], at_most=1)])[0]) == "nan"
