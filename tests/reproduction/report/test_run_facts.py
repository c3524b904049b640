"""What the report says about a run: its numbers, its times, and what made it."""

import os
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from dpbandits.core.files import write_text
from dpbandits.reproduction.report import facts


@pytest.fixture
def plan(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    run, places = SimpleNamespace(scale="smoke"), SimpleNamespace(about="small and quick")
    papers = {"hu": SimpleNamespace(experiments=("a", "b"))}
    seeds = {"a": SimpleNamespace(seeds=4), "b": SimpleNamespace(seeds=3000)}
    return SimpleNamespace(
        papers=papers, run=run, places=places, experiment=lambda key, name: seeds[name]
    )


def test_seeds_of_all_experiments(plan):
    assert facts.seeds_in_words(plan) == "4 to 3,000 per experiment, each from 0 up"
    assert facts.seeds_in_words(SimpleNamespace(papers={})) == ""


def test_times_are_summed_per_rule_and_sorted(tmp_path):
    """Snakemake writes - or NA for what it could not measure."""
    jobs = {"draw/a": "1.5 2 100", "draw/b": "2.5 - 200.5", "simulate/c": "9.5 18 NA"}
    for name, numbers in jobs.items():
        row = numbers.replace(" ", "\t")
        write_text(f"s\tcpu_time\tmax_rss\n{row}\n", tmp_path / f"benchmarks/{name}.tsv")
    rows = facts.rule_times(SimpleNamespace(places=SimpleNamespace(results=tmp_path)))
    assert [(r["kind"], r["jobs"], r["wall"], r["cpu"], r["memory"]) for r in rows] == [
        ("simulate", 1, 9.5, 18, 0), ("draw", 2, 4.0, 2, 200.5), ("all", 3, 13.5, 20, 200.5),
    ]  # fmt: skip
    empty = facts.rule_times(SimpleNamespace(places=SimpleNamespace(results=tmp_path / "none")))
    assert empty == [{"kind": "all", "jobs": 0, "wall": 0, "cpu": 0, "memory": 0}]


def git(*arguments):
    subprocess.run(["git", *arguments], check=True, capture_output=True)


def test_commit_and_uncommitted_changes(plan, tmp_path):
    write_text("abc", tmp_path / "envs/requirements.lock")
    assert facts.run_facts(plan)["Commit"] == "not known"
    git("init")
    git("add", ".")
    git("-c", "user.name=a", "-c", "user.email=b", "commit", "-m", "c")
    commit = facts.run_facts(plan)["Commit"]
    assert re.fullmatch("[0-9a-f]{12}", commit)
    write_text("abd", tmp_path / "envs/requirements.lock")
    assert facts.run_facts(plan)["Commit"] == f"{commit}, with uncommitted changes"


def test_lock_packages_machine_and_time(plan, tmp_path):
    write_text("abc", tmp_path / "envs/requirements.lock")  # FIPS 180-2 has its SHA-256
    run = facts.run_facts(plan)
    assert run["Lock"] == "sha256 ba7816bf8f01cfea"
    assert run["Scale"] == "smoke: small and quick"
    assert f"numpy {np.__version__}, " in run["Packages"]
    assert facts.version_of("no-such-package") == "?"
    assert f", {os.cpu_count()} cores" in run["Machine"]
    made = datetime.strptime(run["Report made"], "%Y-%m-%d %H:%M UTC").replace(tzinfo=UTC)
    assert abs((datetime.now(UTC) - made).total_seconds()) < 3600
    assert facts.processor_name() in Path("/proc/cpuinfo").read_text()  # x86-64's, as is the lock
