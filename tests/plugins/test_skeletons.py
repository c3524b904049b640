"""The files that `dpbandits new` writes run as they are, in a copy of the project."""

import json
import os
import re
import shutil

import pandas as pd
import pytest
import yaml
from outside import call_each, dpbandits, python
from scratch import ROOT, Project

SKELETONS = (
    "algorithm my-bandit --paper hu",
    "algorithm my-sparse --paper fl",
    "algorithm my-kernel --paper us",
    "study my_study --paper kl",
    "figure hu/my_figure",
    "figure my_picture --paper kl",
    "claim HU-MY1",
    "mechanism my-noise --paper hu",
    "paper my",
)


class Scratch(Project):
    """A project with its own sources, in which `new` has written the files of SKELETONS."""

    def __init__(self, folder) -> None:
        super().__init__(folder, own_source=True)
        shutil.copy(ROOT / "pyproject.toml", folder)
        self.environment = os.environ | {"PYTHONPATH": str(folder / "src")}
        results = self.new(*SKELETONS)
        assert [code for code, _, _ in results.values()] == [0] * len(SKELETONS)
        self.output = {words: out for words, (_, out, _) in results.items()}

    def python(self, *arguments) -> str:
        return python(self.environment, *arguments, cwd=self.folder)

    def command(self, *arguments) -> str:
        return dpbandits(self.environment, *arguments, cwd=self.folder)

    def new(self, *names: str) -> dict[str, tuple[int, str, str]]:
        """Exit code, stdout and stderr of `dpbandits new`, for each of some arguments."""
        commands = [f"new {words}" for words in names]
        results = call_each(self.environment, *commands, cwd=self.folder)
        return {words: results[f"new {words}"] for words in names}


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    return Scratch(tmp_path_factory.mktemp("scratch"))


def test_printed_files_pass_lint(scratch):
    printed = "".join(output.split("Then: ")[0] for output in scratch.output.values())
    paths = printed.splitlines()
    assert len(paths) >= 15
    code = [path for path in paths if path.endswith((".py", ".ipynb"))]
    scratch.python("-m", "ruff", "check", *code)
    scratch.python("-m", "ruff", "format", "--check", *code)


def test_new_entries_are_listed(scratch):
    listed = json.loads(scratch.command("list", "--json"))
    names = {entry["name"] for entries in listed.values() for entry in entries}
    assert names >= {
        "my-bandit", "my-sparse", "my-kernel", "my-uniform", "my-noise", "kl/my_study",
        "hu/my_figure", "kl/my_picture", "HU-MY1", "MY-1", "my/regret",
    }  # fmt: skip


def test_algorithms_are_simulated(scratch):
    for name, setting in (("my-bandit,my-uniform", '{"means": [0.7, 0.5]}'), ("my-sparse", "{}")):
        options = ["--setting", setting, "--horizon", 50, "--seeds", 3, "--output", "regret.csv"]
        scratch.command("simulate", name, *options)
        table = pd.read_csv(scratch.folder / "regret.csv")
        assert set(table["algorithm"]) == set(name.split(","))
        assert (table[table["t"] == 50]["regret"] > 0).all()  # nothing is learnt yet


def test_contracts_pass(scratch):
    files = (ROOT / "tests/core" / f"test_{x}.py" for x in ("registries", "mechanism_contract"))
    contract = [*files, "-k", "my-", "-p", "no:cacheprovider"]
    assert " passed" in scratch.python("-m", "pytest", "-q", *contract)


def test_new_claim_is_a_row_that_says_what_to_edit(scratch):
    (row,) = json.loads(scratch.command("check", "HU-MY1", "--json"))
    assert (row["verdict"], row["measured"]) == ("violated", "2")
    assert all(row[part].startswith("edit: ") for part in ("scope", "counterexample", "repaired"))


DRAW = """
from dpbandits.reproduction.pipeline.figures import draw
draw("hu/my_figure", "{golden}/hu", "out")
draw("kl/my_picture", "{golden}/kl", "out")
"""


def test_figures_are_drawn(scratch):
    scratch.python("-c", DRAW.format(golden=ROOT / "tests/golden"))
    drawn = {path.name for path in (scratch.folder / "out").glob("*.png")}
    assert drawn == {"my_figure.png", "my_picture.png"}


COMPUTE = """
from dpbandits.reproduction.pipeline.tables import load_plan
entry, params = load_plan().study("kl", "my_study")
print(len(entry.table(params)))
"""


def test_study_is_computed_with_the_printed_config(scratch):
    block = scratch.output["study my_study --paper kl"].split("config/kl.yaml\n")[1]
    config = scratch.folder / "config/kl.yaml"
    text = config.read_text()
    config.write_text(re.sub(r"^studies:\n", f"studies:\n{block}", text, flags=re.M))
    assert scratch.python("-c", COMPUTE).strip() == "3"
    config.write_text(text)


def test_existing_files_are_not_overwritten(scratch):
    patterns = ("**/*.py", "**/claims.toml", "notebooks/**/*.ipynb")
    before = [scratch.files(pattern) for pattern in patterns]
    results = scratch.new(*SKELETONS, "figure hu/fig1", "claim HU-T2", "algorithm ucb1 --paper hu")
    assert before == [scratch.files(pattern) for pattern in patterns]
    for words, (code, _, error) in results.items():
        assert (code, error.count("\n")) == (2, 1), words


def test_workflow_includes_them(scratch):
    """A dry run refuses figures that no notebook draws."""
    options = ("--dry-run", "--config", "papers=[hu,my]", "scale=smoke")
    output = scratch.python("-m", "snakemake", *options)
    assert "draw_hu_my_figure" in output
    assert "claims" in output


HOW_TO = {path.stem: path.read_text() for path in (ROOT / "docs/how-to").glob("*.md")}
PLAN = """
from dpbandits.core.algorithms import get_algorithm
from dpbandits.reproduction.pipeline.tables import load_plan
plan = load_plan("smoke")
entry, params = plan.study("hu", "full_information")
cells = [c for job in plan.jobs_of("hu", "fig1") for c in job.cells if c.algorithm == "my-bandit"]
mine = {c.series for job in plan.jobs_of("hu", "mine") for c in job.cells}
print(len(mine), *{c.labels["setting"] for c in cells})
print(*entry.algorithms(params))
"""


def test_algorithm_of_its_how_to_page_runs(scratch):
    """Also in a new setting, a new experiment and a study, by lines added to the config."""
    page = HOW_TO["add-an-algorithm"]
    path = re.search(r"The file, `(src/.*?)`", page)[1]
    block = re.search(r"```python\n(.*?)```", page, re.DOTALL)[1]
    module, config = scratch.folder / path, scratch.folder / "config/hu.yaml"
    before = {file: file.read_text() for file in (module, config)}
    module.write_text(block)
    scratch.python("-m", "ruff", "check", path)
    paper = yaml.safe_load(before[config])
    first, study = paper["experiments"]["fig1"], paper["studies"]["full_information"]["params"]
    first["algorithms"].append("my-bandit")
    first["settings"]["another"] = {"means": [0.9, 0.1]}
    paper["experiments"]["mine"] = first | {"about": "a block of its own"}
    study["series"].append({"id": "mine-too", "name": "my-bandit"})
    config.write_text(yaml.safe_dump(paper, sort_keys=False))
    try:
        options = ["--setting", '{"means": [0.7, 0.5]}', "--horizon", 50, "--seeds", 3]
        options += ["--epsilon", 1, "--output", "readme.csv"]
        scratch.command("simulate", "my-bandit", *options)
        experiments, study_algorithms = scratch.python("-c", PLAN).splitlines()
    finally:
        for file, text in before.items():
            file.write_text(text)
    table = pd.read_csv(scratch.folder / "readme.csv")
    assert (table[table["t"] == 50]["regret"] > 0).all()
    series, *settings = experiments.split()
    assert int(series) == len(first["algorithms"])
    assert "another" in settings
    assert "my-bandit" in study_algorithms.split()


def test_how_to_page_on_figures_quotes_the_notebook_cell(scratch):
    cell = re.search(r"`(data = publish.*?)`", HOW_TO["add-a-figure"])[1]
    assert json.dumps(cell)[1:-1] in (scratch.folder / "notebooks/hu/my_figure.ipynb").read_text()


def test_every_call_of_new_in_the_pages_is_tested_here():
    text = (ROOT / "README.md").read_text() + "".join(HOW_TO.values())
    calls = {words.strip() for words in re.findall(r"dpbandits new ([\w/ -]+)", text)}
    assert calls <= set(SKELETONS)
    assert {words.split()[0] for words in calls} == {words.split()[0] for words in SKELETONS}
