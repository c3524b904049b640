"""What the report says first: what holds, what fails and what to use instead, paper by paper.

Each statement counts once, by its printed reading and its worst severity. The sentences are in
papers.toml, each with the rows of the ledger that support it.
"""

import tomllib
from collections import Counter
from pathlib import Path

from dpbandits.core.documents import read_text
from dpbandits.reproduction.ledger.rows import Row, by_cause, of_papers, wrong_statements
from dpbandits.reproduction.ledger.verdicts import VERDICTS

PAPERS, TEXTS = (
    tomllib.loads((Path(__file__).parent / name).read_text(encoding="utf-8"))
    for name in ("papers.toml", "texts.toml")
)
CAUSES = {id: cause for key in TEXTS.values() if isinstance(key, dict)
          for id, cause in key.get("causes", {}).items()}  # fmt: skip
SENTENCES = {"holds": "What holds", "fails": "What fails", "instead": "What to use instead"}


def front(ledger: list[Row], keys) -> dict:
    ledger, everything = of_papers(ledger), ledger
    printed = [row for row in ledger if row.printed]
    failed = wrong_statements(ledger)
    files = {row["certificate"] for row in ledger} - {""}
    return {
        "statements": len(printed),
        "papers": {key: about(key, everything) for key in keys},
        "verdicts": counts(printed),
        "failed": len(failed),
        "corrected": sum(row["repaired_verdict"] == "holds" for row in failed),
        "causes": causes(failed),
        "certificates": len(files),
        "from_data": sum('"data": ' in read_text(Path(x)) for x in files if Path(x).is_file()),
    }


def counts(rows: list[Row]) -> dict[str, int]:
    """How often each verdict."""
    found = Counter(row["verdict"] for row in rows)
    return {verdict: found[verdict] for verdict in VERDICTS}


def about(key: str, ledger: list[Row]) -> dict:
    """A paper's authors, how often each verdict, its sentences with their scope and their rows."""
    text, rows = PAPERS.get(key, {}), {row.key: row for row in ledger}
    printed = [row for row in ledger if row.printed]
    authors = text.get("authors", key.upper())
    return {
        "by": [text[name] for name in ("authors", "year") if name in text],
        "menu": text.get("menu", authors.split(",")[0].split()[-1] + " et al." * ("," in authors)),
        "field": text.get("field", ""),
        "arxiv": text.get("arxiv", ""),
        "counts": counts(row for row in printed if row["paper"].lower() == key),
        "sentences": [
            (title, text[part]["say"], text[part].get("scope", ""), found)
            for part, title in SENTENCES.items()
            if part in text and (found := [rows[id] for id in text[part]["rows"] if id in rows])
        ],
    }


def causes(failed: list[Row]) -> list[Row]:
    """The errors that change a conclusion, in words, each with the rows that inherit it."""
    by_id = {row["id"]: row for row in failed}
    return [
        {"row": by_id[id], "rows": [row for row in rows if row["id"] != id]}
        | CAUSES.get(id, {"title": by_id[id]["statement"], "means": ""})
        for id, rows in by_cause(failed, "conclusion").items()
        if id in by_id
    ]
