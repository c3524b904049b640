"""Figures of claims: all refuted statements of a paper, and a curve of one statement.

    # src/dpbandits/reproduction/hu/figures/refuted.py
    refuted("hu")
    curve("HU-T8", title="...")

They read the ledger's rows, or the points of the claims (ledger.points), not tables of results.
"""

from dataclasses import replace

import numpy as np
import pandas as pd

from dpbandits.reproduction.ledger.verdicts import PRINTED, SEVERITIES
from dpbandits.reproduction.plots.curves import curves, named_rows
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.plaintext import plain
from dpbandits.reproduction.plots.style import BLACK, GREEN, MARKERS, METHODS, panels
from dpbandits.reproduction.plots.words import readable

COLOURS = dict(zip(SEVERITIES, ("#9b1c1c", "#d38000", "#0b499d", "#b180c6",
                                "#77777b", "#000000"), strict=True))  # fmt: skip
CAP = 1e7  # larger ratios are drawn there, as arrows
NEAR = 1.05  # smaller ratios are explained in the table
RATIO = Plot("ratio", "statement", curve="severity", log="x",
             x_label="true value / what the statement allows")  # fmt: skip


def refuted(paper: str) -> None:
    """Register PAPER/refuted."""

    @figure(
        f"{paper}/refuted",
        notebook="theorems",
        folder="claims",
        reads=("verdicts",),
        title="By how much the refuted statements fail",
        alt="One row per refuted statement, by severity: the largest ratio found of the true value "
        "to what the statement allows, on a logarithmic axis from 1.",
        plot=RATIO,
    )
    def make(tables) -> Drawing:
        return _refuted(tables("verdicts"))


def _refuted(verdicts: pd.DataFrame) -> Drawing:
    rows = worst_readings(verdicts)
    shown = rows[rows["ratio"].notna()].reset_index(drop=True)
    height = 0.7 + 0.2 * max(len(shown), 4)
    canvas, axes = panels(1, 1, height=height, x=RATIO.x_label)
    near = shown["ratio"] < NEAR
    texts = [_number(ratio) if ratio >= NEAR else f"{_little(ratio)}: see the table"
             for ratio in shown["ratio"]]  # fmt: skip
    labels = [f"{own} ({(shown['severity'] == own).sum()})" for own in shown["severity"]]
    rows_of_ratios(axes[0, 0], shown["statement"], shown["ratio"],
                   shown["severity"].map(COLOURS), labels, texts, least=0.9)  # fmt: skip
    numberless = rows[rows["ratio"].isna()]["statement"]
    note = "the worst reading of each statement"
    if np.isinf(shown["ratio"]).any():
        note += "; ∞: the smaller of the two values is 0 or negative"
    if len(numberless):
        note += f"; without a number: {', '.join(numberless)}"
    worst = (shown["severity"] == "conclusion").sum()
    return Drawing(
        canvas, shown.drop(columns=["measured", "bound"]),
        f"{len(rows)} statements are refuted; for {worst} of them the conclusion itself fails."
        if len(rows) else "No statement is refuted.", note,
        pd.DataFrame({
            "exceeded by little": shown["statement"], "true / allowed": shown["ratio"].map(_little),
            "true": shown["measured"], "allowed": shown["bound"],
        })[near] if near.any() else None,
    )  # fmt: skip


def _number(ratio: float) -> str:
    return f"{ratio:,.0f}" if 1e3 <= ratio < 1e6 else f"{ratio:.3g}".replace("inf", "∞")


def _little(ratio: float) -> str:
    """A ratio that has four digits in the ledger and may be 1 there."""
    return f"{ratio:.4g}" if ratio > 1 else "between 1 and 1.0005"


def rows_of_ratios(ax, names, ratios, colours, labels, texts=(), least: float = 0.1) -> None:
    """A row per ratio, from 1 to a dot with its value beside it; a ratio beyond the axis has a
    dotted line and ends in an arrow. labels: for the legend, may repeat."""
    finite = max([ratio for ratio in ratios if np.isfinite(ratio)], default=10)
    cap = min(CAP, 10 ** np.ceil(np.log10(max(finite, 10))))
    texts = texts or [_number(ratio) for ratio in ratios]
    for y, (ratio, colour, text) in enumerate(zip(ratios, colours, texts, strict=True)):
        place, beyond = min(ratio, cap), ratio > cap
        mark, fill = (">", "white") if beyond else ("o", colour)
        ax.plot([1, place], [y, y], color=colour, lw=1.6, ls=":" if beyond else "-")
        ax.plot(place, y, mark, ms=6, color=colour, mfc=fill)
        ax.annotate(readable(text), (max(place, 1), y), xytext=(7, 0),
                    va="center", textcoords="offset points", fontsize=7.6)  # fmt: skip
    for label, colour in dict(zip(labels, colours, strict=True)).items():
        ax.plot([], [], "o", ms=6, color=colour, label=label)
    if any(ratio > cap for ratio in ratios):
        ax.plot(
            [], [], ">", ms=6, color="0.3", mfc="white", label="beyond the axis: see its number"
        )
    ax.axvline(1, color=BLACK, lw=1)
    ax.set(xscale="log", xlim=(least, cap**1.16))
    named_rows(ax, names)


def worst_readings(verdicts: pd.DataFrame) -> pd.DataFrame:
    """The refuted statements by severity and ratio, each under its worst reading: columns id,
    reading, statement (where it stands), severity, ratio, measured, bound."""
    rows = verdicts[verdicts["verdict"] == "violated"].fillna({"severity": "", "statement": ""})
    ratio = pd.to_numeric(rows["ratio"], errors="coerce").astype(float)
    rows = rows.assign(ratio=ratio, rank=rows["severity"].map([*SEVERITIES].index))
    rows = rows.sort_values(["rank", "ratio"], ascending=[True, False], kind="stable")
    rows = rows.drop_duplicates("id")
    where = [plain(text).split(": ")[0] for text in rows["statement"]]
    names = [f"{place} ({id})" for place, id in zip(where, rows["id"], strict=True)]
    columns = ["id", "reading", "statement", "severity", "ratio", "measured", "bound"]
    return rows.assign(statement=names)[columns]


LIMITS = {  # of what a statement allows: label, colour
    "at_most": ("stated: at most", BLACK),
    "at_least": ("stated: at least", BLACK),
    "repaired_bound": ("corrected bound", GREEN),
}
MEASURED = Plot("x", "measured", "low", "high", curve="series", panel="panel")


def curve(id: str, *, title: str, reading: str = PRINTED, log: str = "xy") -> None:
    """Register PAPER/claims/ID: the points of a claim that form a curve, and what is allowed."""
    paper, plot = id.split("-")[0].lower(), replace(MEASURED, log=log)

    @figure(
        f"{paper}/claims/{id}",
        notebook="theorems",
        folder="claims",
        reads=("points",),
        title=title,
        alt=f"The true values of {id} as a curve, and what the statement allows, dashed.",
        width="half",
        plot=plot,
    )
    def make(tables) -> Drawing:
        data = tables("points")
        return _curve(data[(data["id"] == id) & (data["reading"] == reading)], plot)


def _curve(data: pd.DataFrame, plot: Plot) -> Drawing:
    texts = data[["panel", "series", "x_label", "y_label"]].fillna("").astype(str).map(plain)
    data = data.assign(**texts, x=data["x"].astype(float)).drop(columns=["id", "log"])
    series = data["series"].unique()
    looks = {
        name: {"color": METHODS[i % len(METHODS)], "marker": MARKERS[i % len(MARKERS)]}
        for i, name in enumerate(series)
    }
    canvas, axes = curves(data, plot, width="half", columns=1, height=3.8, looks=looks,
                          sharex=False, sharey=False,
                          names=lambda name: name or "true value")  # fmt: skip
    for name, ax in axes.items():
        own = data[data["panel"] == name]
        ax.set(xlabel=own["x_label"].iloc[0], ylabel=own["y_label"].iloc[0])
        for column, (label, colour) in LIMITS.items():
            limits = own.dropna(subset=[column])
            for _, limit in limits.groupby("series", sort=False):
                on_top = {"lw": 2.2, "zorder": 6} if colour == BLACK else {}
                ax.plot(limit["x"], limit[column], ls="--", label=label, color=colour, **on_top)
    beyond = data["beyond"].sum()
    we_see = f"{beyond} of {len(data)} points lie beyond what the statement allows."
    return Drawing(canvas, data, we_see)
