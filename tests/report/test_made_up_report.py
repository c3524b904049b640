"""The HTML of the report on a made-up run: embedded files, ledger, folded texts."""

import base64
import gzip
import json
import re
from pathlib import Path

import pytest
from made_up import MadeUp, png

from dpbandits.reproduction.report import inner, page

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


def test_content_of_every_picture_and_file_is_embedded_once(run):
    """Notebooks have placeholders for the pictures of the page, and keep other pictures."""
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


def test_snakemakes_page_has_placeholders_and_our_captions(run):
    before, after = run.page.split("var results = ")
    embedded = unpacked(run.html, "workflow")
    assert embedded.startswith(before)
    assert embedded.endswith(after.split(";\n")[-1])
    results = re.search(r"var results = (.*);$", embedded, re.MULTILINE)[1]
    records = json.loads(results)
    first = records["results/figures/hu/regret.png"]
    assert first["data_uri"] == "data:image/png;base64,@@results/figures/hu/regret.png@@"
    assert first["caption"] == (
        "<p><b>The paper says:</b> It says ε = 0.</p><p><b>We see:</b> We see x₀ &lt; 0.</p>"
        "<p>Drawn by the rule draw_0 from notebooks/hu/all.ipynb, out of 1 table(s). "
        "The data drawn stand beside it.</p>"
    )
    assert "</" not in results
    with pytest.raises(ValueError, match="another form"):
        inner.results_in("var result = {};")


def test_ledger_has_anchors_places_figures_and_points(run):
    records = inner.results_in(run.page)
    views = [page._figure(f, Path("results"), records) for f in list(run.figures.values())[:6]]
    rows = page._ledger(Path("results") / "figures/claims.csv", views)
    assert [row["anchor"] for row in rows] == ["HU-L2", "HU-T1", "HU-T1.other", "KL-T3"]
    assert [row["line"] for row in rows] == [5, 5, 5, 0]  # KL-T3 has no claim
    assert [view["line"] for view in views] == [3] * 6
    assert [view["size"] for view in views[:2]] == [(475, 500), (950, 500)]
    assert [view["panels"] for view in views] == [1, 2, 3, 4, 5, 6]
    assert [view["wide"] for view in views] == [False, False, True, True, True, True]
    # the evidence of a row, and figures that read the tables of its claim
    assert [[v["name"] for v in row["figures"]] for row in rows] == [
        [], ["hu/regret", "hu/bounds"], ["hu/regret", "kl/loss"], [],
    ]  # fmt: skip
    beyond = [point["x"] for point in rows[1]["points"] if point["beyond"] == "True"]
    assert [point["x"] for point in rows[1]["points"]][: len(beyond)] == beyond == ["1", *TENS]
    assert len(rows[1]["points"]) == 15
    assert page._ledger(Path("results") / "nowhere.csv", views) == []


def test_pdfs_of_figures_are_embedded_and_claims_have_none(run):
    embedded = re.findall(r'data-pdf="([^"]+)">\w', run.html)
    names = ("hu/regret", "hu/bounds", "kl/loss")
    assert sorted(embedded) == sorted(f"results/figures/{name}.pdf" for name in names)


HALF = "y" * 150  # page.LONG is 300, of which at least a third must be shown
FOLDED = {  # where a text is cut -> what is shown, what is folded
    "short": ("x" * 300, ""),
    "after a sentence": (f"{HALF}. ", "z" * 60 + ", " + "z" * 200),
    "after a comma": (f"{HALF}, ", "z" * 200),
    "before a formula": (f"{HALF}, ", "$a, b$ " + "z" * 200),
    "a sentence too short to show": ("y" * 98 + ". " + "z" * 300, ""),
    "no end but in a formula": ("y" * 120 + "$a, " + "b" * 300 + "$", ""),
    "the first end at the limit": ("y" * 298 + ". " + "z" * 100, ""),
}


@pytest.mark.parametrize("case", FOLDED)
def test_long_text_is_folded(case):
    shown, folded = FOLDED[case]
    assert page._fold(shown + folded) == (shown, folded)
