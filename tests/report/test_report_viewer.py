"""The report's viewer: what is behind a figure, saved forms, Back and Escape, embedded pages."""

import re

import pytest
from reader import STATES, WIDE, closed, opened

pytestmark = pytest.mark.pipeline
BOX = "document.querySelector('#viewer img').getBoundingClientRect().toJSON()"


def test_behind_a_figure_are_its_data_notebook_code_and_rule(browser, project):
    behind = f"{WIDE} .links button:nth-child({{}})"
    browser.click(behind.format(2))
    opened(browser, "#viewer pre")
    shown = browser.run("document.querySelector('#viewer-body pre').textContent")
    assert shown.encode() == project.files("results/figures/hu/wide.csv").popitem()[1]
    assert browser.run("document.querySelector('#viewer-saves a').download") == "wide.csv"
    closed(browser)
    browser.click(behind.format(3))
    opened(browser, "#viewer iframe")
    page = browser.run("document.querySelector('#viewer-body iframe').srcdoc")
    assert page.count("<img") == page.count("data:image/png;base64,iVBOR") == 2  # each figure once
    assert page.count('alt="A curve."') == page.count('alt="Three times a curve."') == 1
    assert "With a formula, ε = 1." in page
    closed(browser)
    browser.click(behind.format(4))
    opened(browser, "#viewer mark")
    assert browser.run("document.querySelector('#viewer mark').textContent").startswith("@figure(")
    assert '@figure("hu/wide"' in browser.run("document.querySelector('#viewer mark').textContent")
    closed(browser)
    browser.click(behind.format(5))
    opened(browser, "#viewer pre")
    rule = browser.run("document.querySelector('#viewer-body').innerText")
    assert "rule draw_hu_tiny" in rule
    assert "make figure ID=hu/wide" in rule
    closed(browser)


def test_a_picture_fits_the_screen_and_is_saved_in_three_forms(browser, project):
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
        bytes_ = project.files(f"results/figures/hu/wide.{form}").popitem()[1]
        assert start == [len(bytes_), bytes_[:8].decode("latin-1")]


def test_back_and_escape_close_what_was_opened(browser):
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


def test_a_page_that_is_loaded_again_shows_what_it_showed(browser, report):
    browser.run("location.hash = 'HU-X1'")
    browser.wait("document.querySelector('#HU-X1 details').open")
    STATES["picture"](browser)
    browser.reload()
    opened(browser)
    browser.press("Escape")
    browser.wait("!document.querySelector('#viewer').open && !history.state")
    assert browser.run("location.hash") == "#HU-X1"


def test_snakemakes_own_report_is_inside_with_our_captions(new_tab, report):
    browser = new_tab
    browser.open(report)
    browser.click("nav [data-workflow]")
    opened(browser, "#viewer iframe")
    inside = "document.querySelector('#viewer-body iframe').contentDocument"
    browser.wait(f"{inside}?.querySelector('#app')?.children.length > 0")
    own = "document.querySelector('#viewer-body iframe').contentWindow.results"
    results = browser.run(own)
    figure = results["results/figures/hu/wide.png"]
    assert figure["data_uri"].split(",")[1].startswith("iVBOR")
    assert re.match(r"<p><b>We see:</b> We see at most \d+ &lt;i&gt;", figure["caption"])
    assert "draw_hu_tiny" in figure["caption"]
    assert all("@@" not in record["data_uri"] for record in results.values())
    closed(browser)


def test_the_keyboard_is_enough(new_tab, report):
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
