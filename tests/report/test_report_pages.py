"""The report in a browser: front page, ledger, search, figures, interactive plots, links."""

import base64
import gzip
import re

import pandas as pd
import pytest
from reader import STATES, WIDE, choose, closed, explored, opened

pytestmark = pytest.mark.pipeline
VISIBLE = (
    "[...document.querySelectorAll('.claims > tbody > tr')].filter(r => !r.hidden).map(r => r.id)"
)
ALL_ROWS = [f"HU-X{number}" for number in range(5)]


def test_front_page_has_counts_that_lead_to_rows(browser):
    front = browser.run("document.querySelector('#front').innerText")
    assert "We checked 5 printed statements" in front
    assert browser.run("document.querySelector('.thumb img').naturalWidth > 300")
    browser.click(".matrix a[href*=violated]")
    browser.wait(f"{VISIBLE}.join() === 'HU-X1'")
    browser.run("history.back()")
    browser.wait(f"{VISIBLE}.length === 5")


def test_figures_have_texts_and_alternative_texts(browser):
    pictures = browser.run(
        "Promise.all([...document.querySelectorAll('article img')].map(async i => {"
        " await i.decode(); return [i.alt, i.naturalWidth, i.closest('article').innerText] }))"
    )
    assert [alt for alt, _, _ in pictures] == ["A curve.", "Three times a curve."]
    assert all(width > 300 for _, width, _ in pictures)
    assert "It says & means." in pictures[0][2]
    assert re.search(r"We see at most \d+ <i>regret</i>", pictures[1][2])
    assert "HU-X1" in pictures[1][2]  # a claim that uses it
    assert browser.run("document.querySelectorAll('#HU-X1 .claimed math mo').length") > 0


def test_filters_of_the_ledger_are_kept_in_the_address(browser, report):
    assert browser.run(VISIBLE) == ALL_ROWS
    choose(browser, "kind", "privacy")
    assert browser.run(VISIBLE) == ["HU-X0", "HU-X1"]
    choose(browser, "verdict", "violated")
    assert browser.run(VISIBLE) == ["HU-X1"]
    assert browser.run("document.querySelector('.filters output').value") == "1 of 5 statements"
    address = browser.run("location.hash")
    assert address == "#verdicts?kind=privacy&verdict=violated"
    browser.open(report)
    browser.run(f"location.hash = '{address}'")
    browser.wait(f"{VISIBLE}.join() === 'HU-X1'")
    browser.click(".filters [type=reset]")
    browser.wait(f"{VISIBLE}.length === 5")
    browser.click(".matrix a[href*='verdict=rejected']")
    browser.wait(f"{VISIBLE}.join() === 'HU-X2'")
    choose(browser, "paper", "HU")
    assert browser.run(VISIBLE) == ["HU-X2"]


def test_search_and_order_of_the_ledger(browser):
    choose(browser, "words", "theorem 4")
    assert browser.run(VISIBLE) == ["HU-X4"]
    for query, figure in (("three panels", "Three panels"), ('"it says"', "One panel")):
        choose(browser, "words", query)
        assert browser.run(VISIBLE) == []
        assert figure in browser.run("document.querySelector('#found').innerText")
    choose(browser, "words", "")
    choose(browser, "sort", "-id")
    assert browser.run(VISIBLE) == ALL_ROWS[::-1]
    browser.click("[data-sort=verdict]")
    assert browser.run(VISIBLE) == ALL_ROWS
    assert browser.run("document.querySelector('th[aria-sort]').ariaSort") == "ascending"
    browser.click("[data-sort=verdict]")
    assert browser.run(VISIBLE) == ALL_ROWS[::-1]


def test_link_to_a_claim_opens_it_although_a_filter_hides_it(browser):
    choose(browser, "verdict", "holds")
    browser.run("location.hash = 'HU-X1'")
    browser.wait("document.querySelector('#HU-X1 details').open")
    text = browser.run("document.querySelector('#HU-X1').innerText")
    assert "means (0.7, 0.5)" in text
    assert "<script>alert(1)</script>" in text
    browser.click(f"#HU-X1 a[href='{WIDE}']")
    browser.wait(f"location.hash === '{WIDE}'")
    browser.wait("document.querySelector('article:target h3').innerText === 'Three panels'")
    browser.click(f"{WIDE} .chips a[href='#HU-X1']")
    browser.wait("location.hash === '#HU-X1'")


def test_opened_claim_has_its_texts_in_order_its_plot_and_its_points(browser):
    STATES["claim"](browser)
    browser.wait("document.querySelector('#HU-X1 .canvas svg')")
    terms = browser.run("$$('#HU-X1 .story dt').map((dt) => dt.textContent)")
    assert terms[0] == "Counterexample"
    assert terms.index("Corrected statement (open)") < terms.index("By how much: what was found")
    table = browser.run("document.querySelector('#HU-X1 .plot table').innerText")
    assert "12 of 20 points, those beyond the statement first" in table
    assert table.count("≤ 17") == 12
    browser.click("#HU-X1 .plot [data-file$='HU-X1.csv']")
    opened(browser, "#viewer pre")
    shown = browser.run("document.querySelector('#viewer-body pre').textContent")
    assert len(shown.splitlines()) == 21
    closed(browser)


def legend(browser):
    return browser.run(f"$$('{WIDE} .legend button').map((b) => b.innerText.split('\\n'))")


def test_interactive_plot_has_the_curves_and_values_of_the_picture(browser, project):
    explored(browser)
    assert not browser.run(f"document.querySelector('{WIDE} .picture').checkVisibility()")
    assert "Anytime-Lazy-UCB" in [name for name, *_ in legend(browser)]
    browser.run(f"document.querySelector('{WIDE} .canvas').focus()")
    browser.press("ArrowRight")
    browser.press("ArrowRight")
    readout = browser.run(f"document.querySelector('{WIDE} .readout').textContent")
    assert readout.startswith("rounds t: ")
    table = pd.read_csv(project.folder / "results/figures/hu/wide.csv")
    table = table[table["epsilon"] == table["epsilon"].min()]
    rows = table[table["t"] == float(readout.split(": ")[1])]
    means = sorted(float(f"{mean:.4g}") for mean in rows["mean"])
    values = sorted(float(entry[-1].split(" ")[0]) for entry in legend(browser))
    assert values == pytest.approx(means, rel=1e-3)


def test_legend_switches_curves_off_and_on(browser):
    explored(browser)
    lines = f"document.querySelectorAll('{WIDE} .canvas polyline').length"
    before = browser.run(lines)
    browser.click(f"{WIDE} .legend button")
    assert browser.run(lines) < before
    assert "off=" in browser.run("location.hash")
    browser.click(f"{WIDE} .legend button")
    assert browser.run(lines) == before


def test_address_of_an_interactive_plot_restores_it(browser):
    browser.run(f"location.hash = '{WIDE[1:]}?panel=2&log=y'")
    browser.wait(f"document.querySelector('{WIDE} .canvas svg')")
    assert browser.run(f"document.querySelector('{WIDE} select[name=panel]').value") == "2"
    pressed = browser.run(f"$$('{WIDE} .controls [aria-pressed=true]').map((b) => b.textContent)")
    assert pressed == ["log y"]
    browser.run(f"document.querySelector('{WIDE} .canvas').focus()")
    browser.press("Escape")
    assert browser.run("location.hash") == WIDE


def test_interactive_plot_is_saved_as_svg(browser):
    browser.run(
        "window.saved = []; URL.createObjectURL = (b) => { saved.push(b); return 'data:,'; }; 1"
    )
    explored(browser)
    browser.run(f"$$('{WIDE} .controls button').find((b) => b.textContent === 'save SVG').click()")
    text = browser.run("saved[0].text()")
    assert text.startswith("<svg ")
    assert "Anytime-Lazy-UCB" in text
    assert "Three panels" in text


def test_every_link_of_the_page_has_a_target(browser):
    targets = "$$('a[href^=\"#\"]').map((a) => a.hash.slice(1).split('?')[0])"
    assert browser.run(f"{targets}.filter((id) => !document.getElementById(id))") == []
    names = "$$('[data-file]').map((button) => button.dataset.file)"
    assert browser.run(f"files().then((all) => {names}.filter((name) => !all[name]))") == []
    assert browser.run("[...document.querySelectorAll('a[href]')].every(a => a.hash)")


def test_report_has_run_facts_and_no_paths_of_the_machine(report, project):
    text = report.read_text(encoding="utf-8")
    packed = re.findall(r'<script type="application/gzip;base64" id="\w+">(.*?)</script>', text)
    assert len(packed) == 2
    text += "".join(gzip.decompress(base64.b64decode(part)).decode() for part in packed)
    for fact in ("Commit", "Lock", "sha256", "Packages", "Machine", "Time per rule"):
        assert fact in text
    assert str(project.folder) not in text
    assert "/site-packages/" not in text
    assert not re.search(r"(/root|/home/|/tmp/)", text)


def test_run_prints_where_the_report_is(project):
    assert "Where to look: open results/report.html in a browser" in project.output
