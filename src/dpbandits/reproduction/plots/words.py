r"""Numbers and names from programs, as readers expect them: 1e-06 as $10^{-6}$, usca as USCA.

Formulas, which are TeX between dollars already, code and paths are not changed.
"""

import re
from functools import cache

from dpbandits.reproduction.plots.plaintext import plain
from dpbandits.reproduction.plots.style import named

_CODE = r"`[^`]*`|(?:[\w.-]+/)+[\w-]+\.[a-z]+\b|\b(?:figures|docs|hu|fl|us|kl)/[\w/-]+"
_FLOAT = re.compile(rf"(?P<code>{_CODE})|(?<![\w.])(\d+(?:\.\d+)?)e([+-]?)0*(\d+)(?!\w)")
_MINUS = re.compile(rf"(?P<code>\$[^$\n]+\$|{_CODE})|(?<![\w)\]$-])-(?=[\d$])|(?<= )-(?= )")
_NAMES = re.compile(rf"(?P<code>\$[^$\n]+\$|{_CODE})|[^$`/]+|.", re.DOTALL)


@cache
def formulas(text: str) -> str:
    """A text with powers of ten as TeX formulas, and algorithms by the names in their papers."""
    text = _FLOAT.sub(lambda match: match["code"] or _power_of_ten(match), text)
    text = _MINUS.sub(lambda match: match["code"] or "−", text)
    return _NAMES.sub(lambda match: match["code"] or named(match[0]), text)


@cache
def readable(text: str) -> str:
    """The same in plain Unicode, for figures and terminals."""
    return plain(formulas(text))


def _power_of_ten(match: re.Match) -> str:
    """A number like 3e-07 in TeX, between dollars unless it is inside a formula."""
    _, factor, sign, digits = match.groups()
    times = "" if float(factor) == 1 else rf"{factor}\cdot"
    formula = f"{times}10^{{{sign.strip('+')}{digits}}}"
    inside = match.string[: match.start()].count("$") % 2
    return formula if inside else f"${formula}$"
