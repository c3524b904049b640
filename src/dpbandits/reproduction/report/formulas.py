r"""Texts with TeX formulas as HTML with MathML, by latex2mathml, in the report and on the site."""

import html
import re
from functools import cache

from latex2mathml.converter import convert

from dpbandits.reproduction.plots.plaintext import FORMULA, NAMES
from dpbandits.reproduction.plots.words import formulas

_CODE = re.compile(r"`([^`]+)`")
_NAME = rf"\\({'|'.join(sorted(NAMES, key=len, reverse=True))})(?![A-Za-z])"
PREPARED = (  # for latex2mathml: letters of double weight, upright words, a space after ln or max
    (r"\\(mathbb|mathcal|mathbf) ?([A-Za-z0-9])", r"\\\1{\2}"),
    (r"\\(mathrm|operatorname|textrm)(?=\{)", r"\\text"),
    (r"\\arg(?![A-Za-z])", r"\\operatorname{arg}"),
    (rf"{_NAME}(\^\d)?(?= *(?:[A-Za-z0-9]|\\(?!left|le|ge|cdot|[|{{,])[A-Za-z]))", r"\\\1\2\\,"),
    (r"(?<=\d),(?=\d{3})|\{,\}", r"\\text{,}"),
)


@cache
def mathml(text: str) -> str:
    """A text as HTML, its formulas as <math> and its `code` as <code>."""
    pieces = FORMULA.split(formulas(text))  # prose, then formula, in turn
    pieces[::2] = [_CODE.sub(r"<code>\1</code>", html.escape(prose)) for prose in pieces[::2]]
    pieces[1::2] = map(formula, pieces[1::2])
    return "".join(pieces)


def formula(tex: str, display: str = "inline") -> str:
    """A formula in TeX as <math>."""
    for pattern, replacement in PREPARED:
        tex = re.sub(pattern, replacement, tex)
    found = convert(tex, display=display).replace(' xmlns="http://www.w3.org/1998/Math/MathML"', "")
    return found.replace(' display="inline"', "")
