"""Facts of a run: versions, machine, seeds and times; without host names and paths."""

import hashlib
import os
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from dpbandits.reproduction.pipeline.benchmarks import by_kind
from dpbandits.reproduction.pipeline.plan import Plan

PACKAGES = ("numpy", "scipy", "numba", "pandas", "python-flint", "matplotlib", "snakemake")
RESULTS = (":!figures", ":!certificates")  # git's pathspec: a run itself may change these


def run_facts(plan: Plan) -> dict[str, str]:
    return {
        "Scale": f"{plan.run.scale}: {plan.places.about}",
        "Seeds": seeds_in_words(plan),
        "Commit": _commit(),
        "Lock": _digest("envs/requirements.lock"),
        "Python": f"{platform.python_version()} ({platform.python_implementation()})",
        "Packages": ", ".join(f"{name} {version_of(name)}" for name in PACKAGES),
        "Machine": f"{platform.system()}, {processor_name()}, {os.cpu_count()} cores",
        "Report made": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }


def seeds_in_words(plan: Plan) -> str:
    counts = {
        plan.experiment(key, name).seeds
        for key, paper in plan.papers.items()
        for name in paper.experiments
    }
    if not counts:
        return ""
    low, high = min(counts), max(counts)
    return f"{low:,} to {high:,} per experiment, each from 0 up" if low < high else f"{low:,}"


def rule_times(plan: Plan) -> list[dict]:
    """Jobs, wall and CPU seconds and memory (MB) per kind of rule, with a last row for all."""
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


def _digest(path: str) -> str:
    return f"sha256 {hashlib.sha256(Path(path).read_bytes()).hexdigest()[:16]}"


def version_of(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "?"


def processor_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.machine())
