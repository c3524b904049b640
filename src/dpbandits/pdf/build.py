"""The article, its supplement and a letter per paper, from the ledger and the figures (Typst).

results/reproduction.pdf, results/supplement.pdf, results/letters/KEY.pdf. The templates beside this
file and texts.toml hold the prose; every count and every measured number comes as data. Equal
inputs give equal bytes: fonts are Typst's own, and the only date is that of texts.toml.
"""

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import get_args

import pandas as pd

from dpbandits import __version__
from dpbandits.core.figures import Figure
from dpbandits.core.files import atomic
from dpbandits.core.ledger import (
    FAILS,
    MEANING,
    SEVERITIES,
    VERDICTS,
    Method,
    by_cause,
    row_name,
)
from dpbandits.core.registry import papers
from dpbandits.pdf.markup import markup
from dpbandits.pipeline.figures import figures
from dpbandits.report.front import PAPERS, SENTENCES

HERE = Path(__file__).parent
TEXTS = tomllib.loads((HERE / "texts.toml").read_text(encoding="utf-8"))
SERIOUS = ("conclusion", "constant")  # the severities that a letter is about
SIZES = (11.2, 10.8, 10.4, 10, 9.6, 9.2, 8.8, 8.4, 8)  # of a letter's text, in points
METHODS = get_args(Method)
_LONG = re.compile(r"(?<![\w.])\d+\.\d{7,}(?:e-?\d+)?")  # of an instance that a table holds in full


def build(ledger: Path, out: Path, keys: Iterable[str] = ()) -> None:
    """Everything, from a ledger's file and those figures that lie beside it."""
    rows = pd.read_csv(ledger, dtype=str, keep_default_na=False).to_dict("records")
    folder = ledger.parent.resolve()
    drawn = {f.name: f for f in figures().values() if (folder / f"{f.name}.png").is_file()}
    keys = [*keys] or [*dict.fromkeys(row["paper"].lower() for row in rows)]
    data = contents(rows, [shown(figure, folder) for figure in drawn.values()], keys)
    typeset("article", data, folder, out / "reproduction.pdf")
    typeset("supplement", data, folder, out / "supplement.pdf")
    for paper in data["papers"]:
        letter(data | {"paper": paper}, folder, out / f"letters/{paper['key']}.pdf")


def letter(data: dict, folder: Path, out: Path) -> None:
    """Two pages, in the largest of the sizes with which they suffice."""
    for size in SIZES:
        typeset("letter", data | {"size": size}, folder, out)
        if len(re.findall(rb"/Type ?/Page\b", out.read_bytes())) <= 2:
            return


def contents(rows: list[dict[str, str]], drawn: list[dict], keys: list[str]) -> dict:
    """What the templates are given."""
    return {
        "version": __version__,
        "verdicts": VERDICTS,
        "serious": SERIOUS,
        "meaning": MEANING,
        "counts": counts(rows),
        "read": markup(TEXTS["read"]),
        "date": TEXTS["date"],
        "audits": next((figure for figure in drawn if figure["name"] == TEXTS["audits"]), None),
        "errors": [
            {key: ", ".join(text) if key == "rows" else markup(text) for key, text in each.items()}
            for each in TEXTS["errors"]
        ],
        "references": [markup(text) for text in TEXTS["references"]],
        "papers": [_paper(key, rows, drawn) for key in keys],
    }


def counts(rows: list[dict[str, str]]) -> dict:
    """One row is one reading of a statement."""

    def of(column: str, names: Iterable[str], rows=rows) -> dict[str, int]:
        found = Counter(row[column] for row in rows)
        return {name: found[name] for name in names}

    failing = [row for row in rows if row["verdict"] in FAILS]
    return {
        "rows": len(rows),
        "statements": len({row["id"] for row in rows}),
        "failing": len(failing),
        "serious": sum(row["severity"] in SERIOUS for row in rows),
        "verdicts": of("verdict", VERDICTS),
        "severities": of("severity", SEVERITIES),
        "methods": of("method", METHODS),
        "repairs": of("repaired_verdict", ("holds", "consistent", "open"), failing),
        "causes": len(by_cause(rows, "conclusion")),
        "certificates": len({row["certificate"] for row in rows} - {""}),
    }


def causes(rows: list[dict[str, str]], texts: dict) -> list[dict]:
    """The serious failures of a paper by the error behind them, its own row first."""
    groups: dict[str, list[dict[str, str]]] = {}
    for severity in SERIOUS:
        for root, group in by_cause(rows, severity).items():
            groups.setdefault(root, []).extend(group)
    found = []
    for root, group in groups.items():
        group.sort(key=lambda row: row["id"] != root)
        about = texts.get(root, {"title": group[0]["statement"].partition(": ")[0], "means": ""})
        row, *others = map(_row, group)
        told = {"id": root, "severity": row["severity"], "readings": len(group)}
        words = {key: markup(text) for key, text in about.items()}
        found.append(told | words | {"row": row, "others": others})
    return found


def _paper(key: str, rows: list[dict[str, str]], drawn: list[dict]) -> dict:
    about, texts = PAPERS.get(key, {}), TEXTS.get(key, {})
    own = [row for row in rows if row["paper"].lower() == key]
    named = {figure["name"]: figure for figure in drawn}
    mine = [figure for figure in drawn if figure["of"] == key and not figure["claim"]]
    main = named.get(about.get("figure", ""), mine[0] if mine else None)
    return {
        "key": key,
        "name": key.upper(),
        "title": markup(papers()[key].title),
        "by": {name: about.get(name, "") for name in ("authors", "year", "arxiv")},
        "sentences": [
            (title, markup(about[part]["say"]))
            for part, title in SENTENCES.items()
            if part in about
        ],
        "question": markup(texts.get("question", "")),
        "experiments": markup(texts.get("experiments", "")),
        "definitions": markup(texts.get("definitions", "")),
        "counts": counts(own),
        "causes": causes(own, texts.get("causes", {})),
        "rows": [_row(row) for row in sorted(own, key=_rank)],
        "main": main,
        "told": [named[name] for name in texts.get("figures", ()) if name in named],
        "plot": named.get(texts.get("plot", ""), main),
        "rest": [f for f in mine if f is not main and f["name"] != TEXTS["audits"]],
    }


def _rank(row: dict[str, str]) -> int:
    return SEVERITIES.index(row["severity"]) if row["severity"] else len(SEVERITIES)


def _row(values: dict[str, str]) -> dict[str, str]:
    """A row of the ledger: names as they are, texts as markup."""
    near = _LONG.sub(lambda found: f"{float(found[0]):.5g}", values["tightness"])
    values = values | {"tightness": near, "evidence": values["evidence"].replace(";", ", ")}
    where, _, claim = values["statement"].partition(": ")
    row = {key: markup(text) for key, text in values.items()}
    row |= {key: values[key] for key in ("verdict", "method", "severity", "repaired_verdict")}
    row |= {"name": row_name(values), "where": markup(where), "claim": markup(claim)}
    row["by"] = ", ".join(filter(None, (values["repaired_verdict"], values["repaired_method"])))
    return row


def shown(figure: Figure, folder: Path) -> dict:
    """A figure whose files lie in a folder as PAPER/NAME.pdf (of a claim .png) and .txt."""
    we_see = (folder / f"{figure.name}.txt").read_text(encoding="utf-8").strip()
    texts = {"title": figure.title, "paper_says": figure.paper_says, "we_see": we_see}
    return {key: markup(_ended(text)) for key, text in texts.items()} | {
        "name": figure.name,
        "of": figure.paper,
        "claim": figure.folder == "claims",
        "file": f"{figure.name}.{figure.suffixes[0]}",
        "alt": figure.alt,
    }


def _ended(text: str) -> str:
    return text if not text or text.endswith(("?", ".")) else f"{text}."


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
