"""Regret of a series per seed, and parameter types of the full-information studies."""

from typing import Annotated

import numpy as np
from pydantic import Field

from dpbandits.core.algorithms import get_algorithm, run
from dpbandits.reproduction.series import Series

Counts = tuple[Annotated[int, Field(ge=2)], ...]
Positives = tuple[Annotated[float, Field(gt=0)], ...]
Seeds = Annotated[int, Field(ge=2)]


def regret_of(
    series: Series, means, epsilon: float, horizon: int, seeds: int, first: int = 0
) -> np.ndarray:
    """Regret at the horizon of the seeds from `first` on; without privacy epsilon is ignored."""
    epsilon = epsilon if get_algorithm(series.name).private else np.inf
    setting = {"means": [*map(float, means)], **series.with_}
    seeds = range(first, first + seeds)
    return run(series.name, setting, epsilon, horizon, seeds, [horizon]).regret[:, 0]
