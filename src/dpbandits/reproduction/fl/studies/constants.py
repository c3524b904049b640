"""Study: the constants of each preset over an episode's length, and the signal-to-noise ratio.

`lead` is that ratio: the largest noise-free score of N-IHT's first step, 2 eta max|beta_j|, over
ln d times the scale of its selection noise, about the largest of d noises. Below 1 the selection is
mostly noise.
"""

import math
from typing import Annotated

import pandas as pd
from pydantic import Field

from dpbandits.core.models import Model
from dpbandits.reproduction.studies import study
from dpbandits.sparse.presets import tuning_for
from dpbandits.sparse.problem import SparseSetting


class Params(Model):
    epsilon: Annotated[float, Field(gt=0)]
    episodes: Annotated[int, Field(ge=2)]


@study("fl/constants", params=Params)
def compute(params: Params) -> pd.DataFrame:
    rows = []
    for preset in ("printed", "released", "corrected", "zcdp"):
        setting = SparseSetting(preset=preset)
        strongest = 2 * setting.step_size * max(map(abs, setting.beta))
        for k in range(params.episodes):
            tuning = tuning_for(setting, params.epsilon, 2**k)
            scale = tuning.xi[0] if tuning.M else math.nan
            lead = strongest / (scale * math.log(setting.d))
            rows.append((preset, params.epsilon, 2**k, tuning.M, tuning.R, scale, lead))
    columns = ["preset", "epsilon", "n", "steps", "clip", "scale", "lead"]
    return pd.DataFrame(rows, columns=columns)
