"""What a reader's words find, over the whole ledger, in a page that has nothing else."""

import json
import re

import pytest
from chromium import Chromium

from dpbandits.core.claims import claims
from dpbandits.plots.plaintext import plain
from dpbandits.report.front import topics
from dpbandits.report.page import HERE, SCRIPTS

LEDGER = """<form class="filters"><input name="words"><select name="verdict"></select>
<input name="sort"><output></output></form><p id="found"></p><table class="claims"><tbody></tbody>
</table><dialog id="viewer"></dialog><button data-theme-switch></button>"""
ROW = (
    "<th><a>{id}</a></th><td class=claimed>{where}: {text}</td><td>"
    "<p class=brief>found 8 of 4 cases at eps = 8, theorem 4</p>certificates/A.json</td>"
)


@pytest.fixture(scope="module")
def ledger(tmp_path_factory):
    """The ledger's own search over every registered claim, in a page that has nothing else."""
    scripts = "".join((HERE / name).read_text(encoding="utf-8") for name in SCRIPTS)
    told = [
        {
            "id": c.id,
            "where": plain(c.where),
            "text": plain(c.statement),
            "topics": topics(c.id),
            "kind": c.about,
        }
        for c in claims().values()
    ]
    fill = (
        f"for (const c of {json.dumps(told)}) {{"
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
        assert browser.complaints == []
        yield browser


def found(browser, query: str) -> list[str]:
    browser.run(f"filters.elements.words.value = {json.dumps(query)}; filter()")
    return browser.run("$$('tbody > tr').filter((r) => !r.hidden).map((r) => r.id)")


def test_a_theorem_is_found_first_by_its_name(ledger):
    assert found(ledger, "theorem 8")[0] == "HU-T8"
    for claim in claims().values():
        assert found(ledger, claim.id)[0] == claim.id
        named = re.match(r"(Theorem|Lemma|Corollary|Proposition|Figure) [\d.]*\d", claim.where)
        if named:
            first = found(ledger, named[0])
            before = first[: first.index(claim.id)]
            assert all(claims()[id].where.startswith(named[0]) for id in before), (claim.id, before)


def test_greek_letters_are_found_however_they_are_written(ledger):
    everywhere = found(ledger, "epsilon")
    assert len(everywhere) == len(claims())  # each row says eps
    for spelling in ("eps", "ε", r"\varepsilon", r"\epsilon"):
        assert found(ledger, spelling) == everywhere
    for name, letter in {"delta": "δ", "gamma": "γ", "lambda": "λ"}.items():
        told = [c.id for c in claims().values() if letter in plain(c.statement)]
        assert set(told) <= set(found(ledger, name)) == set(found(ledger, letter))
        assert len(told) > 2


def test_phrases_stand_together(ledger):
    loose, strict = found(ledger, "regret bound"), found(ledger, '"regret bound"')
    assert set(strict) <= set(loose)
    for id in strict:
        assert "regretbound" in "".join(filter(str.isalpha, claims()[id].statement.lower()))
    assert found(ledger, '"no such words at all"') == []


READER = {  # what a reader types, and what should be among the first five
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


@pytest.mark.parametrize("query", READER)
def test_usual_words_and_typing_errors_find_what_is_meant(ledger, query):
    assert READER[query] in found(ledger, query)[:5]


def test_a_correction_is_said(ledger):
    found(ledger, "sensitivty")
    assert "Did you mean “sensitivity”?" in ledger.run("$('#found').textContent")
    found(ledger, "sensitivity")
    assert ledger.run("$('#found').hidden")


def test_a_query_without_any_match_says_so(ledger):
    assert found(ledger, "qqqq") == []
    assert "Nothing has “qqqq”" in ledger.run("$('#found').textContent")


def test_what_has_most_words_is_shown_when_nothing_has_all(ledger):
    assert "HU-T8" in found(ledger, "full information qqqq")
    assert "most of them" in ledger.run("$('#found').textContent")


def test_paths_are_not_searched(ledger):
    assert found(ledger, "certificates json") == []
