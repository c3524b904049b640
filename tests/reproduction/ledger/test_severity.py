"""The grades of the refuted rows: two readers who applied the rule of docs/trust.md to all of them
without having seen a grade (benchmarks/gradings/severities.csv), and what came of it."""

import csv

from scratch import ROOT

from dpbandits.reproduction.ledger.claims import claims
from dpbandits.reproduction.ledger.verdicts import FAILS, SEVERITIES
from dpbandits.reproduction.report.passages import published_rows

GRADINGS = ROOT / "benchmarks/gradings/severities.csv"


def gradings() -> list[dict[str, str]]:
    """Those of the first two readers; others graded changed rows again."""
    with open(GRADINGS, newline="", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if row["first"]]


def test_each_row_has_the_grade_that_was_settled():
    settled = {}
    for row in gradings():
        assert {row["first"], row["second"]} <= set(SEVERITIES)
        if not row["why_settled"].startswith("by the rule: "):  # which both readers missed
            agree = row["first"] == row["second"]
            assert agree == (row["why_settled"] == "")
            assert row["settled"] in (row["first"], row["second"])
        if row["settled"]:  # else the row is no longer refuted
            settled[row["id"], row["reading"]] = row["settled"]
    grades = {
        (claim.id, reading.reading): reading.severity
        for claim in claims().values()
        for reading in claim.readings
        if reading.severity
    }
    failing = {(row["id"], row["reading"]) for row in published_rows() if row["verdict"] in FAILS}
    for key, grade in grades.items():  # one that fails at no published scale may have none
        assert grade == settled.get(key, "" if key in failing else "experiment"), key
    assert settled.keys() <= grades.keys()


def test_overruled_grades_became_milder():
    """As docs/trust.md says of all of them."""
    for row in gradings():
        if row["first"] == row["second"] != row["settled"]:
            rank = [*SEVERITIES, ""].index
            assert rank(row["settled"]) > rank(row["first"]), row["id"]
