"""Figure 3 left below s*: ln R at s less ln R at s*, released constants.

A run reads the same random numbers at s and at s* (its stream leaves s out of the key), so the
error of the difference is that of pairs; `unpaired` is what it would be without the common streams.
"""

import numpy as np
import pandas as pd

from dpbandits.core.models import Count
from dpbandits.reproduction.designs import Design, Point, Results, design
from dpbandits.reproduction.series import Positives


@design("fl/sparsity_below")
class SparsityBelow(Design):
    true_sparsity: Count
    sparsity: tuple[Count, ...]
    epsilon: Positives
    horizon: Count

    def points(self) -> list[Point]:
        return [
            Point({"sparsity": s}, {"true_sparsity": self.true_sparsity, "sparsity": s}, epsilon,
                  self.horizon, common=("fl/sparsity_below", epsilon))
            for epsilon in self.epsilon for s in (self.true_sparsity, *self.sparsity)
        ]  # fmt: skip

    def table(self, results: Results) -> pd.DataFrame:
        rows = []
        for point, _, low in results:
            s, epsilon = point.labels["sparsity"], point.epsilon
            if s == self.true_sparsity:
                at = low
                continue
            gap, x, y = np.log(low.mean() / at.mean()), low / low.mean(), at / at.mean()
            variances = (x - y).var(ddof=1), x.var(ddof=1) + y.var(ddof=1)
            sizes = self.true_sparsity, self.horizon, len(low)
            rows.append((epsilon, s, *sizes, gap, *np.sqrt(np.divide(variances, len(low)))))
        columns = ["epsilon", "sparsity", "true_sparsity", "t", "runs", "gap", "sem", "unpaired"]
        return pd.DataFrame(rows, columns=columns)
