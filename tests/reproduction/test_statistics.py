"""Bands, quantiles, ratios and slopes, by hand, by simulation and against SciPy.

By hand: the values 11, 12, 16 have mean 13, variance (4 + 1 + 9)/2 = 7 and standard error
sqrt(7/3) = 1.527525; the 97.5% quantile of Student's t is 4.302653 with 2 degrees of freedom. For
1, 2, 6 the error exceeds a fifth of the mean: 3 e^{+- 6.572409/3}, a factor 8.9424.
"""

import numpy as np
import pytest
from scipy import stats

from dpbandits.reproduction.statistics import (
    Interval,
    bands,
    fit_line,
    fit_power,
    mean_with_band,
    quantile,
    ratio,
)

SEM, HALF = 1.527525, 1.527525 * 4.302653


def test_quantiles_of_the_normal_law():
    assert quantile() == pytest.approx(stats.norm.isf(5e-7), rel=1e-9)
    assert quantile(20) == pytest.approx(stats.norm.isf(1e-6 / 40), rel=1e-9)


def test_mean_with_band_by_hand():
    row = mean_with_band(np.array([11.0, 12.0, 16.0]))
    expected = {"runs": 3, "mean": 13.0, "sem": SEM, "low": 13 - HALF, "high": 13 + HALF}
    assert row == pytest.approx(expected, rel=1e-6)
    skewed = mean_with_band([1.0, 2.0, 6.0])
    assert (skewed["low"], skewed["high"]) == pytest.approx((3 / 8.9424, 3 * 8.9424), rel=1e-4)
    mixed = mean_with_band([-1.0, 0.0, 4.0])  # not all positive: the plain interval
    assert (mixed["low"], mixed["high"]) == pytest.approx((1 - HALF, 1 + HALF), rel=1e-6)


@pytest.mark.parametrize("runs", [2, 8, 60])
def test_band_is_scipys_t_interval(runs):
    values = np.random.default_rng(runs).normal(50, 3, runs)
    row = mean_with_band(values)
    low, high = stats.t.interval(0.95, runs - 1, values.mean(), stats.sem(values))
    assert (row["low"], row["high"]) == pytest.approx((low, high), rel=1e-12)


def test_bands_on_the_logarithm_only_for_large_errors_of_nonnegative_data():
    """From a standard error of a fifth of the mean on, and not if the mean is 0."""
    means, errors = [10.0] * 4 + [0.0], [2.0, 2.001, 2.001, 2.001, 1.0]
    low, high = bands(means, errors, [3] * 5, [0, 0, -1, 5, 0])
    on_logarithm = np.abs(high * low - 100) < 1e-9
    assert on_logarithm.tolist() == [False, True, False, True, False]
    assert (high + low)[[0, 2, 4]] == pytest.approx([20, 20, 0])
    assert np.isnan(bands([1.0], [1.0], [1], [0.0])).all()  # a single run


def test_ratio_of_means():
    interval = ratio({"mean": 6.0, "sem": 0.3}, {"mean": 3.0, "sem": 0.2}, z=2.0)
    spread = 2 * np.hypot(0.05, 0.2 / 3)
    expected = (2.0, 2 * np.exp(-spread), 2 * np.exp(spread))
    assert (interval.value, interval.low, interval.high) == pytest.approx(expected)
    at_95 = ratio({"mean": 6.0, "sem": 0.6}, {"mean": 3.0, "sem": 0.0})
    assert at_95.high == pytest.approx(2 * np.exp(0.1959964))
    assert str(Interval(2.0, 1.23456, 12345.0)) == "2 [1.23, 1.23e+04]"


def test_fitted_lines_by_hand():
    """y = 0, 1, 3 at x = 0, 1, 2: slope 3/2, residuals 1/6, -1/3, 1/6, their squares 1/6 in all.
    One degree of freedom; the slope's variance is the mean square over sum (x - 1)^2 = 2."""
    x, y = [0.0, 1.0, 2.0], [0.0, 1.0, 3.0]
    assert fit_line(x, y) == pytest.approx((1.5, np.sqrt(1 / 12), 1 / 6))
    assert fit_line(x, y, [0.1] * 3) == pytest.approx((1.5, np.sqrt(1 / 12), 100 / 6))
    assert fit_line(x, y, [1.0] * 3) == pytest.approx((1.5, np.sqrt(1 / 2), 1 / 6))
    assert fit_line(x[:2], y[:2], [1.0] * 2) == pytest.approx((1.0, np.sqrt(2), 0.0), abs=1e-12)
    # weights 4, 1, 1: mean 1/2, sum w (x - 1/2)^2 = 1 + 1/4 + 9/4, sum w (x - 1/2) y = 5
    slope, error, _ = fit_line(x, y, [0.5, 1.0, 1.0])
    assert (slope, error) == pytest.approx((10 / 7, np.sqrt(2 / 7)))
    assert fit_power([1, np.e, np.e**2], np.exp(y)) == pytest.approx((1.5, np.sqrt(1 / 12)))
    weighted = fit_power([1, np.e, np.e**2], np.exp(y), np.exp(y) * [0.5, 1.0, 1.0])
    assert weighted == pytest.approx((10 / 7, np.sqrt(2 / 7)))
