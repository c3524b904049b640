"""One table of the pipeline for those who are not the pipeline: the command line and notebooks.

A table made by the workflow is taken if it is up to date: it must be newer than the config of its
paper and than every source file behind it. Otherwise it is computed now, in this process.
"""

import sys
from pathlib import Path

import pandas as pd

from dpbandits.core.algorithms import get_study
from dpbandits.core.errors import InputError, nearest
from dpbandits.core.files import read_table
from dpbandits.pipeline import jobs, provenance
from dpbandits.pipeline.config import read_yaml
from dpbandits.pipeline.plan import Plan


def load_plan(scale: str | None = None) -> Plan:
    """The plan of the checkout in the current folder."""
    config = read_yaml("config/config.yaml")
    return Plan.load(config | ({"scale": scale} if scale else {}))


def table(plan: Plan, paper: str, name: str) -> pd.DataFrame:
    """The table `paper/name`, from results that are up to date, else computed now."""
    if f"{paper}/{name}" not in plan.tables():
        raise InputError(f"table: unknown '{paper}/{name}'; {nearest(name, plan.tables())}")
    made = Path(plan.places.results, "tables", paper, f"{name}.csv")
    if _up_to_date(plan, paper, name, made):
        return read_table(made)
    print(f"computing the table {paper}/{name}, {made} is not up to date", file=sys.stderr)
    study = plan.papers[paper].studies.get(name)
    if study:
        return jobs.compute_study(study.study or f"{paper}/{name}", plan.params(study))
    own = plan.jobs_of(paper, name)
    return jobs.summarise(map(jobs.simulate, own), jobs.label_columns(own[0]))


def _up_to_date(plan: Plan, paper: str, name: str, made: Path) -> bool:
    if not made.is_file():
        return False
    study = plan.papers[paper].studies.get(name)
    modules = {job.module for job in plan.jobs_of(paper, name)}
    if study:
        modules = {get_study(study.study or f"{paper}/{name}").module}
    sources = provenance.dependencies("dpbandits.pipeline.jobs", *modules)
    inputs = [provenance.PACKAGE.parent / path for path in sources]
    inputs.append(plan.folder / f"{paper}.yaml")
    return made.stat().st_mtime >= max(path.stat().st_mtime for path in inputs)
