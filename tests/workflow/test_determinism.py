"""Tables do not depend on cores, on blocks of seeds, on how jobs are cut, or on a kill."""

import os
import signal
import subprocess
import time

import pytest
from scratch import mini_project

pytestmark = pytest.mark.pipeline
CUTS = {
    "one_core_blocks_of_7": (1, "seeds_per_block=7"),
    "blocks_of_1": (2, "seeds_per_block=1"),
    "two_cells_per_job": (2, "cells_per_job=2"),
}


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """Tables of the plain run: two cores, all seeds in one block, one job per algorithm."""
    project = mini_project(tmp_path_factory.mktemp("reference"))
    project.run("--cores", "2", "tables")
    tables = project.files("results/tables/**/*.csv")
    assert tables
    return tables


@pytest.mark.parametrize("name", CUTS)
def test_tables_do_not_depend_on_how_work_is_cut(name, reference, tmp_path):
    cores, setting = CUTS[name]
    project = mini_project(tmp_path)
    project.run("--cores", str(cores), "--config", setting, "--", "tables")
    assert project.files("results/tables/**/*.csv") == reference


def test_killed_run_goes_on_and_gives_the_same_tables(reference, tmp_path):
    project = mini_project(tmp_path)
    command = project.command("--cores", "1", "--config", "cells_per_job=1", "--", "tables")
    run = subprocess.Popen(
        command, cwd=tmp_path, start_new_session=True, stdout=subprocess.DEVNULL, stderr=-2
    )
    while len(project.files("results/simulations/**/[0-9]*.parquet")) < 3:
        assert run.poll() is None, "the run ended before it could be killed"
        time.sleep(0.05)
    os.killpg(run.pid, signal.SIGKILL)  # snakemake and its job, like a power cut
    run.wait()
    before = project.files("results/simulations/**/[0-9]*.parquet")
    assert not project.files("results/tables/**/*.csv")
    project.run("--unlock")
    output = project.run("--cores", "2", "--config", "cells_per_job=1", "--", "tables")
    assert project.files("results/tables/**/*.csv") == reference
    assert output.count("Job ") < 13, "finished jobs were run again"  # 10 jobs, table, target
    assert before.items() <= project.files("results/simulations/**/[0-9]*.parquet").items()
