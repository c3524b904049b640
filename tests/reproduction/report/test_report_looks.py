"""Accessibility and layout of every state of the report, on desktop and phone, light and dark."""

from pathlib import Path

import pytest
from reader import PARTS, STATES, WIDE, explored

OTHER_THEME = {"light": "dark", "dark": "light"}
BACKGROUND = "getComputedStyle(document.body).backgroundColor"
WHITE = "rgb(255, 255, 255)"
AXE = Path(__file__).parent / "vendor/axe-4.13.0.min.js"
VIOLATIONS = (
    "axe.run({include: [[%r]]}, {resultTypes: ['violations'], selectors: false, %s}).then("
    "({violations}) => violations.map((v) =>"
    " [v.id, ...v.nodes.map((node) => node.html.slice(0, 120))]))"
)


@pytest.mark.parametrize("state", STATES)
def test_every_state_is_accessible_and_fits_the_screen(browser, screenshots, state):
    """All rules in the theme of the screen and contrast in the other theme, for the part of the
    page that the state changes."""
    STATES[state](browser)
    part = PARTS.get(state, "body")
    browser.run(AXE.read_text(encoding="utf-8") + ";1")
    device, first_theme = browser.name.split("-")
    for theme, rules in (
        (first_theme, ""),
        (OTHER_THEME[first_theme], "runOnly: ['color-contrast']"),
    ):
        browser.emulate(theme)
        browser.screenshot(screenshots / f"{device}-{theme}-{state}.png")
        assert browser.run("document.documentElement.scrollWidth <= innerWidth")
        violations = browser.run(VIOLATIONS % (part, rules))
        browser.emulate(first_theme)
        assert violations == [], theme


@pytest.mark.parametrize("theme", OTHER_THEME)
def test_report_of_the_published_ledger_is_accessible_and_light(screen, published, theme):
    """All rows of the ledger, closed, and the first twenty of them opened."""
    with screen.another_tab():
        screen.emulate(theme)
        screen.open(published)
        assert published.stat().st_size < 3_000_000  # the pictures of a run add some 5 MB
        assert screen.run("document.querySelectorAll('*').length") < 20_000
        screen.run(AXE.read_text(encoding="utf-8") + ";1")
        assert screen.run(VIOLATIONS % ("#front", "")) == []
        screen.run("rows.slice(20).forEach((row) => row.remove());"
                   "$$('details').forEach((d) => { fill(d); d.open = true; })")  # fmt: skip
        assert screen.run("document.documentElement.scrollWidth <= innerWidth")
        assert screen.run(VIOLATIONS % ("body", "")) == []
        screen.emulate(screen.name.split("-")[1])


def test_touch_targets_are_large_enough(browser):
    STATES["unfolded"](browser)
    explored(browser)
    small = browser.run(
        "$$('button, summary, select, input, nav a, th a, .matrix a, .index a, .chips a, #found a')"
        ".filter((e) => e.checkVisibility()).map((e) => [e.outerHTML.slice(0, 90),"
        " e.getBoundingClientRect()]).filter(([, r]) => r.width < 24 || r.height < 24)"
        ".map(([text, r]) => [text, r.width, r.height])"
    )
    if browser.name.startswith("phone"):
        assert small == []


def test_theme_switch(browser):
    dark = "dark" in browser.name
    for expected in (dark, not dark, dark):
        background = browser.run(BACKGROUND)
        assert background == ("rgb(21, 27, 35)" if expected else WHITE)
        browser.click("[data-theme-switch]")


def test_pictures_are_dark_in_the_dark_theme(browser):
    explored(browser)
    for theme in ("dark", "light"):
        browser.run(f"setTheme('{theme}')")
        for picture in (".thumb img", f"{WIDE} .canvas svg"):
            filter = browser.run(f"getComputedStyle(document.querySelector('{picture}')).filter")
            assert ("invert" in filter) == (theme == "dark")


def test_print_has_pictures_and_a_compact_ledger_in_the_light_theme(browser):
    browser.emulate(browser.name.split("-")[1], "print")
    browser.run("dispatchEvent(new Event('beforeprint'))")
    visible = "document.querySelector('{}').checkVisibility()"
    assert browser.run(visible.format(f"{WIDE} .picture"))
    assert browser.run(visible.format("#HU-T1 .claimed"))
    for hidden in (f"{WIDE} .links", "#HU-T1 details", "nav", ".filters", "#run"):
        assert not browser.run(visible.format(hidden)), hidden
    assert browser.run(BACKGROUND) == WHITE
    browser.run("dispatchEvent(new Event('afterprint'))")
    browser.emulate(browser.name.split("-")[1])
