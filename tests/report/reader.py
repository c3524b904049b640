"""Actions of a reader of the report, and the states of the page to which they lead."""

WIDE = "#figure-hu-wide"
OPEN = "document.querySelector('#HU-X1 details').open"


def choose(browser, name, value):
    browser.run(
        f"(e => {{ e.value = {value!r}; e.dispatchEvent(new Event('input', {{bubbles: true}})) }})"
        f"(document.querySelector('.filters').elements[{name!r}])"
    )


def opened(browser, inside="#viewer-body > :not(p)"):
    browser.wait(f"document.querySelector('#viewer').open && document.querySelector('{inside}')")


def closed(browser):
    browser.click("[data-close]")
    browser.wait("!document.querySelector('#viewer').open && !history.state")


def explored(browser):
    browser.click(f"{WIDE} [data-explore]")
    browser.wait(f"document.querySelector('{WIDE} .canvas polyline')")


# The states of the page, and how they are reached after it was opened.
STATES = {
    "front": lambda b: None,
    "claim": lambda b: (b.run("location.hash = 'HU-X1'"), b.wait(OPEN)),
    "search": lambda b: choose(b, "words", "theorem 4"),
    "nothing": lambda b: choose(b, "words", "no such words"),
    "figure": lambda b: b.run(f"document.querySelector('{WIDE}').scrollIntoView()"),
    "plot": explored,
    "picture": lambda b: (b.click(f"{WIDE} .picture"), opened(b)),
    "code": lambda b: (b.click(f"{WIDE} [data-line]"), opened(b, "#viewer mark")),
    "unfolded": lambda b: b.run("$$('details').forEach((d) => { d.open = true; })"),
}  # fmt: skip

# The part of the page that a state changes; by default all of it.
PARTS = {
    "claim": "#HU-X1",
    "search": "#verdicts",
    "nothing": "#verdicts",
    "figure": WIDE,
    "plot": WIDE,
    "picture": "#viewer",
    "code": "#viewer",
}
