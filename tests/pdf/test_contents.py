"""What the paper and its errata are given, of a made-up ledger: as it was (tests/looks.csv), and by
hand what is counted, chosen and cut."""

import json
import runpy
import sys
from types import SimpleNamespace

import pandas as pd
import pytest
from looks import same

from dpbandits.core.figures import Figure
from dpbandits.core.ledger import COLUMNS
from dpbandits.pdf import build

ROWS = [  # id, reading, verdict, method, repaired_verdict, certificate, evidence
    ("HU-1", "printed", "violated", "certified", "holds", "certificates/HU-1.json", "a.csv;b.v"),
    ("HU-1", "other", "violated", "certified", "holds", "certificates/HU-1.other.json", "a.csv"),
    ("HU-1", "third", "holds", "proof", "", "", "docs/proofs/HU.md"),
    ("HU-2", "printed", "rejected", "statistical", "consistent", "", "figures/hu/x.csv"),
    ("KL-1", "printed", "violated", "exact", "open", "", ""),
    ("KL-2", "printed", "consistent", "statistical", "", "", "c.csv"),
]  # fmt: skip
LONG = "near at 0.123456789e-3 of 1.2345678, not of 1.234567 or x1.23456789"


@pytest.fixture
def ledger():
    names = ("id", "reading", "verdict", "method", "repaired_verdict", "certificate", "evidence")
    rows = pd.DataFrame(ROWS, columns=list(names)).reindex(columns=list(COLUMNS), fill_value="")
    repaired = rows["repaired_verdict"].map(bool)
    return rows.assign(
        paper=rows["id"].str[:2], statement=rows["id"] + ": eps $<2$", kind="privacy",
        neighbours="one record; see the next row", scope="K = 2", measured="1e-06",
        repaired=repaired.map({True: "eps <= 3", False: ""}), tightness=LONG,
        repaired_method=repaired.map({True: "proof", False: ""}),
    )  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    """Figures: one that asks, one that says nothing; a claim's plot and another paper's."""
    told = {"hu/one": "We see 1e-06.", "hu/two": "", "hu/claims/HU-1": "x", "us/three": "x"}
    for name, text in told.items():
        path = tmp_path / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
    return tmp_path


def figure(name, title, says=""):
    place = "claims" if "/claims/" in name else "tables"
    return Figure(name, "", (), title, says, f"Alt of {name}", None, "", place)


def test_the_paper_is_told_what_it_was(ledger, folder):
    chosen = [figure("hu/one", "Is eps kept?", "It says so"), figure("hu/two", "Two"),
              figure("hu/claims/HU-1", "Claim"), figure("us/three", "Three")]  # fmt: skip
    said = build.contents(ledger, chosen, folder)
    assert said["claims"] == 4
    assert said["counts"] == {
        "holds": 1, "violated": 3, "rejected": 1, "consistent": 1, "untestable": 0,
    }  # fmt: skip
    assert {k: v for k, v in said["methods"].items() if v} == {
        "exact": 1,
        "certified": 2,
        "proof": 1,
    }
    assert said["repairs"] == {"holds": 2, "consistent": 1, "open": 1}
    assert said["certificates"] == 2
    hu, kl = said["papers"]
    assert (hu["name"], hu["total"], hu["claims"], len(hu["refuted"])) == ("HU", 4, 2, 3)
    assert (kl["name"], kl["total"], kl["claims"], len(kl["refuted"])) == ("KL", 2, 2, 1)
    texts = [(f["title"], f["paper_says"], f["file"]) for f in hu["figures"]]
    assert texts == [("Is $ε$ kept?", r"It says so\.", "hu/one.pdf"), (r"Two\.", "", "hu/two.pdf")]
    assert kl["figures"] == []
    near = said["rows"][0]["tightness"]
    assert near == r"near at 0\.00012346 of 1\.2346, not of 1\.234567 or x1\.23456789"
    del said["version"]
    same("paper of a made-up ledger", {"contents": json.dumps(said, indent=1)})


def test_an_erratum_is_told_what_it_was(ledger, monkeypatch, tmp_path):
    """Two readings with one repair, which is told once; the reading that holds is named."""
    told = {}
    monkeypatch.setattr(
        build, "typeset", lambda kind, data, root, out: told.update({out.name: data})
    )
    index = build.errata(ledger, tmp_path)
    assert [*index.itertuples(index=False, name=None)] == [
        ("HU-1", 2, "HU-1.pdf"), ("KL-1", 1, "KL-1.pdf"),
    ]  # fmt: skip
    hu, kl = told["HU-1.pdf"], told["KL-1.pdf"]
    assert (hu["several"], kl["several"]) == (True, False)
    assert [row["reading"] for row in hu["rows"]] == ["printed", "other"]
    assert [row["repaired"] for row in hu["rows"]] == [
        r"eps $≤$ 3".replace("eps", "$ε$"),
        r"As said above\.",
    ]
    assert [row["tightness"] != "" for row in hu["rows"]] == [True, False]
    assert [row["reading"] for row in hu["others"]] == ["third"]
    assert hu["rows"][0]["neighbours"] == "one record; see the other reading"
    assert [line for _, line in hu["checks"]] == [
        "python3 -I certificates/check.py certificates/HU-1.json certificates/HU-1.other.json",
        "make proofs", "dpbandits refute HU-1", "dpbandits check HU-1",
    ]  # fmt: skip
    assert [line for _, line in kl["checks"]] == ["dpbandits check KL-1"]
    assert hu["evidence"] == r"a\.csv, b\.v"
    assert hu["rows"][0]["its_verdict"] == "holds, proof"
    assert hu["others"][0]["its_verdict"] == ""
    for data in (hu, kl):
        del data["version"]
    same("errata of a made-up ledger", {k: json.dumps(v, indent=1) for k, v in told.items()})


def test_only_figures_that_are_there_and_papers_that_are_asked_for(ledger, folder, monkeypatch):
    chosen = [figure("hu/one", "One"), figure("us/three", "Three"), figure("hu/none", "None")]
    monkeypatch.setattr(build, "figures", lambda: {f.name: f for f in chosen})
    for name in ("hu/one", "us/three"):
        (folder / f"{name}.pdf").write_text("")
    ledger.to_csv(folder / "claims.csv", index=False)
    seen = []

    def contents(rows, figures, at):
        assert (len(rows), at) == (len(ledger), folder.resolve())
        seen.append([figure.name for figure in figures])

    monkeypatch.setattr(build, "contents", contents)
    monkeypatch.setattr(build, "typeset", lambda *_: None)
    for keys in (None, ["us"], []):
        build.build(folder / "claims.csv", folder / "p.pdf", folder / "errata/index.csv", keys)
    assert seen == [["hu/one", "us/three"], ["us/three"], []]
    assert (folder / "errata/index.csv").read_text().splitlines()[1:] == [
        "HU-1,2,HU-1.pdf", "KL-1,1,KL-1.pdf",
    ]  # fmt: skip


def test_the_module_makes_the_paper_of_a_folder(monkeypatch, tmp_path):
    seen = []
    monkeypatch.setattr(build, "build", lambda *paths: seen.extend(paths))
    monkeypatch.setattr(sys, "argv", ["dpbandits.pdf", "in", str(tmp_path)])
    runpy.run_module("dpbandits.pdf", run_name="__main__")
    assert [str(path).removeprefix(str(tmp_path)) for path in seen] == [
        "in/claims.csv", "/reproduction.pdf", "/errata/index.csv",
    ]  # fmt: skip


def test_a_pdf_has_the_fonts_that_come_along_not_those_of_the_machine(monkeypatch, tmp_path):
    told = {}

    def compiled(source, output, **options):
        told.update(options)
        open(output, "w").close()

    monkeypatch.setitem(sys.modules, "typst", SimpleNamespace(compile=compiled))
    build.typeset("errata", {"id": "X"}, tmp_path, tmp_path / "x.pdf")
    assert told["ignore_system_fonts"] is True
    assert told["root"] == str(tmp_path)
    assert (told["format"], json.loads(told["sys_inputs"]["data"])) == ("pdf", {"id": "X"})
    assert (tmp_path / "x.pdf").is_file()
