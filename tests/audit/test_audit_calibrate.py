"""Calibrated noise meets its target when audited again, and less noise does not."""

import math

import plain
import pytest
from plain import assert_between, seeded

from dpbandits.audit.computed import laplace, rnm
from dpbandits.reproduction.fl.mechanisms import niht, peeling


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


@pytest.mark.parametrize("case", range(6))
def test_calibrated_peeling_is_its_printed_noise_at_another_epsilon(case):
    """xi = 2 lambda sqrt(3 s ln(1/delta))/eps: the audit at the eps that prints the same xi."""
    random = seeded(4, case)
    s, d, lam = int(random.integers(1, 5)), 9, random.uniform(0.5, 2)
    target = peeling.PeelingTarget(**{"s": s, "d": d, "lambda": lam})
    for epsilon, delta in ((1.0, 0.0), (0.8, 0.02)):
        scale = peeling.calibrate_peeling(target, epsilon, delta).noise["scale"]
        printed = 2 * lam * math.sqrt(3 * s * math.log(2)) / scale
        keys = {"s": s, "d": d, "lambda": lam, "epsilon": printed, "delta": 0.5}
        again = peeling.audit_peeling(peeling.PeelingParams(**keys), (epsilon,))
        assert again.worst_neighbour["scale"] == pytest.approx(scale)
        if delta == 0:
            assert again.pure_epsilon == pytest.approx(epsilon, rel=1e-6)
            assert scale == pytest.approx(3 * s * lam / epsilon, rel=1e-6)
        else:
            assert_between(delta, plain.composed(lam / scale, s, s, epsilon, 2e-4), slack=1e-6)


def test_calibrated_niht_by_hand():
    """Pure: 3 s (4 x R + (M - 1) 4 x (R + x C))/eps = 6 (24 + 2 x 48)/0.5 = 1440."""
    sizes = {"x_max": 2.0, "reward_clip": 3.0, "b_max": 1.5, "n": 5000, "d": 30, "steps": 3, "s": 2}
    target = niht.NihtTarget(**sizes)
    assert niht.calibrate_niht(target, 0.5).noise["scale"] == pytest.approx(1440, rel=1e-5)
    scale = niht.calibrate_niht(target, 0.5, 0.02).noise["scale"]  # 6 selections, 6 releases at 48
    assert_between(0.02, plain.composed(48 / scale, 6, 6, 0.5, 2e-4), slack=1e-6)
    assert scale < 1440
