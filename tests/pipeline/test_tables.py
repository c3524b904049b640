"""What is computed now is what the workflow would make, from the parts that are up to date."""

from math import inf

import pandas as pd
import pytest
from scratch import MINI, ROOT

from dpbandits.cli import main
from dpbandits.core.algorithms import declared, run
from dpbandits.core.errors import InputError
from dpbandits.core.files import write_csv, write_parquet, write_seal
from dpbandits.pipeline import jobs, kept, recipes
from dpbandits.pipeline.plan import load_plan
from dpbandits.pipeline.tables import table


@pytest.fixture
def plan(tmp_path, monkeypatch):
    """One small experiment, in a folder of its own."""
    (tmp_path / "config").mkdir()
    (tmp_path / "config/hu.yaml").write_text(MINI)
    lines = (ROOT / "config/config.yaml").read_text().splitlines()
    lines = [line for line in lines if not line.startswith("papers:")]
    (tmp_path / "config/config.yaml").write_text("\n".join([*lines, "papers: [hu]"]))
    for name in ("envs", "workflow"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    return load_plan("smoke")


def test_parts_that_are_up_to_date_are_taken(plan, capsys):
    fresh = table(plan, "hu", "tiny")
    assert "is not up to date" in capsys.readouterr().err
    job = plan.jobs_of("hu", "tiny")[0]
    part = plan.part_path(job)
    write_parquet(jobs.simulate(job).assign(value=-1.0), part)
    for recipe, taken in ((recipes.simulation(job).digest, True), ("another", False)):
        write_seal(part, recipe, {})
        found = table(plan, "hu", "tiny")
        own = found["algorithm"] == job.series
        assert (found.loc[own, "mean"] == -1).all() == taken
        pd.testing.assert_frame_equal(found[~own], fresh[~own])
    write_csv(fresh, "written.csv")
    pd.testing.assert_frame_equal(fresh, pd.read_csv("written.csv"))


def test_a_claim_that_runs_nothing_may_compute_its_table(plan):
    """As in `dpbandits check` of results that are out of date."""
    alone = table(plan, "hu", "tiny")
    with declared(()):
        pd.testing.assert_frame_equal(table(plan, "hu", "tiny"), alone)
        with pytest.raises(InputError, match="name it in runs"):
            run("ucb1", {"means": [0.5, 0.4]}, inf, 4, seeds=range(1))


def test_what_check_remembers_is_what_the_plan_says(plan):
    made = recipes.described(plan, recipes.wanted(plan))
    results, remembered = kept.wanted("hu", "smoke")
    assert results == plan.places.results
    assert {path: (*both,) for path, both in remembered.items()} == made


def test_one_figure_is_drawn_alone_and_like_in_its_notebook(tmp_path, monkeypatch, capsys):
    """From tables that are computed now, the CSV of the tables that were written."""
    from dpbandits.pipeline.figures import draw

    monkeypatch.chdir(ROOT)
    assert main(["draw", "KL/Counterexamples", "--scale", "smoke", "-o", str(tmp_path)]) == 0
    assert "counterexamples.pdf" in capsys.readouterr().out
    draw("kl/counterexamples", ROOT / "tests/golden/kl", tmp_path / "golden")
    drawn = (tmp_path / "counterexamples.csv").read_bytes()
    assert drawn == (tmp_path / "golden/counterexamples.csv").read_bytes()
    assert main(["draw", "hu/fig11"]) == 2
    assert "did you mean 'hu/fig1'" in capsys.readouterr().err
