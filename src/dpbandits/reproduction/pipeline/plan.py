"""The plan of a run: the jobs that the config implies.

An experiment is algorithms x settings x epsilon x seeds. Its smallest part is a cell: one algorithm
at one setting and one epsilon, for one block of seeds. A job simulates several cells in one
process, as the start of a process takes longer than many simulations. Results do not depend on
blocks or jobs. Some experiments have a design (designs.py), which names the points of its cells.
"""

import itertools
import json
import math
import os
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from dpbandits.core.algorithms import check_epsilon, get_algorithm
from dpbandits.core.documents import read_yaml
from dpbandits.core.errors import InputError, nearest, report
from dpbandits.core.models import parse, shown
from dpbandits.core.trajectories import log_spaced
from dpbandits.reproduction.designs import Design, Point, distinct, get_design
from dpbandits.reproduction.papers import papers as known_papers
from dpbandits.reproduction.pipeline import CONFIG
from dpbandits.reproduction.pipeline.config import Experiment, PaperConfig, RunConfig, Series
from dpbandits.reproduction.studies import Study, get_study


@dataclass(frozen=True)
class Cell:
    """One algorithm at one setting and epsilon, for a block of seeds."""

    series: str
    algorithm: str
    setting: dict[str, Any] | tuple[dict[str, Any], ...]  # or one for each seed from 0
    labels: dict[str, Any]  # setting id and varied keys, or point: columns of the table
    epsilon: float
    horizon: int
    checkpoints: tuple[int, ...]
    first_seed: int
    seeds: int
    common: tuple[Any, ...] = ()  # what keys the random numbers, in place of all of this


@dataclass(frozen=True)
class Job:
    """The cells of an experiment that one process simulates."""

    paper: str
    experiment: str
    part: int
    cells: tuple[Cell, ...]
    metrics: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.paper}/{self.experiment}/{self.part}"

    @property
    def algorithms(self) -> list[str]:
        return sorted({cell.algorithm for cell in self.cells})

    @property
    def modules(self) -> tuple[str, ...]:
        return tuple(module for name in self.algorithms for module in get_algorithm(name).modules)

    def spec(self) -> str:
        """The job as JSON, long settings by a digest; the workflow reruns it when this changes."""
        short = {id(cell.setting): cell.setting for cell in self.cells}
        short = {key: _shortened(setting) for key, setting in short.items()}
        cells = [vars(cell) | {"setting": short[id(cell.setting)]} for cell in self.cells]
        return json.dumps(vars(self) | {"cells": cells}, sort_keys=True)


def cells_of(experiment: Experiment, seeds_per_block: int | str, where: str) -> list[Cell]:
    """The cells of an experiment, series by series; what is not private at one epsilon."""
    points, cells = points_of(experiment, where), []
    for series in experiment.algorithms:
        entry = get_algorithm(series.name, f"{where}.algorithms")
        known: dict[int, Any] = {}  # points that share their settings share them here, too
        for number in dict.fromkeys(distinct(points, series).values()):
            point = points[number]
            epsilon = point.epsilon if entry.private else math.inf
            check_epsilon(entry, epsilon, f"{where}.epsilon")
            if id(point.setting) not in known:
                known[id(point.setting)] = own = _with(series, point.setting)
                parse(entry.setting, own if isinstance(own, dict) else own[0],
                      f"{where}.settings: {point.labels} for {series.id}")  # fmt: skip
            labels = {"point": number} if experiment.params else point.labels
            own = series.id, series.name, known[id(point.setting)], labels, epsilon, point.horizon
            seeds = point.fewer.get(series.id, point.seeds or experiment.seeds)
            for block in _blocks(seeds, seeds_per_block):
                rounds = point.checkpoints or (point.horizon,)
                cells.append(Cell(*own, rounds, *block, point.common))
    return cells


def points_of(experiment: Experiment, where: str) -> list[Point]:
    """Those that a design makes; else settings x varied keys x epsilon."""
    if experiment.params:
        return design_of(experiment, where).points()
    horizon, count = experiment.horizon, experiment.checkpoints
    rounds = tuple(map(int, log_spaced(horizon, count) if isinstance(count, int) else count))
    if rounds[-1] > horizon:
        raise InputError(f"{where}.checkpoints: {rounds[-1]} is past the horizon {horizon}")
    points = []
    for id, setting in experiment.settings.items():
        for values in itertools.product(*experiment.vary.values()):
            varied = dict(zip(experiment.vary, values, strict=True))
            at = {"setting": id, **varied}, setting | varied
            points += [Point(*at, epsilon, horizon, rounds) for epsilon in experiment.epsilon]
    return points


def _blocks(seeds: int, size: int | str) -> list[tuple[int, int]]:
    """(first, count) of each block of seeds."""
    size = seeds if size == "all" else int(size)
    return [(first, min(size, seeds - first)) for first in range(0, seeds, size)]


def _with(series: Series, setting) -> dict[str, Any] | tuple[dict[str, Any], ...]:
    if isinstance(setting, dict):
        return setting | series.with_
    return tuple(one | series.with_ for one in setting) if series.with_ else tuple(setting)


def design_of(experiment: Experiment, where: str) -> Design:
    return parse(get_design(experiment.design, where), experiment.params, f"{where}.params")


def _shortened(setting) -> Any:
    text = json.dumps(setting)
    return setting if len(text) < 200 else blake2b(text.encode(), digest_size=8).hexdigest()


class Plan:
    """All experiments, studies and jobs of a run at one scale, validated.
    config: config.yaml with the changes of the command line. table: PAPER/NAME or PAPER/NAME/PART,
    to read one experiment or study of one paper alone, as a job does."""

    def __init__(self, config: dict[str, Any], table: str = "") -> None:
        paper, name, *_ = [*table.split("/"), ""]
        self.run = parse(RunConfig, config | ({"papers": [paper]} if table else {}), str(CONFIG))
        if self.run.scale not in self.run.scales:
            raise InputError(f"{CONFIG}: scales: no entry for scale {self.run.scale}")
        self.places = self.run.scales[self.run.scale]
        keys = [*known_papers()] if self.run.papers == "all" else self.run.papers
        self.papers: dict[str, PaperConfig] = {}
        self.jobs: dict[str, Job] = {}
        for key in keys:
            try:
                self.papers[key] = self._paper(key, name)
                self.jobs |= {job.name: job for job in self._jobs(key)}
            except Exception as error:  # of an outside paper, anything
                if self.run.papers != "all" or known_papers()[key].ours:
                    raise
                report(f"paper '{key}' is left out: {error}")
                self.papers.pop(key, None)

    def _paper(self, key: str, table: str) -> PaperConfig:
        """The config of a paper, or its part for one table."""
        if key not in known_papers():
            raise InputError(f"{CONFIG}: papers = {shown(key)}: {nearest(key, known_papers())}")
        path = known_papers()[key].file("config", f"{key}.yaml")
        paper = parse(PaperConfig, read_yaml(path), str(path))
        if both := set(paper.experiments) & set(paper.studies):
            raise InputError(f"{path}: '{min(both)}' is an experiment and a study; rename one")
        if table:
            experiments = {n: e for n, e in paper.experiments.items() if n == table}
            studies = {n: s for n, s in paper.studies.items() if n == table}
            paper = PaperConfig(experiments=experiments, studies=studies)
        for name, config in paper.studies.items():
            where = f"{path}: studies.{name}"
            entry = get_study(config.study or f"{key}/{name}", where)
            parse(entry.params, config.at(self.run.scale), f"{where}.params")
        return paper

    def study(self, paper: str, name: str) -> tuple[Study, dict[str, Any]]:
        """The study behind a table, and its parameters."""
        config = self.papers[paper].studies[name]
        return get_study(config.study or f"{paper}/{name}"), config.at(self.run.scale)

    def experiment(self, paper: str, name: str) -> Experiment:
        config = self.papers[paper].experiments[name].at(self.run.scale)
        return config.model_copy(update={"design": config.design or f"{paper}/{name}"})

    def series(self, paper: str, name: str) -> list[str]:
        """The ids of an experiment's series, in order."""
        return [series.id for series in self.experiment(paper, name).algorithms]

    def table_path(self, paper: str, name: str) -> Path:
        return Path(self.places.results, "tables", paper, f"{name}.csv")

    def parts(self, paper: str, experiment: str) -> list[str]:
        """The files of an experiment's jobs, from which its table is computed."""
        folder = Path(self.places.results, "simulations")
        return [str(folder / f"{job.name}.parquet") for job in self.jobs_of(paper, experiment)]

    def jobs_of(self, paper: str, experiment: str) -> list[Job]:
        names = (paper, experiment)
        return [job for job in self.jobs.values() if (job.paper, job.experiment) == names]

    def experiments(self) -> list[str]:
        """`paper/name` of every experiment."""
        return [f"{key}/{name}" for key, paper in self.papers.items() for name in paper.experiments]

    def studies(self) -> list[str]:
        """`paper/name` of every study."""
        return [f"{key}/{name}" for key, paper in self.papers.items() for name in paper.studies]

    def tables(self) -> list[str]:
        """`paper/name` of every table: an experiment's or a study's."""
        return [*self.experiments(), *self.studies()]

    def _jobs(self, paper: str) -> list[Job]:
        jobs = []
        for name in self.papers[paper].experiments:
            experiment = self.experiment(paper, name)
            groups = self._groups(experiment, f"config/{paper}.yaml: experiments.{name}")
            jobs += [Job(paper, name, i, (*g,), experiment.metrics) for i, g in enumerate(groups)]
        return jobs

    def _groups(self, experiment: Experiment, where: str) -> list[list[Cell]]:
        """The cells of each job of an experiment, in order; one job for all at the smoke scale.
        If `cells_per_job` is a number, it counts the cells of all series together. If it is a
        mapping, each series in it has jobs of its own, and the others share one job."""
        cells = cells_of(experiment, experiment.seeds_per_block or self.run.seeds_per_block, where)
        size = experiment.cells_per_job or self.run.cells_per_job
        if self.run.scale == "smoke" or size == "all":
            return [cells]
        sizes, ids = size if isinstance(size, dict) else {}, [s.id for s in experiment.algorithms]
        for name in sizes.keys() - ids:
            raise InputError(f"{where}.cells_per_job: '{name}': {nearest(name, ids)}")
        others = [cell for cell in cells if cell.series not in sizes]
        parts = [(others, len(others) if sizes else size)]
        parts += [([c for c in cells if c.series == name], n) for name, n in sizes.items()]
        if experiment.params:  # points differ in length: each job takes some of all lengths
            strides = [(own, -(-len(own) // n)) for own, n in parts if own]
            return [own[first::step] for own, step in strides for first in range(step)]
        return [own[at : at + n] for own, n in parts if own for at in range(0, len(own), n)]


def run_config() -> dict[str, Any]:
    """config/config.yaml with the keys that the run changed (DPBANDITS_CONFIG, as JSON)."""
    return read_yaml(CONFIG) | json.loads(os.environ.get("DPBANDITS_CONFIG", "{}"))


def planned(table: str = "") -> Plan:
    """The plan of the run that this process is a job of; of one table alone as in Plan."""
    return Plan(run_config(), table)
