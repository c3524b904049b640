"""The numbers of README's "What came out" are those of the committed ledger.

`python tests/core/test_readme_numbers.py` prints the sentences anew.
"""

import re
from pathlib import Path

import pandas as pd
import pytest

from dpbandits.reproduction.ledger.verdicts import by_cause

ROOT = Path(__file__).resolve().parents[2]
FAILS = ("violated", "rejected")
PLACES = {  # of the error, by severity: the words of README
    "conclusion": "in the conclusion", "constant": "in a constant",
    "condition": "need an extra condition", "step": "in a proof step",
    "wording": "are misprints or slips of wording", "experiment": "are experiments",
}  # fmt: skip


def ledger() -> pd.DataFrame:
    return pd.read_csv(ROOT / "figures/claims.csv", dtype=str, keep_default_na=False)


def failing_rows() -> pd.DataFrame:
    return ledger()[ledger()["verdict"].isin(FAILS)]


def rows_per_severity(failing: pd.DataFrame) -> str:
    rows = failing["severity"].value_counts()
    printed = failing[failing["reading"] == "printed"]
    named = ", ".join(f"{rows.get(key, 0)} {place}" for key, place in PLACES.items())
    return (
        f"We checked {ledger()['id'].nunique()} statements; {len(printed)} are wrong as printed. "
        f"Some statements can be read in several ways, which gives {len(ledger())} readings "
        f"([ledger](figures/claims.md)); {len(failing)} of them fail: {named}."
    )


def corrected_statements(failing: pd.DataFrame) -> str:
    found = failing[failing["reading"] == "printed"]["repaired_verdict"].value_counts()
    assert set(found.index) == {"holds", "consistent"}
    return (
        f"Each wrong statement has a corrected version: {found['holds']} of these are proved or "
        f"computed, {found['consistent']} agree with simulations."
    )


def causes_of_wrong_conclusions(failing: pd.DataFrame) -> str:
    """The rows whose errors the wrong conclusions inherit, as figures/claims.md lists them."""
    causes = sorted(by_cause(failing.to_dict("records"), "conclusion"))
    return f"{len(causes)} causes: {', '.join(f'`{id}`' for id in causes)}."


SENTENCES = [rows_per_severity, causes_of_wrong_conclusions, corrected_statements]


@pytest.mark.parametrize("sentence", SENTENCES)
def test_sentences_of_readme_match_the_ledger(sentence):
    section = (ROOT / "README.md").read_text(encoding="utf-8").split("## What came out")[1]
    assert sentence(failing_rows()) in section.split("\n## ")[0]


def test_each_failing_row_has_one_of_the_severities():
    assert set(failing_rows()["severity"]) <= set(PLACES)


def test_rows_that_readme_names_are_in_the_ledger():
    section = (ROOT / "README.md").read_text(encoding="utf-8").split("## What came out")[1]
    named = set(re.findall(r"\b(?:HU|FL|US|KL)-[A-Z][\w.]*(?:-\w+)?", section))
    assert named
    assert named <= set(ledger()["id"])


if __name__ == "__main__":
    print(*(sentence(failing_rows()) for sentence in SENTENCES), sep="\n")
