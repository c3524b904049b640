"""The report of a whole run in a browser, in some minutes.

    python tests/reproduction/report/whole_report.py [results/report.html]

Prints its size, its elements at the start, and what axe-core finds on a desktop and a phone: the
front page, the ledger in parts with all rows opened, every figure as a picture and as a plot.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "helpers"))  # for chromium.py

from chromium import Chromium

AXE = (Path(__file__).parent / "vendor/axe-4.13.0.min.js").read_text(encoding="utf-8")
MOST_BYTES, MOST_ELEMENTS, ROWS = 8_000_000, 20_000, 20
SCREENS = {("desktop", "light"): (1280, 900, False), ("phone", "dark"): (390, 844, True)}
VIOLATIONS = """axe.run({include: [[%r]]}, {resultTypes: ['violations']}).then(({violations}) =>
violations.flatMap((v) => v.nodes.map((node) => `${v.id}: ${node.html.slice(0, 160)}`)))"""
UNFOLD = "$$('%s details').forEach((details) => { fill(details); details.open = true; })"
EXPLORE = """Promise.all($$('%s [data-explore]').map((button) =>
openPlot(button.closest('article').querySelector('.shown'), new URLSearchParams(), false)))"""


def violations(page: Path, theme: str, screen: tuple):
    """(part of the page, violations) for each part, in each of its states."""
    with Chromium(*screen) as browser:
        browser.emulate(theme)
        browser.open(page)
        browser.run(f"{AXE};1")
        elements = browser.run("document.querySelectorAll('*').length")
        yield f"{elements} elements", ["too many"] * (elements > MOST_ELEMENTS)
        for section in browser.run("$$('main > section').map((section) => '#' + section.id)"):
            if section == "#verdicts":
                continue
            browser.run(UNFOLD % section)
            yield f"{section}, opened", browser.run(VIOLATIONS % section)
            browser.run(EXPLORE % section)
            yield f"{section}, explored", browser.run(VIOLATIONS % section)
        browser.run("$$('main > section:not(#verdicts)').forEach((section) => section.remove())")
        for start in range(0, browser.run("rows.length"), ROWS):
            part = f"...rows.slice({start}, {start + ROWS})"
            browser.run(f"$('.claims > tbody').replaceChildren({part})")
            browser.run(UNFOLD % "#verdicts")
            yield f"rows from {start}, opened", browser.run(VIOLATIONS % "#verdicts")
            too_wide = browser.run("document.documentElement.scrollWidth - innerWidth")
            yield f"rows from {start}, width", [f"{too_wide} px too wide"] * (too_wide > 0)
        yield "errors of the browser", browser.errors


def main(page: Path) -> int:
    size = page.stat().st_size
    print(f"{size:,} bytes", flush=True)
    problems = int(size > MOST_BYTES)
    for (device, theme), screen in SCREENS.items():
        for part, found in violations(page, theme, screen):
            problems += len(found)
            head = f"{device}, {theme}, {part}: {len(found)} problems"
            print("\n  ".join([head, *map(str, found[:9])]), flush=True)
    return min(problems, 1)


if __name__ == "__main__":
    sys.exit(main(Path([*sys.argv, "results/report.html"][1])))
