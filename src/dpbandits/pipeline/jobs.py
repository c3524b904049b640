"""The work of one job: simulate cells, summarise a table, compute a study."""

import itertools
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from dpbandits.core.algorithms import declared, get_study, run
from dpbandits.core.statistics import bands
from dpbandits.core.trajectories import joined
from dpbandits.pipeline.plan import Cell, Job, Plan

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


def summarise(parts: Iterable["pd.DataFrame"], series: list[str]) -> "pd.DataFrame":
    """Mean over seeds with its standard error and 95% interval, in the order of the config.

    series: the experiment's, in their order; the cells of each stand in order in the parts."""
    import pandas as pd

    frame = pd.concat(list(parts), ignore_index=True)
    place = frame["algorithm"].map({id: i for i, id in enumerate(series)})
    frame = frame.iloc[place.argsort(kind="stable")]
    columns = list(frame.columns)
    keys = [*columns[: columns.index("epsilon")], *KEYS_AFTER_LABELS]
    table = _summary(frame, keys)
    order = {name: {v: i for i, v in enumerate(frame[name].unique())} for name in keys[:-1]}
    return table.sort_values(
        keys, key=lambda c: c.map(order[c.name]) if c.name in order else c, ignore_index=True
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


def compute_study(name: str, params: dict) -> "pd.DataFrame":
    return get_study(name).table(params)


def table_of(plan: Plan, paper: str, name: str) -> "pd.DataFrame":
    """A table from scratch, in this process."""
    if name in plan.papers[paper].studies:
        study, params = plan.study(paper, name)
        return study.table(params)
    return summarise(map(simulate, plan.jobs_of(paper, name)), plan.series(paper, name))
