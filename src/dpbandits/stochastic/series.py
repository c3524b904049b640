"""What studies of full information run: series from the config, and a table's row per sample."""

from typing import Annotated, Any

import numpy as np
from pydantic import Field, model_validator

from dpbandits.core.algorithms import get_algorithm, run
from dpbandits.core.models import Model

Counts = tuple[Annotated[int, Field(ge=2)], ...]
Positives = tuple[Annotated[float, Field(gt=0)], ...]
Seeds = Annotated[int, Field(ge=2)]


class Series(Model):
    """As in experiments: `id` names an algorithm with what its setting says next to the means."""

    id: str
    name: str
    with_: dict[str, Any] = Field(default_factory=dict, alias="with")

    @model_validator(mode="before")
    @classmethod
    def _name_alone(cls, value):
        return {"id": value, "name": value} if isinstance(value, str) else value

    def regret(self, means, epsilon: float, horizon: int, seeds: int) -> np.ndarray:
        """Regret at the horizon per seed; algorithms that are not private ignore epsilon."""
        epsilon = epsilon if get_algorithm(self.name).private else np.inf
        setting = {"means": list(means), **self.with_}
        return run(self.name, setting, epsilon, horizon, range(seeds), [horizon]).regret[:, 0]


AllSeries = Annotated[tuple[Series, ...], Field(min_length=1)]


def algorithms_of(params) -> list[str]:
    """What a study with these params runs: its provenance."""
    return [series.name for series in params.series]
