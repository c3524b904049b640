"""Files that must agree: lock and conda environment, ledger and its evidence."""

import runpy

import pandas as pd
from scratch import ROOT

CONDA = runpy.run_path(str(ROOT / "envs/conda.py"))


def test_conda_environment_is_the_lock():
    text = (ROOT / "envs/environment.yaml").read_text()
    assert text == CONDA["environment"](), "run: make lock"


def test_evidence_of_the_ledger_is_committed():
    ledger = pd.read_csv(ROOT / "figures/claims.csv", dtype=str, keep_default_na=False)
    paths = {path for cell in ledger["evidence"] for path in cell.split(";") if path}
    assert paths
    assert not [path for path in sorted(paths) if not (ROOT / path).exists()]
