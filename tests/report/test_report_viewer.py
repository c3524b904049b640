"""The report's viewer: files behind a figure, saving, Back and Escape, embedded pages."""

import re

import pytest
from reader import STATES, WIDE, closed, opened

pytestmark = pytest.mark.pipeline
BOX = "document.querySelector('#viewer img').getBoundingClientRect().toJSON()"


def test_links_of_a_figure_open_its_data_notebook_code_and_rule(browser, project):
    link = f"{WIDE} .links button:nth-child({{}})"
    browser.click(link.format(2))
    opened(browser, "#viewer pre")
    shown = browser.run("document.querySelector('#viewer-body pre').textContent")
    assert shown.encode() == (project.folder / "results/figures/hu/wide.csv").read_bytes()
    assert browser.run("document.querySelector('#viewer-saves a').download") == "wide.csv"
    closed(browser)
    browser.click(link.format(3))
    opened(browser, "#viewer iframe")
    page = browser.run("document.querySelector('#viewer-body iframe').srcdoc")
    assert page.count("<img") == page.count("data:image/png;base64,iVBOR") == 2  # each figure once
    assert page.count('alt="A curve."') == page.count('alt="Three times a curve."') == 1
    assert "With a formula, ε = 1." in page
    closed(browser)
    browser.click(link.format(4))
    opened(browser, "#viewer mark")
    line = browser.run("document.querySelector('#viewer mark').textContent")
    assert line.startswith('@figure("hu/wide"')
    closed(browser)
    browser.click(link.format(5))
    opened(browser, "#viewer pre")
    rule = browser.run("document.querySelector('#viewer-body').innerText")
    assert "rule draw_hu_tiny" in rule
    assert "make figure ID=hu/wide" in rule
    closed(browser)


def test_picture_fits_the_screen_and_is_saved_in_three_formats(browser, project):
    STATES["picture"](browser)
    browser.wait("document.querySelector('#viewer img').naturalWidth > 600")
    box = browser.run(BOX)
    assert box["left"] >= 0
    assert box["right"] <= browser.run("innerWidth")
    assert box["bottom"] <= browser.run("innerHeight")
    for form in ("png", "pdf", "csv"):
        link = f"document.querySelector('#viewer-saves a[download=\"wide.{form}\"]').href"
        start = browser.run(
            f"fetch({link}).then((r) => r.arrayBuffer()).then((b) => [b.byteLength,"
            " String.fromCharCode(...new Uint8Array(b).slice(0, 8))])"
        )
        content = (project.folder / f"results/figures/hu/wide.{form}").read_bytes()
        assert start == [len(content), content[:8].decode("latin-1")]


def test_back_and_escape_close_the_viewer(browser):
    browser.run("location.hash = 'HU-X1'")
    browser.wait("document.querySelector('#HU-X1 details').open")
    for close in ("history.back()", ""):
        STATES["picture"](browser)
        browser.run(close) if close else browser.press("Escape")
        browser.wait("!document.querySelector('#viewer').open && !history.state")
        assert browser.run("location.hash") == "#HU-X1"
    browser.run("history.forward()")
    opened(browser)
    closed(browser)
    browser.run("history.back()")
    browser.wait("location.hash === ''")


def test_reloaded_page_opens_its_viewer_again(browser, report):
    browser.run("location.hash = 'HU-X1'")
    browser.wait("document.querySelector('#HU-X1 details').open")
    STATES["picture"](browser)
    browser.reload()
    opened(browser)
    browser.press("Escape")
    browser.wait("!document.querySelector('#viewer').open && !history.state")
    assert browser.run("location.hash") == "#HU-X1"


def test_snakemakes_own_report_is_embedded_with_our_captions(new_tab, report):
    browser = new_tab
    browser.open(report)
    browser.click("nav [data-workflow]")
    opened(browser, "#viewer iframe")
    frame = "document.querySelector('#viewer-body iframe')"
    browser.wait(f"{frame}.contentDocument?.querySelector('#app')?.children.length > 0")
    results = browser.run(f"{frame}.contentWindow.results")
    figure = results["results/figures/hu/wide.png"]
    assert figure["data_uri"].split(",")[1].startswith("iVBOR")
    assert re.match(r"<p><b>We see:</b> We see at most \d+ &lt;i&gt;", figure["caption"])
    assert "draw_hu_tiny" in figure["caption"]
    assert all("@@" not in record["data_uri"] for record in results.values())
    closed(browser)


def test_keyboard_alone(new_tab, report):
    browser = new_tab
    browser.open(report)
    browser.press("Tab")
    assert browser.run("document.activeElement.className") == "skip"
    browser.run("document.querySelector('#figure-hu-narrow .links .link').focus()")
    browser.press("Enter")
    opened(browser)
    browser.press("Escape")
    browser.wait("!document.querySelector('#viewer').open")
    assert browser.run("document.activeElement.innerText") == "data (CSV)"
    browser.run("document.querySelector('#figure-hu-narrow .picture').focus()")
    browser.press("Enter")
    browser.wait("document.querySelector('#viewer img')?.alt === 'A curve.'")
