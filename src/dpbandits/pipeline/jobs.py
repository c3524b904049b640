"""The work of one job: simulate cells, summarise a table, compute a study."""

from collections.abc import Iterable

import pandas as pd

from dpbandits.core.algorithms import allow_only, run
from dpbandits.core.statistics import bands
from dpbandits.pipeline.plan import Cell, Job, Plan

KEYS_AFTER_LABELS = ["epsilon", "metric", "t"]


def simulate(job: Job) -> pd.DataFrame:
    """Long results of all cells: algorithm, labels, epsilon, seed, metric, t, value."""
    return pd.concat([_simulate_cell(cell, job.metrics) for cell in job.cells], ignore_index=True)


def _simulate_cell(cell: Cell, metrics: tuple[str, ...]) -> pd.DataFrame:
    seeds = range(cell.first_seed, cell.first_seed + cell.seeds)
    with allow_only([cell.algorithm]):  # even if a claim, which may run others, asks for the table
        result = run(
            cell.algorithm, cell.setting, cell.epsilon, cell.horizon, seeds, cell.checkpoints
        )
    frame = result.frame(seeds, cell.checkpoints, metrics)
    labels = {"algorithm": cell.series, **cell.labels, "epsilon": cell.epsilon}
    for place, (name, value) in enumerate(labels.items()):
        frame.insert(place, name, [value] * len(frame))
    return frame


def summarise(parts: Iterable[pd.DataFrame], series: list[str]) -> pd.DataFrame:
    """Mean over seeds with its standard error and 95% interval, in the order of the config.

    series: the experiment's, in their order; the cells of each stand in order in the parts."""
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


def _summary(frame: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """By seed within a cell: sums must not depend on how seeds were cut into blocks."""
    cell = frame.groupby(keys, sort=False).ngroup()
    frame = frame.assign(cell=cell).sort_values(["cell", "seed"], kind="stable")
    found = frame.groupby("cell")["value"].agg(runs="size", mean="mean", sem="sem", least="min")
    table = frame.drop_duplicates("cell")[keys].reset_index(drop=True).join(found)
    least = table.pop("least")
    table["low"], table["high"] = bands(table["mean"], table["sem"], table["runs"], least)
    return table


def table_of(plan: Plan, paper: str, name: str) -> pd.DataFrame:
    """A table from scratch, in this process."""
    if name in plan.papers[paper].studies:
        study, params = plan.study(paper, name)
        return study.table(params)
    return summarise(map(simulate, plan.jobs_of(paper, name)), plan.series(paper, name))
