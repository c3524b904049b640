"""The whole page of a made-up run without a browser: what it counts, chooses and packs."""

import base64
import gzip
import json
import re
from pathlib import Path

import pytest
from made_up import MadeUp, png

from dpbandits.report import inner, page

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
        patch.setattr(page, "place", lambda claim: (folder / "made_up.py", 5))
        patch.setattr(page, "source_of", lambda module: folder / f"{module}.py")
        patch.setattr(page, "run_facts", lambda plan: {"Scale": "smoke", "Seeds": ""})
        patch.setattr(page, "rule_times", lambda plan: TIMES)
        run.html = page.build(run.plan, run.page)
        yield run


def unpacked(html, id):
    (packed,) = re.findall(rf'id="{id}">(.*?)</script>', html)
    return json.loads(gzip.decompress(base64.b64decode(packed)))


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


def test_the_ledger_counts_links_and_orders(run):
    records = inner.results_in(run.page)
    views = [page._figure(f, Path("results"), records) for f in list(run.figures.values())[:6]]
    rows = page._ledger(Path("results") / "figures/claims.csv", views)
    assert [row["anchor"] for row in rows] == ["HU-L2", "HU-T1", "HU-T1.other", "KL-T3"]
    assert [row["line"] for row in rows] == [5, 5, 5, 0]  # KL-T3's claim is not there
    assert [view["line"] for view in views] == [3] * 6
    assert [view["size"] for view in views[:2]] == [(475, 500), (950, 500)]
    assert [view["panels"] for view in views] == [1, 2, 3, 4, 5, 6]
    assert [view["wide"] for view in views] == [False, False, True, True, True, True]
    # what HU-T1 names, and what it reads; KL-T3 has no check, so only what is named counts
    assert [[v["name"] for v in row["figures"]] for row in rows] == [
        [], ["hu/regret", "hu/bounds"], ["hu/regret", "kl/loss"], [],
    ]  # fmt: skip
    beyond = [point["x"] for point in rows[1]["points"] if point["beyond"] == "True"]
    assert [point["x"] for point in rows[1]["points"]][: len(beyond)] == beyond == ["1", *TENS]
    assert len(rows[1]["points"]) == 15
    assert page._ledger(Path("results") / "nowhere.csv", views) == []


def test_figures_are_held_as_pdf_and_plots_of_claims_are_not(run):
    held = re.findall(r'data-pdf="([^"]+)">\w', run.html)
    drawn = [name for name in run.figures if name.split("/")[0] in run.plan.papers]
    expected = [f"results/figures/{name}.pdf" for name in drawn if "/claims/" not in name]
    assert sorted(held) == sorted(expected)
    assert 0 < len(held) < len(drawn)


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
