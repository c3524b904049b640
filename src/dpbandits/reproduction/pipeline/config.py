"""The typed form of config/*.yaml, which says what to run; plan.py derives the jobs from it."""

import math
import re
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from dpbandits.core.models import Epsilon as AnyEpsilon
from dpbandits.core.models import Model
from dpbandits.core.trajectories import DEFAULT_CHECKPOINTS
from dpbandits.reproduction.series import AllSeries, Name, Series

Scale = Literal["smoke", "paper", "extended"]
Count = Annotated[int, Field(ge=1)]
Epsilon = Annotated[AnyEpsilon, BeforeValidator(lambda e: math.inf if e == "inf" else e)]
GRID = ("settings", "vary", "epsilon", "horizon", "checkpoints")
NUMERIC = (*GRID, "seeds")
_SOURCE = re.compile(
    r"^assumed: \S+ \S+|Section|Figure|Table|Theorem|Algorithm|Appendix|Lemma|Corollary|Prop|Remark"
)
Checkpoints = Count | Annotated[tuple[Count, ...], Field(min_length=1)]
CellsPerJob = Count | dict[Name, Count]  # of all series together, or by series


class Overrides(Model):
    """The keys of an experiment that differ at one scale."""

    algorithms: tuple[Series, ...] | None = None
    settings: dict[Name, dict[str, Any]] | None = None
    vary: dict[str, tuple[Any, ...]] | None = None
    epsilon: tuple[Epsilon, ...] | None = None
    horizon: Count | None = None
    seeds: Count | None = None
    checkpoints: Checkpoints | None = None
    params: dict[str, Any] = {}
    cells_per_job: CellsPerJob | None = None


class Experiment(Model):
    """The simulations behind one table: at settings x epsilons to a horizon; or, with `params`, at
    the points that a design makes of them (designs.py)."""

    about: str
    algorithms: AllSeries
    settings: dict[Name, dict[str, Any]] = {}
    vary: dict[str, tuple[Any, ...]] = {}
    epsilon: tuple[Epsilon, ...] = ()
    horizon: Count = 1
    params: dict[str, Any] = {}
    design: str | None = None  # default: PAPER/KEY
    seeds: Count = 1
    checkpoints: Checkpoints = DEFAULT_CHECKPOINTS
    metrics: Annotated[tuple[str, ...], Field(min_length=1)] = ("regret",)
    seeds_per_block: Count | None = None  # None: as in config.yaml
    cells_per_job: CellsPerJob | None = None  # None: as in config.yaml
    sources: dict[str, str]
    scales: dict[Scale, Overrides] = {}

    @model_validator(mode="after")
    def _check_sources(self):
        given = [key for key in NUMERIC if key in self.model_fields_set and getattr(self, key)]
        needed = {"settings", "epsilon", "horizon", "seeds"}
        if wrong := {*given} & {*GRID} if self.params else needed - {*given}:
            raise ValueError(f"{min(wrong)}: allowed: {', '.join(sorted(needed))}; or params")
        given += ["algorithms"] * ("algorithms" in self.sources)  # which needs none
        check_sources(self.sources, [*given, *self.params])
        return self

    @field_validator("checkpoints")
    @classmethod
    def _check_ascending(cls, value):
        if not isinstance(value, int) and list(value) != sorted(set(value)):
            raise ValueError("rounds must ascend")
        return value

    def at(self, scale: str) -> "Experiment":
        """The experiment with the overrides of a scale."""
        overrides = self.scales.get(scale, Overrides())
        changed = {k: getattr(overrides, k) for k in overrides.model_fields_set}
        return self.model_copy(update=changed | {"params": self.params | overrides.params})


class StudyConfig(Model):
    """The study (a computation that is not a simulation) behind one table."""

    about: str
    study: str | None = None  # default: PAPER/KEY
    params: dict[str, Any] = {}
    sources: dict[str, str] = {}
    scales: dict[Scale, dict[str, Any]] = {}

    @model_validator(mode="after")
    def _check_sources(self):
        check_sources(self.sources, list(self.params))
        return self

    def at(self, scale: str) -> dict[str, Any]:
        """The parameters at a scale."""
        return self.params | self.scales.get(scale, {})


class PaperConfig(Model):
    """config/PAPER.yaml."""

    experiments: dict[Name, Experiment] = {}
    studies: dict[Name, StudyConfig] = {}


class Places(Model):
    """The folders of the results, figures and certificates of one scale."""

    about: str
    results: str
    figures: str
    certificates: str


class RunConfig(Model):
    """config/config.yaml."""

    scale: Scale = "paper"
    papers: Literal["all"] | Annotated[tuple[str, ...], Field(min_length=1)] = "all"
    seeds_per_block: Count | Literal["all"] = "all"
    cells_per_job: Count | Literal["all"] = "all"
    scales: dict[Scale, Places]


def check_sources(sources: dict[str, str], keys: list[str]) -> None:
    """Raise ValueError unless every key cites its place in the paper, or `assumed: why`."""
    for key in keys:
        if key not in sources:
            raise ValueError(f"'{key}' needs an entry in sources: a place in the paper or assumed")
    for key, text in sources.items():
        if key not in keys:
            raise ValueError(f"sources names '{key}', which is not given here")
        if not _SOURCE.search(text):
            raise ValueError(f"source of '{key}' must name a place or be 'assumed: why': {text}")
