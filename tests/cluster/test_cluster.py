"""The workflow on a real SLURM of two nodes makes the tables of a local run, also after failures of
jobs and of the submitting snakemake."""

import os
import re
import signal
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
TABLES = "results/tables/**/*.csv"
TIMEOUT = 1800  # seconds, far beyond what a run takes: it only ends a run that hangs
SIMULATED = "results/simulations/**/[0-9]*.parquet"
JOBS_PER_SUBMISSION = "--group-components=simulations={}".format

# The results of all these algorithms depend on their streams alone, whatever goes wrong before.
ALGORITHM = '''
"""An algorithm of the cluster tests."""

import time
from pathlib import Path

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.trajectories import Trajectories
from dpbandits.stochastic.problem import StochasticSetting


@algorithm("{name}", setting=StochasticSetting, source="a test")
def simulate(setting, epsilon, horizon, streams, checkpoints):
    {trouble}
    draws = [streams.generator(i).random(len(checkpoints)) for i in range(len(streams))]
    return Trajectories(np.cumsum(draws, axis=1))
'''
HANG_ONCE = """if not Path("{0}.txt").exists():
        Path("{0}.txt").write_text("hangs the first time")
        time.sleep(900)"""
TROUBLE = {
    "steady": "",
    "hungry": "memory = np.ones(150_000_000); time.sleep(4); del memory  # 1.2 GB",
    "stuck": HANG_ONCE.format("stuck"),
    "cancelled": HANG_ONCE.format("cancelled"),
}


@pytest.fixture(scope="session", autouse=True)
def cluster():
    if why := slurm.obstacle():
        pytest.fail(why, pytrace=False)
    folder = Path(tempfile.mkdtemp(prefix="dpbandits-slurm"))
    slurm.start(folder)
    yield folder
    slurm.stop(folder)


def failing_project(folder: Path, *names: str) -> Project:
    """A project that simulates algorithms of TROUBLE, one job each."""
    project = mini_project(folder, own_source=True)
    for name in names:
        text = ALGORITHM.format(name=name, trouble=TROUBLE[name])
        project.write(f"src/dpbandits/stochastic/{name}.py", text)
    cells = ", ".join(f"{name}: 4" for name in names)
    algorithms = f"[{', '.join(names)}]\n    cells_per_job: {{{cells}}}"
    project.write("config/hu.yaml", MINI.replace("[anytime-lazy-ucb, dp-se, adap-ucb]", algorithms))
    project.parts = {name: f"hu/tiny, part {part}" for part, name in enumerate(names)}
    return project


def local_tables(folder: Path, *names: str) -> dict[str, bytes]:
    """The tables of the same project, made without a cluster and without failures."""
    folder.mkdir()
    project = failing_project(folder, *names)
    for name in names:
        project.write(f"{name}.txt", "does not hang")
    project.run("--cores", "2", "tables")
    assert project.files(TABLES)
    return project.files(TABLES)


class Submitted:
    """A snakemake that submits to SLURM, running in the background."""

    def __init__(self, project: Project, *arguments: str) -> None:
        self.log = project.folder / "run.log"
        with self.log.open("a") as log:
            self.process = subprocess.Popen(
                project.command(*QUICK, *arguments, "--", "tables"),
                cwd=project.folder,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def output(self) -> str:
        return self.log.read_text()

    def until(self, condition):
        """Wait until condition() is true, while snakemake runs; return its value."""
        end = time.monotonic() + TIMEOUT
        while not (value := condition()):
            assert self.process.poll() is None, f"snakemake has ended:\n{self.output[-6000:]}"
            assert time.monotonic() < end, f"waited in vain:\n{self.output[-6000:]}"
            time.sleep(0.3)
        return value

    def succeeds(self) -> str:
        assert self.process.wait(TIMEOUT) == 0, self.output[-6000:]
        return self.output


def squeue(*options: str) -> list[str]:
    command = ["squeue", "--noheader", *options]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def slurm_job_of(project: Project, algorithm: str) -> str:
    """The id of the SLURM job that runs an algorithm, by its log; "" if there is none yet."""
    for log in sorted((project.folder / "results/logs/slurm").rglob("*.log")):
        if f"Simulate {project.parts[algorithm]}" in log.read_text():
            return log.stem
    return ""


# The submitting snakemake is killed -----------------------------------------------------------


def documented(title: str) -> str:
    """The shell commands below a heading of docs/cluster.md."""
    text = (ROOT / "docs/cluster.md").read_text()
    return re.search(rf"## {title}\n.*?```\n(.*?)```", text, re.S).group(1)


def test_run_goes_on_after_its_snakemake_was_killed(tmp_path):
    expected = local_tables(tmp_path / "local", "steady", "stuck")
    (tmp_path / "slurm").mkdir()
    project = failing_project(tmp_path / "slurm", "steady", "stuck")
    run = Submitted(project, JOBS_PER_SUBMISSION(1))
    hanging = project.folder / "stuck.txt"
    run.until(lambda: "Finished jobid" in run.output and hanging.exists())
    before = project.files(SIMULATED)
    assert len(before) == 1
    os.killpg(run.process.pid, signal.SIGKILL)
    run.process.wait()
    assert squeue("--states=RUNNING"), "its SLURM jobs run on"
    commands = documented("After a kill").replace("snakemake", " ".join(project.command()))
    subprocess.run(["bash", "-euc", commands], cwd=project.folder, check=True, timeout=60)
    assert not squeue("--states=RUNNING,PENDING")
    again = Submitted(project, JOBS_PER_SUBMISSION(1))
    again.succeeds()
    simulated = re.findall(r"Job \d+: Simulate (.*)", again.output.split("SLURM run ID")[-1])
    assert simulated == [project.parts["stuck"]], "only the unfinished job is run again"
    assert before.items() <= project.files(SIMULATED).items()
    assert project.files(TABLES) == expected


# A run of four jobs, three of which fail ------------------------------------------------------


@pytest.fixture(scope="module")
def started_run(tmp_path_factory):
    """A job over its memory, one over its time, one cancelled by hand, one that succeeds."""
    folder = tmp_path_factory.mktemp("failures")
    names = ("steady", "hungry", "stuck", "cancelled")
    expected = local_tables(folder / "local", *names)
    (folder / "slurm").mkdir()
    project = failing_project(folder / "slurm", *names)
    project.expected = expected
    memory = "simulate:mem_mb=1000 * 2 ** (attempt - 1)"  # as in the profile
    minute = ["--set-resources", "simulate:runtime=1", memory]
    run = Submitted(project, JOBS_PER_SUBMISSION(1), *minute)
    run.until((project.folder / "cancelled.txt").exists)
    project.cancelled = run.until(lambda: slurm_job_of(project, "cancelled"))
    subprocess.run(["scancel", project.cancelled], check=True)
    yield project, run
    run.process.kill()


# The smoke pipeline ---------------------------------------------------------------------------

# The quickest paper, with every rule: CLUSTER_PAPERS=kl
PAPERS = os.environ.get("CLUSTER_PAPERS", "hu,fl,us,kl")


def test_smoke_pipeline_gives_the_tables_of_a_local_run(started_run, tmp_path):
    """The golden ones, which tests/workflow/test_smoke.py compares with those of a local run. Runs
    at the same time as `started_run`, which mostly waits for a time limit."""
    project, start = Project(tmp_path), time.monotonic()
    project.run(*QUICK, "--config", "scale=smoke", f"papers=[{PAPERS}]")
    print(f"\nsmoke of {PAPERS}: {time.monotonic() - start:.0f} s")
    assert project.files("results/smoke/published.txt")
    for paper in PAPERS.split(","):
        made = project.folder.glob(f"results/smoke/tables/{paper}/*.csv")
        golden = (ROOT / f"tests/golden/{paper}").glob("*.csv")
        assert {p.name: p.read_bytes() for p in made} == {p.name: p.read_bytes() for p in golden}


# How the run of four jobs ended ---------------------------------------------------------------


def test_failures_are_reported_and_run_again_and_change_no_table(started_run):
    project, run = started_run
    output = run.succeeds()
    assert re.search(rf"JOB {project.cancelled} ON \w+ CANCELLED AT \S+ \*", output)
    assert "exceeded memory limit" in output
    assert re.search(r"JOB \d+ ON \w+ CANCELLED AT \S+ DUE TO TIME LIMIT", output)
    lost = output.count("message: Error in group simulations\n    log:")
    assert lost == 3, "only the three failing jobs were lost"
    assert output.count("Trying to restart") == 3
    assert project.files(TABLES) == project.expected
