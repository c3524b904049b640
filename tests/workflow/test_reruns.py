"""An edit reruns exactly what depends on it; damage and staleness are noticed, times not asked."""

import os
import re

import pytest
from scratch import mini_project

pytestmark = pytest.mark.pipeline


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    project = mini_project(tmp_path_factory.mktemp("reruns"), own_source=True)
    project.run("--cores", "2", "tables")
    return project


def planned(project, *arguments: str) -> set[str]:
    """Messages of the jobs that a dry run for the tables would run."""
    return jobs_in(project.run("--dry-run", *arguments, "--", "tables"))


def jobs_in(output: str) -> set[str]:
    return set(re.findall(r"Job \d+: (.*)\n\s*Reason: ", output))


def edited(project, name: str, old: str, new: str):
    """Edit a file of the project; gives a function that takes the edit back."""
    path = project.folder / name
    before = path.read_text()
    assert old in before
    path.write_text(before.replace(old, new, 1))
    return lambda: path.write_text(before)


def test_nothing_to_do_without_a_cause(project):
    """Comments, docstrings, texts, what the jobs do not use, and times of files are none: all at
    once, and by themselves in tests/pipeline/test_recipes.py."""
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
    assert jobs_in(output) == set()
    assert "Changed since results were made" not in output


@pytest.mark.parametrize(
    ("file", "algorithms"),
    [
        ("stochastic/dp_se.py", {"dp-se"}),
        ("core/noise.py", {"anytime-lazy-ucb", "dp-se", "adap-ucb"}),
    ],
)
def test_edited_code_reruns_the_algorithms_that_mean_something_else(project, file, algorithms):
    edit = ("import numpy as np", "import numpy as np\nEDITED = 1")
    undo = edited(project, f"src/dpbandits/{file}", *edit)
    output = project.run("--dry-run", "--", "tables")
    undo()
    jobs = re.findall(r"Job \d+: Simulate (\S+) ", output)
    assert set(jobs) == algorithms
    said = re.findall(r"Changed since results were made: (.*)", output)
    assert said
    assert all(f"src/dpbandits/{file}" in line for line in said)


def test_edited_config_reruns_its_experiment(project):
    undo = edited(project, "config/hu.yaml", "seeds: 9", "seeds: 10")
    jobs = planned(project)
    undo()
    assert len([job for job in jobs if job.startswith("Simulate")]) == 3


def damaged(path, how: str) -> None:
    data = bytearray(path.read_bytes())
    if how == "truncated":
        path.write_bytes(data[: len(data) // 2])
    else:
        data[len(data) // 2] ^= 1
        path.write_bytes(data)


@pytest.mark.parametrize("kind", ["simulations/**/*.parquet", "tables/**/*.csv"])
def test_damaged_files_are_noticed_and_made_again(project, kind):
    """Two of them (of the one table there is: one), truncated and with a flipped bit."""
    tables = project.files("results/tables/**/*.csv")
    victims = sorted(project.folder.glob(f"results/{kind}"))[:2]
    for victim, how in zip(victims[::-1], ("one bit flipped", "truncated"), strict=False):
        times = victim.stat()
        damaged(victim, how)
        os.utime(victim, (times.st_atime, times.st_mtime))
    output = project.run("--cores", "2", "--", "tables")
    for victim in victims:
        assert f"{victim.relative_to(project.folder)}: not what its job wrote" in output
    assert project.files("results/tables/**/*.csv") == tables
    assert planned(project) == set()


def test_a_table_made_from_other_simulations_is_made_again(project):
    """As after a kill between two jobs: the part is new and sealed, the table is of the old one."""
    from dpbandits.core.files import read_seal, write_seal

    part = sorted(project.folder.glob("results/simulations/**/*.parquet"))[0]
    seal = read_seal(part)
    kept = part.read_bytes()
    part.write_bytes(kept + b" ")
    write_seal(part, seal["recipe"], seal["inputs"])
    output = project.run("--dry-run", "--", "tables")
    assert "is no longer what it was made of" in output
    assert "Aggregate hu/tiny" in output
    part.write_bytes(kept)
    write_seal(part, seal["recipe"], seal["inputs"])
    project.run("--cores", "2", "--", "tables")


def test_left_overs_of_killed_processes_are_swept(project):
    from dpbandits.core.files import HOST, PARTIAL

    folder = project.folder / "results/tables/hu"
    dead = folder / f".tiny.{HOST}-4194305{PARTIAL}.csv"  # above the largest pid
    ours = folder / f".tiny.{HOST}-{os.getpid()}{PARTIAL}.csv"
    for path in (dead, ours):
        path.write_text("half")
    planned(project)
    assert not dead.exists()
    assert ours.exists(), "its process still writes"
    ours.unlink()
