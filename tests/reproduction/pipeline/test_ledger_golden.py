"""The ledger on the golden tables does not change unnoticed: verdicts, methods, every number in the
texts, and what was measured. Other words may change. That the numbers are right is tested with each
paper.

After an intended change of a row or of tests/golden this file, run as a script,
writes ledger.csv again (half a minute). Look at the difference.
"""

import csv
import re
from functools import cache
from pathlib import Path

import pytest

from dpbandits.reproduction.ledger.claims import claims
from dpbandits.reproduction.ledger.points import NUMBERS, joined
from dpbandits.reproduction.ledger.rows import Row
from dpbandits.reproduction.ledger.verdicts import Verdict
from dpbandits.reproduction.plots.figures import reader

GOLDEN = Path(__file__).parents[2] / "golden"
LEDGER = Path(__file__).with_name("ledger.csv")
WORDS = ("reading", "verdict", "method", "repaired_verdict", "repaired_method", "certificate",
         "proof_step")  # fmt: skip
PROSE = ("scope", "measured", "bound", "slack", "confidence", "counterexample", "tightness")
COLUMNS = ("id", *WORDS, "pages", "numbers", "points", "beyond", *NUMBERS)
FIGURE = re.compile(r"(?<![A-Za-z_^{])-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


@cache
def verdicts(id: str) -> list[Verdict]:
    claim = claims()[id]
    return claim.verdicts(reader(GOLDEN / claim.paper.lower()))


def found(id: str) -> list[dict[str, str]]:
    claim = claims()[id]
    lines = []
    for verdict in verdicts(id):
        print(id, verdict.reading, len(verdict.points))
        said, frame = Row.of(claim, verdict), joined(verdict.points)
        line = {"id": id} | {column: said[column] for column in WORDS}
        pages = (path.partition("#")[0] for path in verdict.evidence)
        line["pages"] = " ".join(sorted({p for p in pages if p.startswith("docs/proofs")}))
        line["numbers"] = " ".join(FIGURE.findall(" ; ".join(said[part] for part in PROSE)))
        line |= {"points": str(len(frame)), "beyond": str(int(frame["beyond"].sum()))}
        line |= {column: f"{frame[column].sum():.6g}" for column in NUMBERS}  # without the missing
        lines.append(line)
    return lines


@cache
def golden() -> dict[str, list]:
    with open(LEDGER, newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    return {id: [line for line in lines if line["id"] == id] for id in claims()}


def test_every_golden_row_is_of_a_claim():
    with open(LEDGER, newline="", encoding="utf-8") as file:
        assert {line["id"] for line in csv.DictReader(file)} == set(claims())


@pytest.mark.parametrize("id", sorted(claims()))
def test_rows_of_a_claim_are_the_golden_ones(id):
    assert found(id) == golden()[id]


if __name__ == "__main__":
    with open(LEDGER, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for id in sorted(claims()):
            writer.writerows(found(id))
