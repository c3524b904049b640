"""What a scale costs is read from what jobs booked; the rest is extrapolated as the page says."""

import json

import costs
import pytest
from scratch import ROOT

from dpbandits.pipeline.resources import Measured, rows, with_margin


def test_power_of_the_horizon_is_between_the_shortest_and_the_longest():
    per_run = {
        ("hu", "short", "lazy"): (0.001, 10**6),
        ("hu", "long", "lazy"): (0.01, 10**8),
        ("hu", "short", "alone"): (0.001, 10**6),
        ("hu", "short", "flat"): (0.002, 10**6),
        ("hu", "long", "flat"): (0.001, 10**8),
    }
    found = costs.powers(per_run)
    assert found == {("hu", "lazy"): pytest.approx(0.5), ("hu", "flat"): 0.0}


def test_page_gets_what_a_run_cost(tmp_path, monkeypatch, capsys):
    """Every job of HU has taken 3 s, 1 s of it to start, and 300 MB."""
    monkeypatch.chdir(ROOT)
    paper, extended = costs.plan_of("paper"), costs.plan_of("extended")
    paper.places = paper.places.model_copy(update={"results": str(tmp_path)})
    for name in paper.jobs:
        log = tmp_path / "logs/simulate" / f"{name}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text(
            json.dumps(
                {"startup_seconds": 1.0, "cpu_seconds": 3.0, "peak_mb": 300.0, "compiled": {}}
            )
        )
    monkeypatch.setattr(costs, "plan_of", {"paper": paper, "extended": extended}.get)
    page = tmp_path / "page.md"
    page.write_text(f"before\n{costs.MARK}\nold\n{costs.MARK}\nafter\n")
    monkeypatch.setattr("sys.argv", ["costs", "--into", str(page), "--resources"])
    monkeypatch.setattr(costs, "FILE", tmp_path / "resources.yaml")
    costs.FILE.write_text(
        "extended study:\n"
        "  kl/older: {memory: 9, seconds: 9.0}\n"
        "  kl/choice: {memory: 9, seconds: 9.0}\n"
    )
    extended.places = paper.places.model_copy(update={"results": str(tmp_path / "extended")})
    study = tmp_path / "extended/logs/study/kl/choice.log"
    study.parent.mkdir(parents=True)
    booked = {"startup_seconds": 1.0, "cpu_seconds": 1200.0, "peak_mb": 400.0, "compiled": {}}
    study.write_text(json.dumps(booked))
    costs.main()
    text = page.read_text()
    assert text.startswith("before\n")
    assert text.endswith("after\n")
    assert "old" not in text
    jobs = len(paper.jobs)
    assert f"| all | {jobs} | {3 * jobs / 3600:.2f} | 3 s | 300 MB |" in text
    fig1 = paper.jobs_of("hu", "fig1")
    seeds = paper.experiment("hu", "fig1").seeds
    assert f"| hu/fig1 | {seeds} | {2 * len(fig1) / seeds:.3g} |" in text
    asked = Measured.load(tmp_path / "resources.yaml")
    assert asked.data["extended study"] == {
        "kl/choice": {"memory": 400, "seconds": 1200.0},
        "kl/older": {"memory": 9, "seconds": 9.0},
    }
    for job in fig1:
        assert asked.of_simulation(job) == with_margin(300 + rows(job) * 2e-4, 3)


def test_what_is_written_down_is_read_again(tmp_path, monkeypatch):
    """YAML takes 6e-05, without a point, for a text."""
    monkeypatch.setattr(costs, "FILE", tmp_path / "resources.yaml")
    found = {"simulate": {"x/e/a": {"memory": 1, "per_run": 6e-05, "power": 0.0}}, "draw": {}}
    costs.write_resources(found)
    assert Measured.load(costs.FILE).data == found | {"draw": None}
