"""The front page: its sentences agree with the ledger, and its counts with each other."""

import pandas as pd
import pytest
from scratch import ROOT

from dpbandits.core.claims import claims
from dpbandits.core.registry import papers
from dpbandits.report.front import PAPERS, card, causes, front, topics

FAILS = {"violated", "rejected"}


def row(id, verdict, *, reading="printed", repaired="", severity="", cause="", certificate=""):
    anchor = id if reading == "printed" else f"{id}.{reading}"
    return {"id": id, "anchor": anchor, "paper": id[:2], "reading": reading, "verdict": verdict,
            "repaired_verdict": repaired, "severity": severity, "cause": cause,
            "certificate": certificate}  # fmt: skip


LEDGER = [
    row("HU-1", "violated", repaired="holds", severity="conclusion", certificate="a"),
    row("HU-2", "violated", repaired="open", severity="constant", cause="HU-1"),
    row("HU-2", "violated", reading="proof", repaired="holds", severity="step"),
    row("HU-3", "rejected", repaired="holds", severity="conclusion", cause="HU-2"),
    row("KL-1", "holds"),
    row("KL-2", "consistent"),
]


@pytest.fixture(scope="module")
def published():
    rows = pd.read_csv(ROOT / "figures/claims.csv", dtype=str, keep_default_na=False)
    readings = rows["reading"].map(lambda name: "" if name == "printed" else f".{name}")
    return rows.assign(anchor=rows["id"] + readings).set_index("anchor")


def test_every_paper_has_its_card():
    assert PAPERS.keys() == papers().keys()


@pytest.mark.parametrize("key", PAPERS)
def test_what_stands_holds_in_the_ledger(published, key):
    verdicts = published.loc[PAPERS[key]["stands"]["rows"], "verdict"]
    assert set(verdicts) <= {"holds", "consistent"}


@pytest.mark.parametrize("key", PAPERS)
def test_what_falls_fails_in_the_ledger(published, key):
    assert set(published.loc[PAPERS[key]["falls"]["rows"], "verdict"]) <= FAILS


@pytest.mark.parametrize("key", PAPERS)
def test_what_to_use_instead_holds_in_the_ledger(published, key):
    rows = published.loc[PAPERS[key]["instead"]["rows"]]
    assert ((rows["verdict"] == "holds") | (rows["repaired_verdict"] == "holds")).all()


@pytest.mark.parametrize("key", PAPERS)
def test_topics_name_statements_that_exist(key):
    for ids in PAPERS[key]["topics"].values():
        for pattern in ids:
            assert any(id.startswith(pattern.rstrip("*")) for id in claims(key)), pattern


def test_topics_of_a_statement():
    assert "RLHF" in topics("KL-T3-pure")
    assert topics("KL-P1a") == topics("XX-1") == ""


def test_each_statement_counts_once_as_printed():
    said = front(LEDGER, [], ["hu", "kl"])
    assert (said["statements"], said["failed"], said["corrected"]) == (5, 3, 2)
    assert said["verdicts"]["violated"] == said["counts"]["hu"]["violated"] == 2
    assert sum(map(sum, (by.values() for by in said["counts"].values()))) == said["statements"]
    assert said["certificates"] == 1


def test_failures_are_counted_by_severity():
    severities = front(LEDGER, [], ["hu", "kl"])["severities"]
    assert severities == {"conclusion": {"hu": 2, "kl": 0}, "constant": {"hu": 1, "kl": 0}}


def test_a_cause_stands_with_what_follows_from_it():
    failed = [each for each in LEDGER if each["verdict"] in FAILS and each["reading"] == "printed"]
    assert causes(failed) == [(LEDGER[0], [LEDGER[1], LEDGER[3]])]


def test_a_ledger_without_severities_has_no_table_of_them():
    rows = [each | {"severity": "", "cause": ""} for each in LEDGER]
    said = front(rows, [], ["hu", "kl"])
    assert said["severities"] == {}
    assert said["causes"] == []


def test_a_paper_that_is_not_listed_has_a_card_with_its_figure():
    view = {"paper": "xx", "name": "xx/a", "of_claim": False}
    assert card("xx", [], [view])["figure"] == view
    assert card("xx", [], [])["sentences"] == []
