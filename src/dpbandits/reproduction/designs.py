"""Designs: experiments of which a config of settings x epsilons x horizon cannot say everything.

# src/dpbandits/reproduction/hu/studies/my_experiment.py
@design("hu/my_experiment")
class MyExperiment(Design):
    gap: Positives  # `params` in config/hu.yaml

    def points(self): ...  # what each algorithm is simulated at
    def table(self, results): ...  # a pandas.DataFrame of all results

Its simulations are cut into jobs like those of any experiment.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from dpbandits.core.algorithms import get_algorithm
from dpbandits.core.models import Model
from dpbandits.core.registry import Registry
from dpbandits.reproduction.papers import registry_of
from dpbandits.reproduction.series import Series


@dataclass(frozen=True, eq=False)
class Point:
    """A setting at an epsilon and a horizon.

    setting: its keys; or one setting for each seed, as of random instances.
    checkpoints: by default the horizon alone. seeds: by default those of the experiment; fewer: of
    series, by id, that have fewer than the others.
    only: ids of the series that are simulated here; by default all.
    common: coordinates of the random numbers in place of algorithm, setting, epsilon and horizon,
    so that points that share them can be compared in pairs.
    """

    labels: dict[str, Any]
    setting: dict[str, Any] | Sequence[dict[str, Any]]
    epsilon: float
    horizon: int
    checkpoints: tuple[int, ...] = ()
    seeds: int = 0
    only: tuple[str, ...] = ()
    common: tuple[Any, ...] = ()
    fewer: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def without_epsilon(self) -> str:
        """A digest of what a simulation without privacy depends on, and the setting's name."""
        rest = (self.setting, self.horizon, self.checkpoints, self.seeds, self.common)
        rest = (self.labels.get("setting"), *rest)
        return hashlib.blake2b(json.dumps(rest).encode(), digest_size=8).hexdigest()


@dataclass(frozen=True)
class Results:
    """What was simulated at every point."""

    series: Sequence[Series]
    points: Sequence[Point]
    frame: pd.DataFrame  # in long form, with the number of the point
    metric: str = "regret"  # what is read of it

    @cached_property
    def _regrets(self) -> dict[tuple[str, Point], np.ndarray]:
        rows = self.frame[self.frame["metric"] == self.metric].sort_values(["seed", "t"])
        cells = {key: own.to_numpy() for key, own in rows.groupby(["algorithm", "point"])["value"]}
        return {
            (series.id, self.points[number]): cells[series.id, simulated]
            for series in self.series
            for number, simulated in distinct(self.points, series).items()
        }

    def regret(self, series: str, point: Point) -> np.ndarray:
        """Of each seed; with a column for each checkpoint if the point has several."""
        found, columns = self._regrets[series, point], len(point.checkpoints)
        return found.reshape(-1, columns) if columns > 1 else found

    def __iter__(self) -> Iterator[tuple[Point, str, np.ndarray]]:
        """(point, id of the series, regret): all series of the first point, then of the next."""
        for point in self.points:
            for series in self.series:
                if (series.id, point) in self._regrets:
                    yield point, series.id, self.regret(series.id, point)


def distinct(points: Sequence[Point], series: Series) -> dict[int, int]:
    """Of each point of a series, by number, the one that is simulated in its place: of points that
    differ in epsilon alone the first, if the series is not private."""
    private, first = get_algorithm(series.name).private, {}
    return {
        number: number if private else first.setdefault(point.without_epsilon, number)
        for number, point in enumerate(points) if series.id in (point.only or (series.id,))
    }  # fmt: skip


class Design(Model):
    """An experiment; its fields are `params` of the config."""

    def points(self) -> list[Point]:
        raise NotImplementedError

    def table(self, results: Results) -> pd.DataFrame:
        raise NotImplementedError


DESIGNS: Registry[type[Design]] = registry_of("design", "studies")


def design(name: str):
    """Register a Design for the experiment `PAPER/name`, e.g. "hu/which"."""
    return DESIGNS.register(name, lambda entry: entry)


def get_design(name: str, where: str = "") -> type[Design]:
    return DESIGNS.get(name, where)
