"""Study: the privacy that each preset's noise really gives, for contexts bounded by x_max.

certified_low: the largest eps refuted at delta by an event with a proved law (one step only).
account_high: the eps that a sound accountant grants at delta for the true sensitivity.
Contexts that are not clipped have no finite eps at all: one record may move a step by any amount.
"""

from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from dpbandits.core.algorithms import study
from dpbandits.core.models import Model
from dpbandits.sparse.engine.accountant import peeling_delta
from dpbandits.sparse.engine.certificates import flipped_reward, strongest
from dpbandits.sparse.engine.presets import Tuning, tuning
from dpbandits.sparse.engine.zcdp import delta_of
from dpbandits.sparse.problem import SparseSetting


class Params(Model):
    d: Annotated[int, Field(ge=2)]
    n: Annotated[int, Field(ge=3)]
    epsilon: tuple[Annotated[float, Field(gt=0)], ...]


@study("fl/privacy", params=Params)
def compute(params: Params) -> pd.DataFrame:
    rows = []
    for preset in ("printed", "released", "corrected", "zcdp"):
        setting = SparseSetting(d=params.d, preset=preset)
        for epsilon in params.epsilon:
            how = tuning(setting, epsilon, params.n)
            low = np.nan
            if how.steps == 1 and preset != "zcdp":
                low = strongest(flipped_reward(setting, how, params.n), setting.delta)
                low = low.epsilon(setting.delta)
            high = accounted_epsilon(setting, how, params.n)
            rows.append((preset, epsilon, setting.delta, how.steps, how.scales[0], low, high))
    columns = ["preset", "epsilon", "delta", "steps", "scale", "certified_low", "account_high"]
    return pd.DataFrame(rows, columns=columns)


def accounted_epsilon(setting: SparseSetting, how: Tuning, n: int) -> float:
    """The smallest eps that the accountant grants: by zCDP (docs/proofs/FL.md, B), or for Laplace
    noise with every step at the ratio of the worst one."""
    unit = setting.step_size / n * 4 * setting.x_max
    bounds = [how.clip, *[how.clip + setting.x_max * how.radius] * (how.steps - 1)]
    ratios = [unit * b / xi for b, xi in zip(bounds, how.scales, strict=True)]
    low, high = 0.0, 3 * max(ratios) * setting.sparsity * how.steps
    for _ in range(60):
        middle = 0.5 * (low + high)
        if setting.preset == "zcdp":
            rho = setting.sparsity * sum(ratio**2 for ratio in ratios)
            enough = delta_of(rho, middle) <= setting.delta
        else:
            delta = peeling_delta(middle, max(ratios), setting.sparsity, how.steps)
            enough = delta <= setting.delta
        low, high = (low, middle) if enough else (middle, high)
    return high
