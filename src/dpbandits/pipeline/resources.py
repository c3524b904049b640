"""What a job asks of a cluster, and how urgent it is, by what the last measured run took.

`make costs` writes the measurements (workflow/resources.yaml) from what the jobs of a run booked in
their logs. A simulation's CPU time beyond its start-up grows with its runs (seeds times cells), and
with its horizon by a measured power. What was never measured, a new algorithm say, gets UNKNOWN.
"""

import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from dpbandits.pipeline.config import read_yaml
from dpbandits.pipeline.plan import Job

FILE = Path("workflow/resources.yaml")
BYTES_PER_ROW = 200  # of a job's long table while it is put together: nine columns, copied once
TIME_MARGIN = 4  # on the CPU time; a minute more for starting
MEMORY_MARGIN = 1.5
SNAKEMAKE_MB = 350  # a submission runs Snakemake, which holds 300 MB, beside the job


@dataclass(frozen=True)
class Needs:
    mem_mb: int
    runtime: int  # minutes


UNKNOWN = Needs(mem_mb=1000, runtime=10)


def runs(job: Job) -> int:
    """Seeds times cells: how many single simulations a job makes."""
    return sum(cell.seeds for cell in job.cells)


def rows(job: Job) -> int:
    return sum(cell.seeds * len(cell.checkpoints) for cell in job.cells) * len(job.metrics)


def horizon(job: Job) -> int:
    return job.cells[0].horizon


def series_name(job: Job) -> str:
    return f"{job.paper}/{job.experiment}/{job.series}"


class Measured:
    """The measurements of workflow/resources.yaml, and what follows from them."""

    def __init__(self, data: dict[str, dict[str, dict]]) -> None:
        self.data = data

    @classmethod
    def load(cls, path: Path = FILE) -> "Measured":
        return cls(read_yaml(path))

    def took(self, kind: str, name: str, scale: str) -> dict[str, float] | None:
        """A study, an aggregation, a paper's claims or a notebook; as at the paper scale, unless
        its own was measured."""
        for measured in (f"{scale} {kind}", kind):
            if found := self.data.get(measured, {}).get(name):
                return found
        return None

    def of(self, kind: str, name: str, scale: str) -> Needs:
        found = self.took(kind, name, scale)
        return with_margin(found["memory"], found["seconds"]) if found else UNKNOWN

    def seconds(self, kind: str, name: str, scale: str) -> float:
        found = self.took(kind, name, scale)
        return found["seconds"] if found else UNKNOWN.runtime * 60.0

    def of_simulation(self, job: Job) -> Needs:
        found = self.data.get("simulate", {}).get(series_name(job))
        if not found:
            return UNKNOWN
        memory = found["memory"] + rows(job) * BYTES_PER_ROW / 1e6
        return with_margin(memory, self.work(job, alone=True))

    def work(self, job: Job, alone: bool = False) -> float:
        """Seconds of a simulation, but for what it compiles, which others of its series may have
        compiled; with that if it is `alone`."""
        found = self.data.get("simulate", {}).get(series_name(job))
        if not found:
            return UNKNOWN.runtime * 60.0
        longer = max(1.0, horizon(job) / found["horizon"]) ** found["power"]
        return alone * found["start"] + found["per_run"] * runs(job) * longer


def urgency(jobs: Iterable[tuple[float, list[str], list[str]]]) -> dict[str, float]:
    """Output -> seconds from the start of its job to the end of all that hangs on it.

    A job is its seconds, its outputs and its inputs; who reads a file comes before who makes it.
    What is never made here, the report, comes after all others and changes no order.
    """
    found: dict[str, float] = defaultdict(float)
    for seconds, outputs, inputs in jobs:
        tail = seconds + max(found[name] for name in outputs)
        found |= dict.fromkeys(outputs, tail)
        found |= {name: max(found[name], tail) for name in inputs}
    return dict(found)


def with_margin(megabytes: float, seconds: float) -> Needs:
    return Needs(
        mem_mb=50 * math.ceil((MEMORY_MARGIN * megabytes + SNAKEMAKE_MB) / 50),
        runtime=1 + math.ceil(TIME_MARGIN * seconds / 60),
    )
