"""The report of a small run, in a real browser, from a file and without a network."""

import base64
import re

import pytest
from chromium import Chromium
from tiny_pipeline import run_all

pytestmark = pytest.mark.pipeline
SCREENS = {"desktop": (1280, 900, False), "phone": (390, 844, True)}
VISIBLE = (
    "[...document.querySelectorAll('.claims > tbody > tr')].filter(r => !r.hidden).map(r => r.id)"
)


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return run_all(tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="module")
def report(project):
    return project.folder / "results/report.html"


@pytest.fixture(params=SCREENS)
def browser(request, report):
    """A fresh page with the report; afterwards: nothing was fetched, nobody complained."""
    with Chromium(*SCREENS[request.param]) as browser:
        browser.seconds = browser.open(report)
        yield browser
        browser.run("new Promise(done => setTimeout(done, 100))")  # what is late may still arrive
        fetched = {
            url for url in browser.requests if not url.startswith(("data:", "blob:", "about:"))
        }
        assert {url.partition("#")[0] for url in fetched} == {report.resolve().as_uri()}
        assert browser.complaints == []


@pytest.fixture
def desktop(report):
    with Chromium() as browser:
        browser.open(report)
        yield browser
        assert browser.complaints == []


def choose(browser, name, value):
    browser.run(
        f"(e => {{ e.value = {value!r}; e.dispatchEvent(new Event('input', {{bubbles: true}})) }})"
        f"(document.querySelector('.filters').elements[{name!r}])"
    )


def closed(browser):
    browser.click("[data-close]")
    return browser.run("!document.querySelector('#viewer').open")


def test_opens_quickly_and_fits_the_screen(browser):
    assert browser.seconds < 3
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")


def test_every_figure_is_shown_with_words_and_alt_text(browser):
    pictures = browser.run(
        "Promise.all([...document.querySelectorAll('article img')].map(async i => {"
        " await i.decode(); return [i.alt, i.naturalWidth, i.closest('article').innerText] }))"
    )
    assert [alt for alt, _, _ in pictures] == ["A curve.", "Three times a curve."]
    assert all(width > 300 for _, width, _ in pictures)
    assert "It says & means." in pictures[0][2]
    assert re.search(r"We see at most \d+ <i>regret</i>", pictures[1][2])


def test_claims_are_filtered_by_paper_kind_verdict_and_words(browser):
    everything = [f"HU-X{number}" for number in range(5)]
    assert browser.run(VISIBLE) == everything
    choose(browser, "kind", "privacy")
    assert browser.run(VISIBLE) == ["HU-X0", "HU-X1"]
    choose(browser, "verdict", "violated")
    assert browser.run(VISIBLE) == ["HU-X1"]
    assert browser.run("document.querySelector('.filters output').value") == "1 of 5"
    choose(browser, "words", "no such words")
    assert browser.run(VISIBLE) == []
    browser.click(".filters [type=reset]")
    browser.wait(f"{VISIBLE}.length === 5")
    browser.click(".matrix [data-set-verdict=rejected]")
    assert browser.run(VISIBLE) == ["HU-X2"]
    choose(browser, "paper", "HU")
    assert browser.run(VISIBLE) == ["HU-X2"]


def test_a_link_to_a_claim_opens_it_even_if_it_is_filtered_away(browser):
    choose(browser, "verdict", "holds")
    browser.run("location.hash = 'HU-X1'")
    browser.wait("document.querySelector('#HU-X1 details').open")
    text = browser.run("document.querySelector('#HU-X1').innerText")
    assert "means (0.7, 0.5)" in text
    assert "<script>alert(1)</script>" in text
    browser.click("#HU-X1 a[href='#figure-hu-wide']")
    browser.wait("location.hash === '#figure-hu-wide'")
    browser.wait("document.querySelector('article:target h3').innerText === 'Three panels'")


def test_an_opened_claim_shows_its_plot_beside_its_points(browser):
    closed_height = browser.run("document.querySelector('#HU-X1 .brief').clientHeight")
    browser.run("location.hash = 'HU-X1'")
    browser.wait("document.querySelector('#HU-X1 details').open")
    browser.wait("document.querySelector('#HU-X1 img').naturalWidth > 600")
    assert "HU-X1" in browser.run("document.querySelector('#HU-X1 img').alt")
    table = browser.run("document.querySelector('#HU-X1 .plot table').innerText")
    assert "12 of 20 points, those beyond first" in table
    assert table.count("≤ 17") == 12
    assert "<b>measured</b>" in table
    measured = browser.run("document.querySelector('#HU-X1 [data-label=measured]').innerText")
    assert "rounds" in measured  # still seen while the claim is open
    assert browser.run("document.querySelector('#HU-X1 .brief').clientHeight") > closed_height
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")
    browser.click("#HU-X1 .plot [data-file$='HU-X1.csv']")
    shown = browser.run("document.querySelector('#viewer-body pre').textContent")
    assert len(shown.splitlines()) == 21
    assert closed(browser)
    browser.click("#HU-X1 .plot .picture")
    browser.wait("document.querySelector('#viewer img').naturalWidth > 600")
    assert closed(browser)


def test_every_link_of_the_page_leads_somewhere(desktop):
    dangling = "[...document.querySelectorAll('a[href^=\"#\"]')].map(a => a.hash.slice(1))"
    assert desktop.run(f"{dangling}.filter(id => !document.getElementById(id))") == []
    missing = "[...document.querySelectorAll('[data-file]')].map(b => b.dataset.file)"
    assert desktop.run(f"{missing}.filter(name => !files()[name])") == []
    assert desktop.run("[...document.querySelectorAll('a[href]')].every(a => a.hash)")


def test_behind_a_figure_are_its_data_notebook_code_and_rule(browser, project):
    behind = "#figure-hu-wide .links button:nth-child({})"
    body = "document.querySelector('#viewer-body').innerText"
    browser.click(behind.format(1))
    shown = browser.run("document.querySelector('#viewer-body pre').textContent")
    assert shown.encode() == project.files("results/figures/hu/wide.csv").popitem()[1]
    assert browser.run("document.querySelector('#viewer-save').download") == "wide.csv"
    assert closed(browser)
    browser.click(behind.format(2))
    browser.wait("document.querySelector('#viewer-body iframe')")
    page = browser.run("document.querySelector('#viewer-body iframe').srcdoc")
    assert page.count("<img") == page.count("data:image/png;base64,iVBOR") == 2  # each figure once
    assert page.count('alt="A curve."') == page.count('alt="Three times a curve."') == 1
    assert "With a formula, ε = 1." in page
    assert closed(browser)
    browser.click(behind.format(3))
    assert '@figure("hu/wide"' in browser.run(body)
    assert closed(browser)
    browser.click(behind.format(4))
    assert "rule draw_hu_tiny" in browser.run(body)
    assert "make figure ID=hu/wide" in browser.run(body)
    assert closed(browser)


def test_a_picture_is_kept_once(project):
    picture = base64.b64encode(project.files("results/figures/hu/wide.png").popitem()[1]).decode()
    report = project.files("results/report.html").popitem()[1].decode()
    assert report.count(picture) == 1


def test_snakemakes_own_report_is_inside_with_our_captions(browser):
    browser.click("nav [data-workflow]")
    inside = "document.querySelector('#viewer-body iframe').contentDocument"
    browser.wait(f"{inside}?.querySelector('#app')?.children.length > 0")
    results = browser.run("document.querySelector('#viewer-body iframe').contentWindow.results")
    figure = results["results/figures/hu/wide.png"]
    assert figure["data_uri"].split(",")[1].startswith("iVBOR")
    assert re.match(r"<p><b>We see:</b> We see at most \d+ &lt;i&gt;", figure["caption"])
    assert "draw_hu_tiny" in figure["caption"]
    assert all("@@" not in record["data_uri"] for record in results.values())
    assert closed(browser)


def test_the_keyboard_is_enough(desktop):
    desktop.press("Tab")
    assert desktop.run("document.activeElement.className") == "skip"
    desktop.run("document.querySelector('#figure-hu-narrow .links button').focus()")
    desktop.press("Enter")
    desktop.wait("document.querySelector('#viewer').open")
    desktop.press("Escape")
    desktop.wait("!document.querySelector('#viewer').open")
    assert desktop.run("document.activeElement.innerText") == "data (CSV)"
    desktop.run("document.querySelector('#figure-hu-narrow .picture').focus()")
    desktop.press("Enter")
    desktop.wait("document.querySelector('#viewer img').alt === 'A curve.'")


def test_text_has_contrast(desktop):
    """At least 4.5 to 1 (WCAG AA) for every element that has text of its own."""
    low = desktop.run(
        """(() => {
        const light = (c) => { const [r, g, b] = c.map((v) => v / 255)
          .map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
          return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
        const parse = (c) => c.match(/[\\d.]+/g).map(Number);
        const behind = (e) => { for (; e; e = e.parentElement) {
          const c = parse(getComputedStyle(e).backgroundColor);
          if (c.length < 4 || c[3] > 0) return c.slice(0, 3); } return [255, 255, 255]; };
        return [...document.body.querySelectorAll('*')].filter((e) => e.checkVisibility() &&
          [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())).filter((e) => {
          const pair = [light(parse(getComputedStyle(e).color).slice(0, 3)), light(behind(e))];
          return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05) < 4.5;
        }).map((e) => e.outerHTML.slice(0, 80)); })()"""
    )
    assert low == []


def test_run_facts_are_there_and_name_no_machine(report, project):
    text = report.read_text(encoding="utf-8")
    for fact in ("Commit", "Lock", "sha256", "Packages", "Machine", "Time per rule"):
        assert fact in text
    assert str(project.folder) not in text
    assert "/site-packages/" not in text
    assert not re.search(r"(/root|/home/|/tmp/)", text)


def test_the_run_says_where_to_look(project):
    assert "Where to look: open results/report.html in a browser" in project.output
    assert re.search(r"About .* left", project.output)
