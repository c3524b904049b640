"""Figures of claims: all refuted statements of a paper, and a curve of one statement. They read the
ledger's rows, or what its checks measured (ledger.points), not tables of results."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from dpbandits.reproduction.ledger.prose import EVERY
from dpbandits.reproduction.ledger.rows import rows_of, wrong_statements
from dpbandits.reproduction.ledger.verdicts import (
    FAILS,
    MEANING,
    PRINTED,
    SEVERITIES,
)
from dpbandits.reproduction.plots.curves import (
    curves,
    named_rows,
    power_text,
    ticks_at,
    write_beside,
)
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.plaintext import plain
from dpbandits.reproduction.plots.style import BLACK, GREEN, MARKERS, METHODS, panels

COLOURS = dict(zip(SEVERITIES, ("#9b1c1c", "#d38000", "#0b499d", "#b180c6",
                                "#77777b", "#000000"), strict=True))  # fmt: skip
CAP = 1e7  # larger ratios are drawn there, as arrows
ROOM = 700  # times the last tick: there the values beside the arrows end
NEAR = 1.05  # smaller ratios have one more digit


def refuted(paper: str, note: str = "") -> None:
    """Register PAPER/refuted; note: one more sentence of its settings."""

    @figure(
        f"{paper}/refuted",
        reads=("verdicts",),
        claims=EVERY,
        title="By how much the refuted statements fail",
        alt="One row per refuted statement, by severity: the largest ratio found of the true value "
        "to what the statement allows, on a logarithmic axis from 1.",
    )
    def make(tables) -> Drawing:
        drawing = _refuted(worst_readings(tables("verdicts")).reset_index(drop=True))
        return replace(drawing, note=". ".join(filter(None, (drawing.note, note))))


def _refuted(rows: pd.DataFrame) -> Drawing:
    height = 0.7 + 0.2 * max(len(rows), 4)
    canvas, axes = panels(1, 1, height=height, x="true value / what the statement allows")
    grows = rows["supremum"].str.contains("unbounded|infinite") & np.isfinite(rows["ratio"])
    texts = [
        f"{_number(ratio)} ({own})" if np.isnan(ratio) else _number(ratio)
        for own, ratio in zip(rows["severity"], rows["ratio"], strict=True)
    ]
    labels = [f"{own} ({(rows['severity'] == own).sum()})" for own in rows["severity"]]
    colours = rows["severity"].map(COLOURS)
    rows_of_ratios(axes[0, 0], rows["statement"], rows["ratio"], colours, labels, texts, grows, 0.9)
    note = "the worst reading of each statement that fails as printed; `ratio_of` in the table "
    note += "says of which quantity a ratio is, at which point"
    if grows.any():
        note += "; unbounded: the ratio grows beyond any number, the one shown is a proved example"
    if rows["ratio"].isna().any():
        note += "; no ratio: a difference or an order, not a size, is wrong"
    if np.isinf(rows["ratio"]).any():
        note += "; ∞: the smaller of the two values is 0 or negative"
    kinds = [f"{own} ({MEANING[own]})" for own in SEVERITIES if own in rows["severity"].values]
    note += f". Severities: {', '.join(kinds)}" if kinds else ""
    return Drawing(canvas, rows.drop(columns=["measured", "bound", "supremum"]), note)


def _number(ratio: float) -> str:
    if 1 <= ratio < NEAR:
        return f"{ratio:.4g}"
    text = f"{ratio:,.0f}" if 1e3 <= ratio < 1e6 else f"{ratio:.3g}"
    return text.replace("inf", "∞").replace("nan", "no ratio")


def rows_of_ratios(ax, names, ratios, colours, labels, texts, more, least: float = 0.1) -> None:
    """A row per ratio, from 1 to a dot with its value beside it. It ends in an arrow if the ratio
    lies beyond the axis (then it is dotted) or is an example of an unbounded one (`more`). A row
    without a ratio has its text alone. labels: for the legend, may repeat; one that no
    ratio has is left out."""
    within = max([ratio for ratio in ratios if ratio <= CAP], default=1.0)
    end = 10 ** np.ceil(np.log10(max(within, 10.0)) + 0.1)
    for y, (ratio, colour, text, grows) in enumerate(
        zip(ratios, colours, texts, more, strict=True)
    ):
        place, beyond = np.nanmin([ratio, 2 * end]), ratio > end
        if not np.isnan(ratio):
            mark = ">" if beyond or grows else "o"
            ax.plot([1, place], [y, y], color=colour, lw=1.6, ls=":" if beyond else "-")
            ax.plot(place, y, mark, ms=6, color=colour, mfc="white" if beyond else colour)
        write_beside(
            ax, "unbounded, e.g. " * grows + text, 1 if np.isnan(ratio) else max(place, 1), y
        )
    drawn = ~np.isnan(np.asarray(ratios, float))
    marks = [
        pair for pair, own in zip(zip(labels, colours, strict=True), drawn, strict=True) if own
    ]
    for label, colour in dict(marks).items():
        ax.plot([], [], "o", ms=6, color=colour, label=label)
    if any(more):
        ax.plot(
            [], [], ">", ms=6, color="0.4", label="unbounded: the arrow's length is one example"
        )
    if max(ratios, default=1.0) > end:
        ax.axvspan(end, ROOM * end, color="0.92", zorder=0)
        ax.plot([], [], ">", ms=6, color="0.4", mfc="white", label="beyond the axis: see the value")
    ax.axvline(1, color=BLACK, lw=1)
    ax.set(xscale="log", xlim=(least, ROOM * end))
    ticks_at(ax, 10 ** np.arange(np.log10(end) + 1), text=power_text)
    named_rows(ax, names)


def worst_readings(verdicts: pd.DataFrame) -> pd.DataFrame:
    """The statements that fail as printed, as the ledger counts them, by severity and ratio, each
    under its worst reading: columns id, reading, statement (where it stands), severity, ratio,
    ratio_of, measured, bound, supremum."""
    rows = verdicts.fillna(dict.fromkeys(("severity", "statement", "supremum", "cause"), ""))
    wrong = {row["id"] for row in wrong_statements(rows_of(rows))}
    rows = rows[rows["verdict"].isin(FAILS) & rows["id"].isin(wrong)]
    ratio = pd.to_numeric(rows["ratio"], errors="coerce").astype(float)
    rows = rows.assign(ratio=ratio, rank=rows["severity"].map([*SEVERITIES].index))
    rows = rows.sort_values(["rank", "ratio"], ascending=[True, False], kind="stable")
    rows = rows.drop_duplicates("id")
    where = [plain(row.place) for row in rows_of(rows)]
    names = [f"{place} ({id})" for place, id in zip(where, rows["id"], strict=True)]
    columns = ["id", "reading", "statement", "severity", "ratio", "ratio_of", "measured",
               "bound", "supremum"]  # fmt: skip
    return rows.assign(statement=names)[columns]


LIMITS = {  # of what a statement allows: label, colour
    "at_most": ("stated: at most", BLACK),
    "at_least": ("stated: at least", BLACK),
    "repaired": ("corrected bound", GREEN),
}
MEASURED = Plot("at", "measured", "low", "high", curve="series", panel="x")


def curve(
    id: str, *, title: str, y: str, reading: str = PRINTED, log: str = "xy", note: str = "",
    names: Mapping[str, str] | None = None, panels: Mapping[str, str] | None = None,
    unscaled: float = 1,
) -> None:  # fmt: skip
    """Register PAPER/claims/ID: the values of a claim that form a curve, and what is allowed, a
    panel per variable. y: label of the axis. names: of series, and of what is allowed, by column.
    panels: titles, by variable. unscaled: what a printed `at_least` was divided by; the undivided
    one is drawn, too."""
    paper, plot, called = id.split("-")[0].lower(), replace(MEASURED, log=log), names or {}

    @figure(
        f"{paper}/claims/{id}",
        reads=("points",),
        claims=(f"{id} ({reading})",),
        title=title,
        alt=f"The true values of {id} as a curve, and what the statement allows, dashed.",
        width="half",
    )
    def make(tables) -> Drawing:
        data = tables("points")
        data = data[(data["id"] == id) & (data["reading"] == reading)]
        texts = data[["what", "series", "x"]].fillna("").astype(str).map(plain)
        data = data.assign(**texts, at=data["at"].astype(float)).drop(columns="id")
        series = data["series"].unique()
        looks = {
            name: {"color": METHODS[i % len(METHODS)], "marker": MARKERS[i % len(MARKERS)]}
            for i, name in enumerate(series)
        }
        canvas, axes = curves(
            data, plot, width="half", columns=1, height=3.8, looks=looks, sharex=False,
            sharey=False, names=lambda name: called.get(name, name or "true value"),
        )  # fmt: skip
        for name, ax in axes.items():
            own = data[data["x"] == name]
            ax.set(title=(panels or {}).get(name, ""), xlabel=name, ylabel=y)
            for line in ax.lines:
                line.set_markevery(1)
            if own["at"].nunique() < 8:
                far = own["at"].max() >= 1e5
                ticks_at(ax, own["at"].unique(), text=partial(power_text, far=far))
            for column, (label, colour) in LIMITS.items():
                limits = own.dropna(subset=[column])
                if column == "repaired":  # where it differs from the stated one
                    limits = limits[~limits["repaired"].isin(own["at_most"])]
                for _, limit in limits.groupby("series", sort=False):
                    wide = {"lw": 3.5, "zorder": 1.8, "ls": (0, (2, 1))} if colour == BLACK else {}
                    if any(colour == drawn["color"] for drawn in looks.values()):
                        wide = {"color": BLACK, "ls": ":", "lw": 1.4, "zorder": 5}
                    label = called.get(column, label)
                    wide = {"color": colour, "ls": "--"} | wide
                    ax.plot(limit["at"], limit[column], label=label, **wide)
                    if column == "at_least" and unscaled != 1:
                        label = "the same with a constant of 1"
                        ax.plot(
                            limit["at"], unscaled * limit[column], label=label, **wide | {"lw": 1}
                        )
        return Drawing(canvas, data, note)
