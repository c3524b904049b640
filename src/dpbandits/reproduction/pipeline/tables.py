"""Tables for the command line and for Python: read if they are up to date, else computed.

Snakemake decides which results are up to date (`--summary`).
"""

import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

import pandas as pd

from dpbandits.core.documents import read_yaml
from dpbandits.core.errors import InputError, nearest
from dpbandits.core.files import read_table
from dpbandits.reproduction.files import as_read
from dpbandits.reproduction.pipeline import CONFIG, jobs
from dpbandits.reproduction.pipeline.plan import Plan


def load_plan(scale: str | None = None, paper: str | None = None) -> Plan:
    """The plan of the checkout in the current folder, or of one paper in it."""
    if not CONFIG.is_file():
        raise InputError(f"there is no {CONFIG} here; allowed: in a checkout of dpbandits")
    config = read_yaml(CONFIG)
    if scale:
        config["scale"] = scale
    if paper:
        config["papers"] = [paper]
    return Plan(config)


def up_to_date(plan: Plan, paths: Collection[str]) -> set[str]:
    """The results among `paths`, and among their inputs, that Snakemake would not make again."""
    existing = [path for path in paths if Path(path).is_file()]
    if not existing:
        return set()
    command = [sys.executable, "-m", "snakemake", "--nolock", "--quiet", "--summary"]
    command += ["--config", f"scale={plan.run.scale}", "--", *existing]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise InputError(f"snakemake --summary failed: {done.stderr.strip()[-2000:]}")
    head, *rows = (line.split("\t") for line in done.stdout.splitlines() if "\t" in line)
    found = [dict(zip(head, row, strict=True)) for row in rows]
    return {row["output_file"] for row in found if row["plan"] == "no update"}


def table(plan: Plan, paper: str, name: str, ready: Collection[str] | None = None) -> pd.DataFrame:
    """The table `paper/name`, read if it is up to date, else computed now.
    The table of an experiment has one row per algorithm, setting, epsilon, metric and round t, with
    runs, mean, sem (standard error over seeds), low and high (95% interval), in units of the
    metric. ready: the results that are up to date, if that is known already."""
    if f"{paper}/{name}" not in plan.tables():
        hint = nearest(name, plan.tables(), "see config/")
        raise InputError(f"table: unknown '{paper}/{name}'; {hint}")
    path = str(plan.table_path(paper, name))
    if path in (up_to_date(plan, [path]) if ready is None else ready):
        return read_table(path)
    print(f"computing the table {paper}/{name}, {path} is not up to date", file=sys.stderr)
    return as_read(jobs.table_of(plan, paper, name))
