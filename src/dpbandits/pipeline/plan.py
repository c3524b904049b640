"""How the config unfolds into jobs.

An experiment is algorithms x settings x epsilon x seeds. Its smallest piece is a cell: one
algorithm at one setting and one epsilon, for one block of seeds. A job is some cells of one
experiment: starting a process costs more than many simulations. Neither blocks nor jobs ever change
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
    part: int
    cells: tuple[Cell, ...]
    metrics: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.paper}/{self.experiment}/{self.part}"

    @property
    def modules(self) -> tuple[str, ...]:
        names = sorted({cell.algorithm for cell in self.cells})
        return tuple(module for name in names for module in get_algorithm(name).modules)

    def spec(self) -> str:
        """The job as text: the workflow reruns it when this changes."""
        return json.dumps(self, default=vars, sort_keys=True)


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


def _chunks(cells: list[Cell], size: int) -> list[list[Cell]]:
    return [cells[start : start + size] for start in range(0, len(cells), size)]


class Plan:
    """Everything that one scale runs, validated: what the workflow reads.

    table: PAPER/NAME, to read one experiment or study of one paper alone, as a job does.
    """

    def __init__(self, run: RunConfig, folder: str | Path = "config", table: str = "") -> None:
        self.run = run
        self.only = table.partition("/")[2]
        self.folder = Path(folder)
        self.places = self._places()
        keys = [*known_papers()] if run.papers == "all" else run.papers
        self.papers = {key: self._paper(key) for key in keys}
        self.jobs = {job.name: job for key in self.papers for job in self._jobs(key)}

    @classmethod
    def load(cls, config: dict[str, Any], folder: str | Path = "config", table: str = "") -> "Plan":
        """From the merged config of a run (config.yaml and what the command line changed)."""
        if table:
            config = config | {"papers": [table.split("/")[0]]}
        return cls(parse(RunConfig, config, f"{folder}/config.yaml"), folder, table)

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
        if self.only:
            kinds = ("experiments", "studies")
            own = {k: {n: e for n, e in getattr(paper, k).items() if n == self.only} for k in kinds}
            paper = paper.model_copy(update=own)
        for name in paper.studies:
            self._check_study(key, paper, name)
        return paper

    def _check_study(self, key: str, paper: PaperConfig, name: str) -> None:
        where = f"{self.folder}/{key}.yaml: studies.{name}"
        config = paper.studies[name]
        entry, params = get_study(config.study or f"{key}/{name}", where), self.params(config)
        parse(entry.params, params, f"{where}.params")

    def params(self, config: StudyConfig) -> dict[str, Any]:
        return config.params | config.scales.get(self.run.scale, {})

    def study(self, paper: str, name: str) -> tuple[Study, dict[str, Any]]:
        """What computes a table that is no experiment, and with which parameters."""
        config = self.papers[paper].studies[name]
        return get_study(config.study or f"{paper}/{name}"), self.params(config)

    def parts(self, paper: str, experiment: str) -> list[str]:
        """The files of an experiment's jobs, from which its table is summarised."""
        return [str(self.part_path(job)) for job in self.jobs_of(paper, experiment)]

    def table_path(self, paper: str, name: str) -> Path:
        return Path(self.places.results, "tables", paper, f"{name}.csv")

    def verdicts_path(self, paper: str) -> str:
        return str(Path(self.places.results, "claims", paper, "verdicts.csv"))

    def part_path(self, job: Job) -> Path:
        return Path(self.places.results, "simulations", f"{job.name}.parquet")

    def experiment(self, paper: str, name: str) -> Experiment:
        return self.papers[paper].experiments[name].at(self.run.scale)

    def series(self, paper: str, name: str) -> list[str]:
        """The ids of an experiment's series, in order."""
        return [series.id for series in self.experiment(paper, name).algorithms]

    def _jobs(self, paper: str) -> list[Job]:
        jobs = []
        for name in self.papers[paper].experiments:
            experiment = self.experiment(paper, name)
            where = f"{self.folder}/{paper}.yaml: experiments.{name}"
            block = experiment.seeds_per_block or self.run.seeds_per_block
            cells = cells_of(experiment, block, where)
            groups = self._groups(cells, experiment, where)
            jobs += [
                Job(paper, name, part, tuple(group), experiment.metrics)
                for part, group in enumerate(groups)
            ]
        return jobs

    def _groups(self, cells: list[Cell], experiment: Experiment, where: str) -> list[list[Cell]]:
        """The cells of each job of an experiment, in order; one job for all at the smoke scale.

        A number counts the cells of all series together. A mapping cuts the series that it names,
        each by itself; the others share a job.
        """
        size = experiment.cells_per_job or self.run.cells_per_job
        if self.run.scale == "smoke" or size == "all":
            return [cells]
        if not isinstance(size, dict):
            return _chunks(cells, size)
        known = [series.id for series in experiment.algorithms]
        for name in size.keys() - known:
            raise InputError(f"{where}.cells_per_job: '{name}': {nearest(name, known)}")
        rest = [cell for cell in cells if cell.series not in size]
        groups = [rest] if rest else []
        for name, count in size.items():
            groups += _chunks([cell for cell in cells if cell.series == name], count)
        return groups

    def jobs_of(self, paper: str, experiment: str) -> list[Job]:
        chosen = (paper, experiment)
        return [job for job in self.jobs.values() if (job.paper, job.experiment) == chosen]

    def experiments(self) -> list[str]:
        """`paper/name` of every experiment."""
        return [f"{key}/{name}" for key, paper in self.papers.items() for name in paper.experiments]

    def studies(self) -> list[str]:
        """`paper/name` of every study."""
        return [f"{key}/{name}" for key, paper in self.papers.items() for name in paper.studies]

    def tables(self) -> list[str]:
        """`paper/name` of every table: an experiment's or a study's."""
        return [*self.experiments(), *self.studies()]


def load_plan(scale: str | None = None, paper: str | None = None) -> Plan:
    """The plan of the checkout in the current folder, or one paper's part of it."""
    if not CONFIG.is_file():
        raise InputError(f"there is no {CONFIG} here; allowed: in a checkout of dpbandits")
    config = read_yaml(CONFIG)
    only = {"scale": scale, "papers": [paper] if paper else None}
    return Plan.load(config | {key: value for key, value in only.items() if value})
