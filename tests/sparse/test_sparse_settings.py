"""FL's parameters and mechanisms: defaults, limits, calibrations."""

import math

import pytest

from dpbandits.core import zcdp
from dpbandits.core.errors import InputError
from dpbandits.core.mechanisms import CALIBRATORS

ROOT = math.sqrt
close = pytest.approx


# `dpbandits audit` and `calibrate`


def test_calibrated_scales():
    """sqrt(M s/rho); of dp-signs' selection sqrt(s/(2 x 0.6 rho)); at delta = 0 3 s M/eps."""
    entry = CALIBRATORS.get("fliphat")
    assert zcdp.delta_of(5000.0, 1.0) == zcdp.delta_of(1e300, 1.0) == 1.0
    rho, target = zcdp.largest_rho(1.0, 0.01), entry.params(n=10**9, sparsity=7)
    steps = math.floor(0.16 * math.log1p(10**9))
    assert steps == 3
    found = entry.compute(target, 1.0, 0.01)
    assert found.noise["scale"] == close(ROOT(3 * 7 / rho))
    assert found.audited.delta_at[1.0] <= 0.01
    assert found.audited_epsilon == 1.0
    signs = target.model_copy(update={"algorithm": "dp-signs"})
    assert entry.compute(signs, 1.0, 0.01).noise["scale"] == close(ROOT(7 / (1.2 * rho)))
    pure = entry.compute(target, 0.5, 0.0)
    assert pure.noise["scale"] == close(3 * 7 * 3 / 0.5)
    assert pure.audited.pure_epsilon == 0.5
    assert pure.as_json()["noise"] == "Laplace, in Peeling"
    assert "sensitivity of a step" in pure.as_json()["unit"]
    with pytest.raises(InputError, match="above 0 for dp-signs"):
        entry.compute(signs, 1.0, 0.0)
