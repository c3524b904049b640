"""Snakemake's own page, kept inside ours: its results taken out, our captions put in."""

import base64
import html
import json
import re

from dpbandits.core.words import readable

_PNG = "data:image/png;base64,"
_RESULTS = re.compile(r"var results = (\{.*\});$", re.MULTILINE)


def split(page: str) -> tuple[str, dict[str, dict]]:
    """Snakemake's page with a placeholder for each result's bytes, and the results by path."""
    match = _RESULTS.search(page)
    if not match:
        raise ValueError("Snakemake's report has another form than the one known here")
    records = json.loads(match[1])
    kept = {}
    for name, record in records.items():
        kept[name] = dict(record)
        head, comma, _ = record["data_uri"].partition(",")
        record["data_uri"] = f"{head}{comma}@@{name}@@"
    replaced = f"var results = {json.dumps(records)};"
    return page[: match.start()] + replaced + page[match.end() :], kept


def payload(record: dict) -> str:
    return record["data_uri"].partition(",")[2]


def decoded(record: dict) -> str:
    return base64.b64decode(payload(record)).decode("utf-8")


def shared(text: str, pictures: dict[str, str]) -> str:
    """A page's pictures that this report has anyway, as placeholders."""

    def place(match: re.Match) -> str:
        name = pictures.get(match[1])
        return f"{_PNG}@@{name}@@" if name else match[0]

    return re.sub(f"{_PNG}([A-Za-z0-9+/=]+)", place, text)


def captioned(page: str, views: list[dict]) -> str:
    """Each figure with what the paper says, what we see, and what drew it; its data, its page."""
    match = _RESULTS.search(page)
    records = json.loads(match[1])
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
