"""The front page: its sentences agree with the ledger, and its counts are right."""

import pandas as pd
import pytest
from scratch import ROOT

from dpbandits.reproduction.report.front import PAPERS

FAILS = {"violated", "rejected"}


@pytest.fixture(scope="module")
def published():
    rows = pd.read_csv(ROOT / "figures/claims.csv", dtype=str, keep_default_na=False)
    readings = rows["reading"].map(lambda name: "" if name == "printed" else f".{name}")
    return rows.assign(anchor=rows["id"] + readings).set_index("anchor")


@pytest.mark.parametrize("key", PAPERS)
def test_sentences_agree_with_the_ledger(published, key):
    holds, fails, instead = (
        published.loc[PAPERS[key].get(part, {"rows": []})["rows"]]
        for part in ("holds", "fails", "instead")
    )
    assert set(holds["verdict"]) <= {"holds", "consistent"}
    assert set(fails["verdict"]) <= FAILS
    assert ((instead["verdict"] == "holds") | (instead["repaired_verdict"] == "holds")).all()
