"""How the report looks: every state on a desktop and on a phone, in light and in dark."""

from pathlib import Path

import pytest
from reader import PARTS, STATES, WIDE, explored

pytestmark = pytest.mark.pipeline
OTHER = {"light": "dark", "dark": "light"}
AXE = Path(__file__).parent / "vendor/axe-4.13.0.min.js"
FOUND = (
    "axe.run({include: [[%r]]}, {resultTypes: ['violations'], selectors: false, %s}).then("
    "({violations}) => violations.map((v) =>"
    " [v.id, ...v.nodes.map((node) => node.html.slice(0, 120))]))"
)


@pytest.mark.parametrize("state", STATES)
def test_every_state_is_accessible_and_fits_the_screen(browser, kept, state):
    """In the theme of the screen, then in the other one, which changes nothing but colours. Folded
    and unfolded the whole page is asked, else what the state makes of a part."""
    STATES[state](browser)
    part = PARTS.get(state, "body")
    browser.run(AXE.read_text(encoding="utf-8") + ";1")
    width, own = browser.name.split("-")
    for theme, rules in ((own, ""), (OTHER[own], "runOnly: ['color-contrast']")):
        browser.emulate(theme)
        browser.screenshot(kept / f"{width}-{theme}-{state}.png")
        assert browser.run("document.documentElement.scrollWidth <= innerWidth")
        found = browser.run(FOUND % (part, rules))
        browser.emulate(own)
        assert found == [], theme


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


def test_print_has_pictures_and_a_compact_ledger_in_light(browser):
    explored(browser)
    browser.emulate(browser.name.split("-")[1], "print")
    browser.run("dispatchEvent(new Event('beforeprint'))")
    visible = "document.querySelector('{}').checkVisibility()"
    assert browser.run(visible.format(f"{WIDE} .picture"))
    assert browser.run(visible.format("#HU-X1 .claimed"))
    for hidden in (f"{WIDE} .explorer", "#HU-X1 .plot", "nav", ".filters", "#run"):
        assert not browser.run(visible.format(hidden)), hidden
    ground = browser.run("getComputedStyle(document.body).backgroundColor")
    assert ground == "rgb(255, 255, 255)"
    browser.run("dispatchEvent(new Event('afterprint'))")
    browser.emulate(browser.name.split("-")[1])
