"""The report: its links, its published figures, its search, on desktop and phone."""

import re
from pathlib import Path

import pytest
from scratch import ROOT

from dpbandits.reproduction.ledger.rows import read_ledger, wrong_statements
from dpbandits.reproduction.papers import OWN, papers
from dpbandits.reproduction.pipeline.figures import figures
from dpbandits.reproduction.report.letters import SERIOUS, letter
from dpbandits.reproduction.report.markdown import KINDS, by_figure, published_figures

HU_WRONG = ("HU", "violated", "printed")
AXE = Path(__file__).parent / "vendor/axe-4.13.0.min.js"
VIOLATIONS = (
    "axe.run({resultTypes: ['violations'], selectors: false}).then(({violations}) =>"
    " violations.map((v) => [v.id, ...v.nodes.map((n) => n.html.slice(0, 120))]))"
)
LEDGER = read_ledger(ROOT / "figures/claims.csv")
SHOWN = (
    "[...document.querySelectorAll('.item[data-verdict]')].filter(e => !e.hidden).map(e => e.id)"
)

PANELS = "[...document.querySelectorAll('.panel')].filter(e => !e.hidden).map(e => e.dataset.name)"


def test_every_link_has_a_target_and_every_picture_is_in_the_page(report):
    ids = re.findall(r' id="([^"]+)"', report.html)
    assert len(ids) == len(set(ids))
    assert {*re.findall(r'href="#([^"]+)"', report.html)} <= {*ids}
    assert len(re.findall(r'<img src="data:image/png;base64,', report.html)) == len(figures())
    assert not re.search(r'(src|href)="(?!data:|#|figures/)', report.html)


@pytest.mark.parametrize("key", [key for key in papers() if key != OWN])
def test_letters_are_those_of_the_ledger(key, rows):
    text = (ROOT / f"figures/{key}/letter.md").read_text("utf-8")
    assert text == letter(key, rows)
    wrong = wrong_statements([row for row in rows if row["paper"].lower() == key])
    serious = {row["id"] for row in wrong if row["severity"] in SERIOUS}
    assert all(id in text for id in serious)


def test_report_is_accessible_and_fits_the_screen(browser):
    """Opened: all of it is as wide as the screen; axe sees ten figures, the first two tables and
    twenty rows of the ledger."""
    browser.run("document.querySelectorAll('details').forEach((d) => { d.open = 1 })")
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")
    browser.run("[...document.querySelectorAll('.item[data-verdict]')].slice(20)"
                ".concat([...document.querySelectorAll('.figure')].slice(10))"
                ".concat([...document.querySelectorAll('.figure table')].slice(2))"
                ".forEach((element) => element.remove())")  # fmt: skip
    browser.run(AXE.read_text(encoding="utf-8") + ";1")
    assert browser.run(VIOLATIONS) == []


def choose(browser, name, value):
    browser.run(f"(e => {{ e.value = {value!r}; e.dispatchEvent(new Event('input',"
                f" {{bubbles: true}})) }})(document.forms.filter.elements[{name!r}])")  # fmt: skip


def test_search_and_filters(browser):
    choose(browser, "words", "theorem 8")
    assert browser.run(SHOWN) == ["HU-T8"]  # not what only mentions it
    choose(browser, "words", "theorem noise")
    assert len(browser.run(SHOWN)) > 1
    choose(browser, "words", "")
    choose(browser, "paper", "hu")
    choose(browser, "verdict", "violated")
    wanted = {r["id"] for r in LEDGER if (r["paper"], r["verdict"], r["reading"]) == HU_WRONG}
    assert wanted <= {*browser.run(SHOWN)}
    assert all(id.startswith("HU") for id in browser.run(SHOWN))
    rejected = {e["name"] for e in by_figure(published_figures(LEDGER))
                if any(p["verdict"] == "rejected" for kind in KINDS for p in e[kind])}  # fmt: skip
    choose(browser, "paper", "fl")
    choose(browser, "verdict", "rejected")
    assert {*browser.run(PANELS)} == {f"FL {name}" for name in rejected}
    choose(browser, "paper", "")
    choose(browser, "verdict", "")
    browser.run("location.hash = '#KL-T1-pure'")
    browser.wait("document.querySelector('#KL-T1-pure').checkVisibility()")
    assert browser.run("document.querySelector('#KL-T1-pure').open")
