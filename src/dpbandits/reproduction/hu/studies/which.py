"""What `dpbandits choose` finds for K arms at usual sizes: the table of docs/which.md."""

import math
from itertools import product

import numpy as np
import pandas as pd

from dpbandits.core.algorithms import get_algorithm
from dpbandits.core.models import Count, Model, Range, Several
from dpbandits.reproduction.designs import Design, Point, Results, design
from dpbandits.reproduction.series import Positives
from dpbandits.reproduction.statistics import NORMAL_95

LONG = 10**4  # rounds; longer runs are on fewer instances
LEVEL = 2.0  # standard errors of a paired difference below which two algorithms are level


class Family(Model):
    """Random instances: means of arms are uniform in a range."""

    arms: Several
    means: Range
    instances: Several
    instances_in_long_runs: Several

    def drawn(self, count: int) -> np.ndarray:
        """The means of the first instances, as `choose` draws them."""
        low, high = self.means
        return low + (high - low) * np.random.default_rng([self.arms, 0]).random((count, self.arms))


@design("hu/which")
class Which(Design):
    """Seed i meets the i-th instance of a family."""

    families: dict[str, Family]
    epsilon: Positives
    horizon: tuple[Count, ...]

    def points(self) -> list[Point]:
        sizes = product(self.families.items(), self.epsilon, self.horizon)
        return [_point(name, family, e, horizon) for (name, family), e, horizon in sizes]

    def table(self, results: Results) -> pd.DataFrame:
        """Private learners, the best first, then Thompson sampling and random play, of each size.
        `level`: not to be told from the best."""
        return pd.DataFrame([row for point in results.points for row in _rows(results, point)])


def _point(name: str, family: Family, epsilon: float, horizon: int) -> Point:
    runs = family.instances if horizon <= LONG else family.instances_in_long_runs
    settings = [{"means": means} for means in family.drawn(runs).tolist()]
    return Point({"family": name}, settings, epsilon, horizon, seeds=runs)


def _rows(results: Results, point: Point):
    regret = {series.id: results.regret(series.id, point) for series in results.series}
    private = [series.id for series in results.series if get_algorithm(series.name).private]
    private.sort(key=lambda id: regret[id].mean())
    means = np.array([setting["means"] for setting in point.setting])
    regret["random-arm"] = point.horizon * (means.max(axis=1)[:, None] - means).mean(axis=1)
    for id in dict.fromkeys([*private, *regret]):
        values, runs = regret[id], point.seeds
        sem, behind = values.std(ddof=1) / math.sqrt(runs), values - regret[private[0]]
        level = id in private[1:] and behind.mean() <= LEVEL * behind.std(ddof=1) / math.sqrt(runs)
        yield {
            "family": point.labels["family"], "epsilon": point.epsilon, "t": point.horizon,
            "runs": runs, "algorithm": id, "mean": values.mean(), "sem": sem,
            "low": values.mean() - NORMAL_95 * sem, "high": values.mean() + NORMAL_95 * sem,
            "p95": np.quantile(values, 0.95), "level": int(level),
        }  # fmt: skip
