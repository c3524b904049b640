"""An edit reruns exactly what depends on it, and a dry run says why."""

import re

import pytest
from scratch import mini_project

pytestmark = pytest.mark.pipeline


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    project = mini_project(tmp_path_factory.mktemp("reruns"), own_source=True)
    project.run("--cores", "2", "tables")
    return project


def planned(project, *arguments: str) -> dict[str, str]:
    """job message -> reason, of a dry run for the tables."""
    output = project.run("--dry-run", *arguments, "--", "tables")
    return dict(re.findall(r"Job \d+: (.*)\n\s*Reason: (.*)", output))


def edited(project, name: str, old: str, new: str):
    """Edit a file of the project; gives a function that takes the edit back."""
    path = project.folder / name
    before = path.read_text()
    assert old in before
    path.write_text(before.replace(old, new, 1))
    return lambda: path.write_text(before)


def test_nothing_to_do_without_a_cause(project):
    assert planned(project) == {}


@pytest.mark.parametrize(
    ("file", "old", "new", "algorithms"),
    [
        ("src/dpbandits/stochastic/dp_se.py", '"""', '"""Edited. ', {"dp-se"}),
        (
            "src/dpbandits/core/noise.py",
            '"""',
            '"""Edited. ',
            {"anytime-lazy-ucb", "dp-se", "adap-ucb"},
        ),
        ("src/dpbandits/core/style.py", '"""', '"""Edited. ', set()),
        ("src/dpbandits/sparse/__init__.py", '"""', '"""Edited. ', set()),
    ],
)
def test_edited_code_reruns_the_algorithms_that_import_it(project, file, old, new, algorithms):
    undo = edited(project, file, old, new)
    jobs = {job: why for job, why in planned(project).items() if job.startswith("Simulate")}
    undo()
    assert {job.split()[1] for job in jobs} == algorithms
    assert all(file in why for why in jobs.values())


def test_edited_config_reruns_its_experiment(project):
    undo = edited(project, "config/hu.yaml", "seeds: 9", "seeds: 10")
    jobs = planned(project)
    undo()
    reasons = [why for job, why in jobs.items() if job.startswith("Simulate")]
    assert len(reasons) == 3
    assert all("Params have changed" in why for why in reasons)


def test_edited_text_of_the_config_reruns_nothing(project):
    undo = edited(project, "config/hu.yaml", "a small experiment", "a smaller experiment")
    assert planned(project) == {}
    undo()
