"""Regret of a series per seed, cached; and parameter types of the full-information studies."""

import json
from functools import cache
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
    setting = json.dumps({"means": [*map(float, means)], **series.with_})
    return _regret(series.name, setting, epsilon, horizon, range(first, first + seeds))


@cache
def _regret(name: str, setting: str, epsilon: float, horizon: int, seeds: range) -> np.ndarray:
    """Once: a sweep comes by its base values again and again, for FTL at every epsilon."""
    found = run(name, json.loads(setting), epsilon, horizon, seeds, [horizon]).regret[:, 0]
    found.flags.writeable = False
    return found
