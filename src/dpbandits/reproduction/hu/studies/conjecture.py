"""Section 7: eps x regret over K, on doubling gaps and on equal gaps."""

from itertools import product
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from dpbandits.core.models import Several
from dpbandits.reproduction.designs import Design, Point, Results, design
from dpbandits.reproduction.hu import theory
from dpbandits.reproduction.series import Positives
from dpbandits.reproduction.statistics import mean_with_band


@design("hu/conjecture")
class Conjecture(Design):
    """Instances of Section 7 with Delta_min = 2^-(K-1), so that the largest gap is 1/2; the best
    action is the last, the best mean 3/4."""

    arms: tuple[Several, ...]
    epsilon_over_gap: Positives  # eps = this times Delta_min
    beyond: Annotated[float, Field(ge=1)]  # the horizon is this times 1/(eps Delta_min)

    def points(self) -> list[Point]:
        points = []
        for kind, arms, ratio in product(("doubling", "equal"), self.arms, self.epsilon_over_gap):
            gaps = conjecture_gaps(kind, arms)
            epsilon = ratio * gaps[1]
            horizon = int(min(2.0**52, self.beyond / (epsilon * gaps[1])))
            labels = {"instance": kind, "arms": arms, "epsilon_over_gap": ratio}
            points.append(
                Point(labels, {"means": (0.75 - gaps)[::-1].tolist()}, float(epsilon), horizon)
            )
        return points

    def table(self, results: Results) -> pd.DataFrame:
        """Beside Theorem 9's bound and the one of the optimal rate."""
        rows = []
        for point, algorithm, regret in results:
            gaps, e = conjecture_gaps(point.labels["instance"], point.labels["arms"]), point.epsilon
            bounds = {
                "theorem9": e * theory.rnm_ftnl_bound(gaps, e, point.horizon),
                "optimal": e * theory.theorem_o_instance_bound(gaps, e, "phase"),
            }
            labels = point.labels | {"algorithm": algorithm, "horizon": point.horizon}
            rows.append({**labels, **bounds, **mean_with_band(e * regret)})
        return pd.DataFrame(rows)


def conjecture_gaps(kind: str, arms: int) -> np.ndarray:
    """Delta_j = Delta_min 2^(j-2) for j = 2..K (doubling), or all Delta_min (equal)."""
    smallest = 2.0 ** -(arms - 1)
    powers = np.arange(arms - 1) if kind == "doubling" else np.zeros(arms - 1)
    return np.concatenate([[0.0], smallest * 2.0**powers])
