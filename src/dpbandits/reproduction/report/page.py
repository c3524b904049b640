"""The report as one HTML file, which needs no network.

What is not seen at the start stands in <template> elements, whose content counts for nothing until
it is opened. Files (data, code, tables) are compressed in one JSON object, pictures stand in <img>.
"""

import base64
import gzip
import inspect
import json
import re
from functools import partial
from pathlib import Path

import jinja2
import pandas as pd
from markupsafe import Markup
from PIL import Image

from dpbandits.core.files import read_rows, read_table
from dpbandits.reproduction.ledger.checks import check_module
from dpbandits.reproduction.ledger.claims import claims, place
from dpbandits.reproduction.ledger.verdicts import (
    PRINTED,
    SEVERITIES,
    VERDICTS,
    wrong_statements,
)
from dpbandits.reproduction.papers import papers
from dpbandits.reproduction.pipeline.figures import figures
from dpbandits.reproduction.pipeline.plan import Plan
from dpbandits.reproduction.pipeline.provenance import display_path, source_of
from dpbandits.reproduction.plots.beside import read_beside
from dpbandits.reproduction.plots.figures import Figure, Plot
from dpbandits.reproduction.plots.style import curve_look, curve_name
from dpbandits.reproduction.plots.words import readable
from dpbandits.reproduction.report.facts import experiments, rule_times, run_facts
from dpbandits.reproduction.report.formulas import mathml
from dpbandits.reproduction.report.front import PAPERS, front, topics
from dpbandits.reproduction.report.sentences import METHODS, three_sentences

HERE = Path(__file__).parent
SYMBOLS = dict(zip(VERDICTS, "✓✗✗≈–", strict=True))
SCRIPTS = ("page.js", "search.js", "plot.js")
WHICH = Path("docs/which.md")


def build(plan: Plan) -> str:
    """The HTML of a finished run."""
    results = Path(plan.places.results)
    of_plan = [figure for figure in figures().values() if figure.paper in plan.papers]
    views = [figure_view(figure, results) for figure in of_plan]
    ledger = ledger_rows(results / "figures/claims.csv", views)
    texts = {"points": _points(results / "claims")}
    parts = [_paper(plan, key, views, texts) for key in plan.papers]
    paths = {view[name] for view in views for name in ("csv", "code")}
    paths |= {f"{results}/figures/claims.csv"} if ledger else set()
    texts |= {path: source.read_text(encoding="utf-8") for path, source in _sources(ledger)}
    texts |= {view["code"]: source_of(view["module"]).read_text("utf-8") for view in views}
    texts |= {path: Path(path).read_text("utf-8") for path in paths - {*texts}}
    texts |= {f"plots of {view['csv']}": json.dumps(view["plots"]) for view in views}
    return _template().render(
        which=tables_of(WHICH),
        front=front(ledger, views, plan.papers),
        papers=parts,
        ledger=ledger,
        verdicts=VERDICTS,
        symbols=SYMBOLS,
        kinds=sorted({row["kind"] for row in ledger}),
        facts=run_facts(plan),
        times=rule_times(plan),
        results=plan.places.results,
        files=_packed(json.dumps(texts, ensure_ascii=False).encode()),
        style=(HERE / "page.css").read_text(encoding="utf-8"),
        script="\n".join((HERE / name).read_text(encoding="utf-8") for name in SCRIPTS),
    )


def _template() -> jinja2.Template:
    loader = jinja2.FileSystemLoader(HERE)
    environment = jinja2.Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"math": lambda text: Markup(mathml(text)), "plain": readable}
    return environment.get_template("page.html")


def _packed(content: bytes) -> str:
    """Compressed and in base64, without a time stamp."""
    return base64.b64encode(gzip.compress(content, 6, mtime=0)).decode("ascii")


def tables_of(page: Path) -> list[list[list[str]]]:
    """The tables of a page in Markdown, each a row of names and then rows of cells."""
    text = page.read_text(encoding="utf-8") if page.is_file() else ""
    text = re.sub(r"\[([^\]]+)\]\([^)]+\)|\*\*", r"\1", text)
    blocks = re.findall(r"(?:^\|.*\n?)+", text, re.MULTILINE)
    split = [[re.split(r" *\| *", line.strip("| ")) for line in b.splitlines()] for b in blocks]
    return [[rows[0], *rows[2:]] for rows in split]


def figure_view(figure: Figure, results: Path) -> dict:
    stem = results / "figures" / figure.name
    beside = read_beside(f"{stem}.txt")
    content = Path(f"{stem}.png").read_bytes()
    with Image.open(f"{stem}.png") as picture:
        size = picture.size
    return {
        "name": figure.name,
        "anchor": f"figure-{figure.name.replace('/', '-')}",
        "paper": figure.paper,
        "alt": figure.alt,
        "beside": beside,
        "title": beside.title,
        "uri": "data:image/png;base64," + base64.b64encode(content).decode(),
        "size": size,
        "width": figure.width,
        "plots": [_plot(plot, f"{stem}.csv") for plot in figure.plots],
        "png": f"{stem}.png",
        "csv": f"{stem}.csv",
        "module": figure.module,
        "code": display_path(source_of(figure.module)),
        "line": _line(figure.make, figure.module),
        "reads": {f"{figure.paper}/{name}" for name in figure.reads},
        "claims": [],
    }


def _plot(plot: Plot, path: str) -> dict:
    """A declaration, with names and colours of the values that tell curves and panels apart."""
    table = read_table(path)
    columns = [column for column in (plot.curve, plot.panel) if column]
    look = {
        column: {
            str(value): _look(column, value) for value in table[column].dropna().unique().tolist()
        }
        for column in columns
    }
    return vars(plot) | {"look": look}


def _look(column: str, value) -> dict:
    look = curve_look(column, value)
    return {
        "name": curve_name(column, value),
        "colour": look.get("color", "#333"),
        "dash": look.get("ls", look.get("linestyle", "-")),
        "marker": look.get("marker", "o"),
    }


def _line(function, module: str) -> int:
    """The first line of a function; 0 if it is not in the file of the module."""
    code = inspect.unwrap(function.func if isinstance(function, partial) else function).__code__
    in_module = Path(code.co_filename).resolve() == source_of(module).resolve()
    return code.co_firstlineno if in_module else 0


def _points(folder: Path) -> str:
    """The numbers behind the verdicts of all papers, as CSV."""
    tables = [read_table(path) for path in sorted(folder.glob("*/points.csv"))]
    return pd.concat(tables).to_csv(index=False) if tables else ""


def ledger_rows(path: Path, views: list[dict]) -> list[dict]:
    """The rows of claims.csv with what the template adds to each; none without the file.

    The most severe failures come first, and an error before what inherits it. Evidence that is a
    figure of this report becomes a link to it.
    """
    rows = read_rows(path) if path.is_file() else []
    by_id, by_name = claims(), {view["name"]: view for view in views}
    worst = {row["id"]: row["severity"] for row in wrong_statements(rows)}
    for row in rows:
        claim = by_id.get(row["id"])
        row["where"], _, row["text"] = row["statement"].partition(": ")
        row["topics"] = topics(row["id"])
        printed = row["reading"] == PRINTED
        row["worst"] = worst.get(row["id"], "") if printed else row["severity"]
        row["sentences"] = three_sentences(row)
        row["story"], row["details"] = _texts(row)
        row["anchor"] = row["id"] if printed else f"{row['id']}.{row['reading']}"
        paths = filter(None, row["evidence"].split(";"))
        row["evidence"] = [_evidence(path, by_name) for path in paths]
        row["source"], row["line"] = place(claim) if claim else (Path(), 0)
        row["code"] = display_path(row["source"]) if claim else ""
        row["check"], row["check_line"] = _check(claim) if claim and claim.check else (None, 0)
        row["check_code"] = display_path(row["check"]) if row["check"] else ""
        reads = {f"{claim.paper.lower()}/{name}" for name in claim.reads} if claim else set()
        named = {item["figure"] for item in row["evidence"]}
        row["figures"] = [v for name, v in by_name.items() if name in named or reads & v["reads"]]
        for view in row["figures"]:
            view["claims"].append(row)
    rank = [*SEVERITIES, ""].index
    return sorted(rows, key=lambda row: (rank(row["worst"]), bool(row["cause"])))


def _check(claim) -> tuple[Path, int]:
    """The file and the line of the function that judges a claim."""
    path, name = source_of(check_module(claim.package, claim.check)), claim.check.partition("::")[2]
    lines = path.read_text(encoding="utf-8").splitlines()
    return path, next((i for i, line in enumerate(lines, 1) if f"def {name}(" in line), 1)


def _sources(ledger: list[dict]) -> set[tuple[str, Path]]:
    """(name, file) of the claims' files, and of the functions that judge them."""
    files = {(row["code"], row["source"]) for row in ledger if row["code"]}
    return files | {(row["check_code"], row["check"]) for row in ledger if row["check"]}


def _texts(row: dict) -> tuple[list, list]:
    """The (term, text) pairs of an opened row: about its failure, and how it was judged."""
    by = f", by {METHODS[row['repaired_method']]}" if row["repaired_method"] else ""
    instead = f" ({row['repaired_verdict']}{by})" if row["repaired_verdict"] else ""
    story = [
        ("Checked for", row["scope"]),
        ("Counterexample", row["counterexample"]),
        ("The step of the proof that fails", row["proof_step"]),
        (f"Corrected statement{instead}", row["repaired"]),
        ("Found", row["measured"]),
        ("Allowed by the statement", row["bound"]),
        ("Margin between the two", row["slack"]),
        ("True value over printed value, at worst", row["supremum"]),
        ("Largest true value found over the corrected bound", row["tightness"]),
    ]
    details = [
        ("Judged by", METHODS[row["method"]]),
        ("Confidence", row["confidence"]),
        ("Neighbouring data sets", row["neighbours"]),
    ]
    return story, details


def _evidence(path: str, by_name: dict[str, dict]) -> dict[str, str]:
    name = path.strip().removeprefix("figures/").rsplit(".", 1)[0]
    return {"path": path.strip(), "figure": name if name in by_name else ""}


def _paper(plan: Plan, key: str, views: list[dict], texts: dict[str, str]) -> dict:
    """A paper's figures, experiments and tables; adds the tables to `texts`."""
    tables = []
    for name in (table.split("/")[1] for table in plan.tables() if table.startswith(f"{key}/")):
        stem = f"{plan.places.results}/tables/{key}/{name}"
        forms = {"Markdown": f"{stem}.md", "LaTeX": f"{stem}.tex"}
        texts |= {path: Path(path).read_text(encoding="utf-8") for path in forms.values()}
        tables.append({"name": name, "forms": forms, "csv": f"{stem}.csv"})
    return {
        "key": key,
        "field": PAPERS.get(key, {}).get("field", ""),
        "title": papers()[key].title,
        "figures": _in_order([view for view in views if view["paper"] == key]),
        "experiments": experiments(plan, key),
        "tables": tables,
    }


def _in_order(views: list[dict]) -> list[dict]:
    """The published figures first, and half-width ones next to each other."""
    rank = lambda view: not re.search(r"/fig\d", view["name"])  # noqa: E731
    return sorted(views, key=lambda view: (rank(view), view["width"] == "half"))
