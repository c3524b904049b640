"""The open problem in numbers: regret in units of ln K/eps + ln K/Delta_min."""

from itertools import product
from typing import Literal

import numpy as np
import pandas as pd

from dpbandits.core.models import Several
from dpbandits.reproduction.designs import Design, Point, Results, design
from dpbandits.reproduction.hu import theory
from dpbandits.reproduction.series import Positives, Series
from dpbandits.reproduction.statistics import mean_with_band

RERUN_FACTOR = 25  # the worst instance is rerun with this many times the seeds

Kind = Literal["equal", "sparse", "doubling"]


@design("hu/constants")
class Constants(Design):
    """Several gaps per kind: whether doubling epochs do well depends on the gap."""

    kinds: tuple[Kind, ...]
    arms: tuple[Several, ...]
    gap: Positives  # the smallest
    epsilon_over_gap: Positives
    beyond: float  # the horizon is this times 1/(Delta_min min(Delta_min, eps))

    def points(self) -> list[Point]:
        points = []
        for kind, arms, gap, ratio in product(
            self.kinds, self.arms, self.gap, self.epsilon_over_gap
        ):
            gaps, best = instance(kind, arms, gap)
            epsilon = ratio * gap
            horizon = int(self.beyond / (gap * min(gap, epsilon)))
            labels = {"instance": kind, "arms": arms, "gap": gap, "epsilon_over_gap": ratio}
            points.append(Point(labels, {"means": (best - gaps).tolist()}, epsilon, horizon))
        return points

    def table(self, results: Results) -> pd.DataFrame:
        """`upper` is the proved bound, where there is one; `lower` that of all instances.
        A maximum of noisy means is biased upwards. So each series' worst instance is run again,
        with new seeds and more of them: `afresh` and its upper end, on that row alone."""
        rows, cases, known = [], [], {series.id: series for series in results.series}
        for point, id, regret in results:
            unit, bounds = _unit_and_bounds(point, known[id])
            rows.append({**point.labels, "horizon": point.horizon, "algorithm": id, **bounds}
                        | mean_with_band(regret / unit))  # fmt: skip
            cases.append((point, unit, len(regret)))
        table = pd.DataFrame(rows)
        for id, series in known.items():
            worst = table["mean"].where(table["algorithm"] == id).idxmax()
            point, unit, seeds = cases[worst]
            again = range(seeds, seeds + RERUN_FACTOR * seeds)
            sizes = point.epsilon, point.horizon, again, [point.horizon]
            band = mean_with_band(series.run(point.setting, *sizes).regret[:, 0] / unit)
            table.loc[worst, ["afresh", "afresh_high"]] = band["mean"], band["high"]
        return table


def instance(kind: Kind, arms: int, gap: float) -> tuple[np.ndarray, float]:
    """Gaps, the best action last, and the best mean: in `sparse` all others are 0."""
    if kind == "doubling":
        gaps = np.minimum(gap * 2.0 ** np.arange(arms - 1), 0.75)
    else:
        gaps = np.full(arms - 1, gap)
    best = {"equal": 0.5 + gap, "sparse": gap, "doubling": 0.75}[kind]
    return np.concatenate([gaps[::-1], [0.0]]), best


def _unit_and_bounds(point: Point, series: Series) -> tuple[float, dict[str, float]]:
    """ln K/eps + ln K/Delta_min, and the proved bounds in it."""
    kind, arms, gap, _ = point.labels.values()
    unit = np.log(arms) * (1 / point.epsilon + 1 / gap)
    private = theory.theorem_l_bound(arms, gap, point.epsilon, point.horizon)
    lower = max(private, theory.theorem_m_bound(arms, gap, point.horizon))
    variant, upper = series.with_.get("variant"), np.nan
    if variant in theory.WEIGHT:
        gaps = instance(kind, arms, gap)[0]
        upper = theory.theorem_o_instance_bound(gaps, point.epsilon, variant)
    return unit, {"lower": lower / unit, "upper": upper / unit}
