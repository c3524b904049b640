"""What studies of full information run: series from the config, and a table's row per sample."""

from typing import Annotated

import numpy as np
from pydantic import Field

from dpbandits.core.algorithms import get_algorithm, run
from dpbandits.core.series import Series

Counts = tuple[Annotated[int, Field(ge=2)], ...]
Positives = tuple[Annotated[float, Field(gt=0)], ...]
Seeds = Annotated[int, Field(ge=2)]


def regret_of(
    series: Series, means, epsilon: float, horizon: int, seeds: int, first: int = 0
) -> np.ndarray:
    """Regret at the horizon per seed; algorithms that are not private ignore epsilon."""
    epsilon = epsilon if get_algorithm(series.name).private else np.inf
    setting = {"means": list(means), **series.with_}
    seeds = range(first, first + seeds)
    return run(series.name, setting, epsilon, horizon, seeds, [horizon]).regret[:, 0]
