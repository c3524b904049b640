"""The report of a whole run in a browser.

    python tests/report/whole_report.py [results/report.html [SCREEN ...]]

Prints its size, its first paint (the best of several) and what axe-core finds, in some minutes per
screen. The contrast rule takes too long on all 37,000 elements at once, so the whole page is tested
for the other rules. All rules are tested part by part, with the other parts removed: unfolded, with
every plot interactive, and in the viewer.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1]))  # for scratch.py, as conftest does

from chromium import Chromium
from conftest import SCREENS
from reader import opened

AXE = (Path(__file__).parent / "vendor/axe-4.13.0.min.js").read_text(encoding="utf-8")
MOST_BYTES, MOST_SECONDS, TRIES = 20_000_000, 0.4, 7
ROWS = 18  # of the ledger at once
PAINT = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
VIOLATIONS = """axe.run({exclude: [['iframe']]}, %s).then(({violations}) =>
violations.flatMap((v) => v.nodes.map((node) => `${v.id}: ${node.html.slice(0, 160)}`)))"""
SPLIT = f"""
const whole = [...document.querySelector('main').children];
const blocks = Array.from({{length: Math.ceil(rows.length / {ROWS})}},
  (_, i) => rows.slice({ROWS} * i, {ROWS} * (i + 1)));
var parts = whole.flatMap((section) => section.id === 'verdicts'
  ? blocks.map((block) => [section, block]) : [[section, null]]);
function showPart(number) {{
  const [section, some] = parts[number];
  document.querySelector('main').replaceChildren(section);
  if (some) document.querySelector('.claims > tbody').replaceChildren(...some);
  for (const details of $$('details')) details.open = true;
}}
// plots and notebooks need pictures that may be in another part
const pictures = $$('img[data-name]').map((image) => image.cloneNode());
document.body.append(createElement('div', {{hidden: true}}, ...pictures));
var firstArticle = $('article');
parts.length"""
EXPLORE = "$$('main .shown:not(.explored)').forEach((place) => openPlot(place))"
EXPLORED = "$$('main .shown').every((place) => place.querySelector('.canvas svg'))"
VIEWED = {  # content of the viewer -> the button that opens it, the element that shows it
    "picture": ("article [data-picture]", "#viewer-body img"),
    "data": ("article [data-file$='.csv']", "#viewer-body pre"),
    "notebook": ("article [data-file$='.html']", "#viewer-body iframe"),
    "code": ("article [data-line]", "#viewer-body mark"),
    "workflow": ("nav [data-workflow]", "#viewer-body iframe"),
}


def first_paint(page: Path) -> float:
    """Seconds until the first paint, in a new browser."""
    with Chromium() as browser:
        browser.open(page)
        browser.wait(PAINT)
        return browser.run(PAINT) / 1000


def violations(page: Path, screen: str):
    """(state, violations) for each state of the page."""
    with Chromium(*SCREENS[screen]) as browser:
        browser.emulate(screen.split("-")[1])
        browser.open(page)
        browser.run(f"{AXE};1")
        yield "the whole", browser.run(VIOLATIONS % "{rules: {'color-contrast': {enabled: false}}}")
        for number in range(browser.run(SPLIT)):
            browser.run(f"showPart({number})")
            yield f"part {number}, unfolded", browser.run(VIOLATIONS % "{}")
            browser.run(EXPLORE)
            browser.wait(EXPLORED)
            yield f"part {number}, explored", browser.run(VIOLATIONS % "{}")
        browser.run("document.querySelector('main').replaceChildren(firstArticle)")
        for name, (button, content) in VIEWED.items():
            browser.click(button)
            opened(browser, content)
            yield f"viewer, {name}", browser.run(VIOLATIONS % "{}")
            browser.click("[data-close]")
            browser.wait("!viewer.open && !history.state")
        yield "errors of the browser", browser.errors


def main(page: Path, screens: list[str]) -> int:
    size = page.stat().st_size
    paints = [first_paint(page) for _ in range(TRIES)]
    print(f"{size:,} bytes; first paint {min(paints):.3f} s, the best of {TRIES}", flush=True)
    problems = (size > MOST_BYTES) + (min(paints) > MOST_SECONDS)
    for screen in screens:
        for state, found in violations(page, screen):
            problems += len(found)
            head = f"{screen}, {state}: {len(found)} violations"
            print("\n  ".join([head, *map(str, found)]), flush=True)
    return min(problems, 1)


if __name__ == "__main__":
    path, *chosen = sys.argv[1:] or ["results/report.html"]
    sys.exit(main(Path(path), chosen or list(SCREENS)))
