"""results/reproduction.pdf and results/errata/ID.pdf, from the ledger and the figures.

The templates beside this file hold the prose and no digit: what they show comes as data, texts as
Typst markup. Equal inputs give equal bytes: fonts are Typst's own, and no date is written.
"""

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import get_args

import pandas as pd

from dpbandits import __version__
from dpbandits.core.figures import Figure
from dpbandits.core.files import atomic, write_csv
from dpbandits.core.ledger import MEANING, PRINTED, SEVERITIES, VERDICTS, Method, by_cause
from dpbandits.core.registry import papers
from dpbandits.pdf.markup import markup
from dpbandits.pipeline.claim_plots import name_of
from dpbandits.pipeline.figures import figures

_LONG = re.compile(r"(?<![\w.])\d+\.\d{7,}(?:e-?\d+)?")  # of an instance that a table holds in full
METHODS = get_args(Method)
HERE = Path(__file__).parent
TITLE = "Reproduction and exact audits of differentially private decision making"
CHECKER = "python3 -I certificates/check.py"
KEPT = ("id", "reading", "paper", "kind", "method", "verdict", "repaired_verdict", "certificate")
TERMS = {  # of the appendix, in its order
    "printed": "statement",
    "neighbours": "neighbours",
    "scope": "scope",
    "measured": "measured",
    "allowed": "bound",
    "slack": "slack",
    "confidence": "confidence",
    "counterexample": "counterexample",
    "the proof": "proof_step",
    "instead": "repaired",
    "its verdict": "its_verdict",
    "how near": "tightness",
    "evidence": "evidence",
    "certificate": "certificate_path",
}


def contents(ledger: pd.DataFrame, chosen: list[Figure], folder: Path) -> dict:
    """What the paper says; `folder` holds the figures' files as PAPER/NAME.pdf and .txt."""
    rows = [_row(values) for values in ledger.to_dict("records")]
    keys = dict.fromkeys(row["paper"] for row in rows)
    return {
        "title": TITLE,
        "version": __version__,
        "printed": PRINTED,
        "verdicts": VERDICTS,
        "terms": list(TERMS.items()),
        "claims": ledger["id"].nunique(),
        "rows": rows,
        "counts": _counts(ledger, "verdict", VERDICTS),
        "methods": _counts(
            ledger[ledger["verdict"].isin(("holds", "violated"))], "method", METHODS
        ),
        "repairs": _counts(_failing(ledger), "repaired_verdict", ("holds", "consistent", "open")),
        "failures": _failures(ledger),
        "certificates": int((ledger["certificate"] != "").sum()),
        "papers": [_paper(key, ledger, rows, chosen, folder) for key in keys],
    }


def errata(ledger: pd.DataFrame, out: Path) -> pd.DataFrame:
    """A page for each refuted statement, and which these are: id and file."""
    made = []
    for id, readings in ledger.groupby("id", sort=False):
        refuted = readings["verdict"] == "violated"
        if refuted.any():
            typeset("errata", erratum(id, readings, refuted), HERE, out / f"{id}.pdf")
            made.append({"id": id, "readings": int(refuted.sum()), "file": f"{id}.pdf"})
    for old in set(out.glob("*.pdf")) - {out / row["file"] for row in made}:
        old.unlink()  # of a statement that is no longer refuted
    return pd.DataFrame(made, columns=["id", "readings", "file"])


def erratum(id: str, readings: pd.DataFrame, refuted: pd.Series) -> dict:
    """What the page says: every refuted reading, the others by name, and once how to check all."""
    readings = readings.replace("the next row", "the other reading", regex=True)  # none here
    wrong = readings[refuted].to_dict("records")
    evidence = dict.fromkeys(path for row in wrong for path in row["evidence"].split(";"))
    return {
        "id": id,
        "version": __version__,
        "printed": PRINTED,
        "title": markup(papers()[wrong[0]["paper"].lower()].title),
        "rows": [_row(row) for row in _once(wrong)],
        "others": [_row(row) for row in readings[~refuted].to_dict("records")],
        "several": len(readings) > 1,
        "checks": _checks(wrong),
        "evidence": markup(", ".join(evidence)),
        "plot": markup(f"figures/{name_of(id)}.pdf"),
        "paper": markup("results/reproduction.pdf"),
    }


def build(ledger: Path, paper: Path, index: Path, keys: Iterable[str] | None = None) -> None:
    """Everything, from a ledger's file and those figures of its papers that lie beside it."""
    rows = pd.read_csv(ledger, dtype=str, keep_default_na=False)
    known = papers() if keys is None else keys
    folder = ledger.parent.resolve()
    here = [f for f in figures().values() if (folder / f"{f.name}.pdf").is_file()]
    chosen = [figure for figure in here if figure.paper in known]
    typeset("paper", contents(rows, chosen, folder), folder, paper)
    write_csv(errata(rows, index.parent), index)


def _once(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """Readings that one statement repairs: it is told with the first."""
    told = [row["repaired"] for row in rows]
    same = {"repaired": "As said above.", "tightness": ""}
    return [row | same if row["repaired"] in told[:i] else row for i, row in enumerate(rows)]


def _row(values: dict[str, str]) -> dict:
    """A row of the ledger: names as they are, texts as markup."""
    row = {key: text if key in KEPT else markup(text) for key, text in values.items()}
    row["evidence"] = markup(values["evidence"].replace(";", ", "))
    row["tightness"] = markup(
        _LONG.sub(lambda found: f"{float(found[0]):.5g}", values["tightness"])
    )
    row["certificate_path"] = markup(values["certificate"])
    row["its_verdict"] = ", ".join(filter(None, (row["repaired_verdict"], row["repaired_method"])))
    return row


def _failing(ledger: pd.DataFrame) -> pd.DataFrame:
    return ledger[ledger["verdict"].isin(("violated", "rejected"))]


def _counts(ledger: pd.DataFrame, column: str, names) -> dict[str, int]:
    found = ledger[column].value_counts()
    return {name: int(found.get(name, 0)) for name in names}


def _failures(ledger: pd.DataFrame) -> list[dict]:
    """Per severity its causes, most consequences first, and how many readings fail by them."""
    rows, found = ledger.to_dict("records"), []
    for severity in SEVERITIES:
        causes = by_cause(rows, severity)
        part = {"severity": severity, "meaning": MEANING[severity], "causes": list(causes)}
        found.append(part | {"count": sum(map(len, causes.values()))})
    return [part for part in found if part["count"]]


def _paper(key: str, ledger, rows: list[dict], chosen: list[Figure], folder: Path) -> dict:
    own = ledger[ledger["paper"] == key]
    mine = [row for row in rows if row["paper"] == key]
    shown = [f for f in chosen if f.paper == key.lower() and f.folder == "tables"]
    return {
        "name": key,
        "title": markup(papers()[key.lower()].title),
        "total": len(own),
        "claims": own["id"].nunique(),
        "counts": _counts(own, "verdict", VERDICTS),
        "rows": mine,
        "refuted": [row for row in mine if row["verdict"] in ("violated", "rejected")],
        "figures": [_figure(f, folder) for f in shown],
    }


def _figure(figure: Figure, folder: Path) -> dict:
    we_see = (folder / f"{figure.name}.txt").read_text(encoding="utf-8").strip()
    texts = {"title": figure.title, "paper_says": figure.paper_says, "we_see": we_see}
    shown = {key: markup(_ended(text)) for key, text in texts.items()}
    return shown | {
        "name": markup(f"figures/{figure.name}"),
        "file": f"{figure.name}.pdf",
        "alt": figure.alt,
    }


def _ended(text: str) -> str:
    return text if not text or text.endswith(("?", ".")) else f"{text}."


def _checks(rows: list[dict[str, str]]) -> list[tuple[str, str]]:
    """Why and how: commands that check a refutation; what asks for least trust comes first."""
    id = rows[0]["id"]
    files = dict.fromkeys(row["certificate"] for row in rows if row["certificate"])
    formal = any(path.endswith(".v") for row in rows for path in row["evidence"].split(";"))
    steps = [("Certificate, bare Python", " ".join((CHECKER, *files)))] if files else []
    steps += [("Theorem, by Coq", "make proofs")] if formal else []
    steps += [("A page to follow by hand", f"dpbandits refute {id}")] if files else []
    steps += [("The whole, from its tables", f"dpbandits check {id}")]
    return [(markup(why), line) for why, line in steps]


def typeset(template: str, data: dict, root: Path, out: Path) -> None:
    """Compile a template, whose pictures lie below `root`, into a PDF."""
    import typst

    parts = [(HERE / f"{name}.typ").read_text(encoding="utf-8") for name in ("layout", template)]
    with atomic(out) as temporary:
        typst.compile(
            "\n".join(parts).encode(),
            output=str(temporary),
            root=str(root),
            ignore_system_fonts=True,
            sys_inputs={"data": json.dumps(data)},
            format="pdf",
        )
