"""What a figure shows, as data: the axes, curves, intervals and shades of each of its panels.

It is read off the drawn figure and stands as JSON in the text of its PNG, under the key `drawn`.
The report's interactive plots draw it again: axes, names, colours and order are the picture's.
"""

import json
import math

from dpbandits.plots.words import readable

KEY = "drawn"  # of the PNG's text
DASHES = {"-": "", "--": "6 3", "-.": "7 3 2 3", ":": "2 2", "None": None}  # None: no line


def as_json(figure, finding: str) -> str:
    said = {"finding": readable(finding), "panels": panels_of(figure)}
    return json.dumps(said, separators=(",", ":"))


def panels_of(figure) -> list[dict]:
    """The panels that show something, in the figure's order."""
    shown = [ax for ax in figure.axes if ax.get_visible() and ax.axison]
    found = [_panel(ax, shown) for ax in shown]
    _name_curves(found)
    return [panel for panel in found if panel["curves"]]


def _panel(ax, others: list) -> dict:
    curves, caps, whiskers = [], set(), {}
    for container in ax.containers:  # error bars: their line carries the name
        line, ends, bars = container.lines
        caps |= set(map(id, ends))
        if line is not None:
            curves.append((line, container.get_label()))
            whiskers[id(line)] = [segment for bar in bars for segment in bar.get_segments()]
    curves += [(a, a.get_label()) for a in ax.lines if id(a) not in caps | whiskers.keys()]
    order = {id(line): place for place, line in enumerate(ax.lines)}
    curves.sort(key=lambda pair: order[id(pair[0])])
    areas = [area for collection in ax.collections for area in _areas(collection)]
    areas += [_span(patch, ax) for patch in ax.patches]
    drawn = []
    for line, label in curves:
        drawn.append(_curve(line, label, ax))
        _add_intervals(drawn[-1], areas, whiskers.get(id(line), []))
    strokes = [stroke for collection in ax.collections for stroke in _strokes(collection)]
    return {
        "title": _text(ax.get_title()),
        "x": _axis(ax, "x", others),
        "y": _axis(ax, "y", others),
        "curves": [curve for curve in drawn if curve["points"]] + strokes,
        "areas": [area for area in areas if area],
        "legend": [curve for curve in drawn if not curve["points"]],
    }


def _text(text: str) -> str:
    return readable(text.replace(r"\$", "$")).replace("\n", " ").strip()


def _axis(ax, name: str, others: list) -> dict:
    """Label, scale, limits, and the ticks that are names or chosen places."""
    from matplotlib.category import StrCategoryLocator
    from matplotlib.ticker import FixedLocator

    axis = getattr(ax, f"{name}axis")
    found = {
        "label": _label(ax, name, others),
        "scale": getattr(ax, f"get_{name}scale")(),
        "range": [_short(value) for value in getattr(ax, f"get_{name}lim")()],
    }
    if isinstance(axis.get_major_locator(), (FixedLocator, StrCategoryLocator)):
        texts = [_text(label.get_text()) for label in axis.get_ticklabels()]
        found["ticks"] = [[_short(p), t] for p, t in zip(axis.get_ticklocs(), texts, strict=False)]
    return found


def _label(ax, name: str, others: list) -> str:
    """Its own label; else that of the panels which share it: below it, or left of it."""
    here = ax.get_subplotspec()
    same = "colspan" if name == "x" else "rowspan"
    line = [
        other
        for other in others
        if other.get_subplotspec() and getattr(other.get_subplotspec(), same).start
        == (getattr(here, same).start if here else None)
    ]  # fmt: skip
    labels = [_text(getattr(a, f"get_{name}label")()) for a in (ax, *line, *others)]
    return next(filter(None, labels), "")


def _curve(line, label: str, ax) -> dict:
    from matplotlib.colors import to_hex

    x, y = line.get_data(orig=False)
    reference = ""
    if line.get_transform() == ax.get_yaxis_transform(which="grid"):
        reference, (x, y) = "y", (ax.get_xlim(), y)
    elif line.get_transform() == ax.get_xaxis_transform(which="grid"):
        reference, (x, y) = "x", (x, ax.get_ylim())
    pairs = zip(map(float, x), map(float, y), strict=True)
    points = [[_short(a), _short(b)] for a, b in pairs if math.isfinite(a) and math.isfinite(b)]
    alpha, marker = line.get_alpha(), line.get_marker()
    dash = DASHES.get(line.get_linestyle(), "4 2")
    ink = line.get_color() if dash is not None else line.get_markeredgecolor()
    return {
        "name": "" if str(label).startswith("_") else _text(str(label)),
        "series": line.get_gid() or "",
        "colour": to_hex(ink),
        "alpha": 1 if alpha is None else alpha,
        "dash": dash,
        "width": line.get_linewidth(),
        "marker": "" if marker in (None, "None", "", " ") else str(marker),
        "size": line.get_markersize(),
        "hollow": line.get_markerfacecolor() == "none",
        "reference": reference,
        "points": points,
    }


def _areas(collection) -> list[dict]:
    """Filled regions, as their outlines."""
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import to_hex

    if not isinstance(collection, PolyCollection):
        return []
    colours = collection.get_facecolor()
    colour = colours[0] if len(colours) else (0, 0, 0, 0)
    outlines = [[[_short(a), _short(b)] for a, b in p.vertices] for p in collection.get_paths()]
    said = {"colour": to_hex(colour), "alpha": round(float(colour[3]), 3)}
    return [said | {"points": outline} for outline in outlines]


def _span(patch, ax) -> dict:
    """A shaded range of y, over the whole width."""
    from matplotlib.colors import to_hex

    low, high = patch.get_y(), patch.get_y() + patch.get_height()
    (left, right), colour = ax.get_xlim(), patch.get_facecolor()
    corners = [[left, low], [right, low], [right, high], [left, high]]
    points = [[_short(a), _short(b)] for a, b in corners]
    return {"colour": to_hex(colour), "alpha": round(float(colour[3]), 3), "points": points}


def _strokes(collection) -> list[dict]:
    """Lines of hlines and vlines: one curve, its pieces apart."""
    from matplotlib.collections import LineCollection
    from matplotlib.colors import to_hex

    if not isinstance(collection, LineCollection) or collection.get_label().startswith("_nolegend"):
        return []
    pieces = [[[_short(a), _short(b)] for a, b in p] for p in collection.get_segments()]
    return [{
        "name": "" if collection.get_label().startswith("_") else _text(collection.get_label()),
        "series": "", "colour": to_hex(collection.get_colors()[0]), "alpha": 1, "dash": "",
        "width": float(collection.get_linewidths()[0]), "marker": "", "size": 0, "hollow": False,
        "reference": "pieces", "points": [point for piece in pieces for point in piece],
    }] if pieces else []  # fmt: skip


def _add_intervals(curve: dict, areas: list, whiskers: list) -> None:
    """The ends of its band (a region of its colour over the same x) or of its error bars."""
    places = {x for x, _ in curve["points"]}
    line = curve["dash"] is not None and not curve["reference"]
    for i, area in enumerate(areas):
        if area and area["colour"] == curve["colour"] and area["alpha"] < 1:
            ends: dict[float, list[float]] = {}
            for x, y in area["points"]:
                ends.setdefault(x, []).append(y)
            if line and len(places) > 1 and places <= ends.keys():
                curve["points"] = [[x, y, min(ends[x]), max(ends[x])] for x, y in curve["points"]]
                areas[i] = None
                return
    bars = {}
    for (x, low), (right, high) in whiskers:
        if x == right and math.isfinite(low) and math.isfinite(high):
            bars[_short(x)] = [_short(low), _short(high)]
    curve["points"] = [[x, y, *bars.get(x, [])] for x, y in curve["points"]]


def _name_curves(panels: list[dict]) -> None:
    """A curve that only another panel names has the name of the one with its look."""
    every = [curve for panel in panels for curve in panel["curves"] + panel.pop("legend")]
    for look in (("colour", "dash", "marker"), ("colour", "marker")):
        named: dict[tuple, str] = {}
        for curve in every:
            if curve["name"]:
                named.setdefault(tuple(curve[key] for key in look), curve["name"])
        for curve in every:
            curve["name"] = curve["name"] or named.get(tuple(curve[key] for key in look), "")
    for curve in every:
        curve["name"] = curve["name"] or _text(curve["series"])
        del curve["series"]


def _short(value: float) -> float:
    """Five digits; what is not finite (a limit) as it is read by JSON."""
    return float(f"{value:.5g}")
