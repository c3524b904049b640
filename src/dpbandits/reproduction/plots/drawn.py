"""The axes, curves, intervals and shades of a drawn figure as data, for interactive plots.

The data are stored as JSON in the text of the figure's PNG, under the key `drawn`. The report draws
them again with the axes, names, colours and order of the picture.
"""

import json
import math

from matplotlib.category import StrCategoryLocator
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_hex
from matplotlib.ticker import FixedLocator

from dpbandits.reproduction.plots.words import readable

KEY = "drawn"  # of the PNG's text
DASHES = {"-": "", "--": "6 3", "-.": "7 3 2 3", ":": "2 2", "None": None}  # None: no line


def as_json(figure, finding: str) -> str:
    content = {"finding": readable(finding), "panels": panels_of(figure)}
    return json.dumps(content, separators=(",", ":"))


def panels_of(figure) -> list[dict]:
    """The panels that have a curve, in the figure's order."""
    axes = [ax for ax in figure.axes if ax.get_visible() and ax.axison]
    panels = [_panel(ax, axes) for ax in axes]
    _name_curves(panels)
    return [panel for panel in panels if panel["curves"]]


def _panel(ax, all_axes: list) -> dict:
    labels = {line: line.get_label() for line in ax.lines}
    whiskers = {}
    for container in ax.containers:  # error bars: the container has the label of their line
        line, caps, bars = container.lines
        for cap in caps:
            del labels[cap]
        if line is not None:
            labels[line] = container.get_label()
            whiskers[line] = [segment for bar in bars for segment in bar.get_segments()]
    areas = [area for collection in ax.collections for area in _filled_areas(collection)]
    areas += [_shaded_range(patch, ax) for patch in ax.patches]
    curves = []
    for line, label in labels.items():
        curves.append(_curve(line, label, ax))
        _add_intervals(curves[-1], areas, whiskers.get(line, []))
    segments = [curve for collection in ax.collections for curve in _segments(collection)]
    return {
        "title": _text(ax.get_title()),
        "x": _axis(ax, "x", all_axes),
        "y": _axis(ax, "y", all_axes),
        "curves": [curve for curve in curves if curve["points"]] + segments,
        "areas": areas,
        "legend": [curve for curve in curves if not curve["points"]],
    }


def _text(text: str) -> str:
    return readable(text.replace(r"\$", "$")).replace("\n", " ").strip()


def _axis(ax, name: str, all_axes: list) -> dict:
    """Label, scale and limits of an axis, and its ticks if they are names or chosen numbers."""
    axis = getattr(ax, f"{name}axis")
    about = {
        "label": _label(ax, name, all_axes),
        "scale": getattr(ax, f"get_{name}scale")(),
        "range": [_short(value) for value in getattr(ax, f"get_{name}lim")()],
    }
    if isinstance(axis.get_major_locator(), (FixedLocator, StrCategoryLocator)):
        texts = [_text(label.get_text()) for label in axis.get_ticklabels()]
        about["ticks"] = [[_short(p), t] for p, t in zip(axis.get_ticklocs(), texts, strict=False)]
    return about


def _label(ax, name: str, all_axes: list) -> str:
    """The label of an axis: its own, else that of the panels in its column (x) or row (y)."""
    span = "colspan" if name == "x" else "rowspan"

    def start(other):
        place = other.get_subplotspec()
        return getattr(place, span).start if place else None

    aligned = [a for a in all_axes if a.get_subplotspec() and start(a) == start(ax)]
    labels = [_text(getattr(a, f"get_{name}label")()) for a in (ax, *aligned, *all_axes)]
    return next(filter(None, labels), "")


def _curve(line, label: str, ax) -> dict:
    x, y = line.get_data(orig=False)
    reference = ""
    if line.get_transform() == ax.get_yaxis_transform(which="grid"):  # of axhline
        reference, x = "y", ax.get_xlim()
    elif line.get_transform() == ax.get_xaxis_transform(which="grid"):  # of axvline
        reference, y = "x", ax.get_ylim()
    pairs = zip(map(float, x), map(float, y), strict=True)
    points = [[_short(a), _short(b)] for a, b in pairs if math.isfinite(a) and math.isfinite(b)]
    alpha, marker = line.get_alpha(), line.get_marker()
    dash = DASHES.get(line.get_linestyle(), "4 2")
    return {
        "name": "" if str(label).startswith("_") else _text(str(label)),
        "series": line.get_gid() or "",
        "colour": to_hex(line.get_markeredgecolor() if dash is None else line.get_color()),
        "alpha": 1 if alpha is None else alpha,
        "dash": dash,
        "width": line.get_linewidth(),
        "marker": "" if marker in (None, "None", "", " ") else str(marker),
        "size": line.get_markersize(),
        "hollow": line.get_markerfacecolor() == "none",
        "reference": reference,
        "points": points,
    }


def _area(colour, outline) -> dict:
    points = [[_short(x), _short(y)] for x, y in outline]
    return {"colour": to_hex(colour), "alpha": round(float(colour[3]), 3), "points": points}


def _filled_areas(collection) -> list[dict]:
    """The outlines of regions that fill_between has filled."""
    if not isinstance(collection, PolyCollection):
        return []
    colours = collection.get_facecolor()
    colour = colours[0] if len(colours) else (0, 0, 0, 0)
    return [_area(colour, path.vertices) for path in collection.get_paths()]


def _shaded_range(patch, ax) -> dict:
    """A range of y over the whole width, of axhspan."""
    low, high = patch.get_y(), patch.get_y() + patch.get_height()
    left, right = ax.get_xlim()
    corners = [[left, low], [right, low], [right, high], [left, high]]
    return _area(patch.get_facecolor(), corners)


def _segments(collection) -> list[dict]:
    """The lines of hlines and vlines, as one curve of separate pieces."""
    if not isinstance(collection, LineCollection) or collection.get_label().startswith("_nolegend"):
        return []
    points = [[_short(x), _short(y)] for piece in collection.get_segments() for x, y in piece]
    return [{
        "name": "" if collection.get_label().startswith("_") else _text(collection.get_label()),
        "series": "", "colour": to_hex(collection.get_colors()[0]), "alpha": 1, "dash": "",
        "width": float(collection.get_linewidths()[0]), "marker": "", "size": 0, "hollow": False,
        "reference": "pieces", "points": points,
    }] if points else []  # fmt: skip


def _add_intervals(curve: dict, areas: list, whiskers: list) -> None:
    """Add the ends of intervals to the points of a curve: of its error bars, or of its band, which
    is an area of its colour over the same x and is removed from the areas."""
    places = {x for x, _ in curve["points"]}
    has_line = curve["dash"] is not None and not curve["reference"] and len(places) > 1
    for i, area in enumerate(areas):
        if has_line and area["colour"] == curve["colour"] and area["alpha"] < 1:
            ends: dict[float, list[float]] = {}
            for x, y in area["points"]:
                ends.setdefault(x, []).append(y)
            if places <= ends.keys():
                curve["points"] = [[x, y, min(ends[x]), max(ends[x])] for x, y in curve["points"]]
                del areas[i]
                return
    bars = {}
    for (x, low), (right, high) in whiskers:
        if x == right and math.isfinite(low) and math.isfinite(high):
            bars[_short(x)] = [_short(low), _short(high)]
    curve["points"] = [[x, y, *bars.get(x, [])] for x, y in curve["points"]]


def _name_curves(panels: list[dict]) -> None:
    """Give curves without a name that of a curve of the same look, perhaps in another panel."""
    curves = [curve for panel in panels for curve in panel["curves"] + panel.pop("legend")]
    for look in (("colour", "dash", "marker"), ("colour", "marker")):
        names: dict[tuple, str] = {}
        for curve in curves:
            if curve["name"]:
                names.setdefault(tuple(curve[key] for key in look), curve["name"])
        for curve in curves:
            curve["name"] = curve["name"] or names.get(tuple(curve[key] for key in look), "")
    for curve in curves:
        series = curve.pop("series")
        curve["name"] = curve["name"] or _text(series)


def _short(value: float) -> float:
    return float(f"{value:.5g}")
