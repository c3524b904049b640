"""An altered number or verdict in README, docs, letters or the texts of figures is found.

reproduction/report/pages.py says how. `make test-texts` runs this file.
"""

import random
import re

import pandas as pd
import pytest

from dpbandits.reproduction.ledger.prose import counted, said_and_seen
from dpbandits.reproduction.ledger.rows import Row, by_cause, wrong_statements
from dpbandits.reproduction.ledger.verdicts import SEVERITIES, VERDICTS
from dpbandits.reproduction.plots.claims import worst_readings
from dpbandits.reproduction.report import pages
from dpbandits.reproduction.report.front import PAPERS, SENTENCES, TEXTS
from dpbandits.reproduction.report.letters import letter
from dpbandits.reproduction.report.markdown import (
    as_markdown,
    published_figures,
    reproduced_as_markdown,
)
from dpbandits.reproduction.report.page import page as report
from dpbandits.reproduction.report.passages import MADE, ROOT, gradings, of_papers, published_rows

GROUPS = {  # a part of the alterations each
    "README": lambda name: name == "README.md",
    "pages": lambda name: name.startswith(("docs/", "ARTIFACT")) and "proofs" not in name,
    "proofs": lambda name: "docs/proofs" in name,
    "letters and tables": lambda name: name.startswith("figures/") and name.endswith(".md"),
    "texts of figures": lambda name: name.startswith("figures/") and name.endswith(".txt"),
}


def read(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def all_texts() -> list[str]:
    return [*pages.pages(), *pages.made_of_rows(), *pages.sums()]


@pytest.mark.parametrize("name", all_texts())
def test_numbers_and_verdicts_are_those_that_they_come_from(name):
    """If a page was edited: `make texts`, and read what it prints."""
    assert pages.complaints(name, read(name)) == []


def test_each_passage_stands_in_a_page():
    found = [match for page in pages.pages() for match in pages.PASSAGE.findall(read(page))]
    assert {name for _, kind, name, *_ in found if kind == "made"} == set(MADE)


# What nobody has seen before the test: a digit or a verdict at a random place ---------------------

PLACE = re.compile(rf"\d|[⁰¹²³⁴⁵⁶⁷⁸⁹]|\b(?:{'|'.join((*VERDICTS, *SEVERITIES))})\b")


def alteration(text: str, source: random.Random) -> tuple[str, str]:
    """A text with one digit or verdict changed, and what was changed."""
    place = source.choice(list(PLACE.finditer(text)))
    kind = next(
        kind for kind in ("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹", VERDICTS, SEVERITIES) if place[0] in kind
    )
    new = source.choice([other for other in kind if other != place[0]])
    before, after = text[: place.start()], text[place.end() :]
    return before + new + after, f"...{before[-40:]}[{place[0]} -> {new}]{after[:20]}..."


def alterations(count: int, seed: int):
    """(name, altered text, what was changed), as many of each group."""
    source, names = random.Random(seed), all_texts()
    groups = [[name for name in names if belongs(name)] for belongs in GROUPS.values()]
    for i in range(count):
        name = source.choice(groups[i % len(groups)])
        while not PLACE.search(read(name)):
            name = source.choice(groups[i % len(groups)])
        yield name, *alteration(read(name), source)


def test_altered_numbers_are_noticed():
    noticed = []
    for name, altered, what in alterations(40, seed=65):
        noticed.append(bool(pages.complaints(name, altered)))
        print("noticed" if noticed[-1] else "NOT    ", name, repr(what))
    assert sum(noticed) >= 38


# What is made of rows changes with a row ----------------------------------------------------------


def test_front_page_names_each_cause_of_a_wrong_conclusion_and_no_other():
    text = read("docs/index.md").split("- **Why.**")[1].split("\n- ")[0]
    named = set(re.findall(r"`((?:HU|FL|US|KL)-[^`]+)`", text))
    causes = set(by_cause(wrong_statements(of_papers()), "conclusion"))
    assert {id for id in named if not id.startswith("FL")} == causes


def test_figures_of_refuted_statements_show_and_count_what_readme_counts():
    rows, wrong = of_papers(), wrong_statements(of_papers())
    drawn = worst_readings(pd.DataFrame(rows).assign(ratio="", ratio_of=""))
    assert sorted(drawn["id"]) == sorted(row["id"] for row in wrong)
    own = [[row for row in rows if row["paper"] == paper] for paper in ("HU", "FL", "US", "KL")]
    assert sum(int(counted(part).split()[0]) for part in own) == len(wrong)


def test_rows_that_pages_name_are_in_the_ledger():
    known = {row["id"] for row in published_rows()}
    for name in ("README.md", "docs/which.md", "docs/index.md", "docs/trust.md"):
        named = set(re.findall(r"\b(?:HU|FL|US|KL|OURS)-[A-Z]\d?[\w.]*(?:-[a-z]\w*)?", read(name)))
        assert {id.rstrip(".") for id in named} <= known, name


NUMBER = re.compile(r"\d+(?:\.\d+)?")


@pytest.mark.parametrize("paper", sorted(TEXTS))
def test_numbers_in_the_prose_of_a_letter_stand_in_rows_of_its_paper(paper):
    """Of texts.toml what is measured or proved, in causes, and the sentences of papers.toml."""
    rows = (row for row in published_rows() if row["paper"].lower() == paper)
    known = set(NUMBER.findall(" ".join(" ".join(row.values()) for row in rows)))
    prose = {id: cause["means"] for id, cause in TEXTS[paper].get("causes", {}).items()}
    said = {name: part for name, part in PAPERS[paper].items() if name in SENTENCES}
    prose |= {name: f"{part['say']} {part.get('scope', '')}" for name, part in said.items()}
    for name, text in prose.items():
        assert set(NUMBER.findall(text)) <= known, name


def test_rows_on_ourselves_and_changed_rows_were_graded_by_two_who_had_seen_no_grade():
    """Each answer is a grade of the rule, none or open, with a reason; no two reasons are one."""
    again = [row for row in gradings() if row["again"]]
    for row in again:
        assert {row["again"], row["again_second"]} <= {*SEVERITIES, "none", "open"}, row["id"]
        assert row["why_again"] != row["why_again_second"] != "", row["id"]
    assert {"FL-ABS", "US-S8.2-uniform", "KL-S4.4-baselines"} <= {row["id"] for row in again}


def test_a_verdict_that_changes_changes_every_text(tmp_path, monkeypatch):
    """One row fails that held, one published panel is rejected that came out."""
    monkeypatch.setattr("dpbandits.reproduction.report.page.figures", dict)
    before, after = published_rows(), [*map(Row, published_rows())]
    said = {"short": "It is 12345 times too small.", "repaired": "that times 12345"}
    failed = said | {"verdict": "violated", "severity": "conclusion", "repaired_verdict": "holds"}
    (row,) = (r for r in after if (r["id"], r["reading"]) == ("KL-T1-pure", "printed"))
    row.update(failed)
    (row,) = (r for r in after if (r["id"], r["reading"]) == ("FL-F1R", "released"))
    row.update(failed, verdict="rejected", severity="experiment", repaired_verdict="open")
    of_rows = ("wrong_by_severity", "corrected_statements", "panels", "figures_in_short",
               "statements_by_paper")  # fmt: skip

    def made(rows) -> dict[str, str]:
        pd.DataFrame(rows).to_csv(tmp_path / "claims.csv", index=False)
        monkeypatch.setattr("dpbandits.reproduction.report.passages.published_rows", lambda: rows)
        own = [row for row in rows if row["paper"] == "KL"]
        return {name: MADE[name]() for name in of_rows} | {
            "beside a figure": said_and_seen(("KL-T1-pure (printed)",), rows)[-1],
            "beside kl/refuted": counted(own),
            "letter": letter("kl", rows),
            "claims.md": as_markdown(rows),
            "reproduced.md": reproduced_as_markdown(rows),
            "report": report(tmp_path, ["kl", "fl"], {}, []),
        }

    old, new = made(before), made(after)
    assert [name for name in old if old[name] == new[name]] == []
    for name in ("beside a figure", "letter", "claims.md", "report"):
        assert "12345" in new[name], name
    (panel,) = (p for p in published_figures(after) if p["panel"] == "Figure 1 right")
    assert [part["verdict"] for part in panel["released"]] == ["rejected"]
