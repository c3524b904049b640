"""How long 1, 2, 4, ... cores would need for the last run, from what its jobs booked.

The job graph is read from what the run left: the log of each job (CPU seconds), and the seals of
its outputs, which name its inputs. Jobs start as soon as what they read is there and a core is
free: first those that most work hangs on (the rules' priority, by the last measured run).
A function is compiled by the first job that asks for it; those that ask meanwhile wait.
Snakemake itself costs OVERHEAD seconds per job, one job after the other, and START at the start.
To have a job started costs FORK beside what the job books, at the same time as other jobs.
"""

import heapq
import json
from collections import Counter
from functools import cache
from pathlib import Path

from dpbandits.core.files import read_seal

# CPU seconds of Snakemake's own process in a paper run, 4.1 until its first job, 1.0 to load what
# that one needs, and then per job; and what per job is in no log: the shell, who asks, and the
# process that forks.
START, OVERHEAD, FORK = 5.1, 0.017, 0.09
CORES = (1, 2, 4, 8, 16, 32, 64)
OUTPUT = {  # kind of job -> its first output, which its seal stands beside
    "simulate": "simulations/{}.parquet",
    "aggregate": "tables/{}.csv",
    "study": "tables/{}.csv",
    "claims": "claims/{}/verdicts.csv",
    "draw": "notebooks/{}.ipynb",
    "ledger": "figures/claims.csv",
    "publish": "published.txt",
    "report": "report.html",
}
KINDS = {
    "simulate": "simulations",
    "study": "studies",
    "aggregate": "tables",
    "claims": "claims",
    "draw": "notebooks",
    "report": "the report",
}


def booked(results: Path) -> dict[str, dict[str, float]]:
    """job, such as draw/hu/regret -> what it wrote into its log at its end."""
    found = {}
    for path in sorted(Path(results, "logs").rglob("*.log")):
        if path.with_suffix("").is_dir():  # of a time when the study was not split
            continue
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:  # the log of a job that failed
            continue
        found[path.relative_to(results).with_suffix("").as_posix().removeprefix("logs/")] = record
    return found


def reads(results: Path, jobs) -> dict[str, set[str]]:
    """job -> the jobs whose outputs it reads."""
    outputs = {}
    for job in jobs:
        kind, _, name = job.partition("/")
        if kind in OUTPUT:
            outputs[job] = Path(results, OUTPUT[kind].format(name))
            if kind == "study" and name.count("/") > 1:
                outputs[job] = Path(results, f"studies/{name}.parquet")
    makers = {path.as_posix(): job for job, path in outputs.items()}
    for job, path in outputs.items():
        if job.startswith("claims/"):  # one job, several files; likewise for notebooks
            makers |= {f"{path.parent}/{name}": job for name in ("points.csv", "certificates.json")}
    found = {}
    for job, path in outputs.items():
        inputs = (read_seal(path) or {"inputs": {}})["inputs"]
        found[job] = {makers[name] for name in inputs if name in makers} - {job}
        if job in ("publish", "report"):  # they read what all others made
            found[job] = set(outputs) - {"publish", "report"}
    return found


def tails(seconds: dict[str, float], needs: dict[str, set[str]]) -> dict[str, float]:
    """job -> the seconds from its start to the end of all that hangs on it."""
    after = {job: [j for j, before in needs.items() if job in before] for job in needs}

    @cache
    def tail(job):
        return seconds[job] + max(map(tail, after[job]), default=0.0)

    return {job: tail(job) for job in needs}


def critical_path(seconds, needs) -> list[str]:
    """The chain of jobs that takes longest, whatever the number of cores."""
    tail = tails(seconds, needs)
    path = [max(needs, key=tail.get)]
    while after := [job for job, before in needs.items() if path[-1] in before]:
        path.append(max(after, key=tail.get))
    return path


class Compiling:
    """Who compiles when."""

    def __init__(self, jobs: dict[str, dict] | None = None):
        self.functions = {job: record["compiled"] for job, record in (jobs or {}).items()}
        self.seconds: Counter[str] = Counter()  # of a function, whoever compiled it
        for spent in self.functions.values():
            self.seconds.update(spent)
        self.ready: dict[str, float] = {}
        self.parts = Counter(job.rpartition("/")[0] for job in self.functions)

    def known(self, job: str) -> float:
        """Seconds that a job compiled, as far as its priority knows (see pipeline.resources)."""
        others = job.startswith("simulate/") and self.parts[job.rpartition("/")[0]] > 1
        return 0.0 if others else sum(self.functions.get(job, {}).values())

    def done(self, job: str, now: float) -> float:
        """When a job that begins now has all its compiled code."""
        for name in self.functions.get(job, ()):
            if name not in self.ready:
                self.ready[name] = now + self.seconds[name]
            now = max(now, self.ready[name])
        return now


def makespan(seconds, needs, cores: int, compiling=None, start=START, overhead=OVERHEAD) -> float:
    """Seconds until the last job has ended; `seconds` without what `compiling` tells of."""
    compiling = compiling or Compiling()
    tail = tails({job: seconds[job] + compiling.known(job) for job in needs}, needs)
    rank = {job: -tail[job] for job in needs}
    missing = {job: len(before) for job, before in needs.items()}
    ready = [(rank[job], job) for job in needs if not missing[job]]
    heapq.heapify(ready)
    running: list[tuple[float, str]] = []
    now, free_at = start, start  # when Snakemake itself can start the next job
    while ready or running:
        while ready and len(running) < cores:
            _, job = heapq.heappop(ready)
            free_at = max(now, free_at) + overhead
            heapq.heappush(running, (compiling.done(job, free_at) + seconds[job], job))
        now, done = heapq.heappop(running)
        for job, before in needs.items():
            if done in before:
                missing[job] -= 1
                if not missing[job]:
                    heapq.heappush(ready, (rank[job], job))
    return now


def by_kind(jobs: dict[str, dict]) -> list[list]:
    """Per kind of job: CPU seconds of own work, compiling, start-up."""
    spent: dict[str, list[float]] = {}
    for job, record in jobs.items():
        fixed = [sum(record["compiled"].values()), record["startup_seconds"]]
        parts = [record["cpu_seconds"] - sum(fixed), *fixed]
        kind = job.partition("/")[0]
        spent[kind] = [x + y for x, y in zip(spent.get(kind, [0.0] * 3), parts, strict=True)]
    rows = [[KINDS.get(kind, kind), *parts] for kind, parts in spent.items() if sum(parts) >= 1]
    rows.sort(key=lambda row: -row[1])
    rows.append(["Snakemake", START + OVERHEAD * len(jobs), 0.0, FORK * len(jobs)])
    return [*rows, ["all", *(sum(column) for column in list(zip(*rows, strict=True))[1:])]]


def described(results: Path) -> str:
    """CPU seconds by kind of work, the critical path, and the time that n cores would need."""
    jobs = booked(results)
    needs = reads(results, jobs)
    seconds = {job: jobs[job]["cpu_seconds"] for job in needs}
    own = {job: seconds[job] + FORK - sum(jobs[job]["compiled"].values()) for job in needs}
    spans = [makespan(own, needs, cores, Compiling(jobs)) for cores in CORES]
    rows, path = by_kind(jobs), critical_path(seconds, needs)
    chain = ", ".join(f"{job} ({seconds[job]:.0f} s)" for job in path if seconds[job] >= 0.5)
    return "\n".join(
        [
            "| CPU seconds | own work | compiling | start-up |",
            "| --- | ---: | ---: | ---: |",
            *(f"| {kind} | {' | '.join(f'{x:.0f}' for x in row)} |" for kind, *row in rows),
            "",
            f"| cores | {' | '.join(map(str, CORES))} |",
            f"| --- |{' ---: |' * len(CORES)}",
            f"| seconds, simulated | {' | '.join(f'{span:.0f}' for span in spans)} |",
            "",
            f"What everything waits for, {sum(map(seconds.get, path)):.0f} s: {chain}.",
        ]
    )
