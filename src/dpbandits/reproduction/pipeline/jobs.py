"""The work of jobs: simulate cells, summarise them in a table, compute the table of a study."""

from collections.abc import Iterable

import pandas as pd

from dpbandits.core.algorithms import allow_only, run
from dpbandits.reproduction.pipeline.plan import Cell, Job, Plan
from dpbandits.reproduction.statistics import bands

KEYS_AFTER_LABELS = ["epsilon", "metric", "t"]


def simulate(job: Job) -> pd.DataFrame:
    """The results of all cells in long form: algorithm, labels, epsilon, seed, metric, t, value."""
    return pd.concat([_simulate_cell(cell, job.metrics) for cell in job.cells], ignore_index=True)


def _simulate_cell(cell: Cell, metrics: tuple[str, ...]) -> pd.DataFrame:
    seeds = range(cell.first_seed, cell.first_seed + cell.seeds)
    with allow_only([cell.algorithm]):  # also within a claim, which may run other algorithms
        result = run(
            cell.algorithm, cell.setting, cell.epsilon, cell.horizon, seeds, cell.checkpoints
        )
    frame = result.frame(seeds, cell.checkpoints, metrics)
    labels = {"algorithm": cell.series, **cell.labels, "epsilon": cell.epsilon}
    for place, (name, value) in enumerate(labels.items()):
        frame.insert(place, name, [value] * len(frame))
    return frame


def summarise(parts: Iterable[pd.DataFrame], series: list[str]) -> pd.DataFrame:
    """Mean over seeds with standard error and 95% interval, in the order of the config.
    series: those of the experiment, in order; within a series the parts have the config's order."""
    frame = pd.concat(list(parts), ignore_index=True)
    number = frame["algorithm"].map({id: i for i, id in enumerate(series)})
    frame = frame.iloc[number.argsort(kind="stable")]
    columns = list(frame.columns)
    keys = [*columns[: columns.index("epsilon")], *KEYS_AFTER_LABELS]
    order = {name: {v: i for i, v in enumerate(frame[name].unique())} for name in keys[:-1]}
    cell = frame.groupby(keys, sort=False).ngroup()
    # sums are taken in the order of seeds, so that they do not depend on the blocks
    frame = frame.assign(cell=cell).sort_values(["cell", "seed"], kind="stable")
    values = frame.groupby("cell")["value"].agg(runs="size", mean="mean", sem="sem", least="min")
    table = frame.drop_duplicates("cell")[keys].reset_index(drop=True).join(values)
    least = table.pop("least")
    table["low"], table["high"] = bands(table["mean"], table["sem"], table["runs"], least)
    return table.sort_values(
        keys, key=lambda c: c.map(order[c.name]) if c.name in order else c, ignore_index=True
    )


def table_of(plan: Plan, paper: str, name: str) -> pd.DataFrame:
    """Compute a table in this process."""
    if name in plan.papers[paper].studies:
        study, params = plan.study(paper, name)
        return study.table(params)
    return summarise(map(simulate, plan.jobs_of(paper, name)), plan.series(paper, name))
