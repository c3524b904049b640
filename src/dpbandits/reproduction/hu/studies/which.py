"""What `dpbandits choose` finds for K arms at usual sizes: the table of docs/which.md."""

from itertools import product

import pandas as pd

from dpbandits.core.choose import ARMS, choose, private
from dpbandits.core.models import Count, Model, Range, Several
from dpbandits.reproduction.series import Positives
from dpbandits.reproduction.statistics import NORMAL_95
from dpbandits.reproduction.studies import study

LONG = 10**4  # rounds; longer runs are on fewer instances
BESIDE = (ARMS.beside, "random-arm")  # not private


class Family(Model):
    """Random instances: means of arms are uniform in a range."""

    arms: Several
    means: Range
    instances: Several
    instances_in_long_runs: Several


class Which(Model):
    families: dict[str, Family]
    epsilon: Positives
    horizon: tuple[Count, ...]


@study("hu/which", params=Which, runs=lambda params: [*private(ARMS.folder), ARMS.beside])
def which(params: Which) -> pd.DataFrame:
    """Private learners, the best first, then Thompson sampling and random play, of each size."""
    sizes = product(params.families.items(), params.epsilon, params.horizon)
    return pd.concat(
        [at(name, family, epsilon, horizon) for (name, family), epsilon, horizon in sizes]
    )


def at(name: str, family: Family, epsilon: float, horizon: int) -> pd.DataFrame:
    """One size; `level`: not to be told from the best."""
    runs = family.instances if horizon <= LONG else family.instances_in_long_runs
    sizes = {"arms": family.arms, "means": family.means, "epsilon": epsilon, "horizon": horizon}
    found = choose(**sizes, instances=runs)
    names = [*(row.algorithm for row in found.rows), *BESIDE]
    place = {"family": name, "epsilon": epsilon, "t": horizon, "runs": runs}
    rows = [
        place | {
            "algorithm": algorithm, "mean": row.mean, "sem": row.error,
            "low": row.mean - NORMAL_95 * row.error, "high": row.mean + NORMAL_95 * row.error,
            "p95": row.p95, "level": int(algorithm in found.level),
        }
        for algorithm, row in zip(names, (*found.rows, *found.beside), strict=True)
    ]  # fmt: skip
    return pd.DataFrame(rows)
