"""Smoke tables made here and now, and the golden ones, both as the bytes of their files."""

from functools import cache
from pathlib import Path

from dpbandits.core.files import write_csv
from dpbandits.pipeline import jobs
from dpbandits.pipeline.config import read_yaml
from dpbandits.pipeline.plan import Plan

GOLDEN = Path(__file__).parent / "golden"


@cache
def plan(paper: str) -> Plan:
    return Plan.load(read_yaml("config/config.yaml") | {"papers": [paper], "scale": "smoke"})


def names(paper: str) -> list[str]:
    return sorted(key.split("/")[1] for key in plan(paper).tables())


def golden(paper: str, name: str) -> bytes:
    return (GOLDEN / paper / f"{name}.csv").read_bytes()


def made(paper: str, name: str, path: Path) -> bytes:
    ours = plan(paper)
    if name in ours.papers[paper].experiments:
        own = ours.jobs_of(paper, name)
        frame = jobs.summarise(map(jobs.simulate, own), jobs.label_columns(own[0]))
    else:
        study = ours.papers[paper].studies[name]
        frame = jobs.compute_study(study.study or f"{paper}/{name}", ours.params(study))
    write_csv(frame, path)
    return path.read_bytes()
