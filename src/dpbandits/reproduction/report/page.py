"""The report as one HTML file, with Snakemake's own report embedded in it.

The results are those of Snakemake's report. The page holds the content of each once: a picture in
an <img>, other files compressed in `files`. Placeholders stand for it elsewhere (inner.py).
"""

import base64
import gzip
import inspect
import io
import json
import re
from functools import partial
from itertools import filterfalse
from pathlib import Path

import jinja2
import pandas as pd
from markupsafe import Markup
from PIL import Image

from dpbandits.core.files import read_rows
from dpbandits.reproduction.ledger.claims import claims, place
from dpbandits.reproduction.ledger.verdicts import PRINTED, VERDICTS
from dpbandits.reproduction.papers import papers
from dpbandits.reproduction.pipeline.claim_plots import name_of
from dpbandits.reproduction.pipeline.figures import figures
from dpbandits.reproduction.pipeline.plan import Plan
from dpbandits.reproduction.pipeline.provenance import display_path, source_of
from dpbandits.reproduction.plots.drawn import KEY
from dpbandits.reproduction.plots.figures import Figure
from dpbandits.reproduction.plots.words import readable
from dpbandits.reproduction.report.facts import experiments, rule_times, run_facts
from dpbandits.reproduction.report.front import front, topics
from dpbandits.reproduction.report.inner import (
    captioned,
    is_picture,
    payload,
    results_in,
    with_placeholders,
)
from dpbandits.reproduction.report.mathml import mathml

HERE = Path(__file__).parent
SYMBOLS = dict(zip(VERDICTS, "✓✗✗≈–", strict=True))
MOST_POINTS = 12  # rows of the table beside a claim's plot
MOST_WIDTH = 1400  # pixels, 200 per inch; a wider figure gets the whole width of the page
LONG = 300  # characters; a longer text is folded
METHODS = {  # how the report names the methods of the ledger
    "formal": "a proof that Coq checks",
    "exact": "exact computation, up to rounding",
    "certified": "certified computation (interval arithmetic)",
    "proof": "a written proof",
    "statistical": "simulation",
}
SCRIPTS = ("page.js", "search.js", "axes.js", "plot.js")


def build(plan: Plan, inner: str) -> str:
    """The HTML of a finished run; `inner` is the HTML of Snakemake's report on it."""
    records, results = results_in(inner), Path(plan.places.results)
    pictures = {payload(records[name]): name for name in filter(is_picture, records)}
    texts = {name: Path(name).read_bytes().decode() for name in filterfalse(is_picture, records)}
    files = {name: with_placeholders(text, pictures) for name, text in texts.items()}
    of_plan = [figure for figure in figures().values() if figure.paper in plan.papers]
    views = [_figure(figure, results, records) for figure in of_plan]
    ledger = _ledger(results / "figures/claims.csv", views)
    parts = [_paper(plan, key, views, files) for key in plan.papers]
    for view in views:
        files[view["rule"]] = _rule_text(view)
        files[view["code"]] = source_of(view["module"]).read_text(encoding="utf-8")
    for row in ledger:
        if row["code"]:
            files[row["code"]] = row["source"].read_text(encoding="utf-8")
    return _template().render(
        front=front(ledger, views, plan.papers),
        papers=parts,
        ledger=ledger,
        most_points=MOST_POINTS,
        verdicts=VERDICTS,
        symbols=SYMBOLS,
        kinds=sorted({row["kind"] for row in ledger}),
        facts=run_facts(plan),
        times=rule_times(plan),
        results=plan.places.results,
        files=_packed(_json(files)),
        inner=_packed(_json(captioned(inner, views))),
        pdfs={name: _packed(Path(name).read_bytes()) for view in views if (name := view["pdf"])},
        style=(HERE / "page.css").read_text(encoding="utf-8"),
        script="\n".join((HERE / name).read_text(encoding="utf-8") for name in SCRIPTS),
    )


def _template() -> jinja2.Template:
    loader = jinja2.FileSystemLoader(HERE)
    environment = jinja2.Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters |= {"math": lambda text: Markup(mathml(text)), "plain": readable}
    environment.filters |= {"fold": _fold}
    return environment.get_template("page.html")


def _packed(content: bytes) -> str:
    """Compressed and in base64, without a time stamp."""
    return base64.b64encode(gzip.compress(content, 6, mtime=0)).decode("ascii")


def _json(value) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8")


def _fold(text: str) -> tuple[str, str]:
    """A long text in two parts: the first is shown, the second is folded.

    It is cut at the end of a sentence, or else at another stop, but never inside a formula.
    """
    if len(text) <= LONG:
        return text, ""
    ends = [match.end() for match in re.finditer(r"[.;:,] (?=\S)", text[:LONG])]
    ends = [end for end in ends if text[:end].count("$") % 2 == 0 and end > LONG / 3]
    sentence_ends = [end for end in ends if text[end - 2] == "."]
    cut = max(sentence_ends or ends, default=len(text))
    return text[:cut], text[cut:]


def _figure(figure: Figure, results: Path, records: dict[str, dict]) -> dict:
    stem = results / "figures" / figure.name
    png = f"{stem}.png"
    return {
        "name": figure.name,
        "anchor": f"figure-{figure.name.replace('/', '-')}",
        "paper": figure.paper,
        "title": figure.title,
        "alt": figure.alt,
        "paper_says": figure.paper_says,
        "we_see": Path(f"{stem}.txt").read_text(encoding="utf-8").strip(),
        "png": png,
        "uri": records[png]["data_uri"],
        **_from_png(payload(records[png])),
        "csv": f"{stem}.csv",
        "pdf": f"{stem}.pdf" if "pdf" in figure.suffixes else "",
        "notebook": f"{results}/notebooks/{figure.paper}/{figure.notebook}.html",
        "notebook_source": f"notebooks/{figure.paper}/{figure.notebook}.ipynb",
        "rule": f"rule {records[png]['job_properties']['rule']}, figure {figure.name}",
        "tables": [f"{results}/{figure.folder}/{figure.paper}/{n}.csv" for n in figure.reads],
        "of_claim": figure.folder == "claims",
        "module": figure.module,
        "code": display_path(source_of(figure.module)),
        "line": _line(figure.make, figure.module),
        "reads": {f"{figure.paper}/{name}" for name in figure.reads},
        "claims": [],
    }


def _line(function, module: str) -> int:
    """The first line of a function; 0 if it is not in the file of the module."""
    code = inspect.unwrap(function.func if isinstance(function, partial) else function).__code__
    in_module = Path(code.co_filename).resolve() == source_of(module).resolve()
    return code.co_firstlineno if in_module else 0


def _from_png(content: str) -> dict:
    """The size of a picture (in base64), and what plots.drawn wrote into it."""
    picture = Image.open(io.BytesIO(base64.b64decode(content)))
    drawn = json.loads(picture.text.get(KEY, '{"panels": []}'))
    return {
        "finding": drawn.get("finding", ""),
        "size": picture.size,
        "wide": picture.size[0] > MOST_WIDTH,
        "panels": len(drawn["panels"]),
    }


def _rule_text(view: dict) -> str:
    """The rule, notebook, code and tables behind a figure, as text."""
    lines = [
        f"{view['rule']}  (workflow/rules/notebooks.smk)",
        f"  notebook  {view['notebook_source']}",
        f"  code      {view['code']}",
        *(f"  table     {table}" for table in view["tables"]),
        "",
        f"Make it alone:   make figure ID={view['name']}",
        "",
        "The rule:",
        "",
        Path("workflow/rules/notebooks.smk").read_text(encoding="utf-8"),
    ]
    return "\n".join(lines)


def _ledger(path: Path, views: list[dict]) -> list[dict]:
    """The rows of claims.csv with what the template adds to each; none without the file.

    Evidence that is a figure of this report becomes a link to it.
    """
    if not path.is_file():
        return []
    rows = pd.read_csv(path, dtype=str, keep_default_na=False).to_dict("records")
    by_id, plots = claims(), {view["name"]: view for view in views}
    figures_by_name = {view["name"]: view for view in views if not view["of_claim"]}
    for row in rows:
        claim = by_id.get(row["id"])
        row["where"], _, row["text"] = row["statement"].partition(": ")
        row["topics"] = topics(row["id"])
        row["story"], row["details"] = _texts(row)
        row["plot"] = plots[name_of(row["id"])]
        row["points"] = _points(row["plot"]["csv"], row["reading"])
        printed = row["reading"] == PRINTED
        row["anchor"] = row["id"] if printed else f"{row['id']}.{row['reading']}"
        paths = filter(None, row["evidence"].split(";"))
        row["evidence"] = [_evidence(path, figures_by_name) for path in paths]
        row["source"], row["line"] = place(claim) if claim else (Path(), 0)
        row["code"] = display_path(row["source"]) if claim else ""
        reads = {f"{claim.paper.lower()}/{name}" for name in claim.reads} if claim else set()
        row["figures"] = _figures_of(row, reads, figures_by_name)
        for view in row["figures"]:
            view["claims"].append(row)
    return rows


def _texts(row: dict) -> tuple[list, list]:
    """The (term, text) pairs of an opened row: about its failure, and how it was judged."""
    verdict, method = row["repaired_verdict"], row["repaired_method"]
    instead = f" ({verdict}{', by ' + METHODS[method] if method else ''})" if verdict else ""
    story = [
        ("Counterexample", row["counterexample"]),
        ("Why: the step that fails", row["proof_step"]),
        (f"Corrected statement{instead}", row["repaired"]),
        ("By how much: what was found", row["measured"]),
        ("What the statement allows", row["bound"]),
        ("Ratio of measured value and bound", row["slack"]),
        ("Largest ratio of the true value to the printed one", row["supremum"]),
        ("How near the true value comes to the corrected bound", row["tightness"]),
    ]
    details = [
        ("Judged by", METHODS[row["method"]]),
        ("Confidence", row["confidence"]),
        ("Neighbouring data sets", row["neighbours"]),
        ("Checked for", row["scope"]),
    ]
    return story, details


def _figures_of(row: dict, reads: set[str], figures_by_name: dict[str, dict]) -> list[dict]:
    """The figures that a row names as evidence, and those that read the same tables."""
    named = {item["figure"] for item in row["evidence"]}
    return [
        view for name, view in figures_by_name.items() if name in named or reads & view["reads"]
    ]


def _points(path: str, reading: str) -> list[dict]:
    """The points of a claim's plot, first those that the statement does not allow."""
    points = [row for row in read_rows(path) if row["reading"] == reading]
    return sorted(points, key=lambda point: point["beyond"], reverse=True)


def _evidence(path: str, figures_by_name: dict[str, dict]) -> dict[str, str]:
    name = path.strip().removeprefix("figures/").rsplit(".", 1)[0]
    return {"path": path.strip(), "figure": name if name in figures_by_name else ""}


def _paper(plan: Plan, key: str, views: list[dict], files: dict) -> dict:
    tables = []
    for name in (table.split("/")[1] for table in plan.tables() if table.startswith(f"{key}/")):
        stem = f"{plan.places.results}/tables/{key}/{name}"
        forms = {"Markdown": f"{stem}.md", "LaTeX": f"{stem}.tex"}
        for path in forms.values():
            files[path] = Path(path).read_text(encoding="utf-8")
        tables.append({"name": name, "forms": forms, "csv": f"{stem}.csv"})
    return {
        "key": key,
        "title": papers()[key].title,
        "figures": sorted(
            (v for v in views if v["paper"] == key and not v["of_claim"]),
            key=lambda view: not view["name"].split("/")[1].startswith("fig1"),
        ),
        "experiments": experiments(plan, key),
        "tables": tables,
    }
