"""Series of an experiment or a study: an algorithm with its constants, under a name of its own;
and types of parameters that studies share."""

import math
from typing import Annotated, Any

from pydantic import Field, StringConstraints, model_validator

from dpbandits.core.algorithms import get_algorithm, run
from dpbandits.core.models import Model

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]


class Series(Model):
    """An algorithm as it appears in one experiment: `id` names it in tables and figures."""

    id: Name
    name: Name
    with_: dict[str, Any] = Field(default_factory=dict, alias="with")

    @model_validator(mode="before")
    @classmethod
    def _accept_name_alone(cls, value):
        return {"id": value, "name": value} if isinstance(value, str) else value

    def run(self, setting: dict[str, Any], epsilon: float, *sizes):
        """Simulate it on a setting; without privacy epsilon is ignored. sizes: as of `run`."""
        epsilon = epsilon if get_algorithm(self.name).private else math.inf
        return run(self.name, setting | self.with_, epsilon, *sizes)


AllSeries = Annotated[tuple[Series, ...], Field(min_length=1)]
Positive = Annotated[float, Field(gt=0)]
Positives = tuple[Positive, ...]
Share = Annotated[float, Field(gt=0, lt=1)]
