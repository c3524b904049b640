"""Private bandits on random instances at usual sizes: the tables of docs/which.md and rivals.md."""

import math
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from dpbandits.core.algorithms import get_algorithm
from dpbandits.core.models import Count, Model, Several
from dpbandits.reproduction.designs import Design, Point, Results, design
from dpbandits.reproduction.series import Positives
from dpbandits.reproduction.statistics import NORMAL_95
from dpbandits.stochastic.problem import Mean

LONG = 10**4  # rounds; longer runs are on fewer instances
OURS = "na-imed"  # its rivals' settings were chosen on other instances (hu/rivals_tuning)


class Family(Model):
    """Means of arms are uniform in a range; one random arm may be ahead of them."""

    arms: Several
    means: tuple[Mean, Mean] = (0, 1)
    best: Mean | None = None

    def drawn(self, count: int, *key: int) -> list[dict[str, Any]]:
        """The settings of the first instances of a key; without one as `choose` draws them."""
        rng, (low, high) = np.random.default_rng(key or [self.arms, 0]), self.means
        means = low + (high - low) * rng.random((count, self.arms))
        if self.best is not None:
            means[np.arange(count), rng.integers(self.arms, size=count)] = self.best
        return [{"means": row} for row in means.tolist()]


@design("hu/which")
class Which(Design):
    """Seed i meets the i-th instance of a family, the arms in random order."""

    families: dict[str, Family]
    epsilon: Positives
    horizon: tuple[Count, ...]
    instances: Several
    instances_in_long_runs: Several
    slow_in_long_runs: dict[str, Several] = {}  # of series that have fewer

    def points(self) -> list[Point]:
        sizes = product(self.families.items(), self.epsilon, self.horizon)
        return [self.point(name, family, epsilon, t) for (name, family), epsilon, t in sizes]

    def point(self, name: str, family: Family, epsilon: float, t: int) -> Point:
        count, fewer = self.instances, {}
        if t > LONG:
            count, fewer = self.instances_in_long_runs, self.slow_in_long_runs
        return Point({"family": name}, family.drawn(count), epsilon, t, seeds=count, fewer=fewer)

    def table(self, results: Results) -> pd.DataFrame:
        """Private learners, the best first, Thompson sampling, random play, at each size."""
        return pd.DataFrame([row for point in results.points for row in rows(results, point)])


def rows(results: Results, point: Point):
    """`ratio`: mean regret over ours on the same instances, with a 95% interval."""
    regret = {series.id: results.regret(series.id, point) for series in results.series}
    private = [series.id for series in results.series if get_algorithm(series.name).private]
    private.sort(key=lambda id: regret[id].mean())
    means = np.array([setting["means"] for setting in point.setting])
    regret["random-arm"] = point.horizon * (means.max(axis=1)[:, None] - means).mean(axis=1)
    for id in dict.fromkeys([*private, *regret]):
        values, runs = regret[id], len(regret[id])
        mean, half = values.mean(), NORMAL_95 * values.std(ddof=1) / math.sqrt(runs)
        ratio, low, high = paired_ratio(values, regret[OURS][:runs])
        yield {
            "family": point.labels["family"], "epsilon": point.epsilon, "t": point.horizon,
            "runs": runs, "algorithm": id, "mean": mean, "sem": half / NORMAL_95,
            "low": mean - half, "high": mean + half, "p95": np.quantile(values, 0.95),
            "p99": np.quantile(values, 0.99),
            "ratio": ratio, "ratio_low": low, "ratio_high": high,
        }  # fmt: skip


def paired_ratio(above: np.ndarray, below: np.ndarray) -> tuple[float, float, float]:
    """The ratio of two means over the same instances, and its 95% interval (delta method, on the
    logarithm)."""
    ratio = above.mean() / below.mean()
    spread = (above / above.mean() - below / below.mean()).std(ddof=1) / math.sqrt(len(above))
    factor = math.exp(NORMAL_95 * spread)
    return ratio, ratio / factor, ratio * factor
