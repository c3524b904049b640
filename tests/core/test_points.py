"""Points of plots: which are beyond the statement, and curves from the rows of a table."""

import pandas as pd
import pytest

from dpbandits.core.points import curves, joined, points


def test_a_point_is_beyond_only_if_all_of_its_range_is():
    axes = ("x", "y")
    measured = [1.0, 3.0, 3.0, 0.5, 0.5, 2.0]
    low, high = [0.5, 2.5, 1.5, 0.4, 0.4, 2.0], [1.5, 3.5, 3.5, 0.6, 1.2, 2.0]
    frame = points(range(6), measured, low=low, high=high, at_least=1.0, at_most=2.0, axes=axes)
    assert frame["beyond"].tolist() == [False, True, False, True, False, False]
    near = points([0], [2.0 + 1e-12], at_most=[2.0], axes=axes)
    assert not near["beyond"].any()
    assert points([0], [2.0 + 1e-7], at_most=[2.0], axes=axes)["beyond"].all()
    assert not points([0], [99.0], axes=axes)["beyond"].any()


def test_curves_are_the_rows_of_a_table():
    """Series and panel are formats of a row, one curve follows the other, limits are columns."""
    rows = pd.DataFrame({"t": [1, 1, 2, 2], "eps": [1.0, 0.5] * 2, "mean": [5.0, 6, 7, 8],
                         "sem": [1.0, 1, 1, 2], "bound": [9.0, 9, 9, 9]})  # fmt: skip
    look = {"series": "ε = {eps:g}", "panel": "t to 2", "axes": ("t", "mean")}
    found = curves(rows, "t", z=2, at_most="bound", **look)
    assert found["series"].tolist() == ["ε = 1", "ε = 1", "ε = 0.5", "ε = 0.5"]
    assert found["panel"].unique().tolist() == ["t to 2"]
    assert found["measured"].tolist() == [5, 7, 6, 8]
    assert found["low"].tolist() == [3, 5, 4, 4]
    assert found["high"].tolist() == [7, 9, 8, 12]
    assert found["at_most"].tolist() == [9, 9, 9, 9]
    exact = curves(rows, "eps", "sem", low="t", at_least=1, axes=("eps", "sem"))
    assert exact["low"].tolist() == [1, 1, 2, 2]
    assert exact["high"].tolist() == [1, 1, 1, 2]
    assert exact["series"].tolist() == [""] * 4


def test_a_plot_needs_points_that_are_numbers():
    with pytest.raises(ValueError, match="needs points"):
        joined([])
    for wrong in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="finite"):
            joined(points([1], [wrong], axes=("x", "y")) for _ in range(1))
    one = points([1], [1.0], axes=("x", "y"))
    assert len(joined([one, one])) == 2
