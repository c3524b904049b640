"""dp-linear beside the others where few coordinates matter and where all do.

FL's problem, beta* on five or on all coordinates, |b_j| in [0.5, 1]; each algorithm's regret over
that of random arms. FLIPHAT and dp-linear get rewards clipped at two of their standard deviations.
All contexts are normal, which dp-signs is made for and dp-linear makes no use of.
"""

import math
from typing import Annotated

import pandas as pd
from pydantic import Field

from dpbandits.core.models import Count, parse
from dpbandits.reproduction.designs import Design, Point, Results, design
from dpbandits.reproduction.series import Name, Positives, Share
from dpbandits.reproduction.statistics import mean_with_band
from dpbandits.sparse.problem import SparseSetting, signal_variance

IDLE = "random-arm"


@design("fl/dense")
class Dense(Design):
    d: tuple[Annotated[int, Field(ge=5)], ...]
    epsilon: Positives
    rounds: tuple[Count, ...]
    delta: Share
    clipped: tuple[Name, ...]  # the series that read `clip`, and those beside them

    def points(self) -> list[Point]:
        points = []
        for d in self.d:
            for problem, count in {"few": 5, "all": d}.items():
                setting = {"d": d, "true_sparsity": count, "sparsity": min(2 * count, d)}
                setting["delta"] = self.delta
                variance = signal_variance(parse(SparseSetting, setting, "setting"))
                clip = {"clip": 2 * math.sqrt(variance)}
                sizes, labels = (max(self.rounds), self.rounds), {"problem": problem, "d": d}
                points.append(Point(labels, setting, math.inf, *sizes, only=(IDLE,)))
                points += [
                    Point(labels, setting | clip, epsilon, *sizes, only=self.clipped)
                    for epsilon in self.epsilon
                ]
        return points

    def table(self, results: Results) -> pd.DataFrame:
        rows = []
        for point, id, regret in results:
            if id == IDLE:
                idle = regret.mean(axis=0)
                continue
            keys = point.labels | {"epsilon": point.epsilon, "algorithm": id}
            for t, share in zip(self.rounds, (regret / idle).T, strict=True):
                rows.append(keys | {"t": t} | mean_with_band(share))
        return pd.DataFrame(rows)
