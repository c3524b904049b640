"""The numbers of README's "What came out" are those of the committed ledger.

`python tests/reproduction/ledger/test_readme_numbers.py` prints the sentences anew.
"""

import re
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from dpbandits.reproduction.ledger.verdicts import FAILS, by_cause, wrong_statements

ROOT = Path(__file__).resolve().parents[3]
PLACES = {  # of the error, by severity: the words of README
    "conclusion": "in the conclusion", "constant": "in a constant",
    "condition": "need an extra condition", "step": "in a proof step",
    "wording": "are misprints or slips of wording", "experiment": "are experiments",
}  # fmt: skip


def ledger() -> pd.DataFrame:
    return pd.read_csv(ROOT / "figures/claims.csv", dtype=str, keep_default_na=False)


def wrong() -> list[dict]:
    return wrong_statements(ledger().to_dict("records"))


def statements_per_severity() -> str:
    """Each wrong statement once, by the worst severity of its readings."""
    rows, number = ledger(), Counter(row["severity"] for row in wrong())
    named = ", ".join(f"{number[key]} {place}" for key, place in PLACES.items())
    return (
        f"We checked {rows['id'].nunique()} statements; {len(wrong())} are wrong as printed: "
        f"{named}. "
        f"Some statements can be read in several ways, which gives {len(rows)} readings "
        f"([ledger](figures/claims.md)); {rows['verdict'].isin(FAILS).sum()} of them fail."
    )


def corrected_statements() -> str:
    found = Counter(row["repaired_verdict"] for row in wrong())
    assert set(found) == {"holds", "consistent"}
    return (
        f"Each wrong statement has a corrected version: {found['holds']} of these are proved or "
        f"computed, {found['consistent']} agree with simulations."
    )


def causes_of_wrong_conclusions() -> str:
    """How many errors the wrong conclusions go back to, as figures/claims.md lists them."""
    return f"The wrong conclusions have {len(by_cause(wrong(), 'conclusion'))} causes."


SENTENCES = [statements_per_severity, causes_of_wrong_conclusions, corrected_statements]


@pytest.mark.parametrize("sentence", SENTENCES)
def test_sentences_of_readme_match_the_ledger(sentence):
    section = (ROOT / "README.md").read_text(encoding="utf-8").split("## What came out")[1]
    assert sentence() in section.split("\n## ")[0]


def test_readme_names_each_cause_of_a_wrong_conclusion_and_no_other():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:HU|FL|US|KL)-[^`]+)`", text.split("- **Why.**")[1].split("\n- ")[0])
    assert sorted(named) == sorted(by_cause(wrong(), "conclusion"))


def test_each_wrong_statement_has_one_of_the_severities():
    assert {row["severity"] for row in wrong()} <= set(PLACES)


def test_rows_that_readme_names_are_in_the_ledger():
    section = (ROOT / "README.md").read_text(encoding="utf-8").split("## What came out")[1]
    named = set(re.findall(r"\b(?:HU|FL|US|KL)-[A-Z][\w.]*(?:-\w+)?", section))
    assert named
    assert named <= set(ledger()["id"])


if __name__ == "__main__":
    print(*(sentence() for sentence in SENTENCES), sep="\n")
