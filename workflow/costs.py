"""What a scale costs, from what the jobs of a finished run booked: `make costs`.

Measured: CPU time and memory of each job of the paper scale; workflow/resources.yaml keeps what a
cluster is asked for. Extrapolated to `extended`: the CPU time of a simulation less its start-up
grows with its seeds, and with its horizon by the power that the same algorithm shows between its
shortest and longest horizon in this run (1 if it has but one). Everything that is not a simulation
counts as at the paper scale.
"""

import argparse
import json
import math
import sys
from collections import defaultdict
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

import schedule

from dpbandits.pipeline.plan import Plan
from dpbandits.pipeline.resources import (
    BYTES_PER_ROW,
    FILE,
    Measured,
    horizon,
    rows,
    runs,
    series_name,
)

MARK = "<!-- costs -->"
WRITTEN = """What each job of the paper scale took (MB, seconds of CPU time), by `make costs`, and
# of the extended scale those that are no simulations, as far as they were ever run.
# Clusters are asked for it with a margin: src/dpbandits/pipeline/resources.py."""
KINDS = {
    "study": "studies",
    "aggregate": "tables",
    "claims": "claims",
    "draw": "notebooks",
}


def plan_of(scale: str) -> Plan:
    config = yaml.safe_load(Path("config/config.yaml").read_text(encoding="utf-8"))
    return Plan.load(config | {"scale": scale})


def booked(log: Path) -> tuple[float, float, float] | None:
    """CPU seconds, those of them that are start-up and compiling, and peak MB of a job."""
    try:
        record = json.loads(log.read_text(encoding="utf-8"))
        start = record["startup_seconds"] + sum(record["compiled"].values())
        return record["cpu_seconds"], start, record["peak_mb"]
    except (OSError, ValueError, KeyError):  # a job that never ran, or failed
        return None


def jobs_of(paper: Plan, kind: str) -> dict[str, tuple[float, float]]:
    """name -> CPU seconds and peak MB of the jobs of one kind."""
    folder = Path(paper.places.results, "logs", kind)
    found = {
        p.relative_to(folder).with_suffix("").as_posix(): booked(p)
        for p in folder.rglob("*.log")
        if not p.with_suffix("").is_dir()  # of a time when the study was not split
    }
    return {name: (cost[0], cost[2]) for name, cost in sorted(found.items()) if cost}


def measured(plan: Plan) -> dict[str, tuple[float, float, float]]:
    """job -> CPU seconds, those that do not grow with its runs, peak MB; for each that has run."""
    folder = Path(plan.places.results, "logs/simulate")
    found = {name: booked(folder / f"{name}.log") for name in plan.jobs}
    return {name: cost for name, cost in found.items() if cost}


def seconds_per_run(plan: Plan, costs: dict) -> dict[tuple, tuple[float, int]]:
    """(paper, experiment, series) -> CPU seconds of one simulation, at which horizon."""
    total = defaultdict(lambda: [0.0, 0, 1])
    for name, (cpu, start, _) in costs.items():
        job = plan.jobs[name]
        entry = total[job.paper, job.experiment, job.series]
        entry[0] += max(0.0, cpu - start)
        entry[1] += runs(job)
        entry[2] = horizon(job)
    return {key: (cpu / count, at) for key, (cpu, count, at) in total.items()}


def powers(per_run: dict) -> dict[tuple, float]:
    """(paper, series) -> power of the horizon by which the cost of a simulation grows."""
    points = defaultdict(dict)
    for (paper, _, series), (seconds, at) in per_run.items():
        points[paper, series][at] = max(seconds, points[paper, series].get(at, 0.0))
    found = {}
    for key, costs in points.items():
        short, long = min(costs), max(costs)
        if short < long and costs[short] > 0:
            slope = math.log(costs[long] / costs[short]) / math.log(long / short)
            found[key] = min(1.0, max(0.0, slope))
    return found


def extrapolated(plan: Plan, per_run: dict) -> dict[str, float]:
    """job of a larger scale -> CPU seconds."""
    power = powers(per_run)
    found = {}
    for name, job in plan.jobs.items():
        key = job.paper, job.experiment, job.series
        if key in per_run:
            seconds, at = per_run[key]
            growth = (horizon(job) / at) ** power.get((job.paper, job.series), 1.0)
            found[name] = seconds * growth * runs(job)
    return found


def table(header: list[str], lines: list[list]) -> str:
    shown = [header, ["---"] + ["---:"] * (len(header) - 1), *lines]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in shown)


def simulations(paper: Plan, extended: Plan, costs: dict, future: dict):
    """Per paper: its name, (CPU, MB) of each job, CPU and most MB at the extended scale."""
    for key in paper.papers:
        jobs = [costs[name] for name in costs if paper.jobs[name].paper == key]
        names = [name for name in future if extended.jobs[name].paper == key]
        if jobs:
            more = max(rows(extended.jobs[name]) for name in names) * BYTES_PER_ROW / 1e6
            most = max(memory for _, _, memory in jobs) + more
            yield (
                f"simulations of {key.upper()}",
                [(cpu, memory) for cpu, _, memory in jobs],
                sum(future[name] for name in names),
                most,
            )


def other_jobs(paper: Plan):
    for kind, shown in KINDS.items():
        jobs = list(jobs_of(paper, kind).values())
        if jobs:
            yield shown, jobs, sum(cpu for cpu, _ in jobs), max(memory for _, memory in jobs)


def scales_table(paper: Plan, extended: Plan, costs: dict, future: dict) -> str:
    lines, every, sum_later = [], [], 0.0
    for shown, jobs, later, most_later in (
        *simulations(paper, extended, costs, future),
        *other_jobs(paper),
    ):
        lines.append([shown, *summary(jobs), hours(later), f"{most_later:.0f} MB"])
        every += jobs
        sum_later += later
    lines.append(["all", *summary(every), hours(sum_later), ""])
    header = ["", "jobs", "CPU hours", "longest job, CPU", "most memory"]
    return table([*header, "`extended`: CPU hours", "`extended`: most memory"], lines)


def summary(jobs: list[tuple[float, float]]) -> list[str]:
    cpus, memories = zip(*jobs, strict=True)
    return [str(len(jobs)), hours(sum(cpus)), f"{max(cpus):.0f} s", f"{max(memories):.0f} MB"]


def hours(seconds: float) -> str:
    return f"{seconds / 3600:.2f}" if seconds < 36000 else f"{seconds / 3600:.0f}"


def seeds_table(paper: Plan, per_run: dict) -> str:
    """What one more seed of a whole experiment costs."""
    lines = []
    for key, config in paper.papers.items():
        for name in config.experiments:
            jobs = paper.jobs_of(key, name)
            if not all((key, name, job.series) in per_run for job in jobs):
                continue
            seeds = paper.experiment(key, name).seeds
            cpu = sum(per_run[key, name, job.series][0] * runs(job) for job in jobs) / seeds
            per_hour = f"{3600 / cpu:,.0f}" if cpu > 0 else "too many to count"
            lines.append([f"{key}/{name}", seeds, f"{cpu:.3g}", per_hour])
    return table(["experiment", "seeds now", "CPU s per seed", "seeds per CPU hour"], lines)


def resources(paper: Plan, costs: dict) -> dict[str, dict[str, dict]]:
    """What workflow/resources.yaml holds: see `dpbandits.pipeline.resources`."""
    power = powers(seconds_per_run(paper, costs))
    simulate: dict[str, dict] = {}
    for name, (cpu, start, memory) in costs.items():
        job = paper.jobs[name]
        entry = simulate.setdefault(
            series_name(job),
            {
                "memory": 0,
                "start": 0.0,
                "per_run": 0.0,
                "horizon": horizon(job),
                "power": round(power.get((job.paper, job.series), 1.0), 2),
            },
        )
        entry["memory"] = max(entry["memory"], math.ceil(memory))
        entry["start"] = max(entry["start"], round(start, 1))
        per_run = float(f"{max(0.0, cpu - start) / runs(job):.2g}")
        entry["per_run"] = max(entry["per_run"], per_run)
    return {"simulate": dict(sorted(simulate.items()))} | others(paper)


def others(plan: Plan, before: str = "") -> dict[str, dict[str, dict]]:
    """The entries of all jobs but simulations; the kinds of another scale have its name before."""
    found: dict[str, dict[str, dict]] = {}
    for kind in KINDS:
        for name, (cpu, memory) in jobs_of(plan, kind).items():
            entry = {"memory": math.ceil(memory), "seconds": round(cpu, 1)}
            found.setdefault(f"{before}{kind}", {})[name] = entry
    return found


def of_extended(known: dict[str, dict[str, dict]]) -> dict[str, dict[str, dict]]:
    """What was ever measured of the extended scale: this run of it, else what is written down."""
    kinds = [f"extended {kind}" for kind in KINDS]
    new = others(plan_of("extended"), "extended ")
    merged = {kind: known.get(kind, {}) | new.get(kind, {}) for kind in kinds}
    return {kind: dict(sorted(entries.items())) for kind, entries in merged.items() if entries}


def write_resources(found: dict) -> None:
    text = f"# {WRITTEN}\n"
    for kind, entries in found.items():
        text += f"{kind}:\n"
        for name, entry in entries.items():
            values = yaml.safe_dump(entry, default_flow_style=True, sort_keys=False, width=math.inf)
            text += f"  {name}: {values}"
    FILE.write_text(text, encoding="utf-8")


def report(paper: Plan, costs: dict) -> str:
    extended = plan_of("extended")
    per_run = seconds_per_run(paper, costs)
    parts = [
        scales_table(paper, extended, costs, extrapolated(extended, per_run)),
        seeds_table(paper, per_run),
        schedule.described(Path(paper.places.results)),
    ]
    if missing := len(paper.jobs) - len(costs):
        parts.insert(0, f"{missing} of {len(paper.jobs)} simulations have not run: left out.")
    return "\n\n".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--into", type=Path, help="a page, between its lines <!-- costs -->")
    parser.add_argument("--resources", action="store_true", help=f"write {FILE} too")
    arguments = parser.parse_args()
    paper = plan_of("paper")
    costs = measured(paper)
    if not costs:
        sys.exit(f"no logs in {paper.places.results}/logs: run the pipeline first")
    if arguments.resources:
        known = Measured.load(FILE).data if FILE.exists() else {}
        write_resources(resources(paper, costs) | of_extended(known))
    if arguments.into is None:
        print(report(paper, costs))
        return
    before, _, after = arguments.into.read_text(encoding="utf-8").split(MARK)
    text = f"{before}{MARK}\n{report(paper, costs)}\n{MARK}{after}"
    arguments.into.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
