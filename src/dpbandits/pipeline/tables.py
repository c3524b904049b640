"""One table of the pipeline for those who are not the pipeline: the command line and notebooks.

What the workflow made is taken if it is up to date, by the judgement of the workflow itself
(pipeline.recipes). The rest is computed now, in this process.
"""

import sys
from functools import cache

import pandas as pd

from dpbandits.core.errors import InputError, nearest
from dpbandits.core.files import as_read, read_table
from dpbandits.pipeline import jobs
from dpbandits.pipeline.kept import Made, is_up_to_date
from dpbandits.pipeline.plan import Plan, load_plan
from dpbandits.pipeline.recipes import described, wanted

__all__ = ["load_plan", "table"]


@cache
def _made(plan: Plan, paper: str) -> Made:
    return described(plan, wanted(plan, [paper]))


def table(plan: Plan, paper: str, name: str, made: Made | None = None) -> pd.DataFrame:
    """The table `paper/name`, from results that are up to date, else computed now. `made`: of what
    they should be, from who knows it already."""
    if f"{paper}/{name}" not in plan.tables():
        raise InputError(
            f"table: unknown '{paper}/{name}'; {nearest(name, plan.tables(), 'see config/')}"
        )
    path, made = str(plan.table_path(paper, name)), made or _made(plan, paper)
    if is_up_to_date(path, made):
        return read_table(path)
    print(f"computing the table {paper}/{name}, {path} is not up to date", file=sys.stderr)
    if name in plan.papers[paper].studies:
        entry, params = plan.study(paper, name)
        return as_read(entry.table(params))
    own = plan.jobs_of(paper, name)
    parts = [(job, str(plan.part_path(job))) for job in own]
    frames = (
        read_table(part) if is_up_to_date(part, made) else jobs.simulate(job) for job, part in parts
    )
    return as_read(jobs.summarise(frames, jobs.label_columns(own[0])))
