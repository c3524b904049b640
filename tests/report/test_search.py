"""The search of the report over all claims, in a page without anything else."""

import json
import re

import pytest
from chromium import Chromium

from dpbandits.reproduction.ledger.claims import claims
from dpbandits.reproduction.plots.plaintext import plain
from dpbandits.reproduction.report.front import topics
from dpbandits.reproduction.report.page import HERE, SCRIPTS

LEDGER = """<form class="filters"><input name="words"><select name="verdict"></select>
<input name="sort"><output></output></form><p id="found"></p><table class="claims"><tbody></tbody>
</table><dialog id="viewer"></dialog><button data-theme-switch></button>"""
ROW = (
    "<th><a>{id}</a></th><td class=claimed>{where}: {text}</td><td>"
    "<p class=brief>found 8 of 4 cases at eps = 8, theorem 4</p>certificates/A.json</td>"
)


@pytest.fixture(scope="module")
def ledger(tmp_path_factory):
    """A browser with the page's scripts and a row per claim."""
    scripts = "".join((HERE / name).read_text(encoding="utf-8") for name in SCRIPTS)
    rows = [
        {"id": claim.id, "where": plain(claim.where), "text": plain(claim.statement),
         "topics": topics(claim.id), "kind": claim.about}
        for claim in claims().values()
    ]  # fmt: skip
    fill = (
        f"for (const c of {json.dumps(rows)}) {{"
        " const r = document.createElement('tr'); r.id = c.id;"
        " Object.assign(r.dataset, c); r.innerHTML = ROW.replace(/\\{(\\w+)\\}/g, (_, k) => c[k]);"
        " document.querySelector('tbody').append(r); }"
    )
    page = tmp_path_factory.mktemp("search") / "ledger.html"
    page.write_text(
        f"<!doctype html><meta charset=utf-8>{LEDGER}<script>const ROW = {json.dumps(ROW)};"
        f"{fill}</script><script>{scripts}</script>",
        encoding="utf-8",
    )
    with Chromium() as browser:
        browser.open(page)
        assert browser.errors == []
        yield browser


def search(browser, query: str) -> list[str]:
    browser.run(f"filters.elements.words.value = {json.dumps(query)}; filter()")
    return browser.run("$$('tbody > tr').filter((r) => !r.hidden).map((r) => r.id)")


def test_statement_is_found_first_by_its_id_and_its_number(ledger):
    assert search(ledger, "theorem 8")[0] == "HU-T8"
    for claim in claims().values():
        assert search(ledger, claim.id)[0] == claim.id
        place = re.match(r"(Theorem|Lemma|Corollary|Proposition|Figure) [\d.]*\d", claim.where)
        if place:
            ids = search(ledger, place[0])
            before = ids[: ids.index(claim.id)]
            assert all(claims()[id].where.startswith(place[0]) for id in before), (claim.id, before)


def test_greek_letters_are_found_in_every_spelling(ledger):
    ids = search(ledger, "epsilon")
    assert len(ids) == len(claims())  # each row says eps
    for spelling in ("eps", "ε", r"\varepsilon", r"\epsilon"):
        assert search(ledger, spelling) == ids
    for name, letter in {"delta": "δ", "gamma": "γ", "lambda": "λ"}.items():
        with_letter = [claim.id for claim in claims().values() if letter in plain(claim.statement)]
        assert set(with_letter) <= set(search(ledger, name)) == set(search(ledger, letter))
        assert len(with_letter) > 2


def test_words_in_quotes_must_be_adjacent(ledger):
    separate, phrase = search(ledger, "regret bound"), search(ledger, '"regret bound"')
    assert set(phrase) <= set(separate)
    for id in phrase:
        assert "regretbound" in "".join(filter(str.isalpha, claims()[id].statement.lower()))
    assert search(ledger, '"no such words at all"') == []


QUERIES = {  # query -> a statement that must be among the first five
    "RLHF": "KL-T3-pure",
    "thm 8": "HU-T8",
    "sensitivty": "FL-T5.1",
    "theorm 5.1": "FL-T5.1",
    "noise too small": "HU-T8",
    "sparse": "FL-T4.1",
    "thompson sampling": "HU-T4",
    "full information": "HU-T8",
    "reinforcement learning from human feedback": "KL-T3-pure",
    "lower bound": "HU-T12",
    "bound too small": "KL-T3-pure",
    "exponential mechanism": "US-L7.2",
}


@pytest.mark.parametrize("query", QUERIES)
def test_usual_words_and_mistyped_words(ledger, query):
    assert QUERIES[query] in search(ledger, query)[:5]


def test_correction_of_a_word_is_reported(ledger):
    search(ledger, "sensitivty")
    assert "Did you mean “sensitivity”?" in ledger.run("$('#found').textContent")
    search(ledger, "sensitivity")
    assert ledger.run("$('#found').hidden")


def test_query_without_a_match(ledger):
    assert search(ledger, "qqqq") == []
    assert "Nothing has “qqqq”" in ledger.run("$('#found').textContent")


def test_best_matches_are_shown_if_nothing_has_all_words(ledger):
    assert "HU-T8" in search(ledger, "full information qqqq")
    assert "most of them" in ledger.run("$('#found').textContent")


def test_paths_are_not_searched(ledger):
    assert search(ledger, "certificates json") == []
