"""`dpbandits audit|calibrate usca`: the loss of USCA's output over all data sets, for a given Z."""

import math

import numpy as np
from pydantic import Field, field_validator

from dpbandits.core.mechanisms import (
    Calibration,
    PrivacyLoss,
    calibrator,
    delta_of_pure,
    mechanism,
)
from dpbandits.core.models import Model
from dpbandits.kernel.kernels import MOST_PIVOTS
from dpbandits.kernel.problem import UscaSetting


class UscaRun(Model):
    """The setting, the run's T and its Z."""

    horizon: int = Field(64, ge=1, le=10**9, description="rounds T")
    draw: int = Field(0, ge=0, description="which Z: the loss is taken for each Z apart")
    setting: UscaSetting = Field(
        UscaSetting(grid=12, calibration="printed"),
        description="as JSON text; calibration printed unless it says otherwise",
    )

    @field_validator("setting", mode="before")
    @classmethod
    def _printed(cls, value):
        """--set setting='{"kernel": "matern32", "grid": 8}'"""
        return {"calibration": "printed"} | value if isinstance(value, dict) else value


class UscaAudit(UscaRun):
    epsilon: float = Field(1.0, gt=0, description="eps that USCA is given")


@mechanism(
    "usca",
    params=UscaAudit,
    examples=(
        {"horizon": 16, "setting": {"kernel": "se", "grid": 6}},
        {"horizon": 16, "setting": {"kernel": "se", "grid": 6, "calibration": "exact"}},
    ),
)
def audit_usca(params: UscaAudit, at_epsilon) -> PrivacyLoss:
    """An upper bound over all data sets, approached by data that concentrate the output.

    With too many cells to enumerate all neighbours, the bound of Lemma 7.2.
    """
    setting = params.setting
    if setting.cells > MOST_PIVOTS:
        theorem = f"US-L7.2; beyond {MOST_PIVOTS} cells the exact loss is out of reach"
        loss, worst = params.epsilon, {}
    else:
        from dpbandits.kernel import privacy

        rng = np.random.default_rng(params.draw)
        instance = privacy.draw_law(
            setting, params.epsilon, params.horizon, rng, setting.calibration
        )
        theorem = "US-L7.2, exact-calibration (docs/proofs/US.md)"
        loss, worst = privacy.worst_over_all_data(instance)
    deltas = {e: delta_of_pure(loss, e) for e in at_epsilon}
    return PrivacyLoss(loss, deltas, worst | {"theorem": theorem}, "bound")


@calibrator(
    "usca", params=UscaRun, examples=({"horizon": 16, "setting": {"kernel": "se", "grid": 6}},)
)
def calibrate_usca(params: UscaRun, target_epsilon, target_delta=0.0) -> Calibration:
    """The largest epsilon to run with: the loss is proportional to it (for a given Z).

    A loss of at most L gives delta = (1 - e^(eps - L))/(1 + e^-L), solved here for L.
    """
    more = math.log1p(target_delta * math.exp(-target_epsilon)) - math.log1p(-target_delta)
    unit = audit_usca(UscaAudit(epsilon=1.0, **params.model_dump()), ()).pure_epsilon
    epsilon = (target_epsilon + more) / unit * (1.0 - 1e-12)  # rounding
    audited = audit_usca(UscaAudit(epsilon=epsilon, **params.model_dump()), (target_epsilon,))
    reached = audited.pure_epsilon if target_delta == 0 else target_epsilon
    return Calibration({"epsilon": epsilon}, audited, reached)
