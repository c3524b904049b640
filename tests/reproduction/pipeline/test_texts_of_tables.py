"""The ledger as Markdown."""

import pandas as pd
import pytest

from dpbandits.reproduction.ledger.verdicts import COLUMNS, MEANING
from dpbandits.reproduction.pipeline.ledger import PROSE, as_markdown, check_all


def row(**values):
    return dict.fromkeys(COLUMNS, "") | values


def test_ledger_as_markdown():
    one = row(id="A-1", reading="printed", verdict="violated", statement="Lemma 1: a|b",
              measured="2", severity="constant")  # fmt: skip
    two = row(id="A-1", reading="other", verdict="holds", evidence="x.csv", proof_step="1e-06")
    head = ["id", "reading", "verdict", "severity", "statement", "corrected statement"]
    assert as_markdown(pd.DataFrame([one, two])).splitlines() == [
        "# The ledger", "",
        "1 statements, 2 rows: one per reading.", "",
        "- holds: 1", "- violated: 1", "",
        "## Failing statements by severity", "",
        f"- **constant** ({MEANING['constant']}): 1 statements", "  - A-1 (Lemma 1)", "",
        "## All rows", "",
        f"| {' | '.join(head)} |", "| --- | --- | --- | --- | --- | --- |",
        r"| [A-1](#a-1-printed-violated) | printed | violated | constant | Lemma 1: a\|b |  |",
        "| [A-1](#a-1-other-holds) | other | holds |  |  |  |", "",
        "## A-1, printed: violated", "", "Lemma 1: a|b", "",
        "- **reading**: printed", "- **measured**: 2", "- **severity**: constant", "",
        "## A-1, other: holds", "", "", "",
        "- **reading**: other", "- **evidence**: x.csv", "- **proof step**: $10^{-6}$",
    ]  # fmt: skip


@pytest.mark.parametrize("column", PROSE)
def test_powers_of_ten_are_formulas_in_all_texts(column):
    text = as_markdown(pd.DataFrame([row(id="A-1", verdict="holds", **{column: "1e-06"})]))
    assert "$10^{-6}$" in text
    assert "1e-06" not in text


def test_index_of_points_of_claims():
    _, points, _ = check_all(["FL-LD.2"], ".")
    assert list(points.index) == [*range(len(points))]
