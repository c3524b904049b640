"""Smoke tables made here and now, and the golden ones, both as the bytes of their files."""

from functools import cache
from pathlib import Path

from dpbandits.core.documents import read_yaml
from dpbandits.reproduction.files import write_csv
from dpbandits.reproduction.pipeline.jobs import simulate, table_from
from dpbandits.reproduction.pipeline.plan import Plan

GOLDEN = Path(__file__).parents[1] / "golden"


@cache
def plan(paper: str) -> Plan:
    return Plan(read_yaml("config/config.yaml") | {"papers": [paper], "scale": "smoke"})


def names(paper: str) -> list[str]:
    return sorted(key.split("/")[1] for key in plan(paper).tables())


def golden(paper: str, name: str) -> bytes:
    return (GOLDEN / paper / f"{name}.csv").read_bytes()


def table_of(plan: Plan, paper: str, name: str):
    """Compute a table in this process."""
    if name in plan.papers[paper].studies:
        study, params = plan.study(paper, name)
        return study.table(params)
    experiment = plan.experiment(paper, name)
    return table_from(experiment, map(simulate, plan.jobs_of(paper, name)), f"{paper}/{name}")


def made(paper: str, name: str, path: Path) -> bytes:
    write_csv(table_of(plan(paper), paper, name), path)
    return path.read_bytes()
