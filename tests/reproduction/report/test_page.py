"""The HTML of the report on a made-up run: embedded files, ledger, sentences, formulas."""

import base64
import gzip
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pandas as pd
import pytest
from scratch import ROOT

from dpbandits.core.files import read_rows
from dpbandits.reproduction.ledger.claims import claims
from dpbandits.reproduction.report import page
from dpbandits.reproduction.report.formulas import formula, mathml
from dpbandits.reproduction.report.sentences import first_clause, three_sentences

LEDGER = read_rows(ROOT / "figures/claims.csv")


def files(html):
    (packed,) = re.findall(r'id="files">(.*?)</script>', html)
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def test_every_file_that_a_button_opens_is_embedded(small):
    embedded = files(small.html)
    names = set(re.findall(r'data-file="([^"]*)"', small.html))
    assert names <= set(embedded)
    assert embedded["results/tables/hu/bounds.tex"] == "bounds as tex"
    assert len(embedded["points"].splitlines()) == 31
    (plot,) = json.loads(embedded["plots of results/figures/hu/bounds.csv"])
    assert (plot["x"], plot["curve"], plot["panel"]) == ("t", "algorithm", "epsilon")
    assert plot["look"]["algorithm"].keys() == {"dp-se", "ucb1"}
    assert plot["look"]["epsilon"]["0.5"]["name"] == "ε = 0.5"


def test_every_picture_is_embedded_once_and_only_in_a_template(small):
    for name in small.figures:
        if not name.startswith("us/"):
            content = Path(small.folder, f"results/figures/{name}.png").read_bytes()
            assert small.html.count(base64.b64encode(content).decode()) == 1
    outside = re.sub(r"<template>.*?</template>", "", small.html, flags=re.DOTALL)
    assert "data:image/png" not in outside


def test_ledger_has_worst_failures_first_and_links(small, monkeypatch):
    monkeypatch.chdir(small.folder)
    monkeypatch.setattr(page, "claims", lambda: small.claims)
    monkeypatch.setattr(page, "place", lambda claim: (small.folder / "made_up.py", 5))
    monkeypatch.setattr(page, "source_of", lambda module: small.folder / f"{module}.py")
    views = [page.figure_view(figure, Path("results")) for figure in small.figures.values()]
    assert [view["line"] for view in views] == [3] * 4
    rows = page.ledger_rows(Path("results/figures/claims.csv"), views)
    assert [row["anchor"] for row in rows] == ["HU-T1", "HU-L2", "KL-T3", "HU-T1.other", "HU-T4"]
    assert [row["line"] for row in rows] == [5, 5, 0, 5, 0]  # KL-T3 and HU-T4 have no claim
    # the evidence of a row, and figures that read the tables of its claim
    assert [[v["name"] for v in row["figures"]] for row in rows[:4]] == [
        ["hu/regret", "hu/bounds"], [], [], ["hu/regret", "kl/loss"],
    ]  # fmt: skip
    assert page.ledger_rows(Path("nowhere.csv"), views) == []


def test_tables_of_a_page(tmp_path):
    text = "| a | **b** |\n| --- | --- |\n| [x](y.md) | `c` |\n\ntext\n\n| d |\n|---|\n| e |\n"
    (tmp_path / "page.md").write_text(text)
    assert page.tables_of(tmp_path / "page.md") == [[["a", "b"], ["x", "`c`"]], [["d"], ["e"]]]
    assert page.tables_of(tmp_path / "none.md") == []


@pytest.mark.parametrize("row", LEDGER, ids=lambda row: f"{row['id']}-{row['reading']}")
def test_every_row_begins_with_three_sentences(row):
    (first, promised), (_, happens), (_, advice) = three_sentences(row)
    assert promised.startswith(row["statement"][:40])
    assert first == ("What is promised" if row["kind"] == "privacy" else "What is stated")
    failed = row["verdict"] in ("violated", "rejected")
    assert failed == happens.startswith(("It is false", "It fails in simulation"))
    assert failed == (row["repaired"][:40] in advice and bool(row["repaired"]))
    assert all(text.endswith((".", "?")) for text in (promised, happens, advice))
    assert row["verdict"] in ("violated", "rejected") or len(happens) < 120


def test_clause_ends_outside_of_formulas_and_parentheses():
    assert first_clause("loss $a; b$ (c; d) is 2; others 3") == "loss $a; b$ (c; d) is 2"
    assert first_clause("one. Two.") == "one"
    assert first_clause("all.") == "all"


def test_mathml_of_every_text_is_well_formed():
    texts = {text for row in LEDGER for text in row.values()}
    texts |= {claim.statement for claim in claims().values()}
    for text in texts:
        result = mathml(text)
        assert "$" not in result, text
        assert not re.search(r">[^<]*\\[A-Za-z]", result), text
        ET.fromstring(f"<p>{result}</p>")


def test_formulas_are_prepared_for_latex2mathml():
    assert '<mi>ln</mi><mspace width="0.167em" /><mi>T</mi>' in formula(r"\ln T")
    assert '<mo>max</mo><mspace width="0.167em" /><mi>N</mi>' in formula(r"\max N")
    assert "&#x0211D;" in formula(r"\mathbb R^d")
    assert "<mtext>Lap</mtext>" in formula(r"\mathrm{Lap}(1)")
    long = r"a = b + c \le d + e^{f = g} + (h = i) = " + " + ".join("jklmnopqrstu")
    pieces = formula(long).split("\u200b")
    assert len(pieces) > 5
    assert all(piece.startswith("<math>") and piece.endswith("</math>") for piece in pieces)
    assert formula(long, "block").count("<math") == 1
    assert mathml("`a$b$` < 1e-06").startswith("<code>") or "&lt;" in mathml("a < b")


def test_no_letter_of_a_formula_is_lost():
    for claim in claims().values():
        for tex in claim.statement.split("$")[1::2]:
            shown = "".join(ET.fromstring(f"<p>{formula(tex)}</p>").itertext())
            typed = re.sub(r"\\(math\w+|operatorname|text\w*|\w+)", "", tex)
            missing = pd.Series(list(typed)).loc[lambda s: s.str.fullmatch("[A-Z0-9]")]
            assert all(letter in shown for letter in missing if "\\math" not in tex), claim.id
