"""Files that must agree: lock and conda environment, models and schemas, notebooks and figures,
documentation and commands."""

import ast
import re
import runpy
import subprocess

import nbformat
import pandas as pd
import pytest
import yaml
from scratch import ROOT

from dpbandits.reproduction.ledger.verdicts import COLUMNS
from dpbandits.reproduction.pipeline.figures import figures
from dpbandits.reproduction.pipeline.notebooks import undrawn_figure

CONDA = runpy.run_path(str(ROOT / "envs/conda.py"))
SCHEMAS = runpy.run_path(str(ROOT / "workflow/schemas/write.py"))
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*/*.ipynb"))


def test_conda_environment_is_the_lock():
    text = (ROOT / "envs/environment.yaml").read_text()
    assert text == CONDA["environment"](), "run: make lock"
    versions = CONDA["locked"]()
    renamed = {new: old for old, new in CONDA["CONDA_NAMES"].items()}
    *conda, pip = yaml.safe_load(text)["dependencies"]
    pins = [item.split("==") for item in (*conda, *pip["pip"]) if "==" in item]
    assert len(pins) > 15
    for name, version in pins:
        assert versions[renamed.get(name, name)] == version


def test_lock_pins_with_hashes_and_no_address():
    text = (ROOT / "envs/requirements.lock").read_text()
    assert "://" not in text
    blocks = re.split(r"\n(?=[a-z0-9])", text.strip())
    assert len(blocks) == len(CONDA["locked"]())
    assert all("--hash=sha256:" in block for block in blocks)
    assert {name.lower() for name in CONDA["asked"]()} <= set(CONDA["locked"]())


def test_every_dependency_is_explained():
    readme = (ROOT / "envs/README.md").read_text()
    assert not [name for name in CONDA["asked"]() if f"`{name}`" not in readme]


@pytest.mark.parametrize("name", SCHEMAS["MODELS"])
def test_schemas_are_those_of_the_models(name):
    assert (ROOT / "workflow/schemas" / name).read_text() == SCHEMAS["schema"](name), "make schemas"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_notebooks_hold_the_parameters_and_no_outputs(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    tagged = [cell for cell in code if "parameters" in cell.metadata.get("tags", [])]
    assert len(tagged) == 1
    names = {node.targets[0].id for node in ast.parse(tagged[0].source).body}
    assert names == {"tables", "figures"}, "papermill only warns of names that it does not know"
    assert not [cell for cell in code if cell.outputs or cell.execution_count]


def test_every_figure_is_drawn_by_its_notebook(monkeypatch):
    monkeypatch.chdir(ROOT)
    assert undrawn_figure(figures().values()) == ""


def test_links_of_the_readme_exist():
    readme = (ROOT / "README.md").read_text()
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", readme) if "://" not in link]
    assert links
    assert not [link for link in links if not (ROOT / link).exists()]


def test_no_tracked_file_has_a_path_of_this_machine():
    command = ["git", "ls-files", "*.py", "*.md", "*.yaml", "*.smk", "*.json"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.split()
    if not names:
        pytest.skip("not a git checkout")
    paths = [ROOT / name for name in names if (ROOT / name).is_file()]
    assert not [path for path in paths if f"{ROOT}/" in path.read_text()]


def test_committed_ledger_has_the_contract_columns():
    ledger = ROOT / "figures/claims.csv"
    assert ledger.read_text().splitlines()[0] == ",".join(COLUMNS)


def test_evidence_of_the_ledger_is_committed():
    ledger = pd.read_csv(ROOT / "figures/claims.csv", dtype=str, keep_default_na=False)
    paths = {path for cell in ledger["evidence"] for path in cell.split(";") if path}
    assert paths
    assert not [path for path in sorted(paths) if not (ROOT / path).exists()]
