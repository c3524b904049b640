"""Points of claims' plots: their limits, what is beyond them, and curves from a table."""

import numpy as np
import pandas as pd
import pytest

from dpbandits.reproduction.ledger.points import curves, is_upper, joined, largest_ratio, points

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


def test_curves_of_a_table():
    rows = pd.DataFrame({"t": [1, 1, 2, 2], "eps": [1.0, 0.5] * 2, "mean": [5.0, 6, 7, 8],
                         "sem": [1.0, 1, 1, 2], "bound": [9.0, 9, 9, 9]})  # fmt: skip
    labels = {"series": "ε = {eps:g}", "panel": "t to 2", "axes": ("t", "mean")}
    frame = curves(rows, "t", z=2, at_most="bound", **labels)
    assert frame["series"].tolist() == ["ε = 1", "ε = 1", "ε = 0.5", "ε = 0.5"]
    assert frame["panel"].unique().tolist() == ["t to 2"]
    numbers = frame[["measured", "low", "high", "at_most"]].to_numpy().tolist()
    assert numbers == [[5, 3, 7, 9], [7, 5, 9, 9], [6, 4, 8, 9], [8, 4, 12, 9]]
    exact = curves(rows, "eps", "sem", low="t", at_least=1, axes=("eps", "sem"))
    assert exact["low"].tolist() == [1, 1, 2, 2]
    assert exact["high"].tolist() == [1, 1, 1, 2]
    assert exact["series"].tolist() == [""] * 4


def test_plot_needs_finite_points():
    with pytest.raises(ValueError, match="needs points"):
        joined([])
    for wrong in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="finite"):
            joined([points([1], [wrong], axes=AXES)])
    one = points([1], [1.0], axes=AXES)
    assert len(joined([one, one])) == 2


def test_the_largest_ratio_names_its_quantity_and_its_point():
    loss = points([1, 2], [3, 8], at_most=[2, 4], axes=("T", "loss"), series="one")
    regret = points([7], [10], at_least=15, axes=("", "regret"), panel="all")
    assert largest_ratio([loss, regret]) == (2.0, "loss; one; T = 2")
    assert largest_ratio([regret]) == (1.5, "regret; all; 7")
    assert np.isnan(largest_ratio([points([1], [1], at_most=2, axes=("", ""))])[0])
