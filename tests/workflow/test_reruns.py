"""Which edits make jobs run again, and which do not, as stated in CONTRIBUTING.md."""

import os
import re

import pytest

pytestmark = pytest.mark.pipeline

TABLE = "results/tables/hu/tiny.csv"


@pytest.fixture(scope="module")
def project(whole_run, tmp_path_factory):
    return whole_run.copied(tmp_path_factory.mktemp("reruns"))


def planned(project, *targets: str) -> set[str]:
    """The messages of the jobs that a dry run lists."""
    output = project.run("--dry-run", "--", *targets)
    return set(re.findall(r"Job \d+: (.*)\n\s*Reason: ", output))


class Edited:
    """Edits of files of a project, which are undone at the end."""

    def __init__(self, project, *edits: tuple[str, str, str]) -> None:
        self.paths = {project.folder / name: (old, new) for name, old, new in edits}

    def __enter__(self):
        self.before = {path: path.read_text() for path in self.paths}
        for path, (old, new) in self.paths.items():
            assert old in self.before[path]
            path.write_text(self.before[path].replace(old, new, 1))

    def __exit__(self, *_):
        for path, text in self.before.items():
            path.write_text(text)


def test_edit_without_meaning_and_touched_files_rerun_nothing(project):
    """A comment, a docstring, a text of the config, drawing code, and the times of all files."""
    edits = (
        ("src/dpbandits/core/streams.py", '"""', '"""Another docstring. '),
        ("src/dpbandits/stochastic/ftl.py", "from dpbandits", "# a comment\nfrom dpbandits"),
        ("src/dpbandits/reproduction/plots/style.py", "import os", "EDITED = 1\nimport os"),
        ("src/dpbandits/sparse/dp_signs.py", "import math", "EDITED = 1\nimport math"),
        ("config/hu.yaml", "a small experiment", "a smaller experiment"),
    )
    with Edited(project, *edits):
        for folder in ("src", "workflow", "config", "envs", "notebooks", "results/tables"):
            for path in (project.folder / folder).rglob("*"):
                os.utime(path)
        assert planned(project, "tables") == set()


CODE = "from dpbandits.stochastic"


def test_an_edit_reruns_what_depends_on_it_alone(project):
    """Of an algorithm's code and of the config; of the latter alone: the last test below."""
    edits = (
        ("src/dpbandits/stochastic/ftl.py", CODE, f"EDITED = 1\n{CODE}"),
        ("config/hu.yaml", "seeds: 3", "seeds: 4"),
    )
    with Edited(project, *edits):
        jobs = planned(project, "tables")
    assert {"Compile ftl", "Simulate hu/other, part 0", "Aggregate hu/other"} <= jobs
    assert not [job for job in jobs if "tiny" in job]


def test_edit_of_drawing_code_redraws_and_simulates_nothing(project):
    edit = ("src/dpbandits/reproduction/plots/style.py", "import os", "EDITED = 1\nimport os")
    with Edited(project, edit):
        jobs = planned(project, "publish")
    assert "Draw the figures of notebooks/hu/figures.ipynb" in jobs
    assert not [job for job in jobs if "Simulate" in job]


PACKAGE = "src/dpbandits/reproduction/hu"
UNDECLARED = (f"{PACKAGE}/claims/checks.py", 'tables("tiny")', 'tables("other")')


def test_claim_that_reads_an_undeclared_table_fails_the_run(project):
    """Otherwise an edit of that table would not change the verdict."""
    with Edited(project, UNDECLARED):
        done = project.snakemake("--cores", "1", "--", "results/claims/hu/verdicts.csv")
    assert done.returncode != 0
    output = done.stdout + done.stderr
    assert "claim HU-X0 reads table 'other'; name it in its `reads`" in output


def test_check_and_draw_have_snakemake_make_what_is_not_up_to_date(project):
    for command in (["check", "HU-X0"], ["draw", "hu/narrow"]):
        done = project.dpbandits(*command)
        assert done.returncode == 0, done.stderr
        assert "HU-X0" in done.stdout
        assert "Aggregate hu/tiny" not in done.stderr
    with Edited(project, ("config/hu.yaml", "seeds: 9", "seeds: 8")):
        done = project.dpbandits("check", "HU-X0")
    assert "Aggregate hu/tiny" in done.stderr
