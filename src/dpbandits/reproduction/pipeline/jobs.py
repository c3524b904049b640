"""The work of jobs: simulate cells, summarise them in a table."""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from dpbandits.core.algorithms import allow_only, get_algorithm, run
from dpbandits.core.models import parse
from dpbandits.core.streams import Streams, key_of, streams_for
from dpbandits.core.trajectories import Trajectories
from dpbandits.reproduction.designs import Results
from dpbandits.reproduction.pipeline.config import Experiment
from dpbandits.reproduction.pipeline.plan import Cell, Job, design_of
from dpbandits.reproduction.statistics import bands

KEYS_AFTER_LABELS = ["epsilon", "metric", "t"]


def simulate(job: Job) -> pd.DataFrame:
    """The results of all cells in long form: algorithm, labels, epsilon, seed, metric, t, value."""
    return simulate_cells(job.cells, job.metrics)


def simulate_cells(cells: Sequence[Cell], metrics: tuple[str, ...]) -> pd.DataFrame:
    parts = [_simulate_cell(cell, metrics) for cell in cells]
    labels = [{"algorithm": c.series, **c.labels, "epsilon": c.epsilon} for c in cells]
    frame, lengths = pd.concat(parts, ignore_index=True), [len(part) for part in parts]
    for place, name in enumerate(labels[0]):
        values = pd.Series([own[name] for own in labels]).repeat(lengths)
        frame.insert(place, name, values.array)
    return frame


def _simulate_cell(cell: Cell, metrics: tuple[str, ...]) -> pd.DataFrame:
    seeds = range(cell.first_seed, cell.first_seed + cell.seeds)
    with allow_only([cell.algorithm]):  # also within a claim, which may run other algorithms
        return _run(cell, seeds).frame(seeds, cell.checkpoints, metrics)


def _run(cell: Cell, seeds: range) -> Trajectories:
    sizes = cell.epsilon, cell.horizon
    if isinstance(cell.setting, dict) and not cell.common:
        return run(cell.algorithm, cell.setting, *sizes, seeds, cell.checkpoints)
    entry, rounds = get_algorithm(cell.algorithm), np.array(cell.checkpoints)
    simulate = entry.simulation()
    if isinstance(cell.setting, dict):
        setting = parse(entry.setting, cell.setting, "setting")
        return simulate(setting, *sizes, Streams(key_of(*cell.common), tuple(seeds)), rounds)
    runs = []
    for seed in seeds:  # as `run`, which checks more
        setting = parse(entry.setting, cell.setting[seed], "setting")
        streams = streams_for(entry.name, setting, *sizes, (seed,))
        runs.append(simulate(setting, *sizes, streams, rounds).regret)
    return Trajectories(np.concatenate(runs))


def table_from(experiment: Experiment, parts: Iterable[pd.DataFrame], where: str) -> pd.DataFrame:
    """The table of an experiment from the results of its jobs."""
    series = experiment.algorithms
    if not experiment.params:
        return summarise(parts, [one.id for one in series])
    design, frame = design_of(experiment, where), pd.concat(list(parts), ignore_index=True)
    with allow_only([one.name for one in series]):
        return design.table(Results(series, design.points(), frame, *experiment.metrics[:1]))


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
