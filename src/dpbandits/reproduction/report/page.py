"""The report: one static HTML file with all pictures in it, which needs no network."""

import base64
import re
from pathlib import Path

import jinja2
from markupsafe import Markup

from dpbandits.reproduction.files import read_rows
from dpbandits.reproduction.ledger import verdicts
from dpbandits.reproduction.ledger.claims import claims, place
from dpbandits.reproduction.ledger.prose import details, judged_by, three_sentences
from dpbandits.reproduction.ledger.rows import Row, read_ledger, wrong_statements
from dpbandits.reproduction.papers import OWN, papers
from dpbandits.reproduction.pipeline.figures import figures
from dpbandits.reproduction.pipeline.plan import Plan
from dpbandits.reproduction.pipeline.provenance import display_path
from dpbandits.reproduction.plots.beside import read_beside
from dpbandits.reproduction.plots.figures import FIGURES
from dpbandits.reproduction.plots.words import formulas
from dpbandits.reproduction.report.facts import rule_times, run_facts
from dpbandits.reproduction.report.formulas import mathml
from dpbandits.reproduction.report.front import front
from dpbandits.reproduction.report.markdown import (
    KINDS,
    RELEASED,
    by_figure,
    published_figures,
)
from dpbandits.reproduction.statistics import LEVEL

HERE = Path(__file__).parent
PUBLISHED = re.compile(r"\bfig\d(_left|_right|)(_presets)?$")  # in a figure's name or anchor
LONG = 60  # rows of a table; longer ones are not shown


def build(plan: Plan, folder: Path) -> str:
    """The HTML of a finished run; folder: of its ledger and figures."""
    return page(folder, list(plan.papers), run_facts(plan), rule_times(plan))


def page(folder: Path, keys: list[str], facts: dict, times: list[dict]) -> str:
    """The HTML of a folder with the ledger and the figures of some papers."""
    views = [view(name, folder) for name, figure in figures().items() if figure.paper in keys]
    drawn = {view["name"] for view in views}
    rows = ledger(folder / "claims.csv", drawn)
    published, data = by_figure(published_figures(rows)), front(rows, keys)
    for entry in published:  # the anchors of our pictures, if they were drawn
        entry["verdicts"] = " ".join(sorted({p["verdict"] for kind in KINDS for p in entry[kind]}))
        for part in (entry, *entry[verdicts.PRINTED], *entry[RELEASED]):
            part["picture"] = _anchor(part["picture"]) if part["picture"] in drawn else ""
    files, blocks = jinja2.FileSystemLoader(HERE), {"trim_blocks": True, "lstrip_blocks": True}
    environment = jinja2.Environment(loader=files, autoescape=True, **blocks)
    environment.filters["math"] = lambda text: Markup(mathml(text))
    return environment.get_template("page.html").render(
        published=published,
        front=data,
        papers=[_paper(key, rows, views) | data["papers"][key] for key in keys],
        meaning=verdicts.MEANING,
        verdicts=verdicts.VERDICTS,
        shows=verdicts.SHOWS,
        counted=verdicts.COUNTED,
        no_number=verdicts.NO_NUMBER,
        level=formulas(f"{LEVEL:g}"),
        ours=OWN,
        facts=facts,
        times=times,
        letters={key for key in keys if (folder / key / "letter.md").is_file()},
        style=(HERE / "page.css").read_text(encoding="utf-8"),
        script=(HERE / "page.js").read_text(encoding="utf-8"),
    )


def view(name: str, folder: Path) -> dict:
    """A figure: its picture, the text beside it, and its table."""
    content = (folder / f"{name}.png").read_bytes()
    return {
        "name": name,
        "anchor": _anchor(name),
        "alt": figures()[name].alt,
        "beside": read_beside(folder / f"{name}.txt"),
        "table": _table(read_rows(folder / f"{name}.csv")),
        "uri": _uri(content),
        "size": [int.from_bytes(content[at : at + 4]) for at in (16, 20)],  # of a PNG
        "code": str(FIGURES.place(name)),
        "published": bool(PUBLISHED.search(name)),
    }


def _uri(picture: bytes) -> str:
    return "data:image/png;base64," + base64.b64encode(picture).decode()


def _table(rows: list[dict]) -> dict:
    """What a figure draws: columns that vary, by row, and the values of those that do not. A long
    table is only named."""
    columns = {key: [row[key] for row in rows] for key in rows[0]}
    same = {key: own[0] for key, own in columns.items() if len(set(own)) == 1 and own[0]}
    shown = [key for key, own in columns.items() if len(set(own)) > 1]
    cells = [[_short(row[key]) for key in shown] for row in rows] if len(rows) <= LONG else []
    return {"same": same, "columns": shown, "cells": cells, "rows": len(rows)}


def _short(text: str) -> str:
    try:
        return f"{float(text):.4g}"
    except ValueError:
        return text


def _anchor(figure: str) -> str:
    return f"figure-{figure.replace('/', '-')}"


def ledger(path: Path, drawn: set[str]) -> list[Row]:
    """The rows of claims.csv with what the template adds to each; none without the file."""
    rows = read_ledger(path) if path.is_file() else []
    worst = {row["id"]: row["severity"] for row in wrong_statements(rows)}
    for row in rows:
        row["worst"] = worst.get(row["id"], "") if row.printed else row["severity"]
        row["sentences"] = three_sentences(row)
        row["texts"] = [*details(row), judged_by(row)]
        paths = [path.strip() for path in row["evidence"].split(";") if path]
        names = [re.sub(r"^figures/|\.\w+$", "", path) for path in paths]
        linked = [_anchor(name) if name in drawn else "" for name in names]
        row["evidence"] = list(zip(paths, linked, strict=True))
        claim = claims().get(row["id"])
        file, line = place(claim) if claim else ("", 0)
        row["code"] = f"{display_path(file)}:{line}" if claim else ""
    return rows


def _paper(key: str, rows: list[Row], views: list[dict]) -> dict:
    """A paper's figures, the published ones first, and its statements by severity."""
    own = [row for row in rows if row["paper"].lower() == key]
    groups = {kind: [r for r in own if r["worst"] == kind] for kind in verdicts.SEVERITIES}
    groups["what holds, or is not decided"] = [row for row in own if not row["worst"]]
    return {
        "key": key,
        "title": papers()[key].title,
        "figures": sorted((view for view in views if view["name"].startswith(f"{key}/")),
                          key=lambda view: not view["published"]),
        "groups": {name: group for name, group in groups.items() if group},
    }  # fmt: skip
