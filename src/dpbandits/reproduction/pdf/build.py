"""The article and a letter per paper, from the ledger and the figures (Typst).

results/reproduction.pdf, results/letters/KEY.pdf. The prose is in the templates (*.typ) and in
report/texts.toml; each count and measured number is computed here. Equal inputs give equal bytes:
fonts are Typst's own, and the only date is that of texts.toml.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import get_args

import pandas as pd

from dpbandits import __version__
from dpbandits.core.files import atomic
from dpbandits.reproduction.ledger.verdicts import (
    FAILS,
    MEANING,
    SEVERITIES,
    VERDICTS,
    Method,
    by_cause,
    row_name,
    wrong_statements,
)
from dpbandits.reproduction.papers import papers
from dpbandits.reproduction.pdf.markup import markup
from dpbandits.reproduction.pipeline.figures import figures
from dpbandits.reproduction.plots.beside import read_beside
from dpbandits.reproduction.plots.figures import Figure
from dpbandits.reproduction.report.front import PAPERS, SENTENCES
from dpbandits.reproduction.report.sentences import TEXTS

HERE = Path(__file__).parent
SERIOUS = ("conclusion", "constant")  # the severities of the failures in a letter
SIZES = (11.2, 10.8, 10.4, 10, 9.6, 9.2, 8.8, 8.4, 8)  # font sizes to try for a letter, in points
METHODS = get_args(Method)
_LONG_NUMBER = re.compile(r"(?<![\w.])\d+\.\d{7,}(?:e-?\d+)?")
Row = dict[str, str]


def build(ledger: Path, out: Path, keys: Iterable[str] = ()) -> None:
    """Write all documents into the folder `out`.

    They are about the ledger (a CSV file) and the figures in its folder. `keys`: the papers;
    by default all of the ledger.
    """
    rows = pd.read_csv(ledger, dtype=str, keep_default_na=False).to_dict("records")
    folder = ledger.parent.resolve()
    drawn = [
        describe(figure, folder)
        for figure in figures().values()
        if (folder / f"{figure.name}.pdf").is_file()
    ]
    keys = [*keys] or [*dict.fromkeys(row["paper"].lower() for row in rows)]
    data = contents(rows, drawn, keys)
    typeset("article", data, folder, out / "reproduction.pdf")
    for paper in data["papers"]:
        letter(data | {"paper": paper}, folder, out / f"letters/{paper['key']}.pdf")


def letter(data: dict, folder: Path, out: Path) -> None:
    """A letter in the largest of SIZES at which it has at most two pages."""
    for size in SIZES:
        typeset("letter", data | {"size": size}, folder, out)
        if len(re.findall(rb"/Type ?/Page\b", out.read_bytes())) <= 2:
            return


def contents(rows: list[Row], drawn: list[dict], keys: list[str]) -> dict:
    """The data of the templates, with texts in Typst markup."""
    return {
        "version": __version__,
        "verdicts": VERDICTS,
        "serious": SERIOUS,
        "meaning": MEANING,
        "counts": counts(rows),
        "read": markup(TEXTS["read"]),
        "date": TEXTS["date"],
        "audits": next((figure for figure in drawn if figure["name"] == TEXTS["audits"]), None),
        "errors": [_error(error) for error in TEXTS["errors"]],
        "references": [markup(text) for text in TEXTS["references"]],
        "papers": [_paper(key, rows, drawn) for key in keys],
    }


def _error(error: dict) -> dict[str, str]:
    texts = {key: markup(error[key]) for key in ("area", "said", "now")}
    return texts | {"rows": ", ".join(error["rows"])}


def counts(rows: list[Row]) -> dict:
    """Numbers of readings (one per row) by verdict and method; of wrong statements by severity."""

    def by(column: str, values: Iterable[str], rows: list[Row] = rows) -> dict[str, int]:
        counter = Counter(row[column] for row in rows)
        return {value: counter[value] for value in values}

    failing, wrong = [row for row in rows if row["verdict"] in FAILS], wrong_statements(rows)
    return {
        "rows": len(rows),
        "statements": len({row["id"] for row in rows}),
        "failing": len(failing),
        "wrong": len(wrong),
        "serious": sum(row["severity"] in SERIOUS for row in wrong),
        "verdicts": by("verdict", VERDICTS),
        "severities": by("severity", SEVERITIES, wrong),
        "methods": by("method", METHODS),
        "repairs": by("repaired_verdict", ("holds", "consistent", "open"), wrong),
        "causes": len(by_cause(wrong, "conclusion")),
        "certificates": len({row["certificate"] for row in rows} - {""}),
    }


def causes(rows: list[Row], texts: dict) -> list[dict]:
    """What a letter is about, by the error behind it, whose own row is first: the serious failures,
    and those that need a condition if the error has a text."""
    wrong = {row["id"] for row in wrong_statements(rows)}
    rows = [row for row in rows if row["id"] in wrong]
    told = {root for root, group in by_cause(rows).items() if _worst(group) in SERIOUS} | set(texts)
    groups: dict[str, list[Row]] = {}
    for root, group in by_cause(rows).items():
        severities = (*SERIOUS, "condition") if root in texts else SERIOUS
        if root in told:
            kept = [row for row in group if row["id"] == root or row["severity"] in severities]
            groups[root] = sorted(kept, key=lambda row: (row["id"] != root, _severity_rank(row)))
    result = []
    for root, group in sorted(groups.items(), key=lambda item: SEVERITIES.index(_worst(item[1]))):
        about = texts.get(root, {"title": group[0]["statement"].partition(": ")[0], "means": ""})
        row, *others = map(_row, group)
        cause = {
            "id": root,
            "severity": _worst(group),
            "readings": len(group),
            "title": markup(about["title"]),
            "means": markup(about["means"]),
            "row": row,
            "others": others,
        }
        result.append(cause)
    return result


def _paper(key: str, rows: list[Row], drawn: list[dict]) -> dict:
    about, texts = PAPERS.get(key, {}), TEXTS.get(key, {})
    rows = [row for row in rows if row["paper"].lower() == key]
    by_name = {figure["name"]: figure for figure in drawn}
    of_paper = [figure for figure in drawn if figure["of"] == key and not figure["claim"]]
    main = by_name.get(about.get("figure", ""), of_paper[0] if of_paper else None)
    return {
        "key": key,
        "name": key.upper(),
        "title": markup(papers()[key].title),
        "by": {name: about.get(name, "") for name in ("authors", "year", "arxiv")},
        "sentences": [
            (title, markup(about[part]["say"]), markup(about[part].get("scope", "")))
            for part, title in SENTENCES.items()
            if part in about
        ],
        "question": markup(texts.get("question", "")),
        "experiments": markup(texts.get("experiments", "")),
        "definitions": markup(texts.get("definitions", "")),
        "counts": counts(rows),
        "causes": causes(rows, texts.get("causes", {})),
        "rows": [_row(row) for row in sorted(rows, key=_severity_rank)],
        "main": main,
        "highlights": [by_name[name] for name in texts.get("figures", ()) if name in by_name],
        "plot": by_name.get(texts.get("plot", ""), main),
    }


def _worst(rows: list[Row]) -> str:
    return min(rows, key=_severity_rank)["severity"]


def _severity_rank(row: Row) -> int:
    return SEVERITIES.index(row["severity"]) if row["severity"] else len(SEVERITIES)


def _row(values: Row) -> Row:
    """A row of the ledger: names as they are, texts as markup, long numbers in five digits."""
    tightness = _LONG_NUMBER.sub(lambda match: f"{float(match[0]):.5g}", values["tightness"])
    values = values | {"tightness": tightness, "evidence": values["evidence"].replace(";", ", ")}
    where, _, claim = values["statement"].partition(": ")
    row = {key: markup(text) for key, text in values.items()}
    row |= {key: values[key] for key in ("verdict", "method", "severity", "repaired_verdict")}
    row |= {"name": row_name(values), "where": markup(where), "claim": markup(claim)}
    row["by"] = ", ".join(filter(None, (values["repaired_verdict"], values["repaired_method"])))
    return row


def describe(figure: Figure, folder: Path) -> dict:
    """The texts and the file of a figure; `folder` has PAPER/NAME.txt and .pdf."""
    beside = read_beside(folder / f"{figure.name}.txt")
    texts = {name: getattr(beside, name) for name in ("title", "paper_says", "we_see", "settings")}
    return {key: markup(_with_full_stop(text)) for key, text in texts.items()} | {
        "name": figure.name,
        "of": figure.paper,
        "claim": figure.folder == "claims",
        "file": f"{figure.name}.pdf",
        "alt": figure.alt,
    }


def _with_full_stop(text: str) -> str:
    return text if not text or text.endswith(("?", ".")) else f"{text}."


def typeset(template: str, data: dict, root: Path, out: Path) -> None:
    """Compile a template into a PDF; the paths of its pictures are relative to `root`."""
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
