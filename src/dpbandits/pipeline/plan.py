"""How the config unfolds into jobs.

An experiment is algorithms x settings x epsilon x seeds. Its smallest piece is a cell: one
algorithm at one setting and one epsilon, for one block of seeds. A job is a few cells of one
algorithm: starting a process costs more than many a simulation. Neither blocks nor jobs ever change
a result.
"""

import itertools
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpbandits.core.algorithms import Study, check_epsilon, get_algorithm, get_study
from dpbandits.core.errors import InputError, nearest
from dpbandits.core.models import parse, shown
from dpbandits.core.registry import papers as known_papers
from dpbandits.core.trajectories import log_spaced
from dpbandits.pipeline import CONFIG
from dpbandits.pipeline.config import (
    Experiment,
    PaperConfig,
    Places,
    RunConfig,
    Series,
    StudyConfig,
    read_yaml,
)


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
        return json.dumps(self, default=vars, sort_keys=True)

    @staticmethod
    def from_spec(text: str) -> "Job":
        data = json.loads(text)
        cells = tuple(Cell(**{**c, "checkpoints": tuple(c["checkpoints"])}) for c in data["cells"])
        return Job(**{**data, "cells": cells, "metrics": tuple(data["metrics"])})


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


def split(params: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """The parameters of a study for each value of one of them, a list or a mapping."""
    values = params[key]
    own = [{v: values[v]} if isinstance(values, dict) else [v] for v in values]
    return [params | {key: value} for value in own]


class Plan:
    """Everything that one scale runs, validated: what the workflow reads."""

    def __init__(self, run: RunConfig, folder: str | Path = "config") -> None:
        self.run = run
        self.folder = Path(folder)
        self.places = self._places()
        keys = [*known_papers()] if run.papers == "all" else run.papers
        self.papers = {key: self._paper(key) for key in keys}
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
        if not path.is_file() and key in known_papers():
            path = known_papers()[key].file("config", f"{key}.yaml")
        if not path.is_file():
            known = sorted({p.stem for p in self.folder.glob("*.yaml")} - {"config"})
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
        entry, params = get_study(config.study or f"{key}/{name}", where), self.params(config)
        parse(entry.params, params, f"{where}.params")
        if config.split and not isinstance(params.get(config.split), (list, dict)):
            several = [key for key, value in params.items() if isinstance(value, (list, dict))]
            raise InputError(f"{where}.split: '{config.split}': {nearest(config.split, several)}")

    def params(self, config: StudyConfig) -> dict[str, Any]:
        return config.params | config.scales.get(self.run.scale, {})

    def study(self, paper: str, name: str) -> tuple[Study, dict[str, Any]]:
        """What computes a table that is no experiment, and with which parameters."""
        config = self.papers[paper].studies[name]
        return get_study(config.study or f"{paper}/{name}"), self.params(config)

    def study_parts(self, paper: str, name: str) -> dict[Path, dict[str, Any]]:
        """Where the jobs of a study that is split put their rows, and the parameters of each."""
        config, params = self.papers[paper].studies[name], self.study(paper, name)[1]
        if config.split is None or self.run.scale == "smoke":  # there a start costs the most
            return {}
        folder = Path(self.places.results, "studies", paper, name)
        pieces = enumerate(split(params, config.split))
        return {folder / f"{place}.parquet": piece for place, piece in pieces}

    def parts(self, paper: str, name: str) -> list[str]:
        """What a table is put together from; nothing, if one job makes it whole."""
        if name in self.papers[paper].studies:
            return [str(path) for path in self.study_parts(paper, name)]
        return [str(self.part_path(job)) for job in self.jobs_of(paper, name)]

    def table_path(self, paper: str, name: str) -> Path:
        return Path(self.places.results, "tables", paper, f"{name}.csv")

    def verdicts_path(self, paper: str) -> str:
        return str(Path(self.places.results, "claims", paper, "verdicts.csv"))

    def part_path(self, job: Job) -> Path:
        return Path(self.places.results, "simulations", f"{job.name}.parquet")

    def experiment(self, paper: str, name: str) -> Experiment:
        return self.papers[paper].experiments[name].at(self.run.scale)

    def _jobs(self, paper: str) -> list[Job]:
        jobs = []
        for name in self.papers[paper].experiments:
            experiment = self.experiment(paper, name)
            where = f"{self.folder}/{paper}.yaml: experiments.{name}"
            block = experiment.seeds_per_block or self.run.seeds_per_block
            cells = cells_of(experiment, block, where)
            sizes = self._cells_per_job(experiment, where)
            for series in experiment.algorithms:
                own = [cell for cell in cells if cell.series == series.id]
                size = sizes.get(series.id, self.run.cells_per_job)
                step = len(own) if size == "all" else int(size)
                for part, start in enumerate(range(0, len(own), step)):
                    chunk = tuple(own[start : start + step])
                    jobs.append(Job(paper, name, series.id, part, chunk, experiment.metrics))
        return jobs

    def _cells_per_job(self, experiment: Experiment, where: str) -> dict[str, int]:
        """series -> its cells per job, where the experiment says so."""
        known, given = [series.id for series in experiment.algorithms], experiment.cells_per_job
        if isinstance(given, dict):
            for name in given.keys() - known:
                raise InputError(f"{where}.cells_per_job: '{name}': {nearest(name, known)}")
            return given
        return dict.fromkeys(known, given) if given else {}

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


def load_plan(scale: str | None = None, paper: str | None = None) -> Plan:
    """The plan of the checkout in the current folder, or one paper's part of it."""
    if not CONFIG.is_file():
        raise InputError(f"there is no {CONFIG} here; allowed: in a checkout of dpbandits")
    config = read_yaml(CONFIG)
    only = {"scale": scale, "papers": [paper] if paper else None}
    return Plan.load(config | {key: value for key, value in only.items() if value})
