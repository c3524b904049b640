"""The grades of the refuted rows: two readers who applied the rule of docs/trust.md to all of them
without having seen a grade (docs/severity-gradings.csv), how often they agree, and what came of it.

`python tests/reproduction/ledger/test_severity.py` prints the paragraph of docs/trust.md anew.
"""

import csv

from scratch import ROOT

from dpbandits.reproduction.ledger.claims import claims
from dpbandits.reproduction.ledger.verdicts import SEVERITIES

GRADINGS = ROOT / "docs/severity-gradings.csv"


def gradings() -> list[dict[str, str]]:
    with open(GRADINGS, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def kappa(pairs: list[tuple[str, str]]) -> float:
    """Cohen's kappa: agreement beyond that of two who grade at random with the same shares."""
    shares = [{s: sum(p[i] == s for p in pairs) / len(pairs) for s in SEVERITIES} for i in (0, 1)]
    by_chance = sum(shares[0][s] * shares[1][s] for s in SEVERITIES)
    return (sum(a == b for a, b in pairs) / len(pairs) - by_chance) / (1 - by_chance)


def paragraph() -> str:
    rows = gradings()
    pairs = [(row["first"], row["second"]) for row in rows]
    apart = [row for row in rows if row["first"] != row["second"]]
    lines = [
        f"**How often two readers agree.** Two readers who had seen no grade applied this rule to "
        f"{len(rows)} refuted rows of the four papers. They agree on {len(rows) - len(apart)}; "
        f"Cohen's kappa is {kappa(pairs):.2f}. Their grades and reasons are in "
        f"[severity-gradings.csv](severity-gradings.csv). Where they agree, the row has their "
        f"grade. Here they do not:",
        "",
        "| row | first reader | second reader | grade, and why |",
        "|---|---|---|---|",
    ]
    for row in apart:
        name = row["id"] + (row["reading"] != "printed") * f", {row['reading']}"
        first, second = (f"{row[who]}: {row[f'why_{who}']}" for who in ("first", "second"))
        lines.append(f"| {name} | {first} | {second} | {row['settled']}: {row['why_settled']} |")
    return "\n".join(lines)


def test_kappa_by_hand():
    """Six of eight agree; by chance 5/8 5/8 + 3/8 3/8 = 34/64: (48 - 34)/(64 - 34)."""
    pairs = [("step", "step")] * 4 + [("wording", "wording")] * 2
    pairs += [("step", "wording"), ("wording", "step")]
    assert abs(kappa(pairs) - 14 / 30) < 1e-12


def test_trust_publishes_the_agreement_and_every_disagreement():
    assert paragraph() in (ROOT / "docs/trust.md").read_text(encoding="utf-8")


def test_each_row_has_the_grade_that_was_settled():
    settled = {}
    for row in gradings():
        assert {row["first"], row["second"], row["settled"]} <= set(SEVERITIES)
        agree = row["first"] == row["second"]
        assert agree == (row["why_settled"] == "")
        assert row["settled"] in (row["first"], row["second"])
        settled[row["id"], row["reading"]] = row["settled"]
    grades = {
        (claim.id, reading.reading): (reading.severity, reading.method)
        for claim in claims().values()
        for reading in claim.readings
        if reading.severity
    }
    for key, (grade, method) in grades.items():
        sampled = method == "statistical" and key not in settled  # fails at no published scale
        assert grade == ("experiment" if sampled else settled[key]), key
    assert settled.keys() <= grades.keys()


if __name__ == "__main__":
    print(paragraph())
