"""One table of the pipeline for those who are not the pipeline: the command line and notebooks.

A table made by the workflow is taken if it is up to date, by the judgement of the workflow itself
(pipeline.recipes). Otherwise it is computed now, in this process.
"""

import sys

import pandas as pd

from dpbandits.core.errors import InputError, nearest
from dpbandits.core.files import read_table
from dpbandits.pipeline import jobs
from dpbandits.pipeline.config import read_yaml
from dpbandits.pipeline.plan import Plan
from dpbandits.pipeline.recipes import table_is_up_to_date


def load_plan(scale: str | None = None) -> Plan:
    """The plan of the checkout in the current folder."""
    config = read_yaml("config/config.yaml")
    return Plan.load(config | ({"scale": scale} if scale else {}))


def table(plan: Plan, paper: str, name: str) -> pd.DataFrame:
    """The table `paper/name`, from results that are up to date, else computed now."""
    if f"{paper}/{name}" not in plan.tables():
        raise InputError(f"table: unknown '{paper}/{name}'; {nearest(name, plan.tables())}")
    made = plan.table_path(paper, name)
    if table_is_up_to_date(plan, paper, name):
        return read_table(made)
    print(f"computing the table {paper}/{name}, {made} is not up to date", file=sys.stderr)
    if name in plan.papers[paper].studies:
        entry, params = plan.study(paper, name)
        return entry.table(params)
    own = plan.jobs_of(paper, name)
    return jobs.summarise(map(jobs.simulate, own), jobs.label_columns(own[0]))
