"""The work of one job: simulate cells, summarise a table, compute a study."""

import itertools
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from dpbandits.core.algorithms import declared, get_study, run
from dpbandits.core.statistics import bands
from dpbandits.core.trajectories import joined
from dpbandits.pipeline.plan import Cell, Job

if TYPE_CHECKING:  # most jobs are short simulations, which need no pandas
    import pandas as pd

KEYS_AFTER_LABELS = ["epsilon", "metric", "t"]


def simulated(job: Job) -> dict[str, np.ndarray]:
    """Long results of all cells: algorithm, labels, epsilon, seed, metric, t, value."""
    return joined([_simulate_cell(cell, job.metrics) for cell in job.cells])


def simulate(job: Job) -> "pd.DataFrame":
    import pandas as pd

    return pd.DataFrame(simulated(job))


def _simulate_cell(cell: Cell, metrics: tuple[str, ...]) -> dict[str, np.ndarray]:
    seeds = range(cell.first_seed, cell.first_seed + cell.seeds)
    with declared([cell.algorithm]):  # whoever asks for the table, a claim that runs others, too
        result = run(
            cell.algorithm, cell.setting, cell.epsilon, cell.horizon, seeds, cell.checkpoints
        )
    columns = result.columns(seeds, cell.checkpoints, metrics)
    labels = {"algorithm": cell.series, **cell.labels, "epsilon": cell.epsilon}
    return {name: _repeated(value, len(columns["t"])) for name, value in labels.items()} | columns


def _repeated(value: Any, count: int) -> np.ndarray:
    if isinstance(value, list):
        return np.fromiter(itertools.repeat(value), object, count)
    return np.full(count, value)


def summarise(parts: Iterable["pd.DataFrame"], labels: list[str] | None) -> "pd.DataFrame":
    """Mean over seeds with its standard error and 95% band, in the order of the config.

    One algorithm after another, as its parts stand together: no more is held at a time. Without
    labels the parts are a study's: their rows stand one after another."""
    import pandas as pd

    if labels is None:
        return pd.concat(list(parts), ignore_index=True)
    keys = ["algorithm", *labels, *KEYS_AFTER_LABELS]
    order: dict[str, dict] = {name: {} for name in keys[:-1]}  # as values appear
    tables = []
    for _, own in itertools.groupby(parts, lambda part: tuple(part["algorithm"].unique())):
        frame = pd.concat(list(own), ignore_index=True)
        for name, seen in order.items():
            seen |= dict.fromkeys(frame[name].unique())
        tables.append(_summary(frame, keys))
    rank = {name: {value: i for i, value in enumerate(seen)} for name, seen in order.items()}
    table = pd.concat(tables, ignore_index=True)
    if table.duplicated(keys).any():
        raise ValueError("the parts of an algorithm must stand together")
    return table.sort_values(
        keys, key=lambda c: c.map(rank[c.name]) if c.name in rank else c, ignore_index=True
    )


def _summary(frame: "pd.DataFrame", keys: list[str]) -> "pd.DataFrame":
    """By seed within a cell: sums must not depend on how seeds were cut into blocks."""
    cell = frame.groupby(keys, sort=False).ngroup()
    frame = frame.assign(cell=cell).sort_values(["cell", "seed"], kind="stable")
    found = frame.groupby("cell")["value"].agg(runs="size", mean="mean", sem="sem", least="min")
    table = frame.drop_duplicates("cell")[keys].reset_index(drop=True).join(found)
    least = table.pop("least")
    table["low"], table["high"] = bands(table["mean"], table["sem"], table["runs"], least)
    return table


def compute_study(name: str, params: dict, where: str = "params") -> "pd.DataFrame":
    return get_study(name).table(params, where)


def label_columns(job: Job) -> list[str]:
    return list(dict.fromkeys(itertools.chain.from_iterable(c.labels for c in job.cells)))
