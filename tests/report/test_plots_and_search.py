"""What can be explored, over all published tables; what is found, over the whole ledger."""

import json
import re

import pandas as pd
import pytest
from chromium import Chromium
from scratch import ROOT

from dpbandits.core.algorithms import algorithms
from dpbandits.core.ledger import claims
from dpbandits.core.plaintext import plain
from dpbandits.core.style import OKABE_ITO
from dpbandits.report.page import HERE, SCRIPTS
from dpbandits.report.plots import plot_of

TABLES = sorted((ROOT / "figures").glob("*/*.csv"))
LEDGER = """<form class="filters"><input name="words"><select name="verdict"></select>
<input name="sort"><output></output></form><p id="found"></p><table class="claims"><tbody></tbody>
</table><dialog id="viewer"></dialog><button data-theme-switch></button>"""
ROW = (
    "<th><a>{id}</a></th><td>{where}: {said}</td><td>found 8 of 4 cases at eps = 8, theorem 4</td>"
)


@pytest.mark.parametrize("csv", TABLES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_published_table_can_be_explored(csv):
    table, spec = pd.read_csv(csv), plot_of(csv)
    own = [spec["x"], *spec["y"], *spec["by"], *([spec["series"]] if spec["series"] else [])]
    assert len(set(own)) == len(own)
    assert set(own) <= set(table)
    assert pd.api.types.is_numeric_dtype(table[spec["y"][0]])
    assert len(table.groupby(own[:1])) > 1
    assert json.dumps(spec)
    colours = [colour for colour, _ in spec["looks"].values()]
    assert len(set(colours)) == min(len(colours), len(OKABE_ITO))


def test_columns_are_told_from_the_table(tmp_path):
    rows = [("a", e, t, 5, t * e, 0.9 * t * e, 1.1 * t * e) for e in (0.5, 1) for t in (1, 9, 99)]
    rows += [("b", *row[1:]) for row in rows]
    names = ["algorithm", "epsilon", "t", "runs", "mean", "low", "high"]
    pd.DataFrame(rows, columns=names).to_csv(tmp_path / "x.csv", index=False)
    spec = plot_of(tmp_path / "x.csv")
    assert (spec["x"], spec["y"], spec["series"]) == ("t", ["mean"], "algorithm")
    assert (spec["by"], spec["log"]) == (["epsilon"], "xy")
    assert set(spec["looks"]) == {"a", "b"}


def test_more_algorithms_than_colours_share_them(tmp_path):
    every = sorted(algorithms())
    rows = [(name, t, t) for name in every for t in (1, 2, 3)]
    pd.DataFrame(rows, columns=["algorithm", "t", "mean"]).to_csv(tmp_path / "x.csv", index=False)
    colours = [colour for colour, _ in plot_of(tmp_path / "x.csv")["looks"].values()]
    assert len(colours) == len(every) > len(set(colours)) >= len(OKABE_ITO)


@pytest.fixture(scope="module")
def ledger(tmp_path_factory):
    """The ledger's own search over every registered claim, in a page that has nothing else."""
    scripts = "".join((HERE / name).read_text(encoding="utf-8") for name in SCRIPTS)
    told = [
        {"id": c.id, "where": plain(c.where), "said": plain(c.statement)} for c in claims().values()
    ]
    fill = (
        f"for (const c of {json.dumps(told)}) {{"
        " const r = document.createElement('tr'); r.id = c.id;"
        " Object.assign(r.dataset, c); r.innerHTML = ROW.replace(/\\{(\\w+)\\}/g, (_, k) => c[k]);"
        " document.querySelector('tbody').append(r); }"
    )
    page = tmp_path_factory.mktemp("search") / "ledger.html"
    page.write_text(
        f"<!doctype html><meta charset=utf-8>{LEDGER}<script>const ROW = {json.dumps(ROW)};"
        f"{fill}</script><script>{scripts}</script>",
        encoding="utf-8",
    )
    with Chromium() as browser:
        browser.open(page)
        assert browser.complaints == []
        yield browser


def found(browser, query: str) -> list[str]:
    browser.run(f"filters.elements.words.value = {json.dumps(query)}; filter()")
    return browser.run("$$('tbody > tr').filter((r) => !r.hidden).map((r) => r.id)")


def test_a_theorem_is_found_first_by_its_name(ledger):
    assert found(ledger, "theorem 8")[0] == "HU-T8"
    for claim in claims().values():
        assert found(ledger, claim.id)[0] == claim.id
        named = re.match(r"(Theorem|Lemma|Corollary|Proposition|Figure) [\d.]*\d", claim.where)
        if named:
            first = found(ledger, named[0])
            before = first[: first.index(claim.id)]
            assert all(claims()[id].where.startswith(named[0]) for id in before), (claim.id, before)


def test_greek_letters_are_found_however_they_are_written(ledger):
    everywhere = found(ledger, "epsilon")
    assert len(everywhere) == len(claims())  # each row says eps
    for spelling in ("eps", "ε", r"\varepsilon", r"\epsilon"):
        assert found(ledger, spelling) == everywhere
    for name, letter in {"delta": "δ", "gamma": "γ", "lambda": "λ"}.items():
        told = [c.id for c in claims().values() if letter in plain(c.statement)]
        assert set(told) <= set(found(ledger, name)) == set(found(ledger, letter))
        assert len(told) > 2


def test_phrases_stand_together(ledger):
    loose, strict = found(ledger, "regret bound"), found(ledger, '"regret bound"')
    assert set(strict) <= set(loose)
    for id in strict:
        assert "regretbound" in "".join(filter(str.isalpha, claims()[id].statement.lower()))
    assert found(ledger, "no such words at all") == []


@pytest.mark.parametrize("log", [True, False])
def test_infinity_has_a_place_of_its_own(ledger, log):
    """eps = inf lies in the picture, right of all finite values, and is named below the axis."""
    values = "[0.25, 1, 4, Infinity]"
    own = f"scale({values}, {str(log).lower()}, 40, 500, 0)"
    places = ledger.run(f"{values}.map({own})")
    assert places == sorted(places)
    assert places[0] > 40
    assert places[2] + 20 < places[3] < 500
    ticks = ledger.run(f"{own}.ticks.map(short)")
    assert ticks[-1] == "∞"
    assert "1" in ticks
    without = f"scale({values}.slice(0, 3), true, 40, 500, 0)"
    assert "∞" not in ledger.run(f"{without}.ticks.map(short)")
    # on the other axis it is no limit at all, and is not drawn
    assert ledger.run(f"scale({values}, true, 400, 40, 0)(Infinity)") < -1000
