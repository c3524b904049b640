"""What the report says first: what stands, what falls and what to use instead, paper by paper.

A statement is counted once, as it is printed; its other readings are rows of the ledger beside it.
The sentences stand in papers.toml, each with the rows of the ledger that it rests on.
"""

import tomllib
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path

from dpbandits.core.ledger import FAILS, MEANING, PRINTED, SEVERITIES, VERDICTS, by_cause

PAPERS = tomllib.loads((Path(__file__).parent / "papers.toml").read_text(encoding="utf-8"))
SENTENCES = {"stands": "What stands", "falls": "What falls", "instead": "What to use instead"}


def front(ledger: list[dict], views: list[dict], keys) -> dict:
    printed = [row for row in ledger if row["reading"] == PRINTED]
    failed = [row for row in printed if row["verdict"] in FAILS]
    return {
        "statements": len(printed),
        "papers": {key: card(key, ledger, views) for key in keys},
        "counts": {key: count(own(printed, key), "verdict") for key in keys},
        "verdicts": count(printed, "verdict"),
        "failed": len(failed),
        "corrected": sum(row["repaired_verdict"] == "holds" for row in failed),
        "severities": {
            severity: {key: count(own(failed, key), "severity")[severity] for key in keys}
            for severity in SEVERITIES
            if any(row["severity"] == severity for row in failed)
        },
        "meaning": MEANING,
        "causes": causes(failed),
        "certificates": len({row["certificate"] for row in ledger} - {""}),
    }


def own(rows: list[dict], key: str) -> list[dict]:
    return [row for row in rows if row["paper"].lower() == key]


def count(rows: list[dict], column: str) -> dict[str, int]:
    found = Counter(row[column] for row in rows)
    return {word: found[word] for word in (VERDICTS if column == "verdict" else SEVERITIES)}


def card(key: str, ledger: list[dict], views: list[dict]) -> dict:
    """Of a paper: who wrote it, the three sentences with their rows, and its figure."""
    about, rows = PAPERS.get(key, {}), {row["anchor"]: row for row in ledger}
    figures = [view for view in views if view["paper"] == key and not view["of_claim"]]
    wanted = [view for view in figures if view["name"] == about.get("figure")]
    sentences = [
        (title, about[part]["say"], [rows[id] for id in about[part]["rows"] if id in rows])
        for part, title in SENTENCES.items()
        if part in about
    ]
    return {
        "by": [about[name] for name in ("authors", "year") if name in about],
        "arxiv": about.get("arxiv", ""),
        "words": about.get("words", ""),
        "sentences": [sentence for sentence in sentences if sentence[2]],
        "figure": (wanted or figures or [None])[0],
    }


def causes(failed: list[dict]) -> list[tuple[dict, list[dict]]]:
    """Errors that several statements inherit: the first of them, and those that follow from it."""
    by_id = {row["id"]: row for row in failed}
    return [
        (by_id[id], [row for row in rows if row["id"] != id])
        for id, rows in by_cause(failed).items()
        if id in by_id and len(rows) > 1
    ]


def topics(id: str) -> str:
    """The usual words of the field for a statement."""
    known = PAPERS.get(id.split("-")[0].lower(), {}).get("topics", {})
    found = [words for words, ids in known.items() if any(fnmatchcase(id, each) for each in ids)]
    return ", ".join(found)
