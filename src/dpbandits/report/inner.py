"""Snakemake's own page, kept inside ours: marks in place of its results, our captions put in."""

import html
import json
import re
import tempfile
from pathlib import Path

from dpbandits.pipeline.snakemake import snakemake
from dpbandits.plots.words import readable

_PNG = "data:image/png;base64,"
_RESULTS = re.compile(r"var results = (\{.*\});$", re.MULTILINE)


def mark(name: str) -> str:
    """What stands for the bytes of a result."""
    return f"@@{name}@@"


def snakemake_report(config: dict, made: list[str]) -> str:
    """What Snakemake reports on some outputs: its own page."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "report.html")
        snakemake(config, "--report", str(page), "--cores", "1", "--", *made)
        return page.read_text(encoding="utf-8")


def results_in(page: str) -> dict[str, dict]:
    """Snakemake's results by path, with their bytes as a data address."""
    match = _RESULTS.search(page)
    if not match:
        raise ValueError("Snakemake's report has another form than the one known here")
    return json.loads(match[1])


def is_picture(name: str) -> bool:
    return name.endswith(".png")


def payload(record: dict) -> str:
    return record["data_uri"].partition(",")[2]


def shared(text: str, pictures: dict[str, str]) -> str:
    """A page's pictures that this report has anyway, as placeholders."""

    def place(match: re.Match) -> str:
        name = pictures.get(match[1])
        return _PNG + mark(name) if name else match[0]

    return re.sub(f"{_PNG}([A-Za-z0-9+/=]+)", place, text)


def captioned(page: str, views: list[dict]) -> str:
    """Each figure with what the paper says, what we see, and what drew it; its data, its page."""
    match = _RESULTS.search(page)
    records = json.loads(match[1])
    for name, record in records.items():  # the bytes of each result stand in our page once
        record["data_uri"] = record["data_uri"].partition(",")[0] + "," + mark(name)
    for view in views:
        rule = records[view["png"]]["job_properties"]["rule"]
        notebook = view["notebook_source"]
        said = {"The paper says": readable(view["paper_says"]), "We see": readable(view["we_see"])}
        text = "".join(f"<p><b>{k}:</b> {html.escape(v)}</p>" for k, v in said.items() if v)
        text += (
            f"<p>Drawn by the rule {rule} from {notebook}, out of {len(view['tables'])} table(s)."
        )
        records[view["png"]]["caption"] = f"{text} The data drawn stand beside it.</p>"
        records[view["csv"]]["caption"] = "<p>Exactly what the figure of the same name draws.</p>"
        records[view["notebook"]]["caption"] = f"<p>{notebook} as it was executed in this run.</p>"
    replaced = f"var results = {json.dumps(records)};".replace("</", "<\\/")
    return page[: match.start()] + replaced + page[match.end() :]
