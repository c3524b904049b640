"""Snakemake's own report, embedded in ours with our captions.

Our page holds the content of each result once. In Snakemake's page and in notebooks a placeholder
@@NAME@@ stands for it, which the browser fills in when a page is opened (page.js).
"""

import html
import json
import re
import tempfile
from pathlib import Path

from dpbandits.reproduction.pipeline.snakemake import snakemake
from dpbandits.reproduction.plots.words import readable

_PNG = "data:image/png;base64,"
_RESULTS = re.compile(r"var results = (\{.*\});$", re.MULTILINE)


def placeholder(name: str) -> str:
    return f"@@{name}@@"


def snakemake_report(config: dict, outputs: list[str]) -> str:
    """The HTML page that Snakemake writes about some outputs."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "report.html")
        snakemake(config, "--report", str(page), "--cores", "1", "--", *outputs)
        return page.read_text(encoding="utf-8")


def results_in(page: str) -> dict[str, dict]:
    """Snakemake's records of results by path; each has its content as a data URI."""
    match = _RESULTS.search(page)
    if not match:
        raise ValueError("Snakemake's report has another form than the one known here")
    return json.loads(match[1])


def is_picture(name: str) -> bool:
    return name.endswith(".png")


def payload(record: dict) -> str:
    """The content of a result, in base64."""
    return record["data_uri"].partition(",")[2]


def with_placeholders(text: str, pictures: dict[str, str]) -> str:
    """A page with placeholders for embedded pictures; `pictures`: base64 content -> name."""

    def replace(match: re.Match) -> str:
        name = pictures.get(match[1])
        return _PNG + placeholder(name) if name else match[0]

    return re.sub(f"{_PNG}([A-Za-z0-9+/=]+)", replace, text)


def captioned(page: str, views: list[dict]) -> str:
    """Snakemake's page with placeholders for contents, and a caption for each figure's files."""
    match = _RESULTS.search(page)
    records = json.loads(match[1])
    for name, record in records.items():
        record["data_uri"] = record["data_uri"].partition(",")[0] + "," + placeholder(name)
    for view in views:
        rule = records[view["png"]]["job_properties"]["rule"]
        notebook = view["notebook_source"]
        texts = {"The paper says": view["paper_says"], "We see": view["we_see"]}
        caption = "".join(
            f"<p><b>{title}:</b> {html.escape(readable(text))}</p>"
            for title, text in texts.items()
            if text
        )
        caption += (
            f"<p>Drawn by the rule {rule} from {notebook}, out of {len(view['tables'])} table(s). "
            "The data drawn stand beside it.</p>"
        )
        records[view["png"]]["caption"] = caption
        records[view["csv"]]["caption"] = "<p>Exactly what the figure of the same name draws.</p>"
        records[view["notebook"]]["caption"] = f"<p>{notebook} as it was executed in this run.</p>"
    results = f"var results = {json.dumps(records)};".replace("</", "<\\/")
    return page[: match.start()] + results + page[match.end() :]
