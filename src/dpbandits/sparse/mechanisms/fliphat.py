"""`dpbandits audit fliphat`: FLIPHAT, and dp-signs.

An episode's estimate is rho-zCDP in its records (docs/proofs/FL.md, Theorems B1 and C1), each
record enters one estimate, and the other users' actions are post-processing (B2): this is FLIPHAT's
joint privacy. The delta of a rho is certified from above; rho itself is counted from the noise that
the algorithm sets and from the sensitivity of its steps.
"""

import math
from typing import Annotated, Literal

from pydantic import Field

from dpbandits.core.mechanisms import PrivacyLoss, mechanism
from dpbandits.core.models import Model
from dpbandits.core.zcdp import delta_of, largest_rho
from dpbandits.sparse.dp_signs import QUARTILE, RELEASE, SELECTION
from dpbandits.sparse.fliphat import FliphatSetting

Positive = Annotated[float, Field(gt=0, le=1e6)]
THEOREM = "FL-T5.1, repaired: B1 to B3, for dp-signs C1 (docs/proofs/FL.md)"
GAP = "an upper bound: for every rho-zCDP mechanism; a Gaussian one loses less than half of delta"


class FliphatParams(Model):
    """An episode of n records."""

    algorithm: Literal["fliphat", "dp-signs"] = Field("fliphat", description="FLIPHAT, or dp-signs")
    d: int = Field(400, ge=2, le=10**6, description="dimension of the contexts")
    sparsity: int = Field(10, ge=1, le=10**6, description="s: coordinates kept")
    n: int = Field(4096, ge=1, le=10**12, description="records of the episode")
    clip: Positive | None = Field(
        None, description="R of rewards; none: x_max b_max + sigma sqrt(2 ln(1 + n))"
    )
    epsilon: float = Field(1, gt=0, le=1e4, description="eps that the noise is set for")
    delta: float = Field(0.01, gt=0, lt=1, description="delta that it is set for")


def setting_of(p: FliphatParams) -> FliphatSetting:
    sizes = {"d": p.d, "sparsity": min(p.sparsity, p.d), "true_sparsity": min(5, p.d)}
    return FliphatSetting(**sizes, delta=p.delta, clip=p.clip)


def spent(p: FliphatParams) -> float:
    """rho of an estimate, computed from its noise and the sensitivity of its steps."""
    if p.algorithm == "dp-signs":
        return (SELECTION + RELEASE + 2 * QUARTILE) * largest_rho(p.epsilon, p.delta)
    setting = setting_of(p)
    tuning, total = setting.tuning(p.epsilon, p.n), 0.0
    for step, scale in enumerate(tuning.xi):
        reach = tuning.R + (setting.x_max * tuning.C if step else 0.0)
        moved = 4 * setting.step_size * setting.x_max * reach / p.n
        # half for the selection, half for the release
        total += setting.sparsity * (moved / scale) ** 2
    return float(total)


@mechanism(
    "fliphat",
    params=FliphatParams,
    examples=(
        {},
        {"algorithm": "dp-signs", "epsilon": 0.5},
        {"n": 10**6, "clip": 3, "sparsity": 5},
    ),
)
def audit_fliphat(params: FliphatParams, at_epsilon) -> PrivacyLoss:
    """The joint privacy of FLIPHAT, or of dp-signs."""
    record = "y = R, x = x_max signs; replaced by y = -R: every coordinate of the first step moves"
    if params.algorithm == "dp-signs":
        record = "one record's signs all turned: every sum of signs moves by 2"
    rho = math.nextafter(spent(params), math.inf)
    deltas = {e: 0.0 if math.isinf(e) else min(1.0, delta_of(rho, e)) for e in at_epsilon}
    worst = {"rho": rho, "record": record, "gap": GAP, "theorem": THEOREM}
    return PrivacyLoss(math.inf, deltas, worst, "bound")
