"""The whole page of a made-up run without a browser: part by part as it was (tests/looks.csv), and
by hand what it counts, chooses and packs."""

import base64
import gzip
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from looks import same
from made_up import MadeUp, png
from scratch import ROOT

from dpbandits.report import front, inner, page, plots

TENS = [str(x) for x in range(10, 16)]  # above 9, which is allowed
TIMES = [{"kind": "draw", "jobs": 3, "wall": 1.25, "cpu": 0.96, "memory": 120.4}]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("run")
        patch.chdir(folder)
        run = MadeUp(folder)
        patch.setattr(page, "figures", lambda: run.figures)
        patch.setattr(page, "claims", lambda: run.claims)
        patch.setattr(page, "source_of", lambda module: folder / f"{module}.py")
        patch.setattr(page, "run_facts", lambda plan: {"Scale": "smoke", "Seeds": ""})
        patch.setattr(page, "rule_times", lambda plan: TIMES)
        kept, run.rooms = page._pdfs, []
        patch.setattr(
            page, "_pdfs", lambda views, room: run.rooms.append(room) or kept(views, room)
        )
        run.html = page.build(run.plan, run.page)
        yield run


def unpacked(html, id):
    (packed,) = re.findall(rf'id="{id}">(.*?)</script>', html)
    return json.loads(gzip.decompress(base64.b64decode(packed)))


SECTIONS = ("front", "verdicts", "figures", "paper-hu", "paper-kl", "run")


def test_every_part_of_the_page_is_as_it_was(run):
    parts = dict(
        zip(SECTIONS, re.findall(r"<section.*?</section>", run.html, re.DOTALL), strict=True)
    )
    assert len(parts) == run.html.count("<section") == len(SECTIONS)
    parts |= {id: json.dumps(unpacked(run.html, id), indent=1) for id in ("files", "workflow")}
    parts["pdfs"] = "\n".join(re.findall(r"data-pdf=.*", run.html.split("<dialog")[1]))
    same("report of a made-up run", parts)


def test_every_picture_and_file_is_kept_once_and_found(run):
    """A notebook holds a mark for a picture that the page shows, others as they are."""
    assert run.html.count(png(475, 500)) == 1
    files = unpacked(run.html, "files")
    assert files["results/notebooks/hu/all.html"] == (
        "<img src='data:image/png;base64,@@results/figures/hu/bounds.png@@'> and "
        f"<img src='{png(7, 7)}'>"
    )
    assert files["results/tables/hu/bounds.tex"] == "bounds as tex"
    assert "make figure ID=hu/regret" in files["rule draw_0, figure hu/regret"]
    assert set(re.findall(r'data-file="([^"]*)"', run.html)) - set(files) == {
        "results/figures/claims.csv"
    }  # which this made-up report of Snakemake does not hold


def test_snakemakes_page_keeps_all_but_the_bytes(run):
    before, after = run.page.split("var results = ")
    cut = unpacked(run.html, "workflow")
    assert cut.startswith(before)
    assert cut.endswith(after.split(";\n")[-1])
    records = json.loads(re.search(r"var results = (.*);$", cut, re.MULTILINE)[1])
    first = records["results/figures/hu/regret.png"]
    assert first["data_uri"] == "data:image/png;base64,@@results/figures/hu/regret.png@@"
    assert first["caption"] == (
        "<p><b>The paper says:</b> It says ε = 0.</p><p><b>We see:</b> We see x₀ &lt; 0.</p>"
        "<p>Drawn by the rule draw_0 from notebooks/hu/all.ipynb, out of 1 table(s). "
        "The data drawn stand beside it.</p>"
    )
    assert "</" not in re.search(r"var results = (.*);$", cut, re.MULTILINE)[1]
    with pytest.raises(ValueError, match="another form"):
        inner.results_in("var result = {};")
    with pytest.raises(ValueError, match="another form"):
        inner.results_in(run.page.replace("@@results/figures/hu/regret.png@@", "AAAA"))


def test_the_ledger_counts_links_and_orders(run):
    records = inner.results_in(run.page)
    views = [page._figure(f, Path("results"), records) for f in list(run.figures.values())[:6]]
    rows = page._ledger(Path("results") / "figures/claims.csv", views)
    assert [row["anchor"] for row in rows] == ["HU-L2", "HU-T1", "HU-T1.other", "KL-T3"]
    assert [row["line"] for row in rows] == [5, 5, 5, 0]  # KL-T3's claim is not there
    assert [view["line"] for view in views] == [3] * 6
    assert [view["size"] for view in views[:2]] == [(475, 500), (950, 500)]
    assert [view["wide"] for view in views] == [False, False, True, True, True, True]
    # what HU-T1 names, and what it reads; KL-T3 has no check, so only what is named counts
    assert [[v["name"] for v in row["figures"]] for row in rows] == [
        [], ["hu/regret", "hu/bounds"], ["hu/regret", "kl/loss"], [],
    ]  # fmt: skip
    beyond = [point["x"] for point in rows[1]["points"] if point["beyond"] == "True"]
    assert [point["x"] for point in rows[1]["points"]][: len(beyond)] == beyond == ["1", *TENS]
    assert len(rows[1]["points"]) == 15
    assert page._ledger(Path("results") / "nowhere.csv", views) == []


def test_pdfs_of_figures_come_first_as_long_as_there_is_room(run):
    view = lambda name, claim: {"pdf": f"results/figures/{name}.pdf", "of_claim": claim}  # noqa: E731
    views = [view("hu/claims/HU-L2", True), view("hu/regret", False), view("none", False)]
    one = len(page._packed(b"\0" * 99))
    assert list(page._pdfs(views, 1000)) == [views[1]["pdf"], views[0]["pdf"]]
    assert list(page._pdfs(views, one + 1)) == [views[1]["pdf"]]
    assert page._pdfs(views, one) == {}


def test_the_room_is_what_pictures_files_and_words_leave(run):
    packed = re.findall(r'id="(?:files|workflow)">(.*?)</script>', run.html)
    uris = [png(475 * (i + 1), 500) for i in range(6)]
    assert run.rooms[0] == 19_500_000 - 1_600_000 - sum(map(len, packed + uris))


def test_a_long_finding_is_cut_at_a_sentence_else_at_a_comma():
    short = "x" * 300
    assert page._fold(short) == (short, "")
    first, rest = "y" * 150 + ". ", "z" * 60 + ", " + "z" * 200
    assert page._fold(first + rest) == (first, rest)
    assert page._fold((first + rest)[:300]) == ((first + rest)[:300], "")
    early = "y" * 98 + ". " + "z" * 300  # a third of what is long is too little
    assert page._fold(early) == (early, "")
    comma = "y" * 150 + ", "
    assert page._fold(comma + "z" * 200) == (comma, "z" * 200)
    formula = "y" * 150 + ", $a, b$ " + "z" * 200
    assert page._fold(formula) == ("y" * 150 + ", ", formula[152:])
    inside = "y" * 120 + "$a, " + "b" * 300 + "$"
    assert page._fold(inside) == (inside, "")  # nowhere but in a formula
    late = "y" * (page.LONG - 2) + ". " + "z" * 100  # what follows would not be seen
    assert page._fold(late) == (late, "")
    early = "a. " + "b" * 400
    assert page._fold(early) == (early, "")  # too little would be seen


def row(id, verdict, *, where="Theorem 1", reading="printed", kind="regret", method="exact",
        repaired="", certificate=""):  # fmt: skip
    return {"id": id, "verdict": verdict, "where": where, "reading": reading, "kind": kind,
            "method": method, "repaired_verdict": repaired, "certificate": certificate,
            "paper": id[:2]}  # fmt: skip


def test_the_front_page_counts_printed_rows_and_begins_with_the_weightiest():
    ledger = [
        row("A-1", "violated", where="Lemma 1", repaired="holds", certificate="a"),
        row("A-2", "violated", method="statistical", repaired="holds"),
        row("A-3", "violated", repaired="open", certificate="a"),
        row("A-4", "violated", repaired="holds", certificate="b"),
        row("A-5", "violated", kind="privacy", method="statistical"),
        row("A-6", "violated", reading="other", kind="privacy", repaired="holds"),
        row("B-1", "violated", where="Section 4"),
        row("B-2", "rejected", repaired="holds"),
        row("B-3", "holds"),
    ]
    views = [{"of_claim": False}, {"of_claim": True}, {"of_claim": False}]
    assert [(n, said) for n, said, _ in front.tiles(ledger, views)] == [
        (8, "claims judged, each as printed"),
        (1, "hold"),
        (6, "are false as printed"),
        (1, "are rejected by simulation"),
        (4, "of those that fail have a repair that holds"),
        (2, "certificates to check alone"),
        (2, "figures drawn anew"),
    ]
    told = [r["id"] for r in front.refuted(ledger)]
    assert told == ["A-5", "B-1", "A-4"]  # two of A in turn with B; what is rejected is not false
    ranks = sorted((r for r in ledger if r["reading"] == "printed"), key=front._weight)
    assert [r["id"] for r in ranks][:5] == ["A-5", "A-4", "B-2", "A-3", "B-3"]
    assert [r["id"] for r in ranks][-2:] == ["A-1", "B-1"]


def test_of_each_paper_the_figure_with_most_failed_claims():
    view = lambda name, *verdicts, claim=False: {  # noqa: E731
        "name": name, "paper": name[0], "of_claim": claim,
        "claims": [{"verdict": verdict} for verdict in verdicts],
    }  # fmt: skip
    views = [
        view("a1", "holds", "holds", "holds"), view("a2", "violated"), view("a3", "rejected"),
        view("a4", "violated", "violated", claim=True), view("b1"), view("b2", "holds"),
        view("b3", "consistent"),
    ]  # fmt: skip
    assert [v["name"] for v in front.figures(views)] == ["a2", "b2"]


T = [1, 2, 3]
PLOTTED = {  # columns of a table -> x, y, series, by, log
    "a claim's plot": (
        {
            "panel": ["p", "q", "p"],
            "series": "s",
            "x": [1, 1, 2],
            "measured": T,
            "log": "y",
            "beyond": [True, False, True],
        },
        ("x", ["measured"], "", ["panel"], "y"),
    ),
    "a series besides the key": (
        {
            "t": [1, 1, 2, 2],
            "algorithm": list("abab"),
            "mean": [1, 2, 3, 4],
            "sem": [1, 2, 3, 4],
            "runs": [1, 2, 3, 4],
        },
        ("t", ["mean"], "algorithm", [], ""),
    ),
    "y stands before low, the key with most values is x": (
        {
            "epsilon": [1, 1, 2, 2],
            "n": [1, 60, 1, 60],
            "alpha": [1, 2, 3, 4],
            "loss": [2, 3, 4, 5],
            "low": [1, 2, 3, 4],
            "high": [*T, 9],
        },
        ("alpha", ["loss"], "", [], ""),
    ),
    "few values of a number are a series": (
        {"t": T * 2, "epsilon": [1] * 3 + [2] * 3, "ratio": [1, 9, 60, 2, 9, 61]},
        ("t", ["ratio"], "epsilon", [], "y"),
    ),
    "more than eight are a slider": (
        {"t": T * 9, "gap": np.repeat(range(1, 10), 3), "ratio": range(1, 28)},
        ("t", ["ratio"], "", ["gap"], ""),
    ),
    "more than sixteen are none": (
        {"t": T * 17, "gap": np.repeat(range(1, 18), 3), "ratio": range(1, 52)},
        ("t", ["ratio", "gap"], "", [], "y"),
    ),
    "sixteen are a slider": (
        {"t": T * 16, "gap": np.repeat(range(1, 17), 3), "ratio": range(1, 49)},
        ("t", ["ratio"], "", ["gap"], ""),
    ),
    "eight are a series": (
        {"t": T * 8, "gap": np.repeat(range(1, 9), 3), "ratio": range(1, 25)},
        ("t", ["ratio"], "gap", [], ""),
    ),
    "fifty times is not wide, zero is on no logarithmic axis": (
        {"t": [1, 2, 50], "ratio": [2, 50, 100], "gap": [0, 1, 99]},
        ("t", ["ratio", "gap"], "", [], ""),
    ),
    "a key of two values is not x": (
        {"who": list("abab"), "epsilon": [1, 1, 2, 2], "ratio": [1, 2, 3, 4]},
        ("who", ["ratio"], "epsilon", [], ""),
    ),
    "names of rows are x": (
        {"mechanism": list("abc"), "measured": [1, 2, np.inf], "kind": ["u", "u", "v"]},
        ("mechanism", ["measured"], "kind", [], ""),
    ),
    "long texts are no names, a last number is y": (
        {"who": ["a" * 40, "b" * 40, "c"], "first": [0, 60, 1], "last": [1, 50, 2]},
        ("who", ["last", "first"], "", [], ""),
    ),
    "nothing to draw": ({"who": ["a", "b", "c"]}, None),
}


@pytest.mark.parametrize("name", PLOTTED)
def test_what_an_explored_plot_draws(name, tmp_path):
    columns, wanted = PLOTTED[name]
    pd.DataFrame(columns).to_csv(tmp_path / "x.csv", index=False)
    spec = plots.plot_of(tmp_path / "x.csv")
    assert spec == wanted or tuple(spec[k] for k in ("x", "y", "series", "by", "log")) == wanted
    same(f"explored: {name}", {"spec": json.dumps(spec)})


def test_golden_tables_are_explored_as_they_were():
    tables = sorted((ROOT / "tests/golden").glob("*/*.csv"))
    specs = {f"{t.parent.name}/{t.stem}": json.dumps(plots.plot_of(t)) for t in tables}
    same("explored golden tables", specs)
