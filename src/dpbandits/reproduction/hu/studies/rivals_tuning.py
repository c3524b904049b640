"""Which settings are best for rivals whose authors leave them open: the table that their defaults
(stochastic/dp_klucb.py, dp_imed.py) are read from. Its instances are used for nothing else."""

from itertools import product
from typing import Any
from zlib import crc32

import numpy as np
import pandas as pd

from dpbandits.core.models import Count, Model, Several
from dpbandits.reproduction.hu.instances import Family
from dpbandits.reproduction.series import Positives, Series
from dpbandits.reproduction.studies import study


class Tuning(Model):
    rivals: dict[str, dict[str, tuple[float, ...]]]  # settings to try, all combinations
    families: dict[str, Family]
    epsilon: Positives
    horizon: tuple[Count, ...]
    instances: Several
    seed: Count


@study("hu/rivals_tuning", params=Tuning, runs=lambda params: list(params.rivals))
def rivals_tuning(params: Tuning) -> pd.DataFrame:
    """Each rival, epsilon, horizon and combination: the geometric means over the families of mean
    regret and of its 95th percentile; `error` is the standard error of the logarithm."""
    rows = []
    for name, grid in params.rivals.items():
        for values, epsilon, t in product(product(*grid.values()), params.epsilon, params.horizon):
            own: dict[str, Any] = dict(zip(grid, values, strict=True))
            series = Series(id=name, name=name, **{"with": own})
            rows.append({"algorithm": name} | own | cell(params, series, epsilon, t))
    columns = ["algorithm", *dict.fromkeys(key for grid in params.rivals.values() for key in grid)]
    return pd.DataFrame(rows)[[*columns, "epsilon", "t", "mean", "error", "p95"]]


def cell(params: Tuning, series: Series, epsilon: float, t: int) -> dict[str, float]:
    means, errors, tails = [], [], []
    for name, family in params.families.items():
        keys = ((params.seed, crc32(name.encode()), i) for i in range(params.instances))
        settings = [family.drawn(1, *key)[0] for key in keys]
        runs = (series.run(own, epsilon, t, [i], [t]) for i, own in enumerate(settings))
        found = np.array([run.regret[0, 0] for run in runs])
        means.append(found.mean())
        errors.append(found.std(ddof=1) / np.sqrt(len(found)) / found.mean())
        tails.append(np.quantile(found, 0.95))
    return {
        "epsilon": epsilon, "t": t, "mean": geometric(means), "p95": geometric(tails),
        "error": float(np.sqrt(np.square(errors).sum())) / len(errors),
    }  # fmt: skip


def geometric(values) -> float:
    return float(np.exp(np.log(values).mean()))
