"""What follows the jobs, by hand: the ledger, publishing, typeset tables."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpbandits.core.files import write_csv, write_text
from dpbandits.core.ledger import COLUMNS, MEANING
from dpbandits.pipeline import certificates
from dpbandits.pipeline.compare import compare, compare_tables
from dpbandits.pipeline.ledger import as_markdown, check_all
from dpbandits.pipeline.publish import publish
from dpbandits.pipeline.typeset import MOST_ROWS, as_latex, readable
from dpbandits.pipeline.typeset import as_markdown as table_markdown

PROSE = ("statement", "scope", "measured", "bound", "slack", "confidence", "counterexample")
PROSE += ("proof_step", "repaired", "tightness")

# The ledger


def row(**values):
    return dict.fromkeys(COLUMNS, "") | values


def test_the_ledger_for_reading():
    one = row(id="A-1", reading="printed", verdict="violated", statement="a|b", measured="2",
              severity="constant")  # fmt: skip
    two = row(id="A-1", reading="other", verdict="holds", evidence="x.csv", proof_step="1e-06")
    head = ["id", "reading", "verdict", "severity", "statement", "corrected statement"]
    assert as_markdown(pd.DataFrame([one, two])).splitlines() == [
        "# The ledger", "",
        "1 statements, 2 rows: one per reading.", "",
        "- holds: 1", "- violated: 1", "",
        "## Failing statements by severity", "",
        f"- **constant** ({MEANING['constant']}): 1 rows", "  - A-1", "",
        "## All rows", "",
        f"| {' | '.join(head)} |", "| --- | --- | --- | --- | --- | --- |",
        r"| [A-1](#a-1-printed-violated) | printed | violated | constant | a\|b |  |",
        "| [A-1](#a-1-other-holds) | other | holds |  |  |  |", "",
        "## A-1, printed: violated", "", "a|b", "",
        "- **reading**: printed", "- **measured**: 2", "- **severity**: constant", "",
        "## A-1, other: holds", "", "", "",
        "- **reading**: other", "- **evidence**: x.csv", "- **proof step**: $10^{-6}$",
    ]  # fmt: skip


@pytest.mark.parametrize("column", PROSE)
def test_powers_of_ten_are_formulas_in_all_texts_of_the_ledger(column):
    text = as_markdown(pd.DataFrame([row(id="A-1", verdict="holds", **{column: "1e-06"})]))
    assert "$10^{-6}$" in text
    assert "1e-06" not in text


def test_a_certificate_is_named_and_written_for_people(tmp_path):
    found = {"claim": "X-1", "reading": "other", "p": "1/3", "data": [[1], [2]]}
    found |= {"one": [3], "m": {"a": [1, 2], "b": "é"}, "fails": "é"}
    assert certificates.as_json(found).splitlines() == [
        "{", '  "claim": "X-1",', '  "reading": "other",', '  "p": "1/3",',
        '  "data": [', "    [1],", "    [2]", "  ],",
        '  "one": [3],', '  "m": {', '    "a": [1, 2],', r'    "b": "\u00e9"', "  },",
        '  "fails": "é"', "}",
    ]  # fmt: skip
    assert certificates.file_of(found, "c") == Path("c/X-1.other.json")
    two = [found, found | {"reading": "printed"}]
    said = "Certificates into {}: 2 files differ, 0 are the same\n  X-1.other.json\n  X-1.json\n"
    assert certificates.publish(two, tmp_path) == said.format(tmp_path)
    (tmp_path / "X-1.json").write_text("edited")
    said = "Certificates into {}: 1 files differ, 1 are the same\n  X-1.json\n"
    assert certificates.publish(two, tmp_path) == said.format(tmp_path)


# Publishing


def test_a_ledger_of_one_paper_takes_the_place_of_its_rows_alone(tmp_path):
    """In the order of the papers, unknown ones last; new columns are empty in old rows."""
    made, published = tmp_path / "made", tmp_path / "published"
    old = pd.DataFrame(
        [("Z-1", "Z", "old", "NA"), ("KL-1", "KL", "old", ""), ("FL-1", "FL", "old", "")],
        columns=["id", "paper", "gone", "bound"],
    )
    new = row(id="FL-2", paper="FL", verdict="holds", reading="printed", measured="nan")
    new = pd.DataFrame([new])
    write_csv(old, published / "claims.csv")
    write_csv(new, made / "claims.csv")
    said = publish(made, published, ["fl"])
    assert said.startswith(f"Published into {published}: 2 files differ, 0 are the same\n")
    ledger = pd.read_csv(published / "claims.csv", dtype=str, keep_default_na=False)
    assert list(ledger["id"]) == ["FL-2", "KL-1", "Z-1"]
    assert list(ledger.columns) == list(COLUMNS)
    assert list(ledger["verdict"]) == ["holds", "", ""]
    assert list(ledger["measured"]) == ["nan", "", ""]
    assert list(ledger["bound"]) == ["", "", "NA"]


def test_two_folders_are_compared_file_by_file(tmp_path):
    for name, old, new in (
        ("a.csv", "n,x\n1,8\n", "n,x\n1,10\n"), ("b.txt", "1", "2"), ("c.txt", None, "x"),
        ("d.txt", "x", None), ("e.txt", "x", "x"), ("logs/f.txt", "x", "y"),
    ):  # fmt: skip
        for folder, text in (("old", old), ("new", new)):
            if text is not None:
                write_text(text, tmp_path / folder / name)
    found = list(map(str, compare(tmp_path / "old", tmp_path / "new")))
    assert found == [
        "  changed  a.csv  (at most 20%)", "  changed  b.txt", "  new      c.txt",
        "  gone     d.txt  (not made by this run)", "  same     e.txt", "  changed  logs/f.txt",
    ]  # fmt: skip
    write_text("x", tmp_path / "new/tables/t.csv")  # a folder of results: tables and figures alone
    write_text("x", tmp_path / "new/tables/.t.partial.csv")
    changes = compare(tmp_path / "none", tmp_path / "new")
    assert [(c.path, c.status) for c in changes] == [("tables/t.csv", "new")]


COMPARED = {
    "columns": ("a,b\n1,2\n", "a,c\n1,2\n", "other columns"),
    "text alone": ("a,b\nx,y\n", "a,b\nx,z\n", "other rows: 1 before, 1 now"),
    "text that says the same": ("a\nx\n", 'a\n"x"\n', "other text"),
    "a row more": ("n,a\n1,2\n", "n,a\n1,2\n1,2\n", "other rows: 1 before, 2 now"),
    "an integer key": ("t,mean,sem\n1,2,1\n", "t,mean,sem\n2,2,1\n", "other rows: 1 before, 1 now"),
    "a gap of 3 with errors 3 and 4": (
        "t,mean,sem,low\n5,1,3,0\n", "t,mean,sem,low\n5,4,4,7\n",
        "at most 0.6 standard errors; there: t 5",
    ),
    "relative to the larger": ("x,y\n8,1\n", "x,y\n10,1\n", "at most 20%"),
    "no error and no gap beside a gap": (
        "t,mean,sem\n5,1,0\n6,1,3\n", "t,mean,sem\n5,1,0\n6,6,4\n",
        "at most 1 standard errors; there: t 6",
    ),
    "from nothing to nothing": ("x,y\n0,0\n", "x,y\n0,0.0\n", "at most 0%"),
    "no verdict": (
        "id,reading,verdict,t\nA,p,holds,1\n", "id,reading,verdict,t\nA,p,holds,2\n",
        "the same verdicts, other text",
    ),
    "verdicts of readings": (
        "id,reading,verdict\nB,p,holds\nA,p,holds\nA,q,holds\n",
        "id,reading,verdict\nA,q,violated\nA,p,holds\n",
        "verdicts: A, q: holds -> violated; B, p: holds -> none",
    ),
    "a gap in standard errors, and where": (
        "algorithm,t,mean,sem\na,1,2,0.3\nb,9,2,0.3\n",
        "algorithm,t,mean,sem\na,1,2,0.3\nb,9,3,0.4\n",
        "at most 2 standard errors; there: algorithm b, t 9",
    ),
    "a gap without an error is not hidden by the others": (
        "t,mean,sem\n1,2,0.3\n9,2,0\n",
        "t,mean,sem\n1,2.1,0.3\n9,3,0\n",
        "at most inf standard errors; there: t 9",
    ),
    "only the errors differ": ("t,mean,sem\n1,2,0.4\n", "t,mean,sem\n1,2,0.5\n", "at most 20%"),
    # sd = 0.5 sqrt(16) = 2, so the error is 2 sqrt(1/4 - 1/16) = 0.866 and z = 2/sqrt(3); Student's
    # t with 3 degrees: p = 1 - (2/pi) (atan(2/3) + (2/3) / (1 + 4/9)) = 0.33184, for two rows twice
    "more runs, among them the fewer; other rows left out, rounding no difference": (
        "t,runs,mean,sem,low\n1,4,2,0.4,7\n5,4,1,0,8\n9,4,2,0.3,8\n",
        "t,runs,mean,sem,low\n2,16,5,0.3,9\n1.0,16,3,0.5,9\n5,16,1.0000000000001,0,9\n",
        "of rows in both (3 before, 3 now) at most 1.2 standard errors; there: t 1; "
        "4 and 16 runs, p = 0.66 for 2 rows",
    ),
    "more runs: a unit in the sixth digit is the rounding of tables": (
        "t,runs,mean,sem\n1,4,1.53987,1e-7\n2,4,15,2\n",
        "t,runs,mean,sem\n1,16,1.53988,1e-7\n2,16,16,0.5\n",
        "at most 1.2 standard errors; there: t 2; 4 and 16 runs, p = 0.66 for 2 rows",
    ),
    "fewer runs than before": (
        "t,runs,mean,sem\n1,16,3,0.5\n",
        "t,runs,mean,sem\n1,4,2,0.4\n",
        "at most 1.2 standard errors; there: t 1; 16 and 4 runs, p = 0.33 for 1 rows",
    ),
    "a verdict": (
        "id,verdict,scope\nA,holds,s\nB,holds,s\n",
        "id,verdict,scope\nA,violated,s\nC,holds,s\n",
        "verdicts: A: holds -> violated; B: holds -> none; C: none -> holds",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", COMPARED)
def test_what_differs_between_tables(name, tmp_path):
    old, new, said = COMPARED[name]
    for file, text in (("old.csv", old), ("new.csv", new)):
        (tmp_path / file).write_text(text)
    assert compare_tables(tmp_path / "old.csv", tmp_path / "new.csv") == said


# Tables for a text


def test_a_table_is_typeset_cell_by_cell():
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
    assert as_latex(pd.DataFrame({"a_b": ["5%"], "c": ["~^\\&ε"]}), "said").splitlines() == [
        "% said", r"\begin{tabular}{ll}", r"\toprule", r"a\_b & c \\", r"\midrule",
        r"5\% & \textasciitilde \textasciicircum \textbackslash \&$\varepsilon$ \\",
        r"\bottomrule", r"\end{tabular}",
    ]  # fmt: skip
    assert as_latex(pd.DataFrame({"a": ["1"]}), "").startswith(r"\begin{tabular}{l}")


def test_a_missing_label_loses_no_row():
    columns = ["algorithm", "x", "epsilon", "metric", "t", "mean", "sem"]
    rows = [("a", np.nan, 1.0, "r", 9, 1.0, 0.5), ("a", 2.0, 1.0, "r", 9, 3.0, 0.5)]
    shown, _ = readable(pd.DataFrame(rows, columns=columns))
    assert shown["ε = 1"].tolist() == ["1 ± 0.5", "3 ± 0.5"]


def test_points_of_claims_are_numbered_through():
    _, drawn, _ = check_all(["FL-LD.2"], ".")
    assert list(drawn.index) == [*range(len(drawn))]


def test_sixty_rows_are_shown_whole_and_sixty_one_thinned():
    values = pd.DataFrame({"x": [np.inf, np.nan, 1234567.0, *np.arange(58.0)]})
    shown, note = readable(values[:MOST_ROWS])
    assert (len(shown), note) == (60, "")
    assert list(shown["x"][:4]) == ["∞", "", "1.2346e+06", "0"]
    shown, note = readable(values)
    assert note == "60 of 61 rows, evenly spaced; all are in the CSV."
    assert len(shown) == 60
    assert shown["x"].iloc[-1] == "57"
