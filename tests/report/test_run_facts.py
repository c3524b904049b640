"""What the report says of a run: its numbers, its times, what made it, by hand."""

import os
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from made_up import HU, MadeUp

from dpbandits.core.models import parse
from dpbandits.pipeline.config import PaperConfig
from dpbandits.report import facts


@pytest.fixture
def plan(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    return MadeUp(tmp_path).plan


def test_experiments_say_their_numbers_at_the_scale(plan):
    simulated, study = facts.experiments(plan, "hu")
    assert simulated["numbers"] == {
        "algorithms": "dp-se, ucb1", "settings": "two", "alpha": "3, 4.5", "epsilon": "0.5, 1",
        "horizon": "10,000", "seeds": "4",
    }  # fmt: skip
    assert study["numbers"] == {"arms": "[2]", "law": "{a: 1}"}
    assert (simulated["name"], study["about"]) == ("regret", "bounds")
    assert study["sources"]["arms"] == "Table 1"
    assert facts._as_yaml("a") == "a"
    assert facts._seeds(plan) == "4"
    changed = HU["experiments"]["regret"] | {"scales": {"smoke": {"seeds": 3000}}}
    plan.papers["us"] = parse(PaperConfig, {"experiments": {"regret": changed}}, "us")
    assert facts._seeds(plan) == "4 to 3,000 per experiment, each from 0 up"
    assert facts._seeds(SimpleNamespace(papers={})) == ""


def test_times_are_added_over_rules_the_longest_first(tmp_path):
    for name, work in {"draw/a": 1.0, "draw/b": 2.0, "simulate/c": 9.0}.items():
        path = tmp_path / "benchmarks" / f"{name}.tsv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"s\tcpu_time\tmax_rss\n{work + 0.5}\t{2 * work}\t{100 * work}\n")
    rows = facts.rule_times(SimpleNamespace(places=SimpleNamespace(results=tmp_path)))
    assert [(r["jobs"], r["wall"], r["cpu"], r["memory"]) for r in rows] == [
        (1, 9.5, 18, 900), (2, 4.0, 6, 200), (3, 13.5, 24, 900),
    ]  # fmt: skip
    assert rows[-1]["kind"] == "all"
    empty = facts.rule_times(SimpleNamespace(places=SimpleNamespace(results=tmp_path / "none")))
    assert empty == [{"kind": "all", "jobs": 0, "wall": 0, "cpu": 0, "memory": 0}]


def test_facts_of_the_run(plan, tmp_path):
    (tmp_path / "envs").mkdir()
    (tmp_path / "envs/requirements.lock").write_text("abc")  # SHA-256: FIPS 180-2's example
    git = lambda *words: subprocess.run(["git", *words], check=True, capture_output=True)  # noqa: E731
    assert facts.run_facts(plan)["Commit"] == "not known"
    git("init")
    git("add", ".")
    git("-c", "user.name=a", "-c", "user.email=b", "commit", "-m", "c")
    said = facts.run_facts(plan)
    assert re.fullmatch("[0-9a-f]{12}", said["Commit"])
    (tmp_path / "envs/requirements.lock").write_text("abd")
    assert facts.run_facts(plan)["Commit"] == said["Commit"] + ", with uncommitted changes"
    assert said["Lock"] == "sha256 ba7816bf8f01cfea"
    assert said["Scale"] == "smoke: small and quick"
    assert f"numpy {np.__version__}, " in said["Packages"]
    assert facts._version("no-such-package") == "?"
    assert f", {os.cpu_count()} cores" in said["Machine"]
    made = datetime.strptime(said["Report made"], "%Y-%m-%d %H:%M UTC").replace(tzinfo=UTC)
    assert abs((datetime.now(UTC) - made).total_seconds()) < 3600
    assert facts._processor() in Path("/proc/cpuinfo").read_text()  # x86-64's, as is the lock
