"""Theorem 12 on its packing class: the largest regret over the class at the smallest T allowed."""

from itertools import product

import numpy as np
import pandas as pd

from dpbandits.core.models import Several
from dpbandits.reproduction.designs import Design, Point, Results, design
from dpbandits.reproduction.hu import theory
from dpbandits.reproduction.series import Positives
from dpbandits.reproduction.statistics import mean_with_band


@design("hu/lower_bound")
class LowerBound(Design):
    """The packing class of Theorem 12, for RNM-FTNL and FTNL.
    They treat all actions alike after round 1, so their regret has the same law on all instances
    whose best action is not the first. Two instances are simulated; the larger mean is that of the
    class."""

    arms: tuple[Several, ...]
    gap: Positives
    epsilon: Positives

    def points(self) -> list[Point]:
        points = []
        for arms, gap, epsilon in product(self.arms, self.gap, self.epsilon):
            private = theory.lower_bound_rounds(arms, gap, epsilon)
            horizon = int(np.ceil(max(private, np.log(arms) / (16 * gap**2))))
            for best, means in theory.packing_means(arms, gap).items():
                labels = {"arms": arms, "gap": gap, "best": best}
                points.append(Point(labels, {"means": [*map(float, means)]}, epsilon, horizon))
        return points

    def table(self, results: Results) -> pd.DataFrame:
        keys = ["arms", "gap", "epsilon", "algorithm"]
        rows = pd.DataFrame([
            point.labels | {"epsilon": point.epsilon, "algorithm": id, "horizon": point.horizon}
            | mean_with_band(regret)
            for point, id, regret in results
        ])  # fmt: skip
        largest = rows.loc[rows.groupby(keys, sort=False)["mean"].idxmax()]
        return largest[list(dict.fromkeys([*keys, "horizon", "best", *largest]))]
