"""Bands, quantiles, ratios and slopes, against simulation and other people's formulas."""

import numpy as np
import pytest
from scipy import stats

from dpbandits.core.statistics import (
    Interval,
    bands,
    fit_line,
    fit_power,
    mean_with_band,
    quantile,
    ratio,
)


def test_quantiles_are_those_of_the_normal_law():
    assert quantile() == pytest.approx(stats.norm.isf(5e-7), rel=1e-9)
    assert quantile(20) == pytest.approx(stats.norm.isf(1e-6 / 40), rel=1e-9)
    assert quantile(1, 0.05) == pytest.approx(1.959964, rel=1e-6)


@pytest.mark.parametrize("runs", [2, 3, 8, 60])
def test_a_band_is_the_t_interval(runs):
    """Degrees of freedom and all: SciPy's interval is another implementation."""
    values = np.random.default_rng(runs).normal(50, 3, runs)
    found = mean_with_band(values)
    low, high = stats.t.interval(0.95, runs - 1, values.mean(), stats.sem(values))
    assert found["low"] == pytest.approx(low, rel=1e-12)
    assert found["high"] == pytest.approx(high, rel=1e-12)


def coverage(draw, mean: float, runs: int = 20, repeats: int = 4000) -> tuple[float, float]:
    """Share of bands below and above the true mean."""
    rng = np.random.default_rng(1)
    found = [mean_with_band(draw(rng, runs)) for _ in range(repeats)]
    return (
        float(np.mean([f["high"] < mean for f in found])),
        float(np.mean([f["low"] > mean for f in found])),
    )


def test_bands_cover_what_they_say():
    """4,000 bands: a share of 0.05 is known to 0.0034; 5 standard errors (flake rate 6e-7)."""
    below, above = coverage(lambda rng, n: rng.normal(10, 1, n), 10.0)
    assert abs(below + above - 0.05) < 5 * 0.0034


def test_skewed_bands_miss_less_than_t_intervals_do():
    """Log-normal data with a heavy tail: the t interval misses the mean far too often."""
    sigma, runs = 1.5, 20
    mean = float(np.exp(sigma**2 / 2))
    draw = lambda rng, n: rng.lognormal(0, sigma, n)  # noqa: E731
    ours = sum(coverage(draw, mean, runs))
    x = draw(np.random.default_rng(1), (4000, runs))
    low, high = stats.t.interval(0.95, runs - 1, x.mean(axis=1), stats.sem(x, axis=1))
    missed = np.mean((mean < low) | (high < mean))
    assert ours < 0.8 * missed


def test_ratio_of_means():
    found = ratio({"mean": 6.0, "sem": 0.3}, {"mean": 3.0, "sem": 0.2}, z=2.0)
    spread = 2 * np.hypot(0.05, 0.2 / 3)
    assert found.value == 2.0
    assert (found.low, found.high) == pytest.approx((2 * np.exp(-spread), 2 * np.exp(spread)))


def test_lines_by_hand():
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


def test_intervals_in_words_and_at_95_percent():
    found = ratio({"mean": 6.0, "sem": 0.6}, {"mean": 3.0, "sem": 0.0})
    assert found.high == pytest.approx(2 * np.exp(0.1959964))
    assert str(Interval(2.0, 1.23456, 12345.0)) == "2 [1.23, 1.23e+04]"


def test_log_band_from_a_fifth_of_the_mean_on():
    """From a fifth of the mean on; only where nothing is negative and the mean is not 0."""
    low, high = bands(
        [10.0] * 4 + [0.0], [2.0, 2.001, 2.001, 2.001, 1.0], [3] * 5, [0, 0, -1, 5, 0]
    )
    leans = np.abs(high * low - 100) < 1e-9
    assert leans.tolist() == [False, True, False, True, False]
    assert (high + low)[[0, 2, 4]] == pytest.approx([20, 20, 0])
    assert np.isnan(bands([1.0], [1.0], [1], [0.0])).all()
