"""FL's settings, parameters and mechanisms: defaults, limits, audits, calibrations."""

import math

import numpy as np
import pytest

from dpbandits.core import zcdp
from dpbandits.core.errors import InputError
from dpbandits.core.mechanisms import CALIBRATORS
from dpbandits.sparse import presets
from dpbandits.sparse.presets import FliphatSetting

ROOT = math.sqrt
close = pytest.approx


# The setting


def test_printed_noise_is_for_a_step_of_eta_B_over_n():
    setting = FliphatSetting(d=9, sparsity=4, beta=(0.5, -1.5), preset="printed", step_size=0.5)
    tuning, n = presets.tuning_for(setting, 3.0, 100), 100
    noiseless = presets.tuning_for(setting, math.inf, n)
    moved = 0.5 * (tuning.R + 2 * ROOT(2 * math.log(9))) / n
    assert presets.sensitivities(setting, n) == close(np.full(7, moved))
    xi = moved * 2 * ROOT(3 * 4 * math.log(7 / 0.01)) / (3.0 / 7)
    assert tuning.xi == close(np.full(7, xi))
    assert (noiseless.M, *noiseless.xi) == (7, *[0.0] * 7)


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
