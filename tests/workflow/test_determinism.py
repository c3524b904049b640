"""Tables do not depend on cores, blocks of seeds, the cells of a job, or an interruption."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
import yaml
from scratch import mini_project
from smoke_tables import table_of

from dpbandits.reproduction.files import write_csv
from dpbandits.reproduction.pipeline.plan import Plan

pytestmark = pytest.mark.pipeline
PARTS = "results/simulations/**/[0-9]*.parquet"
CUTS = {
    "blocks_of_7": {"seeds_per_block": 7},
    "blocks_of_1": {"seeds_per_block": 1},
    "two_cells_per_job": {"cells_per_job": 2},
}


@pytest.fixture(scope="module")
def reference(whole_run):
    """The table of the plain run: two cores, all seeds in one block, all cells in one job."""
    return whole_run.files("results/tables/hu/tiny.csv")


@pytest.mark.parametrize("name", CUTS)
def test_tables_do_not_depend_on_blocks_and_jobs(name, reference, tmp_path, monkeypatch):
    monkeypatch.chdir(mini_project(tmp_path).folder)
    config = yaml.safe_load(Path("config/config.yaml").read_text())
    plain, plan = (Plan(config | cut) for cut in ({}, CUTS[name]))
    assert [job.cells for job in plan.jobs.values()] != [job.cells for job in plain.jobs.values()]
    write_csv(table_of(plan, "hu", "tiny"), tmp_path / "tiny.csv")
    assert {"results/tables/hu/tiny.csv": (tmp_path / "tiny.csv").read_bytes()} == reference


def test_killed_run_goes_on_and_gives_the_same_tables(reference, tmp_path):
    project = mini_project(tmp_path)
    cut = ("--config", "seeds_per_block=7", "cells_per_job=4", "--", "tables")
    run = subprocess.Popen(
        project.command("--cores", "1", *cut),
        cwd=tmp_path, start_new_session=True, stdout=subprocess.DEVNULL, stderr=-2,
    )  # fmt: skip
    while len(project.files(PARTS)) < 2:
        assert run.poll() is None, "the run ended before it could be killed"
        time.sleep(0.05)
    os.killpg(run.pid, signal.SIGKILL)  # Snakemake and its job, as in a power cut
    run.wait()
    before = project.files(PARTS)
    assert not project.files("results/tables/**/*.csv")
    output = project.run("--cores", "2", *cut)
    assert len(project.files(PARTS)) == 4
    assert project.files("results/tables/**/*.csv") == reference
    again = re.findall(r"Job \d+: ", output)  # all again: 4 parts and the table
    assert len(again) < 5, "finished jobs were run again"
    assert before.items() <= project.files(PARTS).items()
