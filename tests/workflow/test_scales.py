"""What the larger scale changes is read from the two runs: what they booked, tables, ledgers."""

import json

import costs
import pytest
import scales
from scratch import ROOT


@pytest.fixture
def two_scales(tmp_path, monkeypatch):
    """Every simulation took 3 s, 1 s of it to start, and 7 s at the extended scale."""
    monkeypatch.chdir(ROOT)
    plans = {name: costs.plan_of(name) for name in ("paper", "extended")}
    for (name, plan), seconds in zip(plans.items(), (3.0, 7.0), strict=True):
        plan.places = plan.places.model_copy(
            update={"results": str(tmp_path / name), "figures": str(tmp_path / name / "published")}
        )
        for job in plan.jobs:
            log = tmp_path / name / "logs/simulate" / f"{job}.log"
            log.parent.mkdir(parents=True, exist_ok=True)
            log.write_text(
                json.dumps(
                    {"startup_seconds": 1.0, "cpu_seconds": seconds, "peak_mb": 50 * seconds}
                    | {"compiled": {}}
                )
            )
    monkeypatch.setattr(costs, "plan_of", plans.get)
    monkeypatch.setattr(scales, "PAGE", tmp_path / "page.md")
    scales.PAGE.write_text(
        "before\n<!-- scales: hu -->\nof another run\n<!-- end -->\nbetween\n"
        "<!-- scales: us kl -->\nof an older run\n<!-- end -->\nafter\n"
    )
    return tmp_path, plans


def write(folder, name, text):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_page_says_what_ten_times_the_seeds_change(two_scales):
    folder, plans = two_scales
    head = "id,reading,paper,verdict,repaired_verdict,measured\n"
    ledger = (
        f"{head}A,printed,HU,{{}},holds,{{}}\nB,printed,HU,holds,,x|y\nZ,printed,FL,{{}},,{{}}\n"
    )
    write(folder, "paper/tables/hu/fig1.csv", "t,runs,mean,sem\n1,4,2,0.4\n")
    write(folder, "extended/tables/hu/fig1.csv", "t,runs,mean,sem\n1,16,3,0.5\n")
    for scale in ("paper", "extended"):
        write(folder, f"{scale}/tables/hu/bounds.csv", "t,bound\n1,2\n")
    write(folder, "extended/tables/us/gamma.csv", "t,gamma\n1,2\n")
    write(folder, "paper/published/claims.csv", ledger.format("consistent", "2", "holds", "1"))
    write(
        folder,
        "extended/published/claims.csv",
        ledger.format("rejected", "3", "violated", "2") + "C,printed,HU,holds,,\n",
    )
    scales.main()
    text = scales.PAGE.read_text()
    assert text.startswith("before\n")
    assert (
        "<!-- end -->\nbetween\n<!-- scales: us kl -->\nof an older run\n<!-- end -->\nafter\n"
        in text
    )
    assert text.count("<!-- scales: hu -->") == 1
    last = text.split("after\n")[1]  # of a paper that no block names
    assert last.startswith("\n## FL\n\n<!-- scales: fl -->\n|")
    assert "| Z, printed | holds -> violated |  | 1 -> 2 |" in last
    assert "1 verdicts turned; 1 of 1 rows have other words." in last
    text = text.split("between\n")[0]
    assert "of another run" not in text
    later = plans["extended"]
    jobs = [name for name, job in later.jobs.items() if job.paper == "hu"]
    guess = costs.extrapolated(
        later, costs.seconds_per_run(plans["paper"], costs.measured(plans["paper"]))
    )
    hours = costs.hours(sum(guess[name] for name in jobs))
    measured = f"{len(jobs)} | {7 * len(jobs) / 3600:.2f} | 7 s | 350 MB"
    assert f"| simulations of HU | {hours} | {measured} |" in text
    assert f"| all | {hours} | {measured} |" in text
    assert "simulations of FL" not in text  # whose claims were not judged
    assert "| hu/fig1 | at most 1.2 standard errors; there: t 1; 4 and 16 runs" in text
    assert "| hu/bounds | the same |" in text
    assert "us/gamma" not in text
    assert "2 verdicts turned; 2 of 3 rows have other words." in text
    assert "| A, printed | consistent -> rejected | holds | 2 -> 3 |" in text
    assert "| C, printed | none -> holds | none ->  | none ->  |" in text
    assert "B, printed" not in text


def test_without_both_ledgers_nothing_is_written(two_scales):
    folder, _ = two_scales
    write(folder, "paper/published/claims.csv", "id,reading,paper\n")
    with pytest.raises(SystemExit, match=r"no ledger in .*extended.published: run"):
        scales.main()
    assert "of another run" in scales.PAGE.read_text()
