"""Tables of the pipeline for the command line and for notebooks.

What the workflow made is taken if it is up to date, by Snakemake's own judgement (`--summary`). The
rest is computed now, in this process.
"""

import sys
from collections.abc import Collection
from pathlib import Path

import pandas as pd

from dpbandits.core.errors import InputError, nearest
from dpbandits.core.files import as_read, read_table
from dpbandits.pipeline import jobs
from dpbandits.pipeline.plan import Plan, load_plan
from dpbandits.pipeline.snakemake import summary

__all__ = ["load_plan", "table", "up_to_date"]


def up_to_date(plan: Plan, wanted: Collection[str]) -> set[str]:
    """Of some results, and of what they are made from, those that Snakemake would not remake."""
    there = [path for path in wanted if Path(path).is_file()]
    if not there:
        return set()
    found = summary({"scale": plan.run.scale}, "--summary", there)
    return {row["output_file"] for row in found if row["plan"] == "no update"}


def table(plan: Plan, paper: str, name: str, ready: Collection[str] | None = None) -> pd.DataFrame:
    """The table `paper/name`, from results that are up to date, else computed now.

    An experiment's has one row per algorithm, setting, epsilon, metric and round t, with runs,
    mean, sem (standard error over seeds), low and high (95% interval), in units of the metric.
    ready: the results that are up to date, if that is known already."""
    if f"{paper}/{name}" not in plan.tables():
        raise InputError(
            f"table: unknown '{paper}/{name}'; {nearest(name, plan.tables(), 'see config/')}"
        )
    path = str(plan.table_path(paper, name))
    if path in (up_to_date(plan, [path]) if ready is None else ready):
        return read_table(path)
    print(f"computing the table {paper}/{name}, {path} is not up to date", file=sys.stderr)
    return as_read(jobs.table_of(plan, paper, name))
