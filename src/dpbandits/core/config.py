"""What to run: the typed form of config/*.yaml, and how it unfolds into jobs.

An experiment is algorithms x settings x epsilon x seeds. Its smallest piece is a cell: one
algorithm at one setting and one epsilon, for one block of seeds. A job is a few cells of one
algorithm: starting a process costs more than many a simulation. Neither blocks nor jobs ever change
a result.
"""

import itertools
import json
import math
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import (
    BeforeValidator,
    Field,
    PlainValidator,
    StringConstraints,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from dpbandits.core.errors import InputError, nearest
from dpbandits.core.models import Model, parse, parse_epsilon, shown
from dpbandits.core.registry import check_epsilon, get_algorithm, get_study
from dpbandits.core.trajectories import DEFAULT_CHECKPOINTS, log_spaced

Scale = Literal["smoke", "paper", "extended"]
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]
Count = Annotated[int, Field(ge=1)]
Epsilon = Annotated[
    float,
    PlainValidator(parse_epsilon),
    WithJsonSchema({"anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"const": "inf"}]}),
]
NUMERIC = ("settings", "vary", "epsilon", "horizon", "seeds", "checkpoints")
_SOURCE = re.compile(
    r"^assumed: \S+ \S+|Section|Figure|Table|Theorem|Algorithm|Appendix|Lemma|Corollary|Prop|Remark"
)


def _series(value: Any) -> Any:
    return {"id": value, "name": value} if isinstance(value, str) else value


class Series(Model):
    """An algorithm as it appears in one experiment: `id` names it in tables and figures."""

    id: Name
    name: Name
    with_: dict[str, Any] = Field(default_factory=dict, alias="with")


AnySeries = Annotated[Series, BeforeValidator(_series)]
Checkpoints = Count | Annotated[tuple[Count, ...], Field(min_length=1)]


class Overrides(Model):
    """Keys of an experiment that are replaced at one scale."""

    algorithms: tuple[AnySeries, ...] | None = None
    settings: dict[Name, dict[str, Any]] | None = None
    vary: dict[str, tuple[Any, ...]] | None = None
    epsilon: tuple[Epsilon, ...] | None = None
    horizon: Count | None = None
    seeds: Count | None = None
    checkpoints: Checkpoints | None = None
    cells_per_job: Count | None = None


class Experiment(Model):
    """Simulations behind one table."""

    about: str
    algorithms: Annotated[tuple[AnySeries, ...], Field(min_length=1)]
    settings: Annotated[dict[Name, dict[str, Any]], Field(min_length=1)]
    vary: dict[str, tuple[Any, ...]] = {}
    epsilon: Annotated[tuple[Epsilon, ...], Field(min_length=1)]
    horizon: Count
    seeds: Count
    checkpoints: Checkpoints = DEFAULT_CHECKPOINTS
    metrics: Annotated[tuple[str, ...], Field(min_length=1)] = ("regret",)
    cells_per_job: Count | None = None  # default: config.yaml
    sources: dict[str, str]
    scales: dict[Scale, Overrides] = {}

    @model_validator(mode="after")
    def _every_number_has_a_source(self):
        given = [key for key in NUMERIC if key in self.model_fields_set and getattr(self, key)]
        check_sources(self.sources, given)
        return self

    @field_validator("checkpoints")
    @classmethod
    def _ascending(cls, value):
        if not isinstance(value, int) and list(value) != sorted(set(value)):
            raise ValueError("rounds must ascend")
        return value

    def at(self, scale: str) -> "Experiment":
        """The experiment with the overrides of a scale in place."""
        chosen = self.scales.get(scale)
        replaced = {key: getattr(chosen, key) for key in chosen.model_fields_set} if chosen else {}
        return self.model_copy(update=replaced)


class StudyConfig(Model):
    """One registered study (a computation that is not a simulation) behind one table."""

    about: str
    study: str | None = None  # default: PAPER/KEY
    params: dict[str, Any] = {}
    sources: dict[str, str] = {}
    scales: dict[Scale, dict[str, Any]] = {}

    @model_validator(mode="after")
    def _every_number_has_a_source(self):
        check_sources(self.sources, list(self.params))
        return self


class PaperConfig(Model):
    """config/PAPER.yaml."""

    experiments: dict[Name, Experiment] = {}
    studies: dict[Name, StudyConfig] = {}


class Places(Model):
    """Where one scale puts its results and its published figures."""

    about: str
    results: str
    figures: str


class RunConfig(Model):
    """config/config.yaml."""

    scale: Scale = "paper"
    papers: Annotated[tuple[str, ...], Field(min_length=1)]
    seeds_per_block: Count | Literal["all"] = "all"
    cells_per_job: Count | Literal["all"] = "all"
    redraw: bool = False  # publish figures even where their CSV did not change
    scales: dict[Scale, Places]


def check_sources(sources: dict[str, str], keys: list[str]) -> None:
    """Every number cites its place in the paper, or says `assumed: why`."""
    for key in keys:
        if key not in sources:
            raise ValueError(f"'{key}' needs an entry in sources: a place in the paper or assumed")
    for key, text in sources.items():
        if key not in keys:
            raise ValueError(f"sources names '{key}', which is not given here")
        if not _SOURCE.search(text):
            raise ValueError(f"source of '{key}' must name a place or be 'assumed: why': {text}")


@dataclass(frozen=True)
class Cell:
    """One algorithm at one setting and epsilon, for a block of seeds."""

    series: str
    algorithm: str
    setting: dict[str, Any]
    labels: dict[str, Any]  # setting id and varied keys: columns of the table
    epsilon: float
    horizon: int
    checkpoints: tuple[int, ...]
    first_seed: int
    seeds: int


@dataclass(frozen=True)
class Job:
    """What one process simulates."""

    paper: str
    experiment: str
    series: str
    part: int
    cells: tuple[Cell, ...]
    metrics: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.paper}/{self.experiment}/{self.series}/{self.part}"

    @property
    def module(self) -> str:
        return get_algorithm(self.cells[0].algorithm).module

    def spec(self) -> str:
        """The job as text: the workflow reruns it when this changes."""
        return json.dumps(asdict(self), sort_keys=True)

    @staticmethod
    def from_spec(text: str) -> "Job":
        data = json.loads(text)
        cells = tuple(Cell(**{**c, "checkpoints": tuple(c["checkpoints"])}) for c in data["cells"])
        return Job(**{**data, "cells": cells, "metrics": tuple(data["metrics"])})


def read_yaml(path: str | Path) -> dict[str, Any]:
    path = Path(path)
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"{path}: no such file") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f" line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or error
        raise InputError(f"{path}:{line} not valid YAML: {problem}") from None
    return {} if data is None else data


def cells_of(experiment: Experiment, seeds_per_block: int | str, where: str) -> list[Cell]:
    """Unfold algorithms x settings x varied values x epsilon x blocks, in the config's order."""
    count = experiment.checkpoints
    rounds = log_spaced(experiment.horizon, count) if isinstance(count, int) else count
    if rounds[-1] > experiment.horizon:
        raise InputError(
            f"{where}.checkpoints: {rounds[-1]} is past the horizon {experiment.horizon}"
        )
    size = experiment.seeds if seeds_per_block == "all" else int(seeds_per_block)
    blocks = [(s, min(size, experiment.seeds - s)) for s in range(0, experiment.seeds, size)]
    cells = []
    for series in experiment.algorithms:
        entry = get_algorithm(series.name, f"{where}.algorithms")
        epsilons = experiment.epsilon if entry.private else (math.inf,)
        for labels, setting in _settings(experiment, series):
            spot = f"{where}.settings.{labels['setting']} for {series.id}"
            parse(entry.setting, setting, spot)
            for epsilon, (first, seeds) in itertools.product(epsilons, blocks):
                check_epsilon(entry, epsilon, f"{where}.epsilon")
                cells.append(
                    Cell(
                        series=series.id,
                        algorithm=series.name,
                        setting=setting,
                        labels=labels,
                        epsilon=epsilon,
                        horizon=experiment.horizon,
                        checkpoints=tuple(int(t) for t in rounds),
                        first_seed=first,
                        seeds=seeds,
                    )
                )
    return cells


def _settings(experiment: Experiment, series: Series):
    """(labels, raw setting) for every setting and every combination of varied values."""
    names = list(experiment.vary)
    for id, base in experiment.settings.items():
        for values in itertools.product(*experiment.vary.values()):
            varied = dict(zip(names, values, strict=True))
            yield {"setting": id, **varied}, {**base, **varied, **series.with_}


class Plan:
    """Everything that one scale runs, validated: what the workflow reads."""

    def __init__(self, run: RunConfig, folder: str | Path = "config") -> None:
        self.run = run
        self.folder = Path(folder)
        self.places = self._places()
        self.papers = {key: self._paper(key) for key in run.papers}
        self.jobs = {job.name: job for key in self.papers for job in self._jobs(key)}

    @classmethod
    def load(cls, config: dict[str, Any], folder: str | Path = "config") -> "Plan":
        """From the merged config of a run (config.yaml and what the command line changed)."""
        return cls(parse(RunConfig, config, f"{folder}/config.yaml"), folder)

    def _places(self) -> Places:
        if self.run.scale not in self.run.scales:
            raise InputError(
                f"{self.folder}/config.yaml: scales: no entry for scale {self.run.scale}"
            )
        return self.run.scales[self.run.scale]

    def _paper(self, key: str) -> PaperConfig:
        path = self.folder / f"{key}.yaml"
        if not path.is_file():
            known = sorted(p.stem for p in self.folder.glob("*.yaml") if p.stem != "config")
            raise InputError(
                f"{self.folder}/config.yaml: papers = {shown(key)}: {nearest(key, known)}"
            )
        paper = parse(PaperConfig, read_yaml(path), str(path))
        both = set(paper.experiments) & set(paper.studies)
        if both:
            raise InputError(f"{path}: '{min(both)}' is an experiment and a study; rename one")
        for name in paper.studies:
            self._check_study(key, paper, name)
        return paper

    def _check_study(self, key: str, paper: PaperConfig, name: str) -> None:
        where = f"{self.folder}/{key}.yaml: studies.{name}"
        config = paper.studies[name]
        entry = get_study(config.study or f"{key}/{name}", where)
        parse(entry.params, self.params(config), f"{where}.params")

    def params(self, config: StudyConfig) -> dict[str, Any]:
        return config.params | config.scales.get(self.run.scale, {})

    def experiment(self, paper: str, name: str) -> Experiment:
        return self.papers[paper].experiments[name].at(self.run.scale)

    def _jobs(self, paper: str) -> list[Job]:
        jobs = []
        for name in self.papers[paper].experiments:
            experiment = self.experiment(paper, name)
            where = f"{self.folder}/{paper}.yaml: experiments.{name}"
            cells = cells_of(experiment, self.run.seeds_per_block, where)
            size = experiment.cells_per_job or self.run.cells_per_job
            for series in experiment.algorithms:
                own = [cell for cell in cells if cell.series == series.id]
                step = len(own) if size == "all" else int(size)
                for part, start in enumerate(range(0, len(own), step)):
                    chunk = tuple(own[start : start + step])
                    jobs.append(Job(paper, name, series.id, part, chunk, experiment.metrics))
        return jobs

    def jobs_of(self, paper: str, experiment: str) -> list[Job]:
        chosen = (paper, experiment)
        return [job for job in self.jobs.values() if (job.paper, job.experiment) == chosen]

    def tables(self) -> list[str]:
        """`paper/name` of every table: experiments, then studies."""
        return [
            f"{key}/{name}"
            for key, paper in self.papers.items()
            for name in (*paper.experiments, *paper.studies)
        ]
