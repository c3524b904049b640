"""`dpbandits new` in a scratch copy of the project: what it writes runs, untouched."""

import json
import os
import re
import shutil

import pandas as pd
import pytest
import yaml
from outside import python
from scratch import ROOT, Project

COMMAND = ("-m", "dpbandits.cli")
MADE = (
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


# each call of the command line, in one process: what it ends with, prints, and complains of
CALLS = """
import contextlib, io, json, sys
from dpbandits.cli import main
said = {}
for words in sys.argv[1:]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(["new", *words.split()])
    said[words] = code, out.getvalue(), err.getvalue()
print(json.dumps(said))
"""


class Scratch(Project):
    """A project with a source of its own, and what `new` said there."""

    def __init__(self, folder) -> None:
        super().__init__(folder, own_source=True)
        shutil.copy(ROOT / "pyproject.toml", folder)
        self.environment = os.environ | {"PYTHONPATH": str(folder / "src")}
        self.said = {words: out for words, (code, out, _) in self.new(*MADE).items() if code == 0}

    def python(self, *arguments, code: int = 0) -> str:
        return python(self.environment, *arguments, cwd=self.folder, code=code)

    def new(self, *names: str) -> dict[str, tuple[int, str, str]]:
        return json.loads(self.python("-c", CALLS, *names))


@pytest.fixture(scope="module")
def scratch(tmp_path_factory):
    return Scratch(tmp_path_factory.mktemp("scratch"))


def test_what_is_written_is_named_and_passes_lint(scratch):
    assert tuple(scratch.said) == MADE
    paths = [
        path for said in scratch.said.values() for path in said.split("Then: ")[0].splitlines()
    ]
    assert len(paths) >= 15
    code = [path for path in paths if path.endswith((".py", ".ipynb"))]
    scratch.python("-m", "ruff", "check", *code)
    scratch.python("-m", "ruff", "format", "--check", *code)


def test_everything_is_listed_at_once(scratch):
    found = json.loads(scratch.python(*COMMAND, "list", "--json"))
    names = {entry["name"] for entries in found.values() for entry in entries}
    mine = {"my-bandit", "my-sparse", "my-kernel", "my-uniform", "kl/my_study", "hu/my_figure"}
    mine |= {"my-noise"}
    assert mine | {"kl/my_picture", "HU-MY1", "MY-1", "my/regret", "my/claims/MY-1"} <= names


def test_algorithms_are_simulated(scratch):
    for name, setting in (("my-bandit,my-uniform", '{"means": [0.7, 0.5]}'), ("my-sparse", "{}")):
        asked = ["--setting", setting, "--horizon", 50, "--seeds", 3, "--output", "regret.csv"]
        scratch.python(*COMMAND, "simulate", name, *asked)
        table = pd.read_csv(scratch.folder / "regret.csv")
        assert set(table["algorithm"]) == set(name.split(","))
        assert (table[table["t"] == 50]["regret"] > 0).all()  # nothing is learnt yet


def test_the_contracts_hold_them(scratch):
    files = (ROOT / "tests/core" / f"test_{x}.py" for x in ("registry", "mechanism_contract"))
    contract = [*files, "-k", "my-", "-p", "no:cacheprovider"]
    assert " passed" in scratch.python("-m", "pytest", "-q", *contract)


def test_a_claim_is_a_row_that_says_what_to_edit(scratch):
    (row,) = json.loads(scratch.python(*COMMAND, "check", "HU-MY1", "--json"))
    assert (row["verdict"], row["measured"]) == ("violated", "2")
    assert all(row[part].startswith("edit: ") for part in ("scope", "counterexample", "repaired"))


DRAW = """
from dpbandits.pipeline.figures import draw
draw("hu/my_figure", "{golden}/hu", "out")
draw("kl/my_picture", "{golden}/kl", "out")
"""


def test_figures_are_drawn(scratch):
    scratch.python("-c", DRAW.format(golden=ROOT / "tests/golden"))
    assert {path.name for path in (scratch.folder / "out").glob("*.png")} == {
        "my_figure.png",
        "my_picture.png",
    }


COMPUTE = """
from dpbandits.pipeline.tables import load_plan
entry, params = load_plan().study("kl", "my_study")
print(len(entry.table(params)))
"""


def test_a_study_is_computed_with_the_lines_that_are_printed_for_it(scratch):
    block = scratch.said["study my_study --paper kl"].split("config/kl.yaml\n")[1]
    config = scratch.folder / "config/kl.yaml"
    text = config.read_text()
    config.write_text(re.sub(r"^studies:\n", f"studies:\n{block}", text, flags=re.M))
    assert scratch.python("-c", COMPUTE).strip() == "3"
    config.write_text(text)


def sources(scratch):
    patterns = ("**/*.py", "**/claims.toml", "notebooks/**/*.ipynb")
    return {name: text for pattern in patterns for name, text in scratch.files(pattern).items()}


def test_nothing_is_written_over(scratch):
    before = sources(scratch)
    made = scratch.new(*MADE, "figure hu/fig1", "claim HU-T2", "algorithm ucb1 --paper hu")
    assert before == sources(scratch)
    for words, (code, _, error) in made.items():
        assert code == 2, words
        assert error.count("\n") == 1, words


def test_a_wrong_name_is_refused(scratch):
    wrong = ("algorithm My --paper hu", "study x --paper none", "claim XX-1")
    for words, (code, _, error) in scratch.new(*wrong).items():
        assert code == 2, words
        assert "allowed" in error, words


def test_the_workflow_takes_them_all(scratch):
    """A dry run refuses figures and claims that no notebook draws."""
    asked = ("--dry-run", "--config", "papers=[hu,my]", "scale=smoke")
    said = scratch.python("-m", "snakemake", *asked)
    assert "draw_hu_my_figure" in said
    assert "draw_my_theorems" in said


HOW_TO = {path.stem: path.read_text() for path in (ROOT / "docs/how-to").glob("*.md")}
PLAN = """
from dpbandits.core.algorithms import get_algorithm
from dpbandits.pipeline.plan import load_plan
plan = load_plan("smoke")
entry, params = plan.study("hu", "full_information")
cells = [c for job in plan.jobs_of("hu", "fig1") for c in job.cells if c.algorithm == "my-bandit"]
mine = {c.series for job in plan.jobs_of("hu", "mine") for c in job.cells}
print(len(mine), *{c.labels["setting"] for c in cells})
print(*entry.algorithms(params))
"""


def test_page_on_algorithms_has_one_that_runs(scratch):
    """Its algorithm; and lines of the config: a setting, an experiment, a series of a study."""
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
        asked = ["--setting", '{"means": [0.7, 0.5]}', "--horizon", 50, "--seeds", 3]
        asked += ["--epsilon", 1, "--output", "readme.csv"]
        scratch.python(*COMMAND, "simulate", "my-bandit", *asked)
        said = scratch.python("-c", PLAN).splitlines()
    finally:
        for file, text in before.items():
            file.write_text(text)
    table = pd.read_csv(scratch.folder / "readme.csv")
    assert (table[table["t"] == 50]["regret"] > 0).all()
    series, *labels = said[0].split()
    assert int(series) == len(first["algorithms"])
    assert "another" in labels
    assert "my-bandit" in said[1].split()


def test_page_on_figures_names_the_cell_that_is_written(scratch):
    cell = re.search(r'`(show\("hu/my_figure".*?)`', HOW_TO["add-a-figure"])[1]
    assert json.dumps(cell)[1:-1] in (scratch.folder / "notebooks/hu/my_figure.ipynb").read_text()
    assert "HU-MY1" in (scratch.folder / "notebooks/hu/theorems.ipynb").read_text()


def test_the_pages_name_every_kind():
    """Each `dpbandits new` of README and of docs/how-to stands in MADE: it is run above."""
    text = (ROOT / "README.md").read_text() + "".join(HOW_TO.values())
    named = re.findall(r"dpbandits new ([\w/ -]+)", text)
    assert {words.split()[0] for words in named} == {words.split()[0] for words in MADE}
    assert {words.strip() for words in named} <= set(MADE)
