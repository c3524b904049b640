"""Study: what the public bounds x_max and b_max cost, in signal and in data that are clipped.

Under the preset `corrected`, after n rows; one of the bounds is multiplied by a factor. `lead` is
the signal-to-noise ratio of `constants`. `clipped_rows` is an upper bound, by Sidak's inequality
for correlated normal variables.
"""

import math
from typing import Annotated

import pandas as pd
from pydantic import Field

from dpbandits.core.models import Model
from dpbandits.reproduction.studies import study
from dpbandits.sparse.presets import tuning_for
from dpbandits.sparse.problem import SparseSetting, signal_variance

Factor = Annotated[float, Field(gt=0)]


class Params(Model):
    d: tuple[Annotated[int, Field(ge=2)], ...]
    n: Annotated[int, Field(ge=1)]
    epsilon: Annotated[float, Field(gt=0)]
    factors: tuple[Factor, ...]


class Tuned(SparseSetting):
    """A setting whose bounds are multiplied."""

    x_factor: Factor = 1.0
    b_factor: Factor = 1.0

    @property
    def x_max(self) -> float:
        return self.x_factor * super().x_max

    @property
    def b_max(self) -> float:
        return self.b_factor * super().b_max


@study("fl/bounds", params=Params)
def compute(params: Params) -> pd.DataFrame:
    rows = []
    for varied in ("x_max", "b_max"):
        for d in params.d:
            for factor in params.factors:
                setting = Tuned(d=d, preset="corrected", **{f"{varied[0]}_factor": factor})
                tuning = tuning_for(setting, params.epsilon, params.n)
                entries = _beyond(setting.x_max)
                deviation = math.sqrt(signal_variance(setting) + setting.sigma**2)
                rewards = _beyond(tuning.R / deviation)
                lead = 2 * setting.step_size * max(map(abs, setting.beta))
                lead /= tuning.xi[0] * math.log(d)
                shares = (entries, 1 - (1 - entries) ** d, rewards)
                rows.append((varied, d, factor, setting.x_max, setting.b_max, *shares, lead))
    columns = ["varied", "d", "factor", "x_max", "b_max"]
    columns += ["clipped_entries", "clipped_rows", "clipped_rewards", "lead"]
    return pd.DataFrame(rows, columns=columns)


def _beyond(x: float) -> float:
    """P(|g| > x) for a standard normal g."""
    return math.erfc(x / math.sqrt(2))
