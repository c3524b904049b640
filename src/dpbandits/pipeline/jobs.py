"""The work of one job: simulate cells, summarise a table, compute a study."""

import itertools
from collections.abc import Iterable

import pandas as pd

from dpbandits.core.algorithms import declared, get_study, run
from dpbandits.core.statistics import bands
from dpbandits.pipeline.plan import Cell, Job

KEYS_AFTER_LABELS = ["epsilon", "metric", "t"]


def simulate(job: Job) -> pd.DataFrame:
    """Long results of all cells: algorithm, labels, epsilon, seed, metric, t, value."""
    return pd.concat([_simulate_cell(cell, job.metrics) for cell in job.cells], ignore_index=True)


def _simulate_cell(cell: Cell, metrics: tuple[str, ...]) -> pd.DataFrame:
    seeds = range(cell.first_seed, cell.first_seed + cell.seeds)
    with declared([cell.algorithm]):  # whoever asks for the table, a claim that runs others, too
        result = run(
            cell.algorithm, cell.setting, cell.epsilon, cell.horizon, seeds, cell.checkpoints
        )
    frame = result.frame(tuple(seeds), cell.checkpoints)
    wanted = frame["metric"].str.replace(r"\[.*", "", regex=True).isin(metrics)
    frame = frame[wanted]
    labels = {"algorithm": cell.series, **cell.labels, "epsilon": cell.epsilon}
    for place, (column, value) in enumerate(labels.items()):
        frame.insert(place, column, [value] * len(frame))
    return frame


def summarise(parts: Iterable[pd.DataFrame], labels: list[str] | None) -> pd.DataFrame:
    """Mean over seeds with its standard error and 95% band, in the order of the config.

    Without labels the parts are a study's: their rows stand one after another."""
    frame = pd.concat(list(parts), ignore_index=True)
    if labels is None:
        return frame
    keys = ["algorithm", *labels, *KEYS_AFTER_LABELS]
    order = keys[:-1]
    rank = {c: {v: i for i, v in enumerate(frame[c].drop_duplicates())} for c in order}
    # by seed within a cell: sums must not depend on how seeds were cut into blocks
    frame = frame.sort_values(
        [*keys, "seed"], key=lambda c: c.map(rank[c.name]) if c.name in rank else c, kind="stable"
    )
    found = frame.groupby(keys, sort=False)["value"]
    table = found.agg(runs="size", mean="mean", sem="sem", least="min").reset_index()
    least = table.pop("least")
    table["low"], table["high"] = bands(table["mean"], table["sem"], table["runs"], least)
    return table


def compute_study(name: str, params: dict, where: str = "params") -> pd.DataFrame:
    return get_study(name).table(params, where)


def label_columns(job: Job) -> list[str]:
    return list(dict.fromkeys(itertools.chain.from_iterable(c.labels for c in job.cells)))
