"""Results for the command line and for Python: Snakemake makes what is not up to date."""

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from dpbandits.core.documents import read_yaml
from dpbandits.core.errors import InputError, nearest
from dpbandits.core.files import read_table
from dpbandits.reproduction.pipeline import CONFIG
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


def make(plan: Plan, paths: Iterable[str | Path]) -> None:
    """Have Snakemake make those results that are not up to date, on all cores."""
    if not (targets := [*map(str, paths)]):
        return
    command = [sys.executable, "-m", "snakemake", "--cores", "all", "--quiet", "reason", "host"]
    command += ["--config", f"scale={plan.run.scale}", "--", *targets]
    done = subprocess.run(command, stdout=subprocess.DEVNULL)  # it reports to stderr
    if done.returncode:
        raise InputError(f"snakemake could not make {', '.join(targets)}; it says why above")


def table(plan: Plan, paper: str, name: str) -> pd.DataFrame:
    """The table `paper/name`, after Snakemake has made it if it was not up to date.
    The table of an experiment has one row per algorithm, setting, epsilon, metric and round t, with
    runs, mean, sem (standard error over seeds), low and high (95% interval), in units of the
    metric."""
    if f"{paper}/{name}" not in plan.tables():
        hint = nearest(name, plan.tables(), "see config/")
        raise InputError(f"table: unknown '{paper}/{name}'; {hint}")
    path = plan.table_path(paper, name)
    make(plan, [path])
    return read_table(path)
