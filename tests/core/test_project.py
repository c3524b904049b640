"""Files that must agree: lock and conda environment, notebooks and figures,
documentation and commands."""

import runpy

import pandas as pd
import yaml
from scratch import ROOT

from dpbandits.reproduction.pipeline.figures import figures

CONDA = runpy.run_path(str(ROOT / "envs/conda.py"))


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


def test_every_figure_is_drawn_by_its_notebook():
    for figure in figures().values():
        notebook = (ROOT / f"notebooks/{figure.paper}/figures.ipynb").read_text()
        name = figure.name.partition("/")[2]
        call = f"draw.{name}(tables)" if name.isidentifier() else f'draw[\\"{name}\\"](tables)'
        assert call in notebook, figure.name


def test_evidence_of_the_ledger_is_committed():
    ledger = pd.read_csv(ROOT / "figures/claims.csv", dtype=str, keep_default_na=False)
    paths = {path for cell in ledger["evidence"] for path in cell.split(";") if path}
    assert paths
    assert not [path for path in sorted(paths) if not (ROOT / path).exists()]
