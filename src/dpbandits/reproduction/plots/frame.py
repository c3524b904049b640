"""The frame of a figure: a title above it, one legend for all panels, and a caption below.

Every figure passes through `finish` once, after it is drawn. The legends of its panels become one
legend outside the axes, so that nothing covers data; the canvas grows by what is written.
"""

import math
from functools import cache

from dpbandits.reproduction.plots.words import readable

MARGIN = 0.08  # inches
LEADING = 1.35  # line height over font size
HEAD, FOOT, LEGEND, BADGE = 8.5, 6.5, 7, 7.5  # font sizes, points
BADGE_ROW = 0.22  # height, inches


def finish(canvas, head: list[str], foot: list[str], badges=()) -> None:
    """Write `head` above and `foot` below the panels, and `badges` (text, ink, ground) in rows
    below the head."""
    _make_texts_readable(canvas)
    legend = _common_legend(canvas)
    width, height = canvas.get_size_inches()
    head_lines = [line for text in head for line in wrapped(text, width, HEAD)]
    foot_lines = [line for text in foot for line in wrapped(text, width, FOOT)]
    rows = _badge_rows(badges, width)
    head_height, foot_height = _height(head_lines, HEAD), _height(foot_lines, FOOT)
    legend_height = legend.get_window_extent().height / canvas.dpi + MARGIN if legend else 0
    above = MARGIN + head_height + BADGE_ROW * len(rows)
    below = MARGIN + foot_height + legend_height
    total = height + above + below
    canvas.set_size_inches(width, total)
    _write(canvas, head_lines, HEAD, MARGIN)
    for i, row in enumerate(rows):
        _write_badges(canvas, row, 1 - (MARGIN + head_height + BADGE_ROW * (i + 0.5)) / total)
    _write(canvas, foot_lines, FOOT, total - MARGIN / 2 - foot_height)
    if legend:
        legend.set_bbox_to_anchor((0.5, (below - legend_height) / total), canvas.transFigure)
    engine = canvas.get_layout_engine()
    engine.set(w_pad=0.06, h_pad=0.06, rect=(0, below / total, 1, height / total))
    for _ in range(2):  # tick labels change with the size of the axes, and the size with them
        engine.execute(canvas)
    canvas.set_layout_engine(None)  # so that PNG, PDF and the notebook's picture are laid out alike


def _write(canvas, lines: list[str], size: float, top: float) -> None:
    """Write lines at the left margin; `top`: inches from the upper edge."""
    width, height = canvas.get_size_inches()
    style = {"ha": "left", "va": "top", "linespacing": LEADING / 1.2, "fontsize": size}
    for i, line in enumerate(lines):
        y = 1 - (top + i * size * LEADING / 72) / height
        canvas.text(MARGIN / width, y, line, parse_math=False, **style)


def _height(lines: list[str], size: float) -> float:
    """In inches."""
    return len(lines) * size * LEADING / 72


@cache
def _character_width(character: str) -> float:
    """The width of a character over the font size."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family="DejaVu Sans", size=100)
    return text_to_path.get_text_width_height_descent(character, font, False)[0] / 100


def _text_width(text: str) -> float:
    """The width of a text over the font size."""
    return sum(map(_character_width, text))


def wrapped(text: str, inches: float, size: float) -> list[str]:
    """Lines that fit a width, broken between words; a word that is longer is cut."""
    longest = 0.95 * 72 * (inches - 2 * MARGIN) / size  # hinting makes some letters wider
    lines = []
    for paragraph in readable(text).split("\n"):
        line = ""
        for word in paragraph.split(" "):
            if line and _text_width(f"{line} {word}") > longest:
                lines.append(line)
                line = ""
            while _text_width(word) > longest:
                cut = next(n for n in range(len(word), 0, -1) if _text_width(word[:n]) <= longest)
                lines.append(word[:cut])
                word = word[cut:]
            line = f"{line} {word}" if line else word
        lines += [line] if line else []
    return lines


def _badge_rows(badges, width: float) -> list[list]:
    """The badges of each row, with their distances from the left margin in inches."""
    rows, left = [], 0.0
    for text, *colours in badges:
        badge_width = _text_width(text) * BADGE / 72 + 0.2
        if not rows or left + badge_width > width:
            rows, left = [*rows, []], 0.0
        rows[-1].append((left + 0.05, text, *colours))
        left += badge_width
    return rows


def _write_badges(canvas, row: list, y: float) -> None:
    for left, text, ink, ground in row:
        box = {"facecolor": ground, "edgecolor": ink, "boxstyle": "round,pad=0.15", "lw": 0.8}
        style = {"color": ink, "fontsize": BADGE, "bbox": box, "ha": "left", "va": "center"}
        canvas.text((MARGIN + left) / canvas.get_figwidth(), y, text, **style)


def _make_texts_readable(canvas) -> None:
    """Replace names of algorithms and of Greek letters in all texts, apart from formulas."""
    texts = list(canvas.texts)
    for ax in canvas.axes:
        texts += [ax.title, ax.xaxis.label, ax.yaxis.label, *ax.texts]
    for text in texts:
        if "$" not in text.get_text():
            text.set_text(readable(text.get_text()))


def _common_legend(canvas):
    """One legend for all panels, in as many columns as fit; None if no curve has a label."""
    entries = {}
    for ax in canvas.axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            entries.setdefault(readable(label), handle)
        if ax.get_legend():
            ax.get_legend().remove()
    if not entries:
        return None
    width = canvas.get_figwidth() - 2 * MARGIN
    handle_and_gaps = 5 * LEGEND / 72  # as matplotlib sets them
    widest = max(map(_text_width, entries)) * LEGEND / 72 + handle_and_gaps
    columns = max(1, min(len(entries), int(width / widest)))
    rows = math.ceil(len(entries) / columns)
    return canvas.legend(
        entries.values(), entries.keys(), loc="lower center", ncols=math.ceil(len(entries) / rows),
        fontsize=LEGEND, borderaxespad=0, handlelength=3, columnspacing=1, frameon=False,
    )  # fmt: skip
