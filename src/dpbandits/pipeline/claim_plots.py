"""One plot per claim, in one common layout: what was measured against what is printed.

A claim's check returns its points (core.points); here they become the figure PAPER/claims/ID of
the notebook `theorems`, or of the notebook `theorems_SUBJECT` that names it. Dashed: what the
statement allows, shaded: beyond it, red ring: a point that is there, green: what its repair allows.
The verdict stands above, what was found and the counterexample below.
"""

from functools import partial

import numpy as np
import pandas as pd

from dpbandits.core.claims import Claim, claims
from dpbandits.core.figures import Drawing, Figure
from dpbandits.core.points import LIMITS, is_upper
from dpbandits.core.registry import papers
from dpbandits.pipeline.notebooks import words
from dpbandits.pipeline.number_line import BEYOND, DRAWN, REPAIRED, RING, lines, number_line
from dpbandits.plots.frame import finish
from dpbandits.plots.plaintext import plain
from dpbandits.plots.style import DASHES, METHODS, SHAPES, panels
from dpbandits.plots.words import readable

NOTEBOOK = "theorems"
COLOURS = {  # the page's (report/page.css): ink and ground of a verdict
    "holds": ("#0a5c36", "#e5f5ec"), "violated": ("#9b1c1c", "#fdeaea"),
    "rejected": ("#8a3a00", "#fff0e2"), "consistent": ("#12487f", "#e7f0fb"),
    "untestable": ("#454d5b", "#eef0f3"),
}  # fmt: skip
DPI = 130  # of which there are a hundred and more in one report
CROWD = 40  # more points than this in a series are a cloud, not a line
DECADES = 9  # of a logarithmic axis, at most


def claim_figures(paper: str = "") -> dict[str, Figure]:
    """The figure of every registered claim (of a paper), by name."""
    folders = [papers()[key].file("notebooks", key) for key in papers() if paper in ("", key)]
    apart = [path for folder in folders for path in sorted(folder.glob(f"{NOTEBOOK}_*.ipynb"))]
    subject = {word: path.stem for path in apart for word in words(path)}
    made = [_figure(claim, subject.get(id, NOTEBOOK)) for id, claim in claims(paper).items()]
    return {figure.name: figure for figure in made}


def name_of(id: str) -> str:
    return f"{id.split('-')[0].lower()}/claims/{id}"


def _figure(claim: Claim, notebook: str) -> Figure:
    return Figure(
        name=name_of(claim.id),
        notebook=notebook,
        reads=("verdicts", "points"),
        title=f"{claim.id}, {claim.where}",
        paper_says=claim.statement,
        alt=f"What was measured for {claim.id} against what the statement allows; a table of the "
        "points stands beside the plot in the report.",
        make=partial(plot, claim.id),
        module=claim.modules[0] if claim.check else claim.package,
        folder="claims",
    )


def plot(id: str, tables) -> Drawing:
    verdicts = tables("verdicts").fillna("")
    verdicts = verdicts[verdicts["id"] == id].to_dict("records")
    points = tables("points")
    points = points[points["id"] == id].drop(columns="id").reset_index(drop=True)
    points = points.reindex(columns=points.columns.union(LIMITS, sort=False))
    texts = points[["panel", "x_label", "y_label", "log", "series"]].astype(object).fillna("")
    points = points.assign(**texts.map(plain))
    if points.empty:
        raise ValueError(f"{id} has no points to draw")
    if len(verdicts) > 1:
        panels_of_readings = points[["reading", "panel"]].to_numpy()
        points["panel"] = [f"{r}: {p}".removesuffix(": ") for r, p in panels_of_readings]
    said = "\n\n".join(map(in_words, verdicts))
    return Drawing(_drawn(id, verdicts, points), points, said, dpi=DPI)


def in_words(verdict: dict[str, str]) -> str:
    """What one row of the ledger found."""
    name = f"{verdict['id']}, {verdict['reading']}: {verdict['verdict']} ({verdict['method']})"
    parts = {
        "Measured": "measured",
        "The statement allows": "bound",
        "Slack": "slack",
        "Counterexample": "counterexample",
        "Where the proof breaks": "proof_step",
        "Corrected statement": "repaired",
        "How near that comes": "tightness",
        "Confidence": "confidence",
    }
    said = [f"{word}: {verdict[key]}" for word, key in parts.items() if verdict[key]]
    between = " " if verdict["measured"] else "\n"
    return readable(f"{name}.{between}" + "\n".join(said))


def _digits(ratio: float) -> str:
    """Three digits, five where three would say 1."""
    return f"{ratio:.3g}" if f"{ratio:.3g}" != "1" else f"{ratio:.5g}"


def _drawn(id: str, verdicts: list[dict[str, str]], points: pd.DataFrame):
    names = points["panel"].drop_duplicates().tolist()
    order = {name: slot for slot, name in enumerate(points["series"].drop_duplicates())}
    columns = 2 if len(names) == 4 else min(len(names), 3)
    rows = -(-len(names) // columns)
    height = 2.5 if rows > 1 else 3.0
    height = height if points["panel"].duplicated().any() else 1.1  # numbers lie on lines
    canvas, axes = panels(rows, columns, width=7.4 / columns, height=height)
    for ax, name in zip(axes.flat, names, strict=False):
        part = points[points["panel"] == name]
        ratio = _ratio(part)
        said = f"measured = {readable(_digits(ratio))} × what is allowed" if ratio else ""
        title = ": ".join(filter(None, [name, said]))
        ax.set_title(lines(title, 105 // columns), fontsize=7.5)
        if len(part) > 1:
            _panel(ax, part, order)
        else:
            number_line(ax, part.iloc[0])
    for ax in axes.flat[len(names) :]:
        ax.set_visible(False)
    where, _, statement = verdicts[0]["statement"].partition(": ")
    badges = [_badge(verdict, len(verdicts) > 1) for verdict in verdicts]
    finish(canvas, [f"{id}, {where}", statement], _findings(verdicts), badges)
    return canvas


def _ratio(points: pd.DataFrame) -> float:
    """Of a single number to the one that it may not pass; 0 if there is no such ratio."""
    limits = points[["at_most", "at_least"]].max(axis=1)
    ratios = (points["measured"] / limits)[limits > 0]
    return max(ratios.iloc[0], 0.0) if len(points) == len(ratios) == 1 else 0.0


def _badge(verdict: dict[str, str], several: bool) -> tuple[str, str, str]:
    reading = f"{verdict['reading']}: " if several else ""
    return f"{reading}{verdict['verdict']} ({verdict['method']})", *COLOURS[verdict["verdict"]]


def _findings(verdicts: list[dict[str, str]]) -> list[str]:
    """In full: a picture that is cut out of its page has no other place to look."""
    keys = ("measured", "bound", "slack", "counterexample", "repaired")
    several = len(verdicts) > 1
    return [
        f"{verdict['reading']}, {key}: {verdict[key]}" if several else f"{key}: {verdict[key]}"
        for verdict in verdicts
        for key in keys
        if verdict[key]
    ]


def _panel(ax, points: pd.DataFrame, order: dict[str, int]) -> None:
    first = points.iloc[0]
    x, names = _places(points["x"])
    points = points.assign(x=x)
    groups = list(points.groupby("series", sort=False))
    common = [c for c in LIMITS if _common(points, c, len(groups))]
    apart = [c for c in LIMITS if c not in common]
    for name, own in groups:
        _series(ax, own, order[name], name, lines=names is None, limits=apart)
    for column in apart:
        said = "corrected" if column == "repaired_bound" else "stated"
        ax.plot([], [], color="grey", label=f"{said}: in its series' colour", **DRAWN[column])
    ax.set(xlabel=first["x_label"], ylabel=lines(first["y_label"], 40))
    if "y" in first["log"]:
        ax.set_yscale("log")
        _limit_decades(ax, points)
    if "x" in first["log"] and names is None:
        ax.set_xscale("log")
        _tick_logarithms(ax.xaxis, sorted({place for place in x if place > 0}))
    if names is not None:
        _name_places(ax, names)
    _allowed(ax, points.assign(**dict.fromkeys(apart, np.nan)), names is not None)
    if "y" in first["log"]:
        _tick_logarithms(ax.yaxis, [])
    beyond = points[points["beyond"]]
    ax.plot(beyond["x"], beyond["measured"], **RING, label="beyond" if len(beyond) else None)


def _places(x: pd.Series) -> tuple[pd.Series, list[str] | None]:
    """Numbers as they are; names at 0, 1, 2, ... in their order."""
    numbers = pd.to_numeric(x, errors="coerce")
    if numbers.notna().all():
        return numbers, None
    names = list(dict.fromkeys(x.astype(str)))
    return x.astype(str).map({name: i for i, name in enumerate(names)}), names


def _tick_logarithms(axis, x: list[float]) -> None:
    """Plain numbers: the places themselves if they are few, else powers of 10, and 2 and 5."""
    from matplotlib.ticker import LogLocator, NullFormatter

    low, high = axis.get_view_interval()
    narrow = high < 60 * low
    if high > 1e10 * low:
        axis.set_major_locator(LogLocator(numticks=6))
    axis.set_major_formatter(_short)
    axis.set_minor_locator(LogLocator(subs=(2, 5) if narrow else (1,)))
    axis.set_minor_formatter(_short if narrow else NullFormatter())
    apart = np.diff(np.log(x)) > 0.19 * (np.log(x[-1]) - np.log(x[0])) if len(x) > 1 else [True]
    if 0 < len(x) <= 6 and np.all(apart):
        axis.set_ticks(x)
        axis.set_ticks([], minor=True)


def _short(value: float, _place=None) -> str:
    return f"{value:g}" if 1e-4 < value < 1e5 else readable(f"{value:.0e}")


def _name_places(ax, names: list[str]) -> None:
    long = max(map(len, names)) * len(names) > 45
    turned = {"rotation": 25, "ha": "right", "rotation_mode": "anchor"} if long else {}
    ax.set_xticks(range(len(names)), names, fontsize=6, **turned)
    ax.set_xlim(-0.6, len(names) - 0.4)


def _common(points: pd.DataFrame, limit: str, groups: int) -> bool:
    """Is this limit at each x the same for all series that are held to it: drawn once?"""
    return groups == 1 or bool((points.groupby("x")[limit].nunique() <= 1).all())


def _series(ax, own: pd.DataFrame, i: int, name: str, lines: bool, limits: list) -> None:
    colour = METHODS[i % len(METHODS)]
    own = own.sort_values("x", kind="stable")
    cloud = len(own) > CROWD or own["x"].duplicated().any()
    style = {"color": colour, "marker": SHAPES[i % len(SHAPES)], "ms": 2.5 if cloud else 3.5 + i}
    style |= {"ls": DASHES[0] if lines and not cloud else "", "zorder": 3 + i / 100}
    if i and not cloud:  # hollow and larger: what lies on the same place is seen through it
        style |= {"mfc": "none", "ms": min(3.5 + 1.2 * i, 9)}
    name = name or ("measured" if style["ls"] else "measured (single)")
    error = np.vstack([own["measured"] - own["low"], own["high"] - own["measured"]])
    if np.nanmax(error) > 0:
        ax.errorbar(own["x"], own["measured"], np.maximum(error, 0), capsize=2, elinewidth=0.8,
                    label=name, **style)  # fmt: skip
    else:
        ax.plot(own["x"], own["measured"], label=name, **style)
    for column in limits:
        limit = own.dropna(subset=[column])
        mark = DRAWN[column] if lines else {"marker": "_", "ls": "", "ms": 9}
        ax.plot(limit["x"], limit[column], color=colour, **mark)


def _allowed(ax, points: pd.DataFrame, named: bool) -> None:
    """The common limits as one dashed line each, what lies beyond lightly shaded."""
    own = points.groupby("x", as_index=False)[LIMITS].max()
    equal = bool(np.isclose(own["at_least"], own["at_most"], rtol=1e-6, atol=0).any())
    _make_room(ax, own[LIMITS].to_numpy(float).ravel())
    low, high = ax.get_ylim()
    far = high * 1e3 if ax.get_yscale() == "log" else high + 2 * (high - low)
    side = "at most" if is_upper(points) else "at least"
    ends = (
        ("at_most", far, "stated: at most"),
        ("at_least", low, "stated: at least"),
        ("repaired_bound", None, f"corrected: {side}"),
    )
    for column, edge, label in ends:
        limit = own.dropna(subset=[column])
        if limit.empty or (equal and column == "at_least"):
            continue
        x, y = limit["x"].to_numpy(float), limit[column].to_numpy(float)
        if named:  # a step per name; a name without a limit interrupts the line
            x = np.ravel(np.column_stack([x - 0.5, x + 0.5, x + 0.5]))
            y = np.ravel(np.column_stack([y, y, np.full(len(y), np.nan)]))
        elif len(x) == 1:
            x, y = np.array(ax.get_xlim()), np.repeat(y, 2)
        stated = edge is not None
        line = DRAWN[column] | {"color": "black" if stated else REPAIRED}
        if equal and stated:
            line, label = line | {"ls": ":"}, "stated: equal"
        ax.plot(x, y, label=label, **line)
        if not equal and stated:
            ax.fill_between(x, y, edge, color=BEYOND, alpha=0.07, lw=0)
    ax.set_ylim(low, high)


def _make_room(ax, limits: np.ndarray) -> None:
    """The limits belong into the picture, with a little of what lies beyond them."""
    limits = limits[np.isfinite(limits)]
    low, high = ax.get_ylim()
    if ax.get_yscale() == "log":
        limits = limits[limits > 0] if (limits > 0).any() else np.array([low])
        ax.set_ylim(min(low, limits.min() / 1.5), max(high, limits.max() * 1.5))
    elif len(limits):
        low, high = min(low, limits.min()), max(high, limits.max())
        ax.set_ylim(low - 0.06 * (high - low), high + 0.06 * (high - low))


def _limit_decades(ax, points: pd.DataFrame) -> None:
    values = points[["measured", *LIMITS]].to_numpy(float).ravel()
    values = values[np.isfinite(values) & (values > 0)]
    top = values.max()
    ax.set_ylim(max(values.min(), top * 10.0**-DECADES) / 1.7, top * 2)
