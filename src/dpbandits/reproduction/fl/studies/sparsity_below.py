"""Study: Figure 3 left below s*: ln R at s less ln R at s*, released constants.

A run reads the same random numbers at s and at s* (its stream leaves s out of the key), so the
error of the difference is that of pairs; `unpaired` is what it would be without the common streams.
"""

import numpy as np
import pandas as pd

from dpbandits.core.models import Count, Model, Several
from dpbandits.core.streams import Streams, key_of
from dpbandits.reproduction.series import Positives
from dpbandits.reproduction.studies import study
from dpbandits.sparse.engine.fliphat import simulate
from dpbandits.sparse.problem import SparseSetting


class Params(Model):
    true_sparsity: Count
    sparsity: tuple[Count, ...]
    epsilon: Positives
    horizon: Count
    runs: Several


@study("fl/sparsity_below", params=Params)
def compute(params: Params) -> pd.DataFrame:
    rows = []
    for epsilon in params.epsilon:
        at = _regret(params, epsilon, params.true_sparsity)
        for s in params.sparsity:
            low = _regret(params, epsilon, s)
            gap, x, y = np.log(low.mean() / at.mean()), low / low.mean(), at / at.mean()
            variances = (x - y).var(ddof=1), x.var(ddof=1) + y.var(ddof=1)
            sizes = params.true_sparsity, params.horizon, params.runs
            rows.append((epsilon, s, *sizes, gap, *np.sqrt(np.divide(variances, params.runs))))
    columns = ["epsilon", "sparsity", "true_sparsity", "t", "runs", "gap", "sem", "unpaired"]
    return pd.DataFrame(rows, columns=columns)


def _regret(params: Params, epsilon: float, sparsity: int) -> np.ndarray:
    """R(horizon) of each run."""
    setting = SparseSetting(true_sparsity=params.true_sparsity, sparsity=sparsity)
    streams = Streams(key_of("fl/sparsity_below", epsilon), tuple(range(params.runs)))
    return simulate(setting, epsilon, params.horizon, streams, [params.horizon]).regret[:, 0]
