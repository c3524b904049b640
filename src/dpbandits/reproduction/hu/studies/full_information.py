"""Regret over K, the gap, eps and T, one at a time: equal gaps, best action first or last."""

from itertools import product

import pandas as pd

from dpbandits.core.models import Model, Several
from dpbandits.reproduction.designs import Design, Point, Results, design
from dpbandits.reproduction.hu import theory
from dpbandits.reproduction.series import Positives
from dpbandits.reproduction.statistics import mean_with_band


class Varied(Model):
    """Which values each quantity takes, in the order of the rows."""

    arms: tuple[Several, ...] = ()
    gap: Positives = ()
    epsilon: Positives = ()
    horizon: tuple[Several, ...] = ()


@design("hu/full_information")
class FullInformation(Design):
    """One quantity varies at a time, the others stay at the base values. One action, the first or
    the last, has mean 0.5 + gap, the others 0.5."""

    vary: Varied
    base: dict[str, float]

    def points(self) -> list[Point]:
        points = []
        for vary, value in [(vary, value) for vary, values in self.vary for value in values]:
            at = {**self.base, vary: value}
            arms, horizon = int(at["arms"]), int(at["horizon"])
            for best, means in theory.packing_means(arms, at["gap"]).items():
                labels = {"vary": vary, "value": value, "best": best}
                labels |= {"arms": arms, "horizon": horizon, "gap": at["gap"]}
                setting = {"means": [*map(float, means)]}
                points.append(Point(labels, setting, at["epsilon"], horizon))
        return points

    def table(self, results: Results) -> pd.DataFrame:
        rows = []
        pairs = zip(results.points[::2], results.points[1::2], strict=True)  # best first, last
        for pair, series in product(pairs, results.series):
            for point in pair:
                vary, value, *_ = point.labels.values()
                labels = {"vary": vary, "value": value, "algorithm": series.id} | point.labels
                regret = results.regret(series.id, point)
                rows.append(labels | {"epsilon": point.epsilon} | mean_with_band(regret))
        return pd.DataFrame(rows)
