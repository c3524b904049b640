"""`dpbandits audit laplace` and `calibrate laplace`: the Laplace mechanism, once or n times."""

import numpy as np
from flint import arb
from pydantic import Field

from dpbandits.audit.computed.balls import MOST_BITS, as_delta, precision, upper
from dpbandits.audit.computed.calibrate import Search, smallest
from dpbandits.audit.computed.composition import composed_delta
from dpbandits.core.mechanisms import Calibration, PrivacyLoss, calibrator, mechanism
from dpbandits.core.models import Model


class LaplaceTarget(Model):
    """`releases` values, each of that sensitivity under the same change of the data."""

    sensitivity: float = Field(1.0, gt=0, description="by how much a neighbour's value may differ")
    releases: int = Field(1, ge=1, le=200, description="values released, each with its own noise")


class LaplaceParams(LaplaceTarget):
    scale: float = Field(gt=0, description="b of the noise Lap(b)")


def count_below_0(params: LaplaceParams, which: int, runs: int, generator) -> np.ndarray:
    """How many releases fall below 0: of the value 0, or of its neighbour."""
    size = (runs, params.releases)
    values = which * params.sensitivity + generator.laplace(scale=params.scale, size=size)
    return (values < 0).sum(axis=1)


@mechanism(
    "laplace",
    params=LaplaceParams,
    examples=({"scale": 0.8}, {"scale": 2.0, "sensitivity": 1.5, "releases": 4}),
    sample=count_below_0,
)
def audit_laplace(params: LaplaceParams, at_epsilon=()) -> PrivacyLoss:
    """n releases, the data shifted by the sensitivity in each."""
    with precision(MOST_BITS):
        shift = arb(params.sensitivity) / arb(params.scale)
        pure = params.releases * shift
    deltas = {e: as_delta(composed_delta(shift, params.releases, e)) for e in at_epsilon}
    worst = {"values": [0.0], "neighbour": [params.sensitivity], "event": "all releases below 0"}
    return PrivacyLoss(upper(pure), deltas, worst, "certified")


@calibrator("laplace", params=LaplaceTarget, examples=({"sensitivity": 2.0, "releases": 3},))
def calibrate_laplace(params: LaplaceTarget, target_epsilon, target_delta=0.0) -> Calibration:
    """Calibrates scale."""

    def audit(scale, at):
        return audit_laplace(LaplaceParams(scale=scale, **params.model_dump()), at)

    search = Search(params.sensitivity * params.releases, least=1e-6)
    return smallest(audit, target_epsilon, target_delta, search)
