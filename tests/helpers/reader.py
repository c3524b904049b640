"""Actions of a reader of the report, and the states of the page to which they lead."""

WIDE = "#figure-hu-bounds"
OPEN = "document.querySelector('#HU-T1 details').open"


def choose(browser, name, value):
    browser.run(
        f"(e => {{ e.value = {value!r}; e.dispatchEvent(new Event('input', {{bubbles: true}})) }})"
        f"(filters.elements[{name!r}])"
    )


def opened(browser, inside="#viewer-body > :not(p)"):
    browser.wait(f"document.querySelector('#viewer').open && document.querySelector('{inside}')")


def closed(browser):
    browser.click("[data-close]")
    browser.wait("!document.querySelector('#viewer').open && !history.state")


def figure(browser):
    browser.run(f"location.hash = '{WIDE}'")
    browser.wait(f"document.querySelector('{WIDE}')?.checkVisibility()")


def explored(browser):
    figure(browser)
    browser.click(f"{WIDE} [data-explore]")
    browser.wait(f"document.querySelector('{WIDE} .canvas polyline')")


def shown(browser, selector, inside="#viewer-body > :not(p)"):
    figure(browser)
    browser.click(f"{WIDE} {selector}")
    opened(browser, inside)


# The states of the page, and how they are reached after it was opened.
STATES = {
    "front": lambda b: None,
    "claim": lambda b: (b.run("location.hash = 'HU-T1'"), b.wait(OPEN),
                        b.wait("document.querySelector('#HU-T1 .canvas svg')")),
    "search": lambda b: choose(b, "words", "theorem 4"),
    "nothing": lambda b: choose(b, "words", "qqqq zzzz"),
    "figure": figure,
    "plot": explored,
    "picture": lambda b: shown(b, ".picture"),
    "code": lambda b: shown(b, "[data-line]", "#viewer mark"),
    "unfolded": lambda b: b.run("$$('details').forEach((d) => { fill(d); d.open = true; })"),
}  # fmt: skip

# The part of the page that a state changes; by default all of it.
PARTS = {"claim": "#HU-T1", "figure": WIDE, "plot": WIDE, "picture": "#viewer", "code": "#viewer"}
