"""Calibrated noise meets its target when audited again, and less noise does not."""

import math

import pytest

from dpbandits.audit.computed import laplace
from dpbandits.stochastic.mechanisms import rnm


def test_report_noisy_max_needs_twice_the_noise_under_replacement():
    sizes = {"arms": 5, "rounds": 10**6}
    for adjacency, factor in (("replace", 2), ("add-remove", 1)):
        target = rnm.RnmTarget(adjacency=adjacency, **sizes)
        scale = rnm.calibrate_rnm(target, 0.5).noise["scale"]
        assert scale == pytest.approx(factor / 0.5, rel=1e-5)


def test_calibrated_laplace_by_hand():
    """One release at scale b: delta(e) = 1 - e^{(e - 1/b)/2} is 1% at e = 1/b + 2 ln 0.99."""
    calibration = laplace.calibrate_laplace(laplace.LaplaceTarget(), 0.7, 0.01)
    scale = calibration.noise["scale"]
    assert scale == pytest.approx(1 / (0.7 - 2 * math.log(0.99)), rel=1e-6)
    assert calibration.audited_epsilon == pytest.approx(1 / scale + 2 * math.log(0.99), rel=1e-8)
    pure = laplace.calibrate_laplace(laplace.LaplaceTarget(), 0.5)
    assert pure.audited_epsilon == pytest.approx(0.5, rel=1e-6)
    assert pure.noise == {"scale": pytest.approx(2.0, rel=1e-6)}
