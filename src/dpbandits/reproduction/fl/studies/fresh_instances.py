"""dp-signs beside FLIPHAT's presets on signals for which no constants were chosen.

The shares of rho of dp-signs, and its first episode, were chosen on the paper's instance. Here
every instance has its own beta*, of one of three kinds: `alike`, |b_j| uniform in [0.5, 1] as in
the paper; `uneven`, log-uniform in [0.1, 1]; `noisy`, as alike with more noise and correlated
contexts. A row is a mean over instances of the regret over that of the random arm on the same
instance; `best` is the share of instances on which no other private learner has less regret.
"""

import math
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from dpbandits.core.algorithms import get_algorithm
from dpbandits.core.models import Count, Several, parse
from dpbandits.core.streams import Streams, key_of
from dpbandits.reproduction.designs import Design, Point, Results, design
from dpbandits.reproduction.series import Positives, Series
from dpbandits.reproduction.statistics import NORMAL_95

IDLE = "random-arm"
KINDS = {
    "alike": (lambda rng, s: rng.uniform(0.5, 1, s), {}),
    "uneven": (lambda rng, s: 10 ** rng.uniform(-1, 0, s), {}),
    "noisy": (lambda rng, s: rng.uniform(0.5, 1, s), {"sigma": 1.0, "rho": 0.5}),
}


@design("fl/fresh_instances")
class FreshInstances(Design):
    instances: Several
    horizon: Count
    d: Annotated[int, Field(ge=10)]
    epsilon: Positives

    def points(self) -> list[Point]:
        points = []
        for kind, (sizes, more) in KINDS.items():
            for i in range(self.instances):
                rng = Streams(key_of("fl/fresh_instances", kind), (i,)).generator(0)
                count = int(rng.integers(3, 9))
                beta = np.round(sizes(rng, count) * rng.choice([-1.0, 1.0], count), 5)
                setting = {"d": self.d, "beta": beta.tolist(), **more}
                labels = {"kind": kind, "instance": i}
                points += [Point(labels, setting, e, self.horizon) for e in self.epsilon]
        return points

    def table(self, results: Results) -> pd.DataFrame:
        rows = [
            point.labels | {"epsilon": point.epsilon, "algorithm": id}
            | {"share": regret.mean() / results.regret(IDLE, point).mean()}
            for point, id, regret in results if id != IDLE
        ]  # fmt: skip
        private = [series.id for series in results.series if _is_private(series)]
        return _summary(pd.DataFrame(rows), private)


def _is_private(series: Series) -> bool:
    """True if it promises a finite epsilon, and the promise is true."""
    entry = get_algorithm(series.name)
    setting = parse(entry.setting, series.with_, series.id)
    return entry.private and math.isfinite(entry.real_epsilon(setting, 1.0))


def _summary(data: pd.DataFrame, private: list[str]) -> pd.DataFrame:
    cell = ["kind", "instance", "epsilon"]
    least = data[data["algorithm"].isin(private)].groupby(cell)["share"].min().rename("least")
    data = data.join(least, on=cell)
    data["best"] = data["share"] <= data["least"]
    groups = data.groupby(["kind", "epsilon", "algorithm"], sort=False)
    table = groups["share"].agg(mean="mean", sem="sem", worst="max", instances="count")
    table["best"] = groups["best"].mean()
    table["low"] = table["mean"] - NORMAL_95 * table["sem"]
    table["high"] = table["mean"] + NORMAL_95 * table["sem"]
    return table.reset_index()
