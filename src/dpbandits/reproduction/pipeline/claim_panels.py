"""One panel of a claim's plot: series against the limits of the statement, or a single number.

Black dashed lines: what the statement allows; shaded: beyond it; red ring: a point that is beyond
it; wide green line: what the corrected statement allows.
"""

import textwrap

import numpy as np
import pandas as pd

from dpbandits.reproduction.ledger.points import LIMITS, is_upper
from dpbandits.reproduction.plots.style import DASHES, METHODS, SHAPES
from dpbandits.reproduction.plots.words import readable

BEYOND, REPAIRED = "#C00000", "#0a5c36"
LIMIT_LINES = {
    "at_least": {"ls": "-.", "lw": 1}, "at_most": {"ls": "--", "lw": 1},
    "repaired_bound": {"ls": "-", "lw": 6, "alpha": 0.35, "zorder": 1.5},
}  # fmt: skip
RING = {"ls": "", "marker": "o", "mfc": "none", "mec": BEYOND, "ms": 8, "mew": 1.2}
CLOUD = 40  # a series of more points is a cloud without a line
DECADES = 9  # of a logarithmic axis, at most


def lines(text: str, width: int) -> str:
    """A text broken into lines of some number of characters."""
    return "\n".join(textwrap.wrap(text.replace("$", r"\$"), width))


# --- a single number ------------------------------------------------------------------------------
def draw_number(ax, row: pd.Series) -> None:
    """A number on a line, with what the statement and its correction allow."""
    values = row[["measured", "low", "high", *LIMITS]].dropna().astype(float)
    positive, lowest, highest = values[values > 0], values.min(), values.max()
    log = lowest >= 0 and highest > 30 * positive.min()
    if log:
        values = values.replace(0.0, positive.min() / 100)  # 0 is drawn at the left end
        ends = values.min() / 2, highest * 2
    else:
        margin = 0.08 * (highest - lowest) or 1.0
        ends = lowest - margin, highest + margin
    ax.set(xscale="log" if log else "linear", xlim=ends, ylim=(0, 1), yticks=[])
    ax.set_xlabel(lines(row["y_label"], 90 // ax.get_gridspec().ncols))
    ax.spines["left"].set_visible(False)
    ax.grid(visible=False)
    for column, end, side in (("at_most", ends[1], "most"), ("at_least", ends[0], "least")):
        if column in values:
            label = f"stated: at {side}"
            ax.axvline(values[column], color="black", label=label, **LIMIT_LINES[column])
            if values.get("at_least") != values.get("at_most"):
                ax.fill_between([values[column], end], 0, 1, color=BEYOND, alpha=0.07, lw=0)
    if "repaired_bound" in values:
        label = f"corrected: at {'least' if 'at_least' in values else 'most'}"
        style = LIMIT_LINES["repaired_bound"] | {"color": REPAIRED, "label": label}
        ax.axvline(values["repaired_bound"], **style)
    error = [[values["measured"] - values["low"]], [values["high"] - values["measured"]]]
    ax.errorbar([values["measured"]], [0.5], xerr=np.maximum(error, 0), color="black", marker="D",
                ms=4, ls="", label="measured value")  # fmt: skip
    if row["beyond"]:
        ax.plot([values["measured"]], [0.5], label="beyond", **RING)
    _tick_at_numbers(ax, values.drop(["low", "high"]), row)


def _tick_at_numbers(ax, places: pd.Series, row: pd.Series) -> None:
    """A tick at each number, unless its text would cover that of an earlier one."""
    pixels = ax.transData.transform([(place, 0.0) for place in places])[:, 0]
    names: list[str] = []
    used: list[float] = []
    for name, pixel in zip(places.index, pixels, strict=True):
        if all(abs(pixel - other) > 45 for other in used):
            names.append(name)
            used.append(pixel)
    ax.set_xticks(places[names], [readable(f"{row[name]:.3g}") for name in names])
    ax.set_xticks([], minor=True)


# --- series ---------------------------------------------------------------------------------------
def draw_series(ax, points: pd.DataFrame, numbers: dict[str, int]) -> None:
    """Series over x with their limits; `numbers` choose the colours of the series."""
    first = points.iloc[0]
    x, names = _places(points["x"])
    points = points.assign(x=x)
    groups = list(points.groupby("series", sort=False))
    common = [c for c in LIMITS if len(groups) == 1 or _is_common(points, c)]
    separate = [c for c in LIMITS if c not in common]
    for name, own in groups:
        _draw_one_series(ax, own, numbers[name], name, numeric=names is None, limits=separate)
    for column in separate:
        kind = "corrected" if column == "repaired_bound" else "stated"
        label = f"{kind}: in its series' colour"
        ax.plot([], [], color="grey", label=label, **LIMIT_LINES[column])
    ax.set(xlabel=first["x_label"], ylabel=lines(first["y_label"], 40))
    if "y" in first["log"]:
        ax.set_yscale("log")
        _limit_decades(ax, points)
    if "x" in first["log"] and names is None:
        ax.set_xscale("log")
        _tick_logarithms(ax.xaxis, sorted({place for place in x if place > 0}))
    if names is not None:
        _tick_at_names(ax, names)
    _draw_common_limits(ax, points.assign(**dict.fromkeys(separate, np.nan)), names is not None)
    if "y" in first["log"]:
        _tick_logarithms(ax.yaxis, [])
    beyond = points[points["beyond"]]
    ax.plot(beyond["x"], beyond["measured"], **RING, label="beyond" if len(beyond) else None)


def _places(x: pd.Series) -> tuple[pd.Series, list[str] | None]:
    """Numbers as they are; names at 0, 1, 2, ... in their order, with the names."""
    numbers = pd.to_numeric(x, errors="coerce")
    if numbers.notna().all():
        return numbers, None
    codes, names = pd.factorize(x.astype(str))
    return pd.Series(codes, index=x.index), list(names)


def _is_common(points: pd.DataFrame, limit: str) -> bool:
    """Whether a limit is the same for all series at each x, so that it is drawn once."""
    return bool((points.groupby("x")[limit].nunique() <= 1).all())


def _draw_one_series(
    ax, own: pd.DataFrame, i: int, name: str, *, numeric: bool, limits: list[str]
) -> None:
    colour = METHODS[i % len(METHODS)]
    own = own.sort_values("x", kind="stable")
    cloud = len(own) > CLOUD or own["x"].duplicated().any()
    style = {"color": colour, "marker": SHAPES[i % len(SHAPES)], "ms": 2.5 if cloud else 3.5 + i}
    style |= {"ls": DASHES[0] if numeric and not cloud else "", "zorder": 3 + i / 100}
    if i and not cloud:  # hollow and larger, so that points at the same place can be seen
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
        line = LIMIT_LINES[column] if numeric else {"marker": "_", "ls": "", "ms": 9}
        ax.plot(limit["x"], limit[column], color=colour, **line)


def _draw_common_limits(ax, points: pd.DataFrame, named: bool) -> None:
    """The limits that all series share, and a light shade beyond them."""
    own = points.groupby("x", as_index=False)[LIMITS].max()
    equal = bool(np.isclose(own["at_least"], own["at_most"], rtol=1e-6, atol=0).any())
    _include(ax, own[LIMITS].to_numpy(float).ravel())
    low, high = ax.get_ylim()
    top = high * 1e3 if ax.get_yscale() == "log" else high + 2 * (high - low)
    limits = (
        ("at_most", top, "stated: at most"),
        ("at_least", low, "stated: at least"),
        ("repaired_bound", None, f"corrected: {'at most' if is_upper(points) else 'at least'}"),
    )
    for column, edge, label in limits:
        limit = own.dropna(subset=[column])
        if limit.empty or (equal and column == "at_least"):
            continue
        x, y = limit["x"].to_numpy(float), limit[column].to_numpy(float)
        if named:  # a step at each name, interrupted at names without a limit
            x = np.ravel(np.column_stack([x - 0.5, x + 0.5, x + 0.5]))
            y = np.ravel(np.column_stack([y, y, np.full(len(y), np.nan)]))
        elif len(x) == 1:
            x, y = np.array(ax.get_xlim()), np.repeat(y, 2)
        stated = edge is not None
        line = LIMIT_LINES[column] | {"color": "black" if stated else REPAIRED}
        if equal and stated:
            line, label = line | {"ls": ":"}, "stated: equal"
        ax.plot(x, y, label=label, **line)
        if not equal and stated:
            ax.fill_between(x, y, edge, color=BEYOND, alpha=0.07, lw=0)
    ax.set_ylim(low, high)


# --- axes -----------------------------------------------------------------------------------------
def _tick_logarithms(axis, x: list[float]) -> None:
    """Ticks at the values `x` if these are few and apart, else at powers of 10, perhaps 2 and 5."""
    from matplotlib.ticker import LogLocator, NullFormatter

    low, high = axis.get_view_interval()
    narrow = high < 60 * low
    if high > 1e10 * low:
        axis.set_major_locator(LogLocator(numticks=6))
    axis.set_major_formatter(_tick_text)
    axis.set_minor_locator(LogLocator(subs=(2, 5) if narrow else (1,)))
    axis.set_minor_formatter(_tick_text if narrow else NullFormatter())
    if 0 < len(x) <= 6 and np.all(np.diff(np.log(x)) > 0.19 * np.ptp(np.log(x))):
        axis.set_ticks(x)
        axis.set_ticks([], minor=True)


def _tick_text(value: float, _position=None) -> str:
    return f"{value:g}" if 1e-4 < value < 1e5 else readable(f"{value:.0e}")


def _tick_at_names(ax, names: list[str]) -> None:
    long = max(map(len, names)) * len(names) > 45
    turned = {"rotation": 25, "ha": "right", "rotation_mode": "anchor"} if long else {}
    ax.set_xticks(range(len(names)), names, fontsize=6, **turned)
    ax.set_xlim(-0.6, len(names) - 0.4)


def _include(ax, limits: np.ndarray) -> None:
    """Extend the y axis so that the limits and a little beyond them can be seen."""
    limits = limits[np.isfinite(limits)]
    low, high = ax.get_ylim()
    if ax.get_yscale() == "log":
        limits = limits[limits > 0] if (limits > 0).any() else np.array([low])
        ax.set_ylim(min(low, limits.min() / 1.5), max(high, limits.max() * 1.5))
    elif len(limits):
        low, high = min(low, limits.min()), max(high, limits.max())
        ax.set_ylim(low - 0.06 * (high - low), high + 0.06 * (high - low))


def _limit_decades(ax, points: pd.DataFrame) -> None:
    """Limit a logarithmic y axis to the highest decades of its values."""
    values = points[["measured", *LIMITS]].to_numpy(float).ravel()
    values = values[np.isfinite(values) & (values > 0)]
    top = values.max()
    ax.set_ylim(max(values.min(), top * 10.0**-DECADES) / 1.7, top * 2)
