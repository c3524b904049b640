"""The front page: its sentences agree with the ledger, and its counts are right."""

import pandas as pd
import pytest
from scratch import ROOT

from dpbandits.reproduction.papers import papers
from dpbandits.reproduction.report.front import PAPERS, about, causes, front

FAILS = {"violated", "rejected"}


def made_up(id, verdict, *, reading="printed", repaired="", severity="", cause="", certificate=""):
    anchor = id if reading == "printed" else f"{id}.{reading}"
    return {"id": id, "anchor": anchor, "paper": id[:2], "reading": reading, "verdict": verdict,
            "repaired_verdict": repaired, "severity": severity, "cause": cause,
            "certificate": certificate, "statement": f"Theorem of {id}"}  # fmt: skip


LEDGER = [
    made_up("HU-1", "violated", repaired="holds", severity="conclusion", certificate="a"),
    made_up("HU-2", "violated", repaired="open", severity="constant", cause="HU-1"),
    made_up("HU-2", "violated", reading="proof", repaired="holds", severity="step"),
    made_up("HU-3", "rejected", repaired="holds", severity="conclusion", cause="HU-2"),
    made_up("KL-1", "holds"),
    made_up("KL-2", "consistent"),
]


@pytest.fixture(scope="module")
def published():
    rows = pd.read_csv(ROOT / "figures/claims.csv", dtype=str, keep_default_na=False)
    readings = rows["reading"].map(lambda name: "" if name == "printed" else f".{name}")
    return rows.assign(anchor=rows["id"] + readings).set_index("anchor")


def test_every_paper_has_a_card():
    assert PAPERS.keys() == papers().keys()


@pytest.mark.parametrize("key", PAPERS)
def test_sentences_agree_with_the_ledger(published, key):
    stands, falls, instead = (
        published.loc[PAPERS[key][part]["rows"]] for part in ("stands", "falls", "instead")
    )
    assert set(stands["verdict"]) <= {"holds", "consistent"}
    assert set(falls["verdict"]) <= FAILS
    assert ((instead["verdict"] == "holds") | (instead["repaired_verdict"] == "holds")).all()


def test_each_statement_counts_once_as_printed():
    data = front(LEDGER, ["hu", "kl"])
    assert (data["statements"], data["failed"], data["corrected"]) == (5, 3, 2)
    assert data["verdicts"]["violated"] == data["papers"]["hu"]["counts"]["violated"] == 2
    assert data["certificates"] == 1


def test_errors_that_change_a_conclusion_in_words():
    printed = [row for row in LEDGER if row["reading"] == "printed"]
    failed = [row for row in printed if row["verdict"] in FAILS]
    (cause,) = causes(failed)
    assert (cause["row"], cause["rows"]) == (LEDGER[0], [LEDGER[3]])
    assert cause["title"] == "Theorem of HU-1"


def test_every_error_that_changes_a_conclusion_has_its_words(published):
    rows = published.reset_index().to_dict("records")
    failed = [row for row in rows if row["verdict"] in FAILS and row["reading"] == "printed"]
    assert all(cause["means"] for cause in causes(failed))


def test_paper_without_sentences():
    assert about("xx", [])["sentences"] == []
    assert about("xx", [])["menu"] == "XX"
