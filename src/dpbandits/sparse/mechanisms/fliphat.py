"""`dpbandits audit fliphat` and `calibrate fliphat`: FLIPHAT, and dp-signs.

An episode's estimate is rho-zCDP in its records (docs/proofs/FL.md, Theorems B1 and C1), each
record enters one estimate, and the other users' actions are post-processing (B2): this is FLIPHAT's
joint privacy. The delta of a rho is certified from above; rho itself is counted from the noise that
the algorithm sets and from the sensitivity of its steps.
"""

import math
from typing import Annotated, Literal

from pydantic import Field

from dpbandits.core.errors import InputError
from dpbandits.core.mechanisms import Calibration, PrivacyLoss, calibrator, mechanism
from dpbandits.core.models import Model
from dpbandits.core.zcdp import delta_of, largest_rho
from dpbandits.sparse.dp_signs import QUARTILE, RELEASE, SELECTION
from dpbandits.sparse.fliphat import FliphatSetting

Positive = Annotated[float, Field(gt=0, le=1e6)]
THEOREM = {"theorem": "FL-T5.1, repaired: B1 to B3, for dp-signs C1 (docs/proofs/FL.md)"}
UNIT = "scale is in multiples of the sensitivity of a step"
GAP = "an upper bound: for every rho-zCDP mechanism; a Gaussian one loses less than half of delta"


class FliphatTarget(Model):
    """An episode of n records."""

    algorithm: Literal["fliphat", "dp-signs"] = Field("fliphat", description="FLIPHAT, or dp-signs")
    d: int = Field(400, ge=2, le=10**6, description="dimension of the contexts")
    sparsity: int = Field(10, ge=1, le=10**6, description="s: coordinates kept")
    n: int = Field(4096, ge=1, le=10**12, description="records of the episode")
    clip: Positive | None = Field(
        None, description="R of rewards; none: x_max b_max + sigma sqrt(2 ln(1 + n))"
    )


class FliphatParams(FliphatTarget):
    epsilon: float = Field(1, gt=0, le=1e4, description="eps that the noise is set for")
    delta: float = Field(0.01, gt=0, lt=1, description="delta that it is set for")


EXAMPLES = ({}, {"algorithm": "dp-signs", "epsilon": 0.5}, {"n": 10**6, "clip": 3, "sparsity": 5})


def setting_of(p: FliphatTarget, delta: float) -> FliphatSetting:
    sizes = {"d": p.d, "sparsity": min(p.sparsity, p.d), "true_sparsity": min(5, p.d)}
    return FliphatSetting(**sizes, delta=delta, clip=p.clip)


def spent(p: FliphatParams) -> float:
    """rho of an estimate, computed from its noise and the sensitivity of its steps."""
    if p.algorithm == "dp-signs":
        return (SELECTION + RELEASE + 2 * QUARTILE) * largest_rho(p.epsilon, p.delta)
    setting = setting_of(p, p.delta)
    tuning, total = setting.tuning(p.epsilon, p.n), 0.0
    for step, scale in enumerate(tuning.xi):
        reach = tuning.R + (setting.x_max * tuning.C if step else 0.0)
        moved = 4 * setting.step_size * setting.x_max * reach / p.n
        # half for the selection, half for the release
        total += setting.sparsity * (moved / scale) ** 2
    return float(total)


def loss(rho: float, at_epsilon, about: dict) -> PrivacyLoss:
    deltas = {e: 0.0 if math.isinf(e) else min(1.0, delta_of(rho, e)) for e in at_epsilon}
    return PrivacyLoss(math.inf, deltas, {"rho": rho, **about, "gap": GAP, **THEOREM}, "bound")


@mechanism("fliphat", params=FliphatParams, examples=EXAMPLES)
def audit_fliphat(params: FliphatParams, at_epsilon) -> PrivacyLoss:
    """The joint privacy of FLIPHAT, or of dp-signs."""
    record = "y = R, x = x_max signs; replaced by y = -R: every coordinate of the first step moves"
    if params.algorithm == "dp-signs":
        record = "one record's signs all turned: every sum of signs moves by 2"
    return loss(math.nextafter(spent(params), math.inf), at_epsilon, {"record": record})


@calibrator("fliphat", params=FliphatTarget, examples=EXAMPLES[:1])
def calibrate_fliphat(params: FliphatTarget, target_epsilon, target_delta=0.0) -> Calibration:
    """Calibrates the scale of the noise, in multiples of the sensitivity of a step.

    For delta above 0 that of Gumbel and Gaussian noise. For delta = 0 that of Laplace noise in
    Peeling, where a step costs s selections of 2/scale and s releases of 1/scale (FLIPHAT only:
    dp-signs has Gaussian noise).
    """
    setting = setting_of(params, target_delta or 0.01)
    steps = setting.tuning(target_epsilon, params.n).M
    if target_delta > 0:
        rho = largest_rho(target_epsilon, target_delta)
        count = setting.sparsity * (steps if params.algorithm == "fliphat" else 1)
        share = 1.0 if params.algorithm == "fliphat" else 2 * SELECTION
        audited = loss(rho, [target_epsilon], {"noise": "Gumbel and Gaussian", "unit": UNIT})
        return Calibration({"scale": math.sqrt(count / (share * rho))}, audited, target_epsilon)
    if params.algorithm == "dp-signs":
        raise InputError("calibrate fliphat: target delta = 0: allowed: above 0 for dp-signs")
    scale = 3 * setting.sparsity * steps / target_epsilon
    about = {"noise": "Laplace, in Peeling", "unit": UNIT, "theorem": "basic composition"}
    audited = PrivacyLoss(target_epsilon, {}, about, "bound")
    return Calibration({"scale": scale}, audited, target_epsilon)
