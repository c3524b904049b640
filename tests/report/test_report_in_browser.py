"""The report of a small run, in a real browser, from a file and without a network.

Everything is driven on a desktop and on a phone, in light and in dark. REPORT_SCREENSHOTS names a
folder that keeps what was seen.
"""

import base64
import gzip
import os
import re
from pathlib import Path

import pandas as pd
import pytest
from chromium import Chromium
from tiny_pipeline import run_all

pytestmark = pytest.mark.pipeline
SCREENS = {
    "desktop-light": (1280, 900, False),
    "phone-dark": (390, 844, True),
    "desktop-dark": (1280, 900, False),
    "phone-light": (390, 844, True),
}
AXE = Path(__file__).parent / "vendor/axe-4.13.0.min.js"
VISIBLE = (
    "[...document.querySelectorAll('.claims > tbody > tr')].filter(r => !r.hidden).map(r => r.id)"
)
WIDE = "#figure-hu-wide"
OPEN = "document.querySelector('#HU-X1 details').open"
BOX = "document.querySelector('#viewer img').getBoundingClientRect().toJSON()"
EVERYTHING = [f"HU-X{number}" for number in range(5)]


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return run_all(tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="module")
def report(project):
    return project.folder / "results/report.html"


LOOKS = {  # on all screens; what the page does, on the first two
    "test_every_state_is_accessible_and_fits_the_screen",
    "test_targets_are_large_enough_for_a_finger",
    "test_light_and_dark",
}


def pytest_generate_tests(metafunc):
    if "screen" in metafunc.fixturenames:
        names = list(SCREENS) if metafunc.function.__name__ in LOOKS else list(SCREENS)[:2]
        metafunc.parametrize("screen", names, indirect=True, scope="module")


@pytest.fixture(scope="module")
def screen(request):
    with Chromium(*SCREENS[request.param]) as browser:
        browser.emulate(prefers_color_scheme=request.param.split("-")[1])
        browser.name = request.param
        yield browser


@pytest.fixture
def browser(screen, report):
    """The report opened anew; afterwards: nothing was fetched, nobody complained."""
    screen.requests.clear()
    screen.open(report)
    screen.run("localStorage.clear()")
    yield screen
    screen.run("new Promise(done => setTimeout(done, 50))")  # what is late may still arrive
    inside = ("data:", "blob:", "about:", "blob:null")
    fetched = {url for url in screen.requests if not url.startswith(inside)}
    assert {url.partition("#")[0] for url in fetched} == {report.resolve().as_uri()}
    assert screen.complaints == []


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    folder = Path(os.environ.get("REPORT_SCREENSHOTS") or tmp_path_factory.mktemp("screens"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


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
    browser.wait(f"document.querySelector('{WIDE} .canvas svg .curve')")


# Each state of the page: a name, and what leads there from a page just opened.
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


def test_the_front_page_says_what_came_out(browser):
    front = browser.run("document.querySelector('#front').innerText")
    assert re.search(r"5\s+claims judged", front)
    assert "HU-X1" in front  # the one that is violated
    assert browser.run("document.querySelector('.thumbs img').naturalWidth > 300")
    browser.click(".tiles a[href*=violated]")
    browser.wait(f"{VISIBLE}.join() === 'HU-X1'")
    browser.run("history.back()")
    browser.wait(f"{VISIBLE}.length === 5")


def test_every_figure_is_shown_with_words_and_alt_text(browser):
    pictures = browser.run(
        "Promise.all([...document.querySelectorAll('article img')].map(async i => {"
        " await i.decode(); return [i.alt, i.naturalWidth, i.closest('article').innerText] }))"
    )
    assert [alt for alt, _, _ in pictures] == ["A curve.", "Three times a curve."]
    assert all(width > 300 for _, width, _ in pictures)
    assert "It says & means." in pictures[0][2]
    assert re.search(r"We see at most \d+ <i>regret</i>", pictures[1][2])
    assert "HU-X1" in pictures[1][2]  # the claims on it
    assert browser.run("document.querySelectorAll('#HU-X1 .claimed math mo').length") > 0


def test_claims_are_filtered_and_the_address_remembers_it(browser, report):
    assert browser.run(VISIBLE) == EVERYTHING
    choose(browser, "kind", "privacy")
    assert browser.run(VISIBLE) == ["HU-X0", "HU-X1"]
    choose(browser, "verdict", "violated")
    assert browser.run(VISIBLE) == ["HU-X1"]
    assert browser.run("document.querySelector('.filters output').value") == "1 of 5"
    address = browser.run("location.hash")
    assert address == "#verdicts?kind=privacy&verdict=violated"
    browser.run("location.hash = 'run'")
    browser.run("location.reload()")
    browser.open(report)
    browser.run(f"location.hash = '{address}'")
    browser.wait(f"{VISIBLE}.join() === 'HU-X1'")
    browser.click(".filters [type=reset]")
    browser.wait(f"{VISIBLE}.length === 5")
    browser.click(".matrix a[href*='verdict=rejected']")
    browser.wait(f"{VISIBLE}.join() === 'HU-X2'")
    choose(browser, "paper", "HU")
    assert browser.run(VISIBLE) == ["HU-X2"]


def test_the_ledger_is_searched_and_sorted(browser):
    choose(browser, "words", "theorem 4")
    assert browser.run(VISIBLE) == ["HU-X4"]
    for greek in ("epsilon", "ε", "\\varepsilon", "eps"):
        choose(browser, "words", greek)
        assert browser.run(VISIBLE) == EVERYTHING, greek
    choose(browser, "words", "three panels")
    assert browser.run(VISIBLE) == []
    assert "Three panels" in browser.run("document.querySelector('#found').innerText")
    choose(browser, "words", "")
    choose(browser, "sort", "-id")
    assert browser.run(VISIBLE) == EVERYTHING[::-1]
    browser.click("[data-sort=verdict]")
    assert browser.run(VISIBLE) == EVERYTHING
    assert browser.run("document.querySelector('th[aria-sort]').ariaSort") == "ascending"
    browser.click("[data-sort=verdict]")
    assert browser.run(VISIBLE) == EVERYTHING[::-1]


def test_a_link_to_a_claim_opens_it_even_if_it_is_filtered_away(browser):
    choose(browser, "verdict", "holds")
    browser.run("location.hash = 'HU-X1'")
    browser.wait("document.querySelector('#HU-X1 details').open")
    text = browser.run("document.querySelector('#HU-X1').innerText")
    assert "means (0.7, 0.5)" in text
    assert "<script>alert(1)</script>" in text
    browser.click(f"#HU-X1 a[href='{WIDE}']")
    browser.wait(f"location.hash === '{WIDE}'")
    browser.wait("document.querySelector('article:target h3').innerText === 'Three panels'")
    browser.click(f"{WIDE} .chips a[href='#HU-X1']")
    browser.wait("location.hash === '#HU-X1'")


def test_an_opened_claim_shows_its_plot_beside_its_points(browser):
    closed_height = browser.run("document.querySelector('#HU-X1 .brief').clientHeight")
    STATES["claim"](browser)
    browser.wait("document.querySelector('#HU-X1 img').naturalWidth > 600")
    assert "HU-X1" in browser.run("document.querySelector('#HU-X1 img').alt")
    table = browser.run("document.querySelector('#HU-X1 .plot table').innerText")
    assert "12 of 20 points, those beyond first" in table
    assert table.count("≤ 17") == 12
    assert "<b>measured</b>" in table
    measured = browser.run("document.querySelector('#HU-X1 [data-label=measured]').innerText")
    assert "rounds" in measured  # still seen while the claim is open
    assert browser.run("document.querySelector('#HU-X1 .brief').clientHeight") > closed_height
    browser.click("#HU-X1 .plot [data-file$='HU-X1.csv']")
    opened(browser, "#viewer pre")
    shown = browser.run("document.querySelector('#viewer-body pre').textContent")
    assert len(shown.splitlines()) == 21
    closed(browser)
    browser.click("#HU-X1 [data-explore]")
    browser.wait("document.querySelectorAll('#HU-X1 .explorer circle.beyond').length === 20")
    browser.click("#HU-X1 [data-line]")
    opened(browser, "#viewer mark")
    assert browser.run("document.querySelector('#viewer mark').textContent") == "    @claim("


def test_a_plot_is_explored(browser, project):
    explored(browser)
    picture = f"document.querySelector('{WIDE} .picture').checkVisibility()"
    assert not browser.run(picture)
    legend = f"[...document.querySelectorAll('{WIDE} .legend button')]"
    curves = f"document.querySelectorAll('{WIDE} .canvas .curve').length"
    names = browser.run(f"{legend}.map((b) => b.children[1].textContent)")
    assert browser.run(curves) == len(names) > 1
    browser.run(f"document.querySelector('{WIDE} .canvas').focus()")
    browser.press("ArrowRight")
    browser.press("ArrowRight")
    at = browser.run(f"document.querySelector('{WIDE} .readout').textContent")
    said = browser.run(f"{legend}.map((b) => b.lastChild.textContent)")
    assert at.startswith("rounds t = ")
    table = pd.read_csv(project.folder / "results/figures/hu/wide.csv")
    t, eps = float(at.split(" = ")[1]), table["epsilon"].min()
    rows = table[(table["t"] == t) & (table["epsilon"] == eps)].set_index("algorithm")
    for name, text in zip(names, said, strict=True):
        numbers = [float(number) for number in re.findall(r"[\d.]+", text)]
        wanted = rows.loc[name, ["mean", "low", "high"]].tolist()
        assert numbers == pytest.approx(wanted[: len(numbers)], rel=1e-3), name
        assert len(numbers) in (1, 3)
    drawn = f"document.querySelector('{WIDE} .curve').getAttribute('d')"
    before = browser.run(drawn)
    browser.run(f"{legend}[0].click()")
    assert browser.run(curves) == len(names) - 1
    browser.run(f"{legend}[0].click()")
    assert browser.run(drawn) == before
    browser.run(f"$$('{WIDE} .controls button').find((b) => b.textContent === 'log x').click()")
    assert browser.run(drawn) != before
    slider = f"document.querySelector('{WIDE} input[name=epsilon]')"
    before = browser.run(drawn)
    browser.run(f"{slider}.value = {slider}.max; {slider}.dispatchEvent(new Event('input'))")
    assert browser.run(drawn) != before
    browser.run(f"document.querySelector('{WIDE} .canvas').focus()")
    browser.press("Escape")
    assert browser.run(picture)
    assert browser.run("'explore' in document.activeElement.dataset")


def test_every_link_of_the_page_leads_somewhere(browser):
    dangling = "[...document.querySelectorAll('a[href^=\"#\"]')].map(a => a.hash.slice(1))"
    gone = "id => !document.getElementById(id.split('?')[0])"
    assert browser.run(f"{dangling}.filter({gone})") == []
    missing = "[...document.querySelectorAll('[data-file]')].map(b => b.dataset.file)"
    assert browser.run(f"files().then((all) => {missing}.filter(name => !all[name]))") == []
    assert browser.run("[...document.querySelectorAll('a[href]')].every(a => a.hash)")


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


def test_light_and_dark(browser):
    ground = "getComputedStyle(document.body).backgroundColor"
    dark, light = "rgb(21, 27, 35)", "rgb(255, 255, 255)"
    was, other = (dark, light) if "dark" in browser.name else (light, dark)
    assert browser.run(ground) == was
    browser.click("[data-theme-switch]")
    assert browser.run(ground) == other
    browser.click("[data-theme-switch]")
    assert browser.run(ground) == was


def test_snakemakes_own_report_is_inside_with_our_captions(screen, report):
    """In a new tab: one holds 50 steps, after which those of an embedded page cannot be counted."""
    with Chromium(*SCREENS[screen.name]) as browser:
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
        assert browser.complaints == []


def test_the_keyboard_is_enough(screen, report):
    """In a new tab, as above."""
    with Chromium(*SCREENS[screen.name]) as browser:
        browser.open(report)
        only_keys(browser)
        assert browser.complaints == []


def only_keys(browser):
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


def test_a_picture_is_kept_once(project):
    picture = base64.b64encode(project.files("results/figures/hu/wide.png").popitem()[1]).decode()
    report = project.files("results/report.html").popitem()[1].decode()
    assert report.count(picture) == 1


def test_run_facts_are_there_and_name_no_machine(report, project):
    text = report.read_text(encoding="utf-8")
    inside = re.findall(r'<script type="application/gzip;base64" id="\w+">(.*?)</script>', text)
    assert len(inside) == 2
    text += "".join(gzip.decompress(base64.b64decode(part)).decode() for part in inside)
    for fact in ("Commit", "Lock", "sha256", "Packages", "Machine", "Time per rule"):
        assert fact in text
    assert str(project.folder) not in text
    assert "/site-packages/" not in text
    assert not re.search(r"(/root|/home/|/tmp/)", text)


def test_the_run_says_where_to_look(project):
    assert "Where to look: open results/report.html in a browser" in project.output
    assert re.search(r"About .* left", project.output)
