"""Facts of a run: versions, machine, seeds and times; without host names and paths."""

import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import pandas as pd

from dpbandits.reproduction.files import sha256
from dpbandits.reproduction.pipeline.plan import Plan

PACKAGES = ("numpy", "scipy", "numba", "pandas", "python-flint", "matplotlib", "snakemake")
RESULTS = (":!figures", ":!certificates")  # git's pathspec: a run itself may change these


def run_facts(plan: Plan) -> dict[str, str]:
    return {
        "Scale": f"{plan.run.scale}: {plan.places.about}",
        "Seeds": seeds_in_words(plan),
        "Commit": _commit(),
        "Lock": f"sha256 {sha256('envs/requirements.lock')[:16]}",
        "Python": f"{platform.python_version()} ({platform.python_implementation()})",
        "Packages": ", ".join(f"{name} {version(name)}" for name in PACKAGES),
        "Machine": f"{platform.system()}, {processor_name()}, {os.cpu_count()} cores",
        "Report made": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }


def seeds_in_words(plan: Plan) -> str:
    all = [plan.experiment(*name.split("/")) for name in plan.experiments()]
    counts = sorted({one.seeds for one in all if "seeds" in one.model_fields_set})
    if len(counts) > 1:
        return f"{counts[0]:,} to {counts[-1]:,} per experiment, each from 0 up"
    return f"{counts[0]:,}" if counts else ""


def by_kind(results: str | Path) -> pd.DataFrame:
    """The number of jobs, wall and CPU seconds, and peak memory in MB of each kind of job, from
    Snakemake's `benchmark:` files; what it could not measure is 0."""
    folder, numbers = Path(results, "benchmarks"), ["s", "cpu_time", "max_rss"]
    jobs = [pd.DataFrame(columns=["kind", *numbers])]
    for path in sorted(folder.rglob("*.tsv")):
        row = pd.read_csv(path, sep="\t", na_values="-")[numbers].fillna(0).head(1).astype(float)
        jobs.append(row.assign(kind=path.relative_to(folder).parts[0]))
    return pd.concat(jobs[1:] or jobs).groupby("kind").agg(
        jobs=("s", "size"), wall=("s", "sum"), cpu=("cpu_time", "sum"), memory=("max_rss", "max")
    )  # fmt: skip


def rule_times(plan: Plan) -> list[dict]:
    """The same per kind of rule, with a last row for all."""
    times = by_kind(plan.places.results).sort_values("wall", ascending=False, kind="stable")
    total = times[["jobs", "wall", "cpu"]].sum().to_dict()
    total |= {"kind": "all", "memory": max(times["memory"], default=0)}
    return [*times.reset_index().to_dict("records"), total]


def _commit() -> str:
    def git(*arguments):
        process = subprocess.run(["git", *arguments], capture_output=True, text=True)
        return process.stdout.strip() if process.returncode == 0 else ""

    commit = git("rev-parse", "--short=12", "HEAD")
    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", *RESULTS)
    return f"{commit}{', with uncommitted changes' if changed else ''}" if commit else "not known"


def processor_name() -> str:
    known = Path("/proc/cpuinfo")
    lines = known.read_text(encoding="utf-8").splitlines() if known.exists() else []
    models = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.machine())
