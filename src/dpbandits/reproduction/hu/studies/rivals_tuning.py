"""Which settings are best for rivals whose authors leave them open: the table that their defaults
(stochastic/dp_klucb.py, dp_imed.py) are read from. Its instances are used for nothing else."""

from itertools import product
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd

from dpbandits.core.models import Count, Several
from dpbandits.reproduction.designs import Design, Point, Results, design
from dpbandits.reproduction.hu.studies.which import Family
from dpbandits.reproduction.series import Positives


@design("hu/rivals_tuning")
class Tuning(Design):
    """Seed i meets the i-th instance of a family."""

    rivals: dict[str, dict[str, tuple[float, ...]]]  # settings to try, all combinations
    families: dict[str, Family]
    epsilon: Positives
    horizon: tuple[Count, ...]
    instances: Several
    seed: Count

    def points(self) -> list[Point]:
        drawn = {name: self.drawn(name) for name in self.families}
        return [
            Point(
                {"algorithm": name} | own, settings, epsilon, t, seeds=self.instances, only=(name,)
            )
            for name, grid in self.rivals.items()
            for own in combinations(grid)
            for settings in [[setting | own for setting in drawn[f]] for f in drawn]
            for epsilon, t in product(self.epsilon, self.horizon)
        ]  # fmt: skip

    def drawn(self, family: str) -> list[dict[str, Any]]:
        keys = ((self.seed, crc32(family.encode()), i) for i in range(self.instances))
        return [self.families[family].drawn(1, *key)[0] for key in keys]

    def table(self, results: Results) -> pd.DataFrame:
        """Each rival, epsilon, horizon and combination: the geometric means over the families of
        mean regret and of its 95th percentile; `error` is the standard error of the logarithm."""
        rows = [
            point.labels | {
                "epsilon": point.epsilon, "t": point.horizon, "mean": np.log(found.mean()),
                "error": (found.std(ddof=1) / np.sqrt(len(found)) / found.mean()) ** 2,
                "p95": np.log(np.quantile(found, 0.95)),
            }
            for point, _, found in results
        ]  # fmt: skip
        settings = list(dict.fromkeys(key for grid in self.rivals.values() for key in grid))
        keys = ["algorithm", *settings, "epsilon", "t"]
        groups = pd.DataFrame(rows).groupby(keys, sort=False, dropna=False)
        found = groups[["mean", "p95"]].mean().transform(np.exp)
        found.insert(1, "error", np.sqrt(groups["error"].sum()) / groups.size())
        return found.reset_index()


def combinations(grid: dict[str, tuple[float, ...]]) -> list[dict[str, float]]:
    return [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
