"""Files that must agree: lock and conda environment, notebooks and figures,
documentation and commands."""

import ast
import re
import runpy

import nbformat
import pandas as pd
import pytest
import yaml
from scratch import ROOT

from dpbandits.reproduction.ledger.verdicts import COLUMNS
from dpbandits.reproduction.pipeline.figures import figures

CONDA = runpy.run_path(str(ROOT / "envs/conda.py"))
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


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_notebooks_hold_the_parameters_and_no_outputs(path):
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    tagged = [cell for cell in code if "parameters" in cell.metadata.get("tags", [])]
    assert len(tagged) == 1
    names = {node.targets[0].id for node in ast.parse(tagged[0].source).body}
    assert names == {"results"}, "papermill only warns of names that it does not know"
    assert not [cell for cell in code if cell.outputs or cell.execution_count]


def test_every_figure_is_drawn_by_its_notebook():
    for figure in figures().values():
        notebook = (ROOT / f"notebooks/{figure.paper}/figures.ipynb").read_text()
        name = figure.name.partition("/")[2]
        call = f"draw.{name}(tables)" if name.isidentifier() else f'draw[\\"{name}\\"](tables)'
        assert call in notebook, figure.name


def test_committed_ledger_has_the_contract_columns():
    ledger = ROOT / "figures/claims.csv"
    assert ledger.read_text().splitlines()[0] == ",".join(COLUMNS)


def test_evidence_of_the_ledger_is_committed():
    ledger = pd.read_csv(ROOT / "figures/claims.csv", dtype=str, keep_default_na=False)
    paths = {path for cell in ledger["evidence"] for path in cell.split(";") if path}
    assert paths
    assert not [path for path in sorted(paths) if not (ROOT / path).exists()]
