"""How the report looks: every state on a desktop and on a phone, in light and in dark."""

from pathlib import Path

import pytest
from reader import STATES, WIDE, explored

pytestmark = pytest.mark.pipeline
ON_SCREENS = 4
AXE = Path(__file__).parent / "vendor/axe-4.13.0.min.js"


@pytest.mark.parametrize("state", STATES)
def test_every_state_is_accessible_and_fits_the_screen(browser, kept, state):
    STATES[state](browser)
    browser.screenshot(kept / f"{browser.name}-{state}.png")
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")
    browser.run(AXE.read_text(encoding="utf-8") + ";1")
    found = browser.run(
        "axe.run(document, {exclude: [['iframe']]}).then(({violations}) => violations.map((v) =>"
        " [v.id, ...v.nodes.map((node) => node.html.slice(0, 120))]))"
    )
    assert found == []


def test_targets_are_large_enough_for_a_finger(browser):
    STATES["unfolded"](browser)
    explored(browser)
    small = browser.run(
        "$$('button, summary, select, input, nav a, th a, .matrix a, .index a, .chips a')"
        ".filter((e) => e.checkVisibility()).map((e) => [e.outerHTML.slice(0, 90),"
        " e.getBoundingClientRect()]).filter(([, r]) => r.width < 24 || r.height < 24)"
        ".map(([text, r]) => [text, r.width, r.height])"
    )
    if browser.name.startswith("phone"):
        assert small == []


def test_light_and_dark(browser):
    ground = "getComputedStyle(document.body).backgroundColor"
    dark, light = "rgb(21, 27, 35)", "rgb(255, 255, 255)"
    was, other = (dark, light) if "dark" in browser.name else (light, dark)
    assert browser.run(ground) == was
    browser.click("[data-theme-switch]")
    assert browser.run(ground) == other
    browser.click("[data-theme-switch]")
    assert browser.run(ground) == was


def test_print_opens_what_is_folded_and_shows_pictures(browser):
    explored(browser)
    browser.emulate(media="print")
    browser.run("dispatchEvent(new Event('beforeprint'))")
    assert browser.run("$$('details').every((d) => d.open)")
    assert browser.run(f"document.querySelector('{WIDE} .picture').checkVisibility()")
    assert not browser.run(f"document.querySelector('{WIDE} .explorer').checkVisibility()")
    assert browser.run("getComputedStyle(document.querySelector('article')).breakInside") == "avoid"
    ground = browser.run("getComputedStyle(document.body).backgroundColor")
    assert ground == "rgb(255, 255, 255)"
    browser.run("dispatchEvent(new Event('afterprint'))")
    assert not browser.run("$$('details').some((d) => d.open)")
    browser.emulate(prefers_color_scheme=browser.name.split("-")[1])
