"""The workflow on a real SLURM of two nodes makes the tables of a local run, also after a job was
lost: `make test-cluster`."""

import os
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
import slurm
from scratch import MINI, ROOT, Project, mini_project

pytestmark = pytest.mark.cluster
QUICK = (
    "--profile=workflow/profiles/slurm",
    "--slurm-init-seconds-before-status-checks=2",
    "--seconds-between-status-checks=2",
)
PAPERS = os.environ.get("CLUSTER_PAPERS", "hu,fl,us,kl")  # the quickest, with every rule: kl
ALGORITHM = '''
"""An algorithm of the cluster tests, which hangs the first time."""

import time
from pathlib import Path

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.trajectories import Trajectories
from dpbandits.stochastic.problem import StochasticSetting


@algorithm("stuck", setting=StochasticSetting, source="a test")
def simulate(setting, epsilon, horizon, streams, checkpoints):
    if horizon == 3000 and not Path("stuck.txt").exists():  # not while it is compiled
        Path("stuck.txt").write_text("hangs")
        time.sleep(900)
    draws = [streams.generator(i).random(len(checkpoints)) for i in range(len(streams))]
    return Trajectories(np.cumsum(draws, axis=1))
'''


@pytest.fixture(scope="module", autouse=True)
def cluster():
    if why := slurm.obstacle():
        pytest.fail(why, pytrace=False)
    folder = Path(tempfile.mkdtemp(prefix="dpbandits-slurm"))
    slurm.start(folder)
    yield
    slurm.stop(folder)


def test_smoke_pipeline_gives_the_tables_of_a_local_run(tmp_path):
    """The golden ones, which tests/workflow/test_smoke.py compares with those of a local run."""
    project = Project(tmp_path)
    project.run(*QUICK, "--config", "scale=smoke", f"papers=[{PAPERS}]")
    assert project.files("results/smoke/published.txt")
    for paper in PAPERS.split(","):
        made = project.folder.glob(f"results/smoke/tables/{paper}/*.csv")
        golden = (ROOT / f"tests/golden/{paper}").glob("*.csv")
        assert {p.name: p.read_bytes() for p in made} == {p.name: p.read_bytes() for p in golden}


def test_a_lost_job_is_reported_and_run_again(tmp_path):
    project = mini_project(tmp_path, own_source=True)
    project.write("src/dpbandits/stochastic/stuck.py", ALGORITHM)
    project.write("config/hu.yaml", MINI.replace("na-imed]", "stuck]"))
    command = project.command(*QUICK, "--", "tables")
    with open(tmp_path / "run.log", "w") as log:
        run = subprocess.Popen(command, cwd=tmp_path, stdout=log, stderr=subprocess.STDOUT)
    while not (tmp_path / "stuck.txt").exists():
        assert run.poll() is None, (tmp_path / "run.log").read_text()[-6000:]
        time.sleep(0.5)
    subprocess.run(["scancel", "--state=RUNNING", "--partition=all"], check=True)
    assert run.wait(1800) == 0, (tmp_path / "run.log").read_text()[-6000:]
    output, table = (tmp_path / "run.log").read_text(), "results/tables/hu/tiny.csv"
    assert output.count("Trying to restart") == 1
    before = (tmp_path / table).read_bytes()
    project.run("--cores", "1", "--forceall", "--", "tables")  # here, without a failure
    assert (tmp_path / table).read_bytes() == before
