"""The search of the report over the published ledger: what comes first."""

import json
import re

import pytest
from chromium import Chromium
from scratch import ROOT

from dpbandits.core.files import read_rows
from dpbandits.reproduction.plots.plaintext import plain

PRINTED = [r for r in read_rows(ROOT / "figures/claims.csv") if r["reading"] == "printed"]
WHERE = {row["id"]: plain(row["statement"].partition(": ")[0]) for row in PRINTED}


@pytest.fixture(scope="module")
def page(published):
    with Chromium() as browser:
        browser.open(published)
        assert browser.errors == []
        yield browser


def search(browser, query: str) -> list[str]:
    """The rows that are shown, without other readings than the printed one."""
    browser.run(f"filters.elements.words.value = {json.dumps(query)}; filter()")
    ids = browser.run("$$('tbody > tr[data-where]').filter((r) => !r.hidden).map((r) => r.id)")
    return [id for id in ids if id in WHERE]


def first(browser, query: str) -> list[str]:
    search(browser, query)
    return browser.run("$$('#found a').map((a) => a.textContent)")


QUESTIONS = {  # what a newcomer types -> what comes first
    "which to use": "Which to use",
    "is FLIPHAT private": "FL, what falls",
    "is RNM-FTNL private": "HU, what falls",
    "is Lazy-DP-TS private": "HU, what stands",
    "is USCA private": "US, what stands",
    "which algorithm for bandits": "Which to use",
    "what should I use for RLHF": "KL, what to use instead",
    "by how much does HU-T8 fail": "HU-T8",
    "theorem 8": "HU-T8",
    "what does violated mean": "What the verdicts mean",
    "how do I check a refutation": "Check one yourself",
    "what is wrong in the kernel paper": "US, what falls",
    "spectral bound": "US, what falls",
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_questions_of_a_newcomer(page, question):
    assert first(page, question)[0] == QUESTIONS[question]


def test_statement_is_found_first_by_its_id_and_its_number(page):
    for id, where in WHERE.items():
        assert search(page, id)[0] == id
        place = re.match(r"(Theorem|Lemma|Corollary|Proposition|Figure) [\d.]*\d", where)
        if place:
            ids = search(page, place[0])
            before = ids[: ids.index(id)]
            assert all(WHERE[other].startswith(place[0]) for other in before), (id, before)


def test_greek_letters_are_found_in_every_spelling(page):
    ids = search(page, "epsilon")
    assert len(ids) > 20
    for spelling in ("eps", "ε", r"\varepsilon", r"\epsilon"):
        assert search(page, spelling) == ids
    for name, letter in {"delta": "δ", "gamma": "γ", "lambda": "λ"}.items():
        assert search(page, name) == search(page, letter)


def test_words_in_quotes_must_be_adjacent(page):
    separate, phrase = search(page, "regret bound"), search(page, '"regret bound"')
    assert set(phrase) <= set(separate)
    assert search(page, '"no such words at all"') == []


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
def test_usual_words_and_mistyped_words(page, query):
    assert QUERIES[query] in search(page, query)[:5]


def test_notes_about_the_query(page):
    search(page, "sensitivty")
    assert "Did you mean “sensitivity”?" in page.run("$('#found').textContent")
    assert search(page, "qqqq") == []
    assert "Nothing matches “qqqq”" in page.run("$('#found').textContent")
    assert "HU-T8" in search(page, "full information qqqq")
    assert "most of them" in page.run("$('#found').textContent")
    search(page, "")
    assert page.run("$('#found').hidden")
    assert search(page, "certificates json") == []  # paths are not searched
