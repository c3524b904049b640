"""What makes a picture stand alone: title above, below it every line named and what it is made of.

Every figure passes through `finish` once, when it is drawn. The legends of its panels become one,
outside of the axes, so that nothing lies over data; the canvas grows by what is written.
"""

from functools import cache

from dpbandits.plots.words import readable

MARGIN = 0.08  # inches
LEADING = 1.35  # line height over font size
HEAD, FOOT, LEGEND = 8.5, 6.5, 7  # points


def finish(canvas, head: list[str], foot: list[str], badges=()) -> None:
    """Write `head` above and `foot` below, `badges` (text, ink, ground) in a row of their own."""
    _name_all(canvas)
    legend = _one_legend(canvas)
    width, height = canvas.get_size_inches()
    top = [line for text in head for line in wrapped(text, width, HEAD)]
    below = [line for text in foot for line in wrapped(text, width, FOOT)]
    rows = _badge_rows(badges, width)
    above_in = MARGIN + _tall(top, HEAD) + 0.22 * len(rows)
    legend_in = _inches(legend)[1] + MARGIN if legend else 0
    below_in = MARGIN + _tall(below, FOOT) + legend_in
    total = height + above_in + below_in
    canvas.set_size_inches(width, total)
    _write(canvas, top, HEAD, MARGIN, total)
    for i, row in enumerate(rows):
        y = 1 - (MARGIN + _tall(top, HEAD) + 0.22 * i + 0.11) / total
        _badge_row(canvas, row, width, y)
    _write(canvas, below, FOOT, total - MARGIN / 2 - _tall(below, FOOT), total)
    if legend:
        legend.set_bbox_to_anchor((0.5, (below_in - legend_in) / total), canvas.transFigure)
    engine = canvas.get_layout_engine()
    engine.set(w_pad=0.06, h_pad=0.06, rect=(0, below_in / total, 1, height / total))
    for _ in range(2):  # tick labels change with the axes' size, and it with them
        engine.execute(canvas)
    canvas.set_layout_engine(None)  # done once: PNG, PDF and the notebook's picture follow


def _write(canvas, lines: list[str], size: float, from_top: float, total: float) -> None:
    style = {"ha": "left", "va": "top", "linespacing": LEADING / 1.2, "fontsize": size}
    for i, line in enumerate(lines):
        y = 1 - (from_top + i * size * LEADING / 72) / total
        canvas.text(MARGIN / canvas.get_figwidth(), y, line, parse_math=False, **style)


def _tall(lines: list[str], size: float) -> float:
    return len(lines) * size * LEADING / 72


@cache
def _advance(character: str) -> float:
    """The width of a character over the font size."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family="DejaVu Sans", size=100)
    return text_to_path.get_text_width_height_descent(character, font, False)[0] / 100


def wrapped(text: str, inches: float, size: float) -> list[str]:
    """Lines that fit a width, broken between words (a longer word where it must be)."""
    room, lines = 0.95 * 72 * (inches - 2 * MARGIN) / size, []  # hinting widens some letters
    for part in readable(text).split("\n"):
        line, used = "", 0.0
        for word in part.split(" "):
            long = sum(map(_advance, word))
            if line and used + _advance(" ") + long > room:
                lines.append(line)
                line, used = "", 0.0
            while long > room:
                cut = next(n for n in range(len(word), 0, -1)
                           if sum(map(_advance, word[:n])) <= room)  # fmt: skip
                lines.append(word[:cut])
                word, long = word[cut:], sum(map(_advance, word[cut:]))
            line, used = (f"{line} {word}", used + _advance(" ") + long) if line else (word, long)
        lines += [line] if line else []
    return lines


def _badge_rows(badges, width: float) -> list[list]:
    rows, left = [], 0.0
    for text, *colours in badges:
        wide = sum(map(_advance, text)) * 7.5 / 72 + 0.2
        if not rows or left + wide > width:
            rows, left = [*rows, []], 0.0
        rows[-1].append((left + 0.05, text, *colours))
        left += wide
    return rows


def _badge_row(canvas, row, width: float, y: float) -> None:
    for left, text, ink, ground in row:
        box = {"facecolor": ground, "edgecolor": ink, "boxstyle": "round,pad=0.15", "lw": 0.8}
        style = {"color": ink, "fontsize": 7.5, "bbox": box, "ha": "left", "va": "center"}
        canvas.text((MARGIN + left) / width, y, text, **style)


def _name_all(canvas) -> None:
    """Algorithms by their names, greek letters as letters, wherever something is written."""
    texts = list(canvas.texts)
    for ax in canvas.axes:
        titles = [ax.title, ax.xaxis.label, ax.yaxis.label]
        texts += [*titles, *ax.texts]
    for text in texts:
        if "$" not in text.get_text():
            text.set_text(readable(text.get_text()))


def _one_legend(canvas):
    """Every entry of every panel once, as wide as the canvas allows; None if there is none."""
    entries = {}
    for ax in canvas.axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            entries.setdefault(readable(label), handle)
        if ax.get_legend():
            ax.get_legend().remove()
    if not entries:
        return None
    width = canvas.get_figwidth() - 2 * MARGIN
    # An entry's handle, gaps and text, in inches: as matplotlib sets them at this size.
    wide = max(sum(map(_advance, label)) for label in entries) * LEGEND / 72 + 5 * LEGEND / 72
    columns = max(1, min(len(entries), int(width / wide)))
    columns = -(-len(entries) // -(-len(entries) // columns))  # rows of equal length
    return canvas.legend(
        entries.values(), entries.keys(), loc="lower center", ncols=columns, fontsize=LEGEND,
        borderaxespad=0, handlelength=3, columnspacing=1, frameon=False,
    )  # fmt: skip


def _inches(artist) -> tuple[float, float]:
    box = artist.get_window_extent()
    dpi = artist.get_figure().dpi
    return box.width / dpi, box.height / dpi
