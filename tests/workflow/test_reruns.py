"""An edit reruns exactly what depends on it; damage and staleness are noticed, times not asked."""

import json
import os
import re
from pathlib import Path

import pytest
from scratch import mini_project

from dpbandits.core.files import HOST, PARTIAL, read_seal, write_seal
from dpbandits.pipeline.seals import sweep

pytestmark = pytest.mark.pipeline


@pytest.fixture(scope="module")
def project(whole_run, tmp_path_factory):
    return whole_run.copied(tmp_path_factory.mktemp("reruns"))


def planned(project) -> set[str]:
    """Messages of the jobs that a dry run for the tables would run."""
    return jobs_in(project.run("--dry-run", "--", "tables"))


def jobs_in(output: str) -> set[str]:
    return set(re.findall(r"Job \d+: (.*)\n\s*Reason: ", output))


def changed(output: str) -> set[str]:
    """The files that a run says have changed since its results were made."""
    (said,) = re.findall(r"Changed since results were made: (.*)", output)
    return set(re.findall(r"\S+\.py", said))


def edited(project, name: str, old: str, new: str):
    """Edit a file of the project; gives a function that takes the edit back."""
    path = project.folder / name
    before = path.read_text()
    assert old in before
    path.write_text(before.replace(old, new, 1))
    return lambda: path.write_text(before)


@pytest.fixture(scope="module")
def left_over(project):
    """Half-written files: of a process that is no more, and of ours."""
    folder = project.folder / "results/tables/hu"
    dead = folder / f".tiny.{HOST}-4194305{PARTIAL}.csv"  # above the largest pid
    ours = folder / f".tiny.{HOST}-{os.getpid()}{PARTIAL}.csv"
    for path in (dead, ours):
        path.write_text("half")
    yield dead, ours
    ours.unlink()


@pytest.fixture(scope="module")
def without_cause(project, left_over):
    """What is planned after edits that mean nothing: comments, docstrings, texts, what the jobs do
    not use, and times of files, all at once; by themselves in tests/pipeline/test_recipes.py."""
    undo = [
        edited(project, *edit)
        for edit in (
            ("src/dpbandits/core/noise.py", '"""', '"""Another docstring. '),
            (
                "src/dpbandits/core/noise.py",
                "import numpy as np",
                "import numpy as np  # a comment",
            ),
            ("src/dpbandits/core/style.py", "import os", "import os\nEDITED = 1"),
            ("src/dpbandits/sparse/__init__.py", "PAPER", "EDITED = 1\nPAPER"),
            ("config/hu.yaml", "a small experiment", "a smaller experiment"),
        )
    ]
    later = 4e9
    for folder in ("src", "workflow", "config", "envs"):
        for path in (project.folder / folder).rglob("*"):
            os.utime(path, (later, later))
    parts = sorted(project.folder.glob("results/simulations/**/*.parquet"))
    os.utime(parts[0], (1.0, 1.0))  # as if the clock had been set back
    os.utime(parts[1], (later, later))
    output = project.run("--dry-run", "--", "tables")
    for take_back in reversed(undo):
        take_back()
    return output


def test_nothing_to_do_without_a_cause(without_cause):
    assert jobs_in(without_cause) == set()
    assert changed(without_cause) == {"src/dpbandits/core/style.py"}  # figures use it


def test_left_overs_of_killed_processes_are_swept(without_cause, left_over):
    dead, ours = left_over
    assert not dead.exists()
    assert ours.exists(), "its process still writes"


def test_an_edit_reruns_what_means_something_else(project):
    """Of an algorithm, of what another one imports, of a third one's seeds in the config. (Of what
    all of them import: tests/pipeline/test_recipes.py.)"""
    code = ("src/dpbandits/stochastic/dp_se.py", "src/dpbandits/stochastic/engine/bernoulli_kl.py")
    edit = ("from dpbandits.core.", "EDITED = 1\nfrom dpbandits.core.")
    undo = [edited(project, name, *edit) for name in code]
    undo.append(edited(project, "config/hu.yaml", "seeds: 3", "seeds: 4"))
    output = project.run("--dry-run", "--", "tables")
    for take_back in undo:
        take_back()
    simulated = {("dp-se", "hu/tiny"), ("adap-ucb", "hu/tiny"), ("ftl", "hu/other")}
    assert set(re.findall(r"Job \d+: Simulate (\S+) for (\S+), ", output)) == simulated
    assert changed(output) == set(code)


def damaged(path, how: str) -> None:
    data = bytearray(path.read_bytes())
    if how == "truncated":
        path.write_bytes(data[: len(data) // 2])
    else:
        data[len(data) // 2] ^= 1
        path.write_bytes(data)


def test_damaged_files_are_noticed_and_made_again(project):
    """Two parts of one table, truncated and with a flipped bit; a table whose part is whole."""
    tables = project.files("results/tables/**/*.csv")
    parts = sorted(project.folder.glob("results/simulations/hu/tiny/**/*.parquet"))[:2]
    victims = [*parts, project.folder / "results/tables/hu/other.csv"]
    for victim, how in zip(
        victims, ("truncated", "one bit flipped", "one bit flipped"), strict=True
    ):
        times = victim.stat()
        damaged(victim, how)
        os.utime(victim, (times.st_atime, times.st_mtime))
    output = project.run("--cores", "2", "--", "tables")
    for victim in victims:
        assert f"{victim.relative_to(project.folder)}: not what its job wrote" in output
    assert "Simulate ftl" not in output
    assert project.files("results/tables/**/*.csv") == tables
    assert planned(project) == set()


def test_a_table_made_from_other_simulations_is_swept(project, monkeypatch):
    """As after a kill between two jobs: the part is new and sealed, the table is of the old one."""
    monkeypatch.chdir(project.folder)
    part = sorted(Path().glob("results/simulations/hu/tiny/**/*.parquet"))[0]
    seal = read_seal(part)
    part.write_bytes(part.read_bytes() + b" ")
    write_seal(part, seal["recipe"], seal["inputs"])
    said = []
    swept = sweep("results", said.append)
    assert Path("results/tables/hu/tiny.csv") in swept
    assert f"results/tables/hu/tiny.csv: {part} is no longer what it was made of" in "".join(said)
    assert not [path for path in swept if "other" in path.name or "simulations" in path.parts]


def test_what_takes_longest_starts_first(tmp_path):
    """By the last measured run; on one core, since two jobs at a time may say so in any order."""
    project = mini_project(tmp_path)
    took = {"dp-se": 3.0, "anytime-lazy-ucb": 2.0, "adap-ucb": 1.0}
    measured = {
        f"hu/tiny/{name}": {
            "memory": 200, "start": 0.1, "per_run": seconds, "horizon": 3000, "power": 1.0
        }
        for name, seconds in took.items()
    }  # fmt: skip
    project.write("workflow/resources.yaml", json.dumps({"simulate": measured}))
    output = project.run("--quiet", "reason", "--cores", "1", "--", "tables")
    assert re.findall(r"Simulate (\S+) for", output) == list(took)
