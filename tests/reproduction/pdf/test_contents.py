"""The data of the templates, for a small ledger: counts, groups, figures, shortened numbers."""

import runpy
import sys
from types import SimpleNamespace

import pandas as pd
import pytest

from dpbandits.core.files import write_text
from dpbandits.reproduction.ledger.verdicts import COLUMNS
from dpbandits.reproduction.pdf import build
from dpbandits.reproduction.plots.beside import Beside
from dpbandits.reproduction.plots.figures import Figure

ROWS = [  # id, reading, verdict, severity, cause, method, repaired_verdict, certificate
    ("HU-2", "printed", "violated", "constant", "HU-1", "exact", "open", ""),
    ("HU-3", "printed", "rejected", "experiment", "", "statistical", "consistent", ""),
    ("HU-1", "third", "holds", "", "", "proof", "", ""),
    ("HU-2", "worse", "violated", "conclusion", "HU-1", "exact", "holds", ""),
    ("HU-1", "printed", "violated", "conclusion", "", "certified", "holds", "certificates/a.json"),
    ("KL-1", "printed", "consistent", "", "", "statistical", "", ""),
]
LONG = "near at 0.123456789e-3 of 1.2345678, not of 1.234567 or x1.23456789"


@pytest.fixture
def ledger():
    names = ["id", "reading", "verdict", "severity", "cause", "method", "repaired_verdict"]
    rows = pd.DataFrame(ROWS, columns=[*names, "certificate"])
    rows = rows.reindex(columns=list(COLUMNS), fill_value="")
    return rows.assign(
        paper=rows["id"].str[:2], statement=r"Theorem 1: $\epsilon < 2$", tightness=LONG,
        evidence="a.csv;b.v", repaired_method=rows["repaired_verdict"].map(lambda v: v and "proof"),
    )  # fmt: skip


def figure(name, title, says=""):
    place = "claims" if "/claims/" in name else "tables"
    return Figure(name, "", (), title, says, f"Alt of {name}", None, "", place)


def described(folder, *figures):
    for each in figures:
        text = Beside(each.title, each.paper_says, "We see 1e-06.").as_text()
        write_text(text, folder / f"{each.name}.txt")
        write_text("", folder / f"{each.name}.pdf")
    return [build.describe(each, folder) for each in figures]


def test_counts_by_reading_and_of_wrong_statements(ledger):
    counts = build.contents(ledger.to_dict("records"), [], ["hu", "kl"])["counts"]
    assert (counts["rows"], counts["statements"], counts["failing"]) == (6, 4, 4)
    assert (counts["wrong"], counts["serious"]) == (3, 2)
    nonzero = {
        name: {value: count for value, count in counts[name].items() if count}
        for name in ("verdicts", "severities", "methods", "repairs")
    }
    assert nonzero == {
        "verdicts": {"holds": 1, "violated": 3, "rejected": 1, "consistent": 1},
        "severities": {"conclusion": 2, "experiment": 1},  # HU-2 by its worse reading
        "methods": {"exact": 2, "certified": 1, "proof": 1, "statistical": 2},
        "repairs": {"holds": 1, "consistent": 1, "open": 1},
    }
    assert (counts["causes"], counts["certificates"]) == (1, 1)


def test_rows_of_a_paper_by_severity_and_its_serious_causes(ledger):
    hu, kl = build.contents(ledger.to_dict("records"), [], ["hu", "kl"])["papers"]
    names = ["HU-2 (worse)", "HU-1", "HU-2", "HU-3", "HU-1 (third)"]
    assert [row["name"] for row in hu["rows"]] == names
    assert [(cause["id"], cause["title"]) for cause in hu["causes"]] == [("HU-1", "Theorem 1")]
    assert hu["causes"][0]["row"]["name"] == "HU-1"
    assert [row["name"] for row in hu["causes"][0]["others"]] == ["HU-2 (worse)", "HU-2"]
    first = hu["rows"][1]
    assert (first["where"], first["claim"]) == ("Theorem 1", "$ε < 2$")
    assert (first["by"], hu["rows"][4]["by"]) == ("holds, proof", "")
    assert first["evidence"] == r"a\.csv, b\.v"
    assert first["tightness"] == r"near at 0\.00012346 of 1\.2346, not of 1\.234567 or x1\.23456789"
    assert (kl["causes"], [row["name"] for row in kl["rows"]]) == ([], ["KL-1"])


def test_figures_of_the_article_and_of_the_letter(ledger, tmp_path):
    names = ("hu/regret_vs_epsilon", "hu/fig1", "hu/claims/HU-T8", "us/three")
    figures = [figure(name, r"Is $\epsilon$ kept?", "It says so") for name in names]
    drawn = described(tmp_path, *figures)
    hu, kl = build.contents(ledger.to_dict("records"), drawn, ["hu", "kl"])["papers"]
    assert hu["main"]["name"] == "hu/regret_vs_epsilon"
    assert hu["plot"]["name"] == "hu/claims/HU-T8"
    assert (kl["main"], kl["plot"]) == (None, None)
    assert hu["main"]["title"] == "Is $ε$ kept?"
    assert hu["main"]["paper_says"] == r"It says so\."
    assert hu["main"]["we_see"] == r"We see $10^(- 6)$\."


@pytest.mark.parametrize(("keys", "papers"), [(["hu"], ["hu"]), ([], ["hu", "kl"])])
def test_documents_of_existing_figures_and_chosen_papers(
    keys, papers, ledger, tmp_path, monkeypatch
):
    drawn, missing = figure("hu/one", "One"), figure("hu/none", "None")
    described(tmp_path, drawn)
    ledger.to_csv(tmp_path / "claims.csv", index=False)
    monkeypatch.setattr(build, "figures", lambda: {drawn.name: drawn, missing.name: missing})
    data_of = {}
    monkeypatch.setattr(build, "typeset", lambda _, data, root, out: data_of.update({out: data}))
    monkeypatch.setattr(build, "letter", lambda data, root, out: data_of.update({out: data}))
    build.build(tmp_path / "claims.csv", tmp_path, keys)
    names = ["reproduction.pdf", *(f"letters/{key}.pdf" for key in papers)]
    assert [*data_of] == [tmp_path / name for name in names]
    article = data_of[tmp_path / "reproduction.pdf"]
    assert [paper["key"] for paper in article["papers"]] == papers
    assert article["papers"][0]["main"]["file"] == "hu/one.pdf"


def test_module_is_called_with_the_folders_of_figures_and_documents(monkeypatch, tmp_path):
    arguments = []
    monkeypatch.setattr(build, "build", lambda *paths: arguments.extend(paths))
    monkeypatch.setattr(sys, "argv", ["dpbandits.reproduction.pdf", "in", str(tmp_path)])
    runpy.run_module("dpbandits.reproduction.pdf", run_name="__main__")
    assert [str(path) for path in arguments] == ["in/claims.csv", str(tmp_path)]


def test_pdf_has_the_fonts_of_typst_and_not_of_the_machine(monkeypatch, tmp_path):
    used = {}

    def compile(source, output, **options):
        used.update(options)
        open(output, "w").close()

    monkeypatch.setitem(sys.modules, "typst", SimpleNamespace(compile=compile))
    build.typeset("letter", {"id": "X"}, tmp_path, tmp_path / "new/x.pdf")
    assert used["ignore_system_fonts"] is True
