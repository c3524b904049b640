"""`dpbandits audit usca`: the privacy loss of USCA's output over all data sets, for a drawn Z."""

import json
import math
from typing import Annotated

import numpy as np
from pydantic import Field, field_validator, model_validator

from dpbandits.core.mechanisms import PrivacyLoss, mechanism
from dpbandits.core.models import Model
from dpbandits.kernel.kernels import MOST_PIVOTS
from dpbandits.kernel.problem import KernelSetting


class UscaAudit(Model):
    """The setting on a grid small enough for all neighbours, and the run's T and epsilon."""

    epsilon: Annotated[float, Field(gt=0)] = 1.0
    horizon: Annotated[int, Field(ge=1)] = 64
    draw: Annotated[int, Field(ge=0)] = 0  # which Z: the loss is taken for each Z apart
    setting: KernelSetting = KernelSetting(grid=12)

    @field_validator("setting", mode="before")
    @classmethod
    def _as_typed(cls, value):
        """--set setting='{"kernel": "matern32", "grid": 8}'"""
        try:
            return json.loads(value) if isinstance(value, str) else value
        except ValueError:
            raise ValueError("allowed: a setting as JSON text") from None

    @model_validator(mode="after")
    def _enumerable(self):
        if self.setting.cells > MOST_PIVOTS:
            raise ValueError(
                f"setting.grid gives {self.setting.cells} cells; allowed: {MOST_PIVOTS}"
            )
        return self


@mechanism(
    "usca", params=UscaAudit, examples=({"horizon": 16, "setting": {"kernel": "se", "grid": 6}},)
)
def audit_usca(params: UscaAudit, at_epsilon) -> PrivacyLoss:
    """An upper bound for every data set; it is approached by data that concentrate the output."""
    from dpbandits.kernel.engine import privacy

    rng = np.random.default_rng(params.draw)
    instance = privacy.draw_instance(params.setting, params.epsilon, params.horizon, rng)
    loss, worst = privacy.worst_over_all_data(instance)
    return PrivacyLoss(
        pure_epsilon=loss,
        delta_at={e: -math.expm1(min(0.0, e - loss)) / (1.0 + math.exp(-loss))
                  for e in at_epsilon},
        worst_neighbour=worst,
        method="bound",
    )  # fmt: skip
