"""The density of the output at one context, for several epsilon."""

from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from dpbandits.core.models import Model
from dpbandits.kernel.estimator import estimate
from dpbandits.kernel.problem import KernelSetting, problem_of
from dpbandits.kernel.usca import draw_Z, exponential_mechanism, printed_scale
from dpbandits.reproduction.studies import study
from dpbandits.reproduction.us.studies.grids import generators


class DensityParams(Model):
    setting: KernelSetting
    horizon: Annotated[int, Field(ge=1)]
    epsilon: tuple[Annotated[float, Field(gt=0)], ...]
    context: Annotated[float, Field(ge=0, le=1)] = 0.5


@study("us/output_density", params=DensityParams)
def output_density(params: DensityParams) -> pd.DataFrame:
    """One row per epsilon and action; Z and the data set are the same for all epsilon."""
    setting = params.setting
    problem = problem_of(setting)
    rng = generators("output_density", setting, params.horizon, 1)[0]
    cells, rewards = problem.observe(rng, params.horizon)
    Z, K = draw_Z(problem, rng, params.horizon)
    posterior = estimate(setting, cells, rewards, Z, K)
    context = min(setting.grid - 1, int(params.context * setting.grid))
    score = posterior.mean.reshape(problem.values.shape)[:, [context]]
    m = printed_scale(setting, posterior.largest_variance)
    tables = []
    for epsilon in params.epsilon:
        output = exponential_mechanism(score, epsilon, m)[:, 0]
        table = {"epsilon": epsilon, "x": (np.arange(setting.grid) + 0.5) / setting.grid}
        table |= {"density": output * setting.grid, "mubar": score[:, 0]}
        tables.append(pd.DataFrame(table | {"f": problem.values[:, context]}))
    return pd.concat(tables, ignore_index=True)
