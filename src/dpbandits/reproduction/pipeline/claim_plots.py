"""The plot of each claim: what was measured against what the statement allows.

A claim's check returns its points (ledger.points); here they become the figure PAPER/claims/ID of
the notebook `theorems`. The verdict stands above the panels, what was found below them.
"""

import math
from functools import partial

import pandas as pd

from dpbandits.reproduction.ledger.claims import claims
from dpbandits.reproduction.ledger.points import LIMITS
from dpbandits.reproduction.pipeline.claim_panels import draw_number, draw_series, lines
from dpbandits.reproduction.plots.figures import Drawing, Figure
from dpbandits.reproduction.plots.frame import finish
from dpbandits.reproduction.plots.plaintext import plain
from dpbandits.reproduction.plots.style import panels
from dpbandits.reproduction.plots.words import readable

COLOURS = {  # ink and ground of a verdict, as in report/page.css
    "holds": ("#0a5c36", "#e5f5ec"), "violated": ("#9b1c1c", "#fdeaea"),
    "rejected": ("#8a3a00", "#fff0e2"), "consistent": ("#12487f", "#e7f0fb"),
    "untestable": ("#454d5b", "#eef0f3"),
}  # fmt: skip
DPI = 130  # lower than other figures', as a report has more than a hundred of these
IN_WORDS = {
    "Measured": "measured",
    "The statement allows": "bound",
    "Slack": "slack",
    "Counterexample": "counterexample",
    "Where the proof breaks": "proof_step",
    "Corrected statement": "repaired",
    "How near that comes": "tightness",
    "Confidence": "confidence",
}


def claim_figures(paper: str = "") -> dict[str, Figure]:
    """The figures of all claims, or of one paper's, by name."""
    return {
        name_of(id): Figure(
            name=name_of(id),
            notebook="theorems",
            reads=("verdicts", "points"),
            title=f"{id}, {claim.where}",
            paper_says=claim.statement,
            alt=f"What was measured for {id} against what the statement allows; a table of the "
            "points stands beside the plot in the report.",
            make=partial(plot, id),
            module=claim.modules[0] if claim.check else claim.package,
            folder="claims",
        )
        for id, claim in claims(paper).items()
    }


def name_of(id: str) -> str:
    return f"{id.split('-')[0].lower()}/claims/{id}"


def plot(id: str, tables) -> Drawing:
    """The plot of a claim, from the tables `verdicts` and `points` of its paper."""
    verdicts = tables("verdicts").fillna("")
    verdicts = verdicts[verdicts["id"] == id].to_dict("records")
    points = tables("points")
    points = points[points["id"] == id].drop(columns="id").reset_index(drop=True)
    points = points.reindex(columns=points.columns.union(LIMITS, sort=False))
    if points.empty:
        raise ValueError(f"{id} has no points to draw")
    texts = points[["panel", "x_label", "y_label", "log", "series"]].astype(object).fillna("")
    points = points.assign(**texts.map(plain))
    if len(verdicts) > 1:
        panels_of_readings = points[["reading", "panel"]].to_numpy()
        points["panel"] = [f"{r}: {p}".removesuffix(": ") for r, p in panels_of_readings]
    we_see = "\n\n".join(map(in_words, verdicts))
    return Drawing(_draw(id, verdicts, points), points, we_see, dpi=DPI)


def in_words(verdict: dict[str, str]) -> str:
    """What one row of the ledger says, in sentences."""
    name = f"{verdict['id']}, {verdict['reading']}: {verdict['verdict']} ({verdict['method']})"
    sentences = [f"{word}: {verdict[key]}" for word, key in IN_WORDS.items() if verdict[key]]
    separator = " " if verdict["measured"] else "\n"
    return readable(f"{name}.{separator}" + "\n".join(sentences))


def _draw(id: str, verdicts: list[dict[str, str]], points: pd.DataFrame):
    names = points["panel"].drop_duplicates().tolist()
    numbers = {name: i for i, name in enumerate(points["series"].drop_duplicates())}
    columns = 2 if len(names) == 4 else min(len(names), 3)
    rows = math.ceil(len(names) / columns)
    height = 2.5 if rows > 1 else 3.0
    if not points["panel"].duplicated().any():  # all panels are single numbers on a line
        height = 1.1
    canvas, axes = panels(rows, columns, width=7.4 / columns, height=height)
    for ax, name in zip(axes.flat, names, strict=False):
        own = points[points["panel"] == name]
        title = ": ".join(filter(None, [name, _ratio_in_words(own)]))
        ax.set_title(lines(title, 105 // columns), fontsize=7.5)
        if len(own) > 1:
            draw_series(ax, own, numbers)
        else:
            draw_number(ax, own.iloc[0])
    for ax in axes.flat[len(names) :]:
        ax.set_visible(False)
    where, _, statement = verdicts[0]["statement"].partition(": ")
    several = len(verdicts) > 1
    badges, findings = [], []
    for verdict in verdicts:
        reading = verdict["reading"]
        text = f"{verdict['verdict']} ({verdict['method']})"
        badges.append((f"{reading}: {text}" if several else text, *COLOURS[verdict["verdict"]]))
        for key in ("measured", "bound", "slack", "counterexample", "repaired"):
            if verdict[key]:
                text = f"{key}: {verdict[key]}"
                findings.append(f"{reading}, {text}" if several else text)
    finish(canvas, [f"{id}, {where}", statement], findings, badges)
    return canvas


def _ratio_in_words(points: pd.DataFrame) -> str:
    """The ratio of a single number to its limit; "" if there are more points, or no ratio."""
    limit = points[["at_most", "at_least"]].max(axis=1).iloc[0]
    ratio = points["measured"].iloc[0] / limit if len(points) == 1 and limit > 0 else 0.0
    if not ratio > 0:
        return ""
    digits = f"{ratio:.3g}" if f"{ratio:.3g}" != "1" else f"{ratio:.5g}"
    return f"measured = {readable(digits)} × what is allowed"
