"""The front page: what stands, what falls and what to use instead, paper by paper.

Each statement counts once, by its printed reading and its worst severity. The sentences are in
papers.toml, each with the rows of the ledger that support it.
"""

import tomllib
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path

from dpbandits.reproduction.ledger.verdicts import (
    MEANING,
    PRINTED,
    SEVERITIES,
    VERDICTS,
    by_cause,
    wrong_statements,
)
from dpbandits.reproduction.report.sentences import CAUSES

PAPERS = tomllib.loads((Path(__file__).parent / "papers.toml").read_text(encoding="utf-8"))
SENTENCES = {"stands": "What stands", "falls": "What falls", "instead": "What to use instead"}


def front(ledger: list[dict], views: list[dict], keys) -> dict:
    """The data of the template front.html, for the papers with these keys."""
    printed = [row for row in ledger if row["reading"] == PRINTED]
    failed = wrong_statements(ledger)
    return {
        "statements": len(printed),
        "papers": {key: card(key, ledger, views) for key in keys},
        "counts": {key: count_verdicts(of_paper(printed, key)) for key in keys},
        "verdicts": count_verdicts(printed),
        "failed": len(failed),
        "corrected": sum(row["repaired_verdict"] == "holds" for row in failed),
        "severities": {
            severity: {
                key: sum(row["severity"] == severity for row in of_paper(failed, key))
                for key in keys
            }
            for severity in SEVERITIES
            if any(row["severity"] == severity for row in failed)
        },
        "meaning": MEANING,
        "causes": causes(failed),
        "certificates": len({row["certificate"] for row in ledger} - {""}),
    }


def of_paper(rows: list[dict], key: str) -> list[dict]:
    return [row for row in rows if row["paper"].lower() == key]


def count_verdicts(rows: list[dict]) -> dict[str, int]:
    counts = Counter(row["verdict"] for row in rows)
    return {verdict: counts[verdict] for verdict in VERDICTS}


def card(key: str, ledger: list[dict], views: list[dict]) -> dict:
    """A paper's authors, its sentences with their rows and their scope, and its figure."""
    about, rows = PAPERS.get(key, {}), {row["anchor"]: row for row in ledger}
    figures = [view for view in views if view["paper"] == key]
    chosen = [view for view in figures if view["name"] == about.get("figure")]
    sentences = [
        (title, about[part]["say"], about[part].get("scope", ""),
         [rows[id] for id in about[part]["rows"] if id in rows])
        for part, title in SENTENCES.items()
        if part in about
    ]  # fmt: skip
    return {
        "by": [about[name] for name in ("authors", "year") if name in about],
        "arxiv": about.get("arxiv", ""),
        "words": about.get("words", ""),
        "sentences": [sentence for sentence in sentences if sentence[-1]],
        "figure": (chosen or figures or [None])[0],
    }


def causes(failed: list[dict]) -> list[dict]:
    """The errors that change a conclusion, in words, each with the rows that inherit it."""
    by_id = {row["id"]: row for row in failed}
    return [
        {"row": by_id[id], "rows": [row for row in rows if row["id"] != id]}
        | CAUSES.get(id, {"title": by_id[id]["statement"], "means": ""})
        for id, rows in by_cause(failed, "conclusion").items()
        if id in by_id
    ]


def topics(id: str) -> str:
    """Search words of a statement that it may not contain itself, separated by commas."""
    patterns = PAPERS.get(id.split("-")[0].lower(), {}).get("topics", {})
    matching = [words for words, ids in patterns.items() if any(fnmatchcase(id, p) for p in ids)]
    return ", ".join(matching)
