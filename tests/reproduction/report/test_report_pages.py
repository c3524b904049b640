"""The report in a browser: front page, ledger, search, figures, interactive plots, viewer."""

from reader import STATES, WIDE, choose, closed, explored, figure, opened, shown

ROWS = "$$('.claims > tbody > tr').filter(r => !r.hidden).map(r => r.id)"
ALL = ["HU-T1", "HU-L2", "KL-T3", "HU-T1.other", "HU-T4"]
BOX = "document.querySelector('#viewer img').getBoundingClientRect().toJSON()"


def test_front_page_has_counts_that_lead_to_rows(browser):
    front = browser.run("document.querySelector('#front').innerText")
    assert "We checked 4 printed statements" in front
    assert browser.run("document.querySelector('.thumb img').naturalWidth > 300")
    browser.click(".matrix a[href*='verdict=rejected']")
    browser.wait(f"{ROWS}.join() === 'KL-T3'")
    browser.run("history.back()")
    browser.wait(f"{ROWS}.length === 5")
    assert browser.run("document.querySelector('#which td').textContent") == "a"


def test_figures_are_filled_in_when_they_are_opened(browser):
    before = browser.run("document.querySelectorAll('article').length")
    figure(browser)
    assert (before, browser.run("document.querySelectorAll('article').length")) == (0, 2)
    text = browser.run(f"document.querySelector('{WIDE}').innerText")
    assert "It says ε = 1 & means." in text
    assert "<b>" in text  # of the title, as it is written
    assert "HU-T1" in text  # a claim that uses it
    assert browser.run(f"document.querySelectorAll('{WIDE} .numbers math').length") == 1
    assert browser.run(f"document.querySelector('{WIDE} img').alt") == "Alt of hu/bounds"


def test_filters_of_the_ledger_are_kept_in_the_address(browser, report):
    assert browser.run(ROWS) == ALL
    choose(browser, "kind", "privacy")
    choose(browser, "verdict", "violated")
    assert browser.run(ROWS) == ["HU-T1"]
    assert browser.run("filters.querySelector('output').value") == "1 of 4 statements"
    address = browser.run("location.hash")
    assert address == "#verdicts?kind=privacy&verdict=violated"
    browser.open(report)
    browser.run(f"location.hash = '{address}'")
    browser.wait(f"{ROWS}.join() === 'HU-T1'")
    browser.click(".filters [type=reset]")
    browser.wait(f"{ROWS}.length === 5")


def test_search_and_order_of_the_ledger(browser):
    choose(browser, "words", "theorem 4")
    assert browser.run(ROWS) == ["HU-T4"]
    choose(browser, "words", "title bounds")
    assert browser.run("$$('#found a').map((a) => a.textContent)")[0] == "Title of hu/bounds <b>"
    choose(browser, "words", "")
    choose(browser, "sort", "-id")
    assert browser.run(ROWS) == sorted(ALL, reverse=True)
    browser.click("[data-sort=verdict]")
    assert browser.run(ROWS)[:2] == ["HU-T1.other", "HU-T4"]
    assert browser.run("document.querySelector('th[aria-sort]').ariaSort") == "ascending"


def test_link_to_a_claim_opens_it_although_a_filter_hides_it(browser):
    choose(browser, "verdict", "holds")
    STATES["claim"](browser)
    text = browser.run("document.querySelector('#HU-T1').innerText")
    assert "<script>alert(1)</script>" in text
    browser.click(f"#HU-T1 a[href='{WIDE}']")
    browser.wait(f"document.querySelector('{WIDE}')?.checkVisibility()")
    browser.click(f"{WIDE} .chips a[href='#HU-T1']")
    browser.wait("location.hash === '#HU-T1'")


def test_opened_claim_has_three_sentences_its_numbers_and_its_curve(browser):
    STATES["claim"](browser)
    terms = browser.run("$$('#HU-T1 dt').map((dt) => dt.textContent)")
    assert terms[:4] == ["What is promised", "What happens", "What to do", "Checked for"]
    table = browser.run("document.querySelector('#HU-T1 .plot table').innerText")
    assert "12 of 15 numbers" in table
    assert table.count("≤ 9") == 12 - 1  # one is given as an equality
    assert "x = 10" in table  # with the name of its coordinate
    assert "✗" in table
    curves = browser.run("$$('#HU-T1 .legend button').map((b) => b.value)")
    assert len(curves) == 3  # measured, and both limits


def names(browser):
    return browser.run(f"$$('{WIDE} .legend button').map((b) => b.value)")


def test_interactive_plot_shows_the_values_of_the_csv(browser):
    explored(browser)
    assert not browser.run(f"document.querySelector('{WIDE} .picture').checkVisibility()")
    assert names(browser) == ["DP-SE", "UCB1"]
    browser.run(f"document.querySelector('{WIDE} .canvas').focus()")
    browser.press("ArrowRight")
    browser.press("ArrowRight")
    assert browser.run(f"document.querySelector('{WIDE} .readout').textContent") == "rounds t: 2"
    values = browser.run(f"$$('{WIDE} .legend b').map((b) => b.textContent)")
    assert values == ["4 [2, 6]", "4 [2, 6]"]


def test_curves_can_be_switched_off_and_swapped_with_panels(browser):
    explored(browser)
    lines = f"document.querySelectorAll('{WIDE} .canvas polyline').length"
    before = browser.run(lines)
    browser.click(f"{WIDE} .legend button")
    assert browser.run(lines) < before
    assert "off=DP-SE" in browser.run("location.hash")
    browser.run(f"$$('{WIDE} .controls button').find((b) => /swap/.test(b.textContent)).click()")
    assert names(browser) == ["ε = 0.5", "ε = 1"]
    options = browser.run(f"$$('{WIDE} select[name=panel] option').map((o) => o.textContent)")
    assert options == ["DP-SE", "UCB1"]


def test_address_of_an_interactive_plot_restores_it(browser):
    browser.run(f"location.hash = '{WIDE[1:]}?panel=1.0&log=y'")
    browser.wait(f"document.querySelector('{WIDE} .canvas svg')")
    assert browser.run(f"document.querySelector('{WIDE} select[name=panel]').value") == "1.0"
    pressed = browser.run(f"$$('{WIDE} .controls [aria-pressed=true]').map((b) => b.textContent)")
    assert pressed == ["log y"]
    browser.run(f"document.querySelector('{WIDE} .canvas').focus()")
    browser.press("Escape")
    assert browser.run("location.hash") == WIDE


def test_interactive_plot_is_saved_as_svg(browser):
    browser.run(
        "window.saved = []; URL.createObjectURL = (b) => { saved.push(b); return 'data:,'; }; 1"
    )
    explored(browser)
    browser.run(f"$$('{WIDE} .controls button').find((b) => b.textContent === 'save SVG').click()")
    text = browser.run("saved[0].text()")
    assert text.startswith("<svg ")
    assert all(name in text for name in ("UCB1", "Title of hu/bounds", "rounds t"))


def test_every_link_of_the_page_has_a_target(browser):
    targets = "everywhere('a[href^=\"#\"]').map((a) => a.hash.slice(1).split('?')[0])"
    ids = "new Set(everywhere('[id]').map((e) => e.id))"
    assert browser.run(f"(ids => {targets}.filter((id) => !ids.has(id)))({ids})") == []
    assert browser.run("everywhere('a[href]').every(a => a.hash)")


def test_buttons_of_a_figure_open_its_data_and_code(browser, small):
    shown(browser, "[data-file$=csv]", "#viewer pre")
    text = browser.run("document.querySelector('#viewer-body pre').textContent")
    assert text.encode() == (small.folder / "results/figures/hu/bounds.csv").read_bytes()
    assert browser.run("document.querySelector('#viewer-saves a').download") == "bounds.csv"
    closed(browser)
    shown(browser, "[data-line]", "#viewer mark")
    assert browser.run("document.querySelector('#viewer mark').textContent").startswith("def draw")
    closed(browser)


def test_picture_is_shown_large_and_saved(browser, small):
    STATES["picture"](browser)
    browser.wait("document.querySelector('#viewer img').naturalWidth > 600")
    box = browser.run(BOX)
    fits = box["right"] <= browser.run("innerWidth")
    assert fits == browser.name.startswith("desktop")  # on a phone it is as large as it was drawn
    for form in ("png", "csv"):
        link = f"document.querySelector('#viewer-saves a[download=\"bounds.{form}\"]').href"
        size = f"fetch({link}).then((r) => r.arrayBuffer()).then((b) => b.byteLength)"
        file = small.folder / f"results/figures/hu/bounds.{form}"
        assert browser.run(size) == file.stat().st_size


def test_back_escape_and_reload(browser):
    browser.run("location.hash = 'HU-T1'")
    browser.wait("document.querySelector('#HU-T1 details').open")
    for close in ("history.back()", ""):
        browser.run("open({file: 'points'})")
        opened(browser)
        browser.run(close) if close else browser.press("Escape")
        browser.wait("!document.querySelector('#viewer').open && !history.state")
        assert browser.run("location.hash") == "#HU-T1"
    browser.run("open({file: 'points'})")
    opened(browser)
    browser.reload()
    opened(browser)
    closed(browser)


def test_keyboard_alone(new_tab, report):
    browser = new_tab
    browser.open(report)
    browser.press("Tab")
    assert browser.run("document.activeElement.className") == "skip"
    figure(browser)
    browser.run(f"document.querySelector('{WIDE} .links .link').focus()")
    browser.press("Enter")
    opened(browser)
    browser.press("Escape")
    browser.wait("document.activeElement.innerText === 'data (CSV)'")
