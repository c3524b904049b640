"""The ledger as Markdown, and tables in Markdown and LaTeX."""

import numpy as np
import pandas as pd
import pytest

from dpbandits.reproduction.ledger.verdicts import COLUMNS, MEANING
from dpbandits.reproduction.pipeline.ledger import PROSE, as_markdown, check_all
from dpbandits.reproduction.pipeline.typeset import MOST_ROWS, as_latex, readable
from dpbandits.reproduction.pipeline.typeset import as_markdown as table_markdown


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


def test_typeset_table():
    columns = ["algorithm", "epsilon", "metric", "t", "mean", "sem"]
    rows = [("a", 2.0, "r", 9, 1.0, 99.96), ("a", 0.5, "r", 9, 123.456, 100.0)]
    rows += [("a", 0.5, "r", 8, 5.0, 1.0), ("a", 0.5, "p", 9, np.nan, 0.5)]
    shown, note = readable(pd.DataFrame(rows, columns=columns))
    assert note == "Mean ± standard error over runs at the last checkpoint."
    assert list(shown.columns) == ["algorithm", "metric", "ε = 0.5", "ε = 2"]
    assert shown.to_numpy().tolist() == [
        ["a", "r", "123 ± 100", "1 ± 1e+02"], ["a", "p", "nan ± 0.5", ""],
    ]  # fmt: skip
    assert table_markdown(pd.DataFrame({"x|y": ["1"]}), "") == "| x\\|y |\n| --- |\n| 1 |\n"
    assert table_markdown(pd.DataFrame({"x": ["1"]}), "A note.").endswith("| 1 |\n\nA note.\n")
    assert as_latex(pd.DataFrame({"a_b": ["5%"], "c": ["~^\\&ε±∞"]}), "said").splitlines() == [
        "% said", r"\begin{tabular}{ll}", r"\toprule", r"a\_b & c \\", r"\midrule",
        r"5\% & \textasciitilde \textasciicircum \textbackslash \&$\varepsilon$$\pm$$\infty$ \\",
        r"\bottomrule", r"\end{tabular}",
    ]  # fmt: skip
    assert as_latex(pd.DataFrame({"a": ["1"]}), "").startswith(r"\begin{tabular}{l}")


def test_typeset_table_keeps_rows_with_a_missing_label_or_error():
    columns = ["algorithm", "x", "epsilon", "metric", "t", "mean", "sem"]
    rows = [("a", np.nan, np.inf, "r", 9, 1.0, np.nan), ("a", 2.0, np.inf, "r", 9, 3.0, 0.5)]
    shown, _ = readable(pd.DataFrame(rows, columns=columns))
    assert shown["ε = ∞"].tolist() == ["1", "3 ± 0.5"]


def test_index_of_points_of_claims():
    _, points, _ = check_all(["FL-LD.2"], ".")
    assert list(points.index) == [*range(len(points))]


def test_long_tables_are_shortened():
    values = pd.DataFrame({"x": [np.inf, np.nan, 1234567.0, *np.arange(58.0)]})
    shown, note = readable(values[:MOST_ROWS])
    assert (len(shown), note) == (60, "")
    assert list(shown["x"][:4]) == ["∞", "", "1.2346e+06", "0"]
    shown, note = readable(values)
    assert note == "60 of 61 rows, evenly spaced; all are in the CSV."
    assert len(shown) == 60
    assert shown["x"].iloc[-1] == "57"
