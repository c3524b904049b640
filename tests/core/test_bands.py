"""Bands by hand: the t quantile of the runs less one, the standard error with that, too.

Values 11, 12, 16: mean 13, variance (4 + 1 + 9)/2 = 7, standard error sqrt(7/3) = 1.527525; the
97.5% quantile of Student's t is 4.302653 with 2 degrees of freedom, 12.706205 with 1 (printed
tables). With 1, 2, 6 the error exceeds a fifth of the mean: 3 e^{+- 6.572409/3}, a factor 8.9424.
"""

import math

import numpy as np
import pandas as pd
import pytest

from dpbandits.core.statistics import mean_with_band
from dpbandits.pipeline.jobs import summarise

SEM, HALF = 1.527525, 1.527525 * 4.302653


def long(values, t=5, seeds=None, algorithm="a"):
    seeds = range(len(values)) if seeds is None else seeds
    keys = {"algorithm": algorithm, "epsilon": 1.0, "seed": list(seeds), "metric": "regret", "t": t}
    return pd.DataFrame(keys | {"value": values})


def test_three_runs_by_hand():
    line = summarise([long([11.0, 12.0, 16.0])], ["a"]).iloc[0]
    assert (line["runs"], line["mean"]) == (3, 13.0)
    assert line["sem"] == pytest.approx(SEM, rel=1e-6)
    assert (line["low"], line["high"]) == pytest.approx((13 - HALF, 13 + HALF), rel=1e-6)
    same = mean_with_band(np.array([11.0, 12.0, 16.0]))
    assert same == pytest.approx({k: line[k] for k in same}, rel=1e-12)


def test_skewed_positive_runs_have_a_positive_band():
    found = mean_with_band([1.0, 2.0, 6.0])
    assert (found["low"], found["high"]) == pytest.approx((3 / 8.9424, 3 * 8.9424), rel=1e-4)
    mixed = mean_with_band([-1.0, 0.0, 4.0])  # may be negative: the plain interval
    assert (mixed["low"], mixed["high"]) == pytest.approx((1 - HALF, 1 + HALF), rel=1e-6)


def test_two_runs_and_one():
    two = summarise([long([10.0, 11.0])], ["a"]).iloc[0]
    assert two["high"] - two["mean"] == pytest.approx(0.5 * 12.706205, rel=1e-6)
    one = summarise([long([4.0])], ["a"]).iloc[0]
    assert one["mean"] == 4.0
    assert math.isnan(one["low"])
    assert math.isnan(one["high"])


def test_each_cell_has_its_own_number_of_runs():
    frame = summarise([long([10.0, 11.0]), long([11.0, 12.0, 16.0], t=9)], ["a"]).set_index("t")
    assert frame.loc[5, "high"] - 10.5 == pytest.approx(0.5 * 12.706205, rel=1e-6)
    assert frame.loc[9, "high"] - 13 == pytest.approx(HALF, rel=1e-6)


def test_blocks_and_their_order_change_nothing():
    values = np.array([0.1, 0.7, 1e8, -3.3, 1e-9])
    whole = summarise([long(values)], ["a"])
    parts = [long(values[i : i + 2], seeds=range(i, min(5, i + 2))) for i in (0, 2, 4)]
    pd.testing.assert_frame_equal(summarise(parts[::-1], ["a"]), whole)
