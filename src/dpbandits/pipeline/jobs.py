"""The work of one job: simulate cells, summarise a table, compute a study."""

import itertools
import math
from collections.abc import Iterable

import pandas as pd

from dpbandits.core.algorithms import get_study, run
from dpbandits.pipeline.plan import Cell, Job

KEYS_AFTER_LABELS = ["epsilon", "metric", "t"]


def simulate(job: Job) -> pd.DataFrame:
    """Long results of all cells: algorithm, labels, epsilon, seed, metric, t, value."""
    return pd.concat([_simulate_cell(cell, job.metrics) for cell in job.cells], ignore_index=True)


def _simulate_cell(cell: Cell, metrics: tuple[str, ...]) -> pd.DataFrame:
    seeds = range(cell.first_seed, cell.first_seed + cell.seeds)
    result = run(cell.algorithm, cell.setting, cell.epsilon, cell.horizon, seeds, cell.checkpoints)
    frame = result.frame(tuple(seeds), cell.checkpoints)
    wanted = frame["metric"].str.replace(r"\[.*", "", regex=True).isin(metrics)
    frame = frame[wanted]
    labels = {"algorithm": cell.series, **cell.labels, "epsilon": cell.epsilon}
    for place, (column, value) in enumerate(labels.items()):
        frame.insert(place, column, [value] * len(frame))
    return frame


def summarise(parts: Iterable[pd.DataFrame], labels: list[str]) -> pd.DataFrame:
    """Mean over seeds with its standard error and 95% t band, in the order of the config."""
    frame = pd.concat(list(parts), ignore_index=True)
    keys = ["algorithm", *labels, *KEYS_AFTER_LABELS]
    order = [*keys[:-2], "metric"]
    rank = {c: {v: i for i, v in enumerate(frame[c].drop_duplicates())} for c in order}
    # by seed within a cell: sums must not depend on how seeds were cut into blocks
    frame = frame.sort_values(
        [*keys, "seed"], key=lambda c: c.map(rank[c.name]) if c.name in rank else c, kind="stable"
    )
    table = frame.groupby(keys, sort=False)["value"].agg(runs="size", mean="mean", sem="sem")
    table = table.reset_index()
    half = table["sem"] * table["runs"].map(_quantiles(table["runs"].unique()))
    table["low"] = table["mean"] - half
    table["high"] = table["mean"] + half
    return table


def _quantiles(counts: Iterable[int]) -> dict[int, float]:
    """97.5% quantile of Student's t for each number of runs (none for a single run)."""
    from scipy.special import stdtrit  # scipy.stats takes a second to import

    return {n: float(stdtrit(n - 1, 0.975)) if n > 1 else math.nan for n in counts}


def compute_study(name: str, params: dict, where: str = "params") -> pd.DataFrame:
    return get_study(name).table(params, where)


def label_columns(job: Job) -> list[str]:
    return list(dict.fromkeys(itertools.chain.from_iterable(c.labels for c in job.cells)))
