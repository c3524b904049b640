"""Series of a study, from the config: an algorithm with its constants, under a name of its own."""

from typing import Annotated, Any

from pydantic import Field, model_validator

from dpbandits.core.models import Model


class Series(Model):
    """As in experiments: `id` names an algorithm with what its setting says besides."""

    id: str
    name: str
    with_: dict[str, Any] = Field(default_factory=dict, alias="with")

    @model_validator(mode="before")
    @classmethod
    def _name_alone(cls, value):
        return {"id": value, "name": value} if isinstance(value, str) else value


AllSeries = Annotated[tuple[Series, ...], Field(min_length=1)]


def algorithms_of(params) -> list[str]:
    """What a study with these params runs: its provenance."""
    return [series.name for series in params.series]
