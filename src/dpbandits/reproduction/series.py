"""Series of an experiment or a study: an algorithm with its constants, under a name of its own."""

from typing import Annotated, Any

from pydantic import Field, StringConstraints, model_validator

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


AllSeries = Annotated[tuple[Series, ...], Field(min_length=1)]


def algorithms_of(params) -> list[str]:
    """The algorithms that a study with these params runs, for its `runs=`."""
    return [series.name for series in params.series]
