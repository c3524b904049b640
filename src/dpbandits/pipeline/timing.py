"""Logs of jobs, and where the time of a run went."""

import json
import time
from pathlib import Path

LABELS = {
    "simulate": "simulate",
    "aggregate": "aggregate",
    "study": "compute studies",
    "claims": "check claims",
    "draw": "draw",
    "typeset": "typeset tables",
    "report": "report",
}


def records(results: str | Path, since: float = 0.0) -> dict[str, list[dict]]:
    """The log records of jobs that finished after `since`, by kind of job."""
    found: dict[str, list[dict]] = {}
    for path in sorted(Path(results, "logs").rglob("*.log")):
        if path.stat().st_mtime < since:
            continue
        try:
            record = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            continue  # the log of a job that failed
        kind = path.relative_to(results).parts[1].removesuffix(".log")
        found.setdefault(kind, []).append(record)
    return found


def summary(results: str | Path, since: float, cores: int | None) -> str:
    """What the last run did and where its time went, for the end of its output.

    Without `cores` (on a cluster) nothing can be said of idle time.
    """
    wall = time.time() - since
    jobs = records(results, since)
    count = sum(map(len, jobs.values()))
    if not count:
        return f"Nothing was run ({wall:.0f} s)."
    where = f"on {cores} cores" if cores else "through the cluster"
    lines = [f"Where the time went: {count} jobs in {wall:.0f} s {where}"]
    used = 0.0
    for kind, done in jobs.items():
        seconds = sum(record["work_seconds"] for record in done)
        used += seconds
        lines.append(f"  {LABELS.get(kind, kind):<24}{seconds:8.1f} s  {len(done):4d} jobs")
    startup = sum(record["startup_seconds"] for done in jobs.values() for record in done)
    lines.append(f"  {'start-up and imports':<24}{startup:8.1f} s")
    if cores:
        idle = max(0.0, wall * cores - used - startup)
        what = "(cores x wall time less the above)"
        lines.append(f"  {'scheduling and idle':<24}{idle:8.1f} s  {what}")
    published = Path(results, "published.txt")
    if published.is_file() and published.stat().st_mtime >= since:
        lines.append(published.read_text(encoding="utf-8").rstrip())
    report = Path(results, "report.html")
    if report.is_file() and report.stat().st_mtime >= since:
        size = report.stat().st_size / 1e6
        lines.append(f"Where to look: open {report} in a browser ({size:.0f} MB)")
    return "\n".join(lines)


def by_kind(results: str | Path) -> dict[str, dict[str, float]]:
    """Jobs, wall and CPU seconds, and peak memory in MB, by kind of job, of all finished jobs."""
    return {
        kind: {
            "jobs": len(done),
            "wall": sum(record["startup_seconds"] + record["work_seconds"] for record in done),
            "cpu": sum(record["cpu_seconds"] for record in done),
            "memory": max(record["peak_mb"] for record in done),
        }
        for kind, done in records(results).items()
    }
