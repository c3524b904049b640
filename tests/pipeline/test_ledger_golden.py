"""The whole ledger on the golden tables, number by number: the words that decide, how they were
reached, every number in what a row says, and its plot. Prose may change freely.

It does not say that a number is right (the papers' own tests do, by another way each); it says that
none changes unnoticed. After a change that is meant, of a row or of tests/golden:
`python tests/pipeline/test_ledger_golden.py` (half a minute) writes ledger.csv anew. Look at the
difference."""

import csv
import re
from functools import cache
from pathlib import Path

import pytest

from dpbandits.core.figures import reader
from dpbandits.core.ledger import claims, row
from dpbandits.core.points import joined

GOLDEN = Path(__file__).parents[1] / "golden"
LEDGER = Path(__file__).with_name("ledger.csv")
WORDS = ("reading", "verdict", "method", "repaired_verdict", "repaired_method", "certificate")
PROSE = ("scope", "measured", "bound", "slack", "confidence", "counterexample", "tightness")
DRAWN = ("measured", "low", "high", "at_least", "at_most")
COLUMNS = ("id", *WORDS, "pages", "numbers", "points", "beyond", *DRAWN)
NUMBER = re.compile(r"(?<![A-Za-z_^{])-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


def found(id: str) -> list[dict[str, str]]:
    claim = claims()[id]
    lines = []
    for verdict in claim.verdicts(reader(GOLDEN / claim.paper.lower())):
        print(id, verdict.reading, len(verdict.points))
        said, frame = row(claim, verdict), joined(verdict.points)
        line = {"id": id} | {column: said[column] for column in WORDS}
        pages = (path.partition("#")[0] for path in verdict.evidence)
        line["pages"] = " ".join(sorted({p for p in pages if p.startswith("docs/proofs")}))
        line["numbers"] = " ".join(NUMBER.findall(" ; ".join(said[part] for part in PROSE)))
        line |= {"points": str(len(frame)), "beyond": str(int(frame["beyond"].sum()))}
        line |= {column: f"{frame[column].sum():.6g}" for column in DRAWN}  # without the missing
        lines.append(line)
    return lines


@cache
def golden() -> dict[str, list]:
    with open(LEDGER, newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    return {id: [line for line in lines if line["id"] == id] for id in claims()}


def test_no_row_is_of_a_claim_that_is_no_more():
    with open(LEDGER, newline="", encoding="utf-8") as file:
        assert {line["id"] for line in csv.DictReader(file)} == set(claims())


@pytest.mark.parametrize("id", sorted(claims()))
def test_the_rows_of_a_claim_are_the_golden_ones(id):
    assert found(id) == golden()[id]


if __name__ == "__main__":
    with open(LEDGER, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for id in sorted(claims()):
            writer.writerows(found(id))
