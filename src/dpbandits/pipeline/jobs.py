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

    Without labels the parts are a study's: their rows stand one after another."""
    import pandas as pd

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


def compute_study(name: str, params: dict, where: str = "params") -> "pd.DataFrame":
    return get_study(name).table(params, where)


def label_columns(job: Job) -> list[str]:
    return list(dict.fromkeys(itertools.chain.from_iterable(c.labels for c in job.cells)))
