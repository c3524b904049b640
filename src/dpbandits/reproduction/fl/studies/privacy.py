"""Study: the privacy that each preset's noise really gives, for contexts bounded by x_max.

certified_low: the largest eps refuted at delta by an event with a proved law (one step only).
account_high: the eps that a sound accountant grants at delta for the true sensitivity.
Contexts that are not clipped have no finite eps at all: one record may move a step by any amount.
"""

from typing import Annotated

import numpy as np
import pandas as pd
from flint import arb
from pydantic import Field
from scipy.optimize import brentq

from dpbandits.audit.computed.balls import upper
from dpbandits.core.models import Model, Several
from dpbandits.core.zcdp import delta_of
from dpbandits.reproduction.fl.certified_loss import flipped_reward, strongest
from dpbandits.reproduction.fl.mechanisms.peeling import delta_upper
from dpbandits.reproduction.fl.presets import PresetSetting
from dpbandits.reproduction.series import Positives
from dpbandits.reproduction.studies import study
from dpbandits.sparse.fliphat import Tuning


class Params(Model):
    d: Several
    n: Annotated[int, Field(ge=3)]
    epsilon: Positives


@study("fl/privacy", params=Params)
def compute(params: Params) -> pd.DataFrame:
    rows = []
    for preset in ("printed", "released", "corrected", "zcdp"):
        setting = PresetSetting(d=params.d, preset=preset)
        for epsilon in params.epsilon:
            tuning, low = setting.tuning(epsilon, params.n), np.nan
            if tuning.M == 1 and preset != "zcdp":
                event = strongest(flipped_reward(setting, tuning, params.n), setting.delta)
                low = event.epsilon(setting.delta)
            high = accounted_epsilon(setting, tuning, params.n)
            rows.append((preset, epsilon, setting.delta, tuning.M, tuning.xi[0], low, high))
    columns = ["preset", "epsilon", "delta", "steps", "scale", "certified_low", "account_high"]
    return pd.DataFrame(rows, columns=columns)


def accounted_epsilon(setting: PresetSetting, tuning: Tuning, n: int) -> float:
    """The smallest eps that the accountant grants at delta: by zCDP (docs/proofs/FL.md, B), or for
    Laplace noise by composition, with every step at the ratio of the worst one."""
    unit = setting.step_size / n * 4 * setting.x_max
    bounds = [tuning.R, *[tuning.R + setting.x_max * tuning.C] * (tuning.M - 1)]
    ratios = [unit * b / xi for b, xi in zip(bounds, tuning.xi, strict=True)]
    rho = setting.sparsity * sum(ratio**2 for ratio in ratios)

    def excess(epsilon: float) -> float:
        if setting.preset == "zcdp":
            return delta_of(rho, epsilon) - setting.delta
        delta = delta_upper(arb(max(ratios)), setting.sparsity, setting.d, epsilon, tuning.M)
        return upper(delta) - setting.delta

    return brentq(excess, 1e-6, 3 * max(ratios) * setting.sparsity * tuning.M)
