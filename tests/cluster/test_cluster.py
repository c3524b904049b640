"""The workflow on a real SLURM of two nodes: same tables as a local run, whatever goes wrong."""

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

from dpbandits.pipeline.benchmarks import by_kind

pytestmark = pytest.mark.cluster
QUICK = (
    "--profile=workflow/profiles/slurm",
    "--slurm-init-seconds-before-status-checks=2",
    "--seconds-between-status-checks=2",
)
TABLES = "results/tables/**/*.csv"
HANGS = 1800  # seconds; ends what hangs: how long a run takes fails no test
SIMULATED = "results/simulations/**/[0-9]*.parquet"
GROUPS_OF = "--group-components=simulations={}".format

# Well or badly behaved, all three give results that depend on their streams alone.
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
        Path("{0}.txt").write_text("hangs, the first time")
        time.sleep(900)"""
TROUBLE = {
    "steady": "",
    "hungry": "needs = np.ones(150_000_000); time.sleep(4); del needs  # 1.2 GB",
    "stuck": HANG_ONCE.format("stuck"),
    "lost": HANG_ONCE.format("lost"),
}


@pytest.fixture(scope="session", autouse=True)
def cluster():
    if why := slurm.obstacle():
        pytest.fail(why, pytrace=False)
    folder = Path(tempfile.mkdtemp(prefix="dpbandits-slurm"))
    slurm.start(folder)
    yield folder
    slurm.stop(folder)


def troubled(folder: Path, *names: str) -> Project:
    """A project that simulates algorithms which hang or want too much."""
    project = mini_project(folder, own_source=True)
    for name in names:
        text = ALGORITHM.format(name=name, trouble=TROUBLE[name])
        project.write(f"src/dpbandits/stochastic/{name}.py", text)
    wanted = f"[{', '.join(names)}]"
    alone = ", ".join(f"{name}: 4" for name in names)  # a job for each
    wanted += f"\n    cells_per_job: {{{alone}}}"
    project.write("config/hu.yaml", MINI.replace("[anytime-lazy-ucb, dp-se, adap-ucb]", wanted))
    project.parts = {name: f"hu/tiny, part {part}" for part, name in enumerate(names)}
    return project


def local_tables(folder: Path, make, *names: str) -> dict[str, bytes]:
    """The tables of the same project, made without a cluster (where nothing hangs)."""
    folder.mkdir()
    project = make(folder, *names)
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
        """Wait for a condition, while snakemake runs; gives its value."""
        end = time.monotonic() + HANGS
        while not (value := condition()):
            assert self.process.poll() is None, f"snakemake has ended:\n{self.output[-6000:]}"
            assert time.monotonic() < end, f"waited in vain:\n{self.output[-6000:]}"
            time.sleep(0.3)
        return value

    def succeeds(self) -> str:
        assert self.process.wait(HANGS) == 0, self.output[-6000:]
        return self.output


def squeue(*options: str) -> list[str]:
    command = ["squeue", "--noheader", *options]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def node(name: str, state: str) -> None:
    words = ["scontrol", "update", f"NodeName={name}", f"State={state}", "Reason=test"]
    subprocess.run(words[:5] if state == "DRAIN" else words[:4], check=True)


def slurm_job_of(project: Project, algorithm: str) -> str:
    """The SLURM job that runs an algorithm, from the log that SLURM keeps of it."""
    for log in sorted((project.folder / "results/logs/slurm").rglob("*.log")):
        if f"Simulate {project.parts[algorithm]}" in log.read_text():
            return log.stem
    return ""


def lost_groups(output: str) -> int:
    return output.count("message: Error in group simulations\n    log:")


# -- the same tables ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def mini_tables(tmp_path_factory):
    return local_tables(tmp_path_factory.mktemp("mini") / "local", mini_project)


def test_drained_nodes_make_jobs_wait_and_nothing_is_lost(mini_tables, tmp_path):
    """Real algorithms; both nodes are out of service at first, then one comes back."""
    project = mini_project(tmp_path)
    for name in slurm.NODES:
        node(name, "DRAIN")
    try:
        run = Submitted(project, GROUPS_OF(2))
        waiting = run.until(lambda: squeue("--states=PENDING", "--format=%r"))
        time.sleep(3)
        assert not squeue("--states=RUNNING"), "a drained node took a job"
        assert not project.files(SIMULATED)
        assert waiting
    finally:
        node("two", "RESUME")
    output = run.succeeds()
    assert lost_groups(output) == 0
    assert set(squeue("--states=COMPLETED", "--format=%N")) == {"two"}
    node("one", "RESUME")
    assert project.files(TABLES) == mini_tables


# -- the submitting snakemake is killed -----------------------------------------------------------


def documented(title: str) -> str:
    """The shell commands below a heading of docs/cluster.md."""
    text = (ROOT / "docs/cluster.md").read_text()
    return re.search(rf"## {title}\n.*?```\n(.*?)```", text, re.S).group(1)


def test_killed_snakemake_leaves_nothing_that_cannot_go_on(tmp_path):
    expected = local_tables(tmp_path / "local", troubled, "steady", "stuck")
    (tmp_path / "slurm").mkdir()
    project = troubled(tmp_path / "slurm", "steady", "stuck")
    run = Submitted(project, GROUPS_OF(1))
    hanging = project.folder / "stuck.txt"
    run.until(lambda: "Finished jobid" in run.output and hanging.exists())
    before = project.files(SIMULATED)
    assert len(before) == 1
    os.killpg(run.process.pid, signal.SIGKILL)
    run.process.wait()
    assert squeue("--states=RUNNING"), "its SLURM jobs run on"
    mend = documented("After a kill").replace("snakemake", " ".join(project.command()))
    subprocess.run(["bash", "-euc", mend], cwd=project.folder, check=True, timeout=60)
    assert not squeue("--states=RUNNING,PENDING")
    again = Submitted(project, GROUPS_OF(1))
    again.succeeds()
    simulated = re.findall(r"Job \d+: Simulate (.*)", again.output.split("SLURM run ID")[-1])
    assert simulated == [project.parts["stuck"]], "only what was not finished is done again"
    assert before.items() <= project.files(SIMULATED).items()
    assert project.files(TABLES) == expected


# -- one bad day: four jobs, three of them in trouble ---------------------------------------------


@pytest.fixture(scope="module")
def troubled_run(tmp_path_factory):
    """A job over its memory, one over its time, one cancelled by hand, one that is well."""
    folder = tmp_path_factory.mktemp("bad_day")
    names = ("steady", "hungry", "stuck", "lost")
    expected = local_tables(folder / "local", troubled, *names)
    (folder / "slurm").mkdir()
    project = troubled(folder / "slurm", *names)
    project.expected = expected
    run = Submitted(project, GROUPS_OF(1), "--set-resources=simulate:runtime=1")
    run.until((project.folder / "lost.txt").exists)
    project.cancelled = run.until(lambda: slurm_job_of(project, "lost"))
    subprocess.run(["scancel", project.cancelled], check=True)
    yield project, run
    run.process.kill()


@pytest.fixture(scope="module")
def bad_day(troubled_run):
    project, run = troubled_run
    project.output = run.succeeds()
    return project


# -- the smoke pipeline ---------------------------------------------------------------------------

# The quickest, with every rule: CLUSTER_PAPERS=kl
PAPERS = os.environ.get("CLUSTER_PAPERS", "hu,fl,us,kl")


def overhead(project: Project, submissions: int) -> str:
    """Time that SLURM's jobs took beyond the work of snakemake's, shared among both."""
    done = [line.split("|") for line in squeue("--states=COMPLETED", "--format=%Z|%M")]
    minutes = [used.split(":") for folder, used in done if folder == str(project.folder)]
    elapsed = sum(60 * int(m) + int(s) for m, s in minutes)
    kinds = by_kind(project.folder / "results/smoke")  # others run where snakemake runs
    jobs, work = kinds[["jobs", "wall"]].sum().astype(int)
    beyond = elapsed - work
    return (
        f"{submissions} submissions with {jobs} jobs: {elapsed} s, {work:.0f} s of them "
        f"work; beyond it {beyond / submissions:.1f} s per submission, "
        f"{beyond / (submissions + jobs):.1f} s per start of snakemake"
    )


def test_smoke_pipeline_gives_the_tables_of_a_local_run(troubled_run, tmp_path):
    """Beside the bad day, which mostly waits for a time limit."""
    config = ("--config", "scale=smoke", f"papers=[{PAPERS}]")
    made = {}
    for place, arguments in {"local": ("--cores", "2"), "slurm": QUICK}.items():
        (tmp_path / place).mkdir()
        project = Project(tmp_path / place)
        begin = time.monotonic()
        done = subprocess.run(
            project.command(*arguments, *config),
            cwd=project.folder,
            capture_output=True,
            text=True,
        )
        output = done.stdout + done.stderr
        assert done.returncode == 0, output[-6000:]
        print(f"\nsmoke of {PAPERS}, {place}: {time.monotonic() - begin:.0f} s")
        made[place] = project.files("results/smoke/tables/**/*.csv")
        assert project.files("results/smoke/published.txt")
    print(overhead(project, output.count("has been submitted with SLURM jobid")))
    assert made["slurm"]
    assert made["slurm"] == made["local"]


# -- what became of the bad day -------------------------------------------------------------------


def test_cancelled_job_is_reported_and_done_again(bad_day):
    assert re.search(rf"JOB {bad_day.cancelled} ON \w+ CANCELLED AT \S+ \*", bad_day.output)


def test_job_over_its_memory_is_reported_and_gets_more(bad_day):
    assert "exceeded memory limit" in bad_day.output


def test_job_over_its_time_is_reported_and_done_again(bad_day):
    assert re.search(r"JOB \d+ ON \w+ CANCELLED AT \S+ DUE TO TIME LIMIT", bad_day.output)


def test_tables_equal_those_of_a_local_run(bad_day):
    assert lost_groups(bad_day.output) == 3, "only the jobs in trouble were lost"
    assert bad_day.output.count("Trying to restart") == 3
    assert bad_day.files(TABLES) == bad_day.expected
