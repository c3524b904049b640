"""Curves by panel, one common legend, and names at the ends of curves.

`curves` draws what a Plot declares: a panel per value of one column, a curve with its interval per
value of another. `tidy` ends every figure.
"""

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from dpbandits.reproduction.plots.figures import Plot
from dpbandits.reproduction.plots.style import PIXELS, band, curve_look, curve_name, panels
from dpbandits.reproduction.plots.words import readable

if TYPE_CHECKING:
    import pandas as pd

SMALL = 7.6  # points: of texts beside curves


def curves(
    data: "pd.DataFrame", plot: Plot, *, width: str = "full", columns: int = 0, height: float = 2.7,
    names: Mapping | Callable | None = None, titles: Mapping | Callable | None = None,
    looks: Mapping | None = None, series: str = "", axes: Mapping | None = None, **options,
):  # fmt: skip
    """A panel per value of `plot.panel`, a curve with its interval per value of `plot.curve`.
    Returns the figure and the axes by panel. names, titles, looks: of curves and panels, where
    they are not those of plots.style. series: the algorithm of all curves, if these are values of
    epsilon; the panel's title then says how private it is. axes: to draw on, by panel."""
    data = data.dropna(subset=[plot.x, plot.y])
    names_of = [name for name in (plot.panel, plot.curve) if name and data[name].isna().any()]
    data = data.assign(**{name: data[name].astype(object).fillna("") for name in names_of})
    groups = dict(list(data.groupby(plot.panel, sort=False))) if plot.panel else {"": data}
    if axes is None:
        columns = columns or min(len(groups), 4)
        rows = math.ceil(len(groups) / columns)
        labels = {"x": plot.x_label, "y": plot.y_label, "sharex": True, "sharey": True} | options
        figure, grid = panels(rows, columns, width=width, height=height, **labels)
        for ax in grid.flat[len(groups) :]:
            ax.set_axis_off()
        for ax in grid.flat[len(groups) - columns : len(groups)]:  # the lowest of their columns
            ax.set_xlabel(plot.x_label)
            ax.tick_params(labelbottom=True)
        axes = dict(zip(groups, grid.flat, strict=False))
    else:
        figure = next(iter(axes.values())).figure
    for value, rows in groups.items():
        ax = axes[value]
        if value != "":
            ax.set_title(_called(titles, value, curve_name(plot.panel, value)))
        curve = rows.groupby(plot.curve, sort=False) if plot.curve else [("", rows)]
        for key, line in curve:
            look = (looks or {}).get(key) or curve_look(plot.curve, key)
            name = _called(names, key, curve_name(plot.curve, key))
            whose = series or (key if plot.curve != "epsilon" else "")
            ends = {"low": plot.low, "high": plot.high, "privacy": not series}
            band(ax, line, plot.x, name, look, series=whose, y=plot.y, **ends)
        scales = {f"{axis}scale": "log" for axis in plot.log}
        ax.set(**scales)
    return figure, axes


def _called(names: Mapping | Callable | None, value: Any, default: str) -> str:
    if names is None:
        return default
    return names(value) if callable(names) else names.get(value, default)


def tidy(figure, legend: bool = True) -> None:
    """Make names readable, and put one legend for all panels below them; again after changes."""
    for ax in figure.axes:
        if ax.get_legend():
            ax.get_legend().remove()
        for text in (ax.title, ax.xaxis.label, ax.yaxis.label, *ax.texts):
            if "$" not in text.get_text():
                text.set_text(readable(text.get_text()))
        for axis in (ax.xaxis, ax.yaxis):
            if axis.get_scale() == "log":
                _tick_powers(axis)
    for old in figure.legends[:]:
        old.remove()
    entries: dict[str, Any] = {}
    for ax in figure.axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            entries.setdefault(readable(label), handle)
    if not (legend and entries):
        return
    widest = max(map(len, entries)) * 5.5 + 56  # pixels: the letters, the line before a name
    width = PIXELS * figure.get_figwidth()
    empty = [ax for ax in figure.axes if not ax.axison]
    if empty and widest < width / empty[-1].get_gridspec().ncols:
        empty[-1].legend(entries.values(), entries.keys(), loc="center", handlelength=2.6)
        return
    columns = max(1, min(len(entries), int(width / widest)))
    columns = math.ceil(len(entries) / math.ceil(len(entries) / columns))
    place = {"loc": "outside lower center", "ncols": columns, "handlelength": 2.6}
    figure.legend(entries.values(), entries.keys(), **place)


def _tick_powers(axis) -> None:
    """Ticks of a logarithmic axis at powers of ten, and at 2 and 5 times these if it is short,
    unless it has chosen ones."""
    from matplotlib.ticker import LogLocator, NullLocator

    low, high = axis.get_view_interval()
    if isinstance(axis.get_major_locator(), LogLocator) and high > 4 * low:
        axis.set_minor_locator(NullLocator())
        if high <= 100 * low:
            axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        far = high > 100 * low and (low <= 1e-3 or high >= 1e5)
        axis.set_major_formatter(lambda value, _: power_text(value, far))


def power_text(value: float, far: bool = False) -> str:
    """A tick of a logarithmic axis: 0.01, 100, 10⁶; `far`: 10² where the axis reaches 10⁶."""
    plain = 0.1 <= value <= 10 if far else 1e-3 < value <= 2e4
    return f"{value:g}" if plain else readable(f"{value:.0e}")


def write_beside(ax, text: str, x, y, offset: tuple[float, float] = (8, 0), **style) -> None:
    """Write a value beside its point, `offset` in points."""
    look = {"textcoords": "offset points", "va": "center", "fontsize": SMALL} | style
    ax.annotate(text, (x, y), xytext=offset, **look)


def label_ends(ax, names: Callable[[str], str] = str) -> None:
    """Write the name of each labelled curve beyond its right end, in its colour, without overlap,
    and join the two by a thin line.
    names: from the label to what is written; "" for nothing."""
    from scipy.optimize import isotonic_regression

    lines = [line for line in ax.lines if len(line.get_xdata()) > 1]
    ends = [(line, names(readable(str(line.get_label())))) for line in lines]
    ends = [(line, text) for line, text in ends if text and not text.startswith("_")]
    if not ends:
        return
    _room_at_the_right(ax, max(line.get_xdata()[-1] for line, _ in ends))
    to_axes = ax.transData + ax.transAxes.inverted()
    at = [to_axes.transform((line.get_xdata()[-1], line.get_ydata()[-1])) for line, _ in ends]
    order = sorted(range(len(ends)), key=lambda i: at[i][1])
    width, height = ax.figure.get_size_inches() * ax.get_position().size
    gaps = SMALL * 1.35 / 72 / height * np.arange(len(ends))
    nearest = isotonic_regression([at[i][1] for i in order] - gaps).x + gaps
    for i, y in zip(order, np.clip(nearest, gaps, 1 + gaps - gaps[-1]), strict=True):
        line, text = ends[i]
        joined = {"arrowstyle": "-", "lw": 0.7, "color": line.get_color(), "relpos": (0, 0.5)}
        style = {"color": line.get_color(), "fontsize": SMALL, "va": "center"}
        style |= {"arrowprops": joined | {"shrinkA": 1, "shrinkB": 2}, "annotation_clip": False}
        ax.annotate(text, at[i], (1 + 0.2 / width, y), xycoords="axes fraction", **style)


def _room_at_the_right(ax, last: float, share: float = 0.02) -> None:
    """End the axis so far beyond the last point that its marker is whole."""
    scale = ax.xaxis.get_transform()
    low, high = scale.transform([ax.get_xlim()[0], last])
    ax.set_xlim(right=scale.inverted().transform([high + share * (high - low)])[0])


def named_rows(ax, names) -> None:
    """A horizontal axis row per name, the first above."""
    names = [readable(str(name)) for name in names]
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.grid(axis="x", visible=True)


def ticks_at(ax, values, axis: str = "x", text: Callable[[float], str] = "{:g}".format) -> None:
    """Ticks at these values alone."""
    own = getattr(ax, f"{axis}axis")
    own.set_ticks(list(values), [text(value) for value in values])
    own.set_ticks([], minor=True)
