r"""Texts with TeX formulas as HTML with MathML, by latex2mathml, in the report and on the site.

The formulas are prepared for it: a space between ln or max and its argument, letters of double
weight and upright words in braces, and a long formula in pieces, between which browsers can break
lines.
"""

import html
import re
from functools import cache

from latex2mathml.converter import convert

from dpbandits.reproduction.plots.texmath import NAMES, TOKEN
from dpbandits.reproduction.plots.words import formulas

LONG = 24  # tokens of a formula that is not broken into lines
_BREAKS = {"=", "<", ">", "+", ",", r"\le", r"\ge", r"\to", r"\sim", r"\in", r"\lesssim"}
_FORMULA = re.compile(r"\$([^$\n]+)\$")
_CODE = re.compile(r"`([^`]+)`")
_NAME = rf"\\({'|'.join(sorted(NAMES, key=len, reverse=True))})(?![A-Za-z])"
PREPARED = (
    (r"\\(mathbb|mathcal|mathbf) ?([A-Za-z0-9])", r"\\\1{\2}"),
    (r"\\(mathrm|operatorname|textrm)(?=\{)", r"\\text"),
    (r"\\arg(?![A-Za-z])", r"\\operatorname{arg}"),
    (rf"{_NAME}(?= *(?:[A-Za-z0-9]|\\(?!left|le|ge|cdot|[|{{,])[A-Za-z]))", r"\\\1\\,"),
    (rf"{_NAME}(\^\d)(?= *[A-Za-z\\])", r"\\\1\2\\,"),
    (r"(?<=\d),(?=\d{3})|\{,\}", r"\\text{,}"),
)


@cache
def mathml(text: str) -> str:
    """A text as HTML, its formulas as <math>."""
    pieces = enumerate(_FORMULA.split(formulas(text)))
    return "".join(formula(piece) if i % 2 else _prose(piece) for i, piece in pieces)


def _prose(text: str) -> str:
    """The text between formulas, with `code` as <code>."""
    pieces = enumerate(map(html.escape, _CODE.split(text)))
    return "".join(f"<code>{piece}</code>" if i % 2 else piece for i, piece in pieces)


def formula(tex: str, display: str = "inline") -> str:
    """A formula in TeX as one <math>, or as several if it is long and within a line."""
    for pattern, replacement in PREPARED:
        tex = re.sub(pattern, replacement, tex)
    pieces = _pieces(tex) if display == "inline" else [tex]
    found = (convert(piece, display=display) for piece in pieces)
    return "\u200b".join(piece.replace(' xmlns="http://www.w3.org/1998/Math/MathML"', "")
                         .replace(' display="inline"', "") for piece in found)  # fmt: skip


def _pieces(tex: str) -> list[str]:
    """A formula, broken before relations and after commas that no bracket or group encloses."""
    tokens, depth, pieces = TOKEN.findall(tex), 0, [""]
    if len(tokens) <= LONG:
        return [tex]
    for token in tokens:
        enclosed = depth > 0 or pieces[-1].endswith(("^", "_"))
        depth += (token in ("{", r"\left", "(", "[")) - (token in ("}", r"\right", ")", "]"))
        before = token in _BREAKS and token != "," and not enclosed and len(pieces[-1]) > 2
        pieces += [""] if before else []
        pieces[-1] += token
        pieces += [""] if token == "," and not enclosed else []
    return [piece for piece in pieces if piece.strip()]
