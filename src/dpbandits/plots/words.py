r"""What a text spells in plain words, as formulas: 1e-06 is $10^{-6}$, gap^2 has its power.

Measured values and captions are written by programs; wherever they are shown they are set as the
formulas that stand beside them. Code, paths and what stands between dollars stay as they are.
"""

import re
from collections.abc import Callable
from functools import cache

from dpbandits.plots.plaintext import SPELT, plain
from dpbandits.plots.style import named

_CODE = r"`[^`]*`|(?:[\w.-]+/)+[\w-]+\.[a-z]+\b|\b(?:figures|docs|hu|fl|us|kl)/[\w/-]+"
_RAW = rf"(?P<raw>\$[^$\n]+\$|{_CODE})"
_FLOAT = rf"(?P<raw>{_CODE})|(?<![\w.])(\d+(?:\.\d+)?)e([+-]?)0*(\d+)(?!\w)"
_GREEK = "eps|epsilon|alpha|beta|gamma|delta|Delta|eta|theta|kappa|lambda|mu|pi|rho|sigma|tau"
_GREEK += "|phi|xi|omega"
_BEFORE = r"(?<![\w/.\\-])"
_AT = rf"(?:(?<![\w.\\-])(?=[α-ωΓ-Ω])|{_BEFORE})"  # Greek letters stand in no path
_POWER = r"\^(-\d+/\d+|-?\w+(?:\.\d+)?|\([^()]*\))"
_INNER = r"(?:[\w/* .+,-]|\((?:[\w/* .+,-]|\([\w/* .+-]*\))*\))+"  # brackets in brackets in it
_NAMES = {"min", "max"}
_SIGNS = {"<=": r"$\le$", ">=": r"$\ge$", "->": r"$\to$", "+-": "±", "-": "−"}


def _greek(name: str) -> str:
    return rf"\{SPELT.get(name, name)}"


def _letter(found: re.Match) -> str:
    return (r"\bar" if found[3] else "") + _greek(found[2])


def _scripts(below: str | None, above: str | None) -> str:
    below = (below or "").lstrip("_")
    below = rf"\{below}" if below in _NAMES else below
    return (f"_{{{below}}}" if below else "") + (f"^{{{above.strip('()')}}}" if above else "")


def _power(found: re.Match) -> str:
    name = found[2]
    base = name if len(name) == 1 or name.isdigit() else rf"\mathrm{{{name}}}"
    return f"${base}{_scripts(None, found[3])}$"


def _inside(text: str) -> str:
    named = re.sub(rf"\b({_GREEK}|ln|max|min)(\d?)(?![A-Za-z])", _inner_name, text)
    named = re.sub(r"_(?=(?:min|max)\b)", r"_\\", named)
    return re.sub(r"(?<![\\\w])[A-Za-z]{2,}(?!\w)", r"\\mathrm{\g<0>}", named)


def _inner_name(found: re.Match) -> str:
    return _greek(found[1]) + (f"_{found[2]}" if found[2] else "")


def _root(found: re.Match) -> str:
    return rf"$\sqrt{{{_inside(found[2])}}}$"


RULES: list[tuple[str, Callable[[re.Match], str]]] = [
    (rf"\bsqrt\(({_INNER})\)", _root),
    (rf"{_BEFORE}e\^\(({_INNER})\)", lambda m: f"$e^{{{_inside(m[2])}}}$"),
    (rf"{_BEFORE}eps\^(?![\w(-])", lambda _: r"$\hat\epsilon$"),
    (
        rf"(?<![\w.\\-])({_GREEK})(bar)?(_\(\w\)|_\w+|\d+)?(['*])?(?:{_POWER})?(?!-\d|-inf|[\w^])",
        lambda m: f"${_letter(m)}{_scripts(m[4], m[6])}{(m[5] or '').replace('*', '^*')}$",
    ),
    (rf"{_BEFORE}([A-Z])~(?:{_POWER})?", lambda m: rf"$\tilde {m[2]}{_scripts(None, m[3])}$"),
    (rf"(?<![\w.\\-])([A-Za-z]+|[α-ω]|\d+){_POWER}", _power),
    (rf"(?<=[)}}]){_POWER}", lambda m: f"${_scripts(None, m[2])}$"),
    (rf"(?<!\*){_BEFORE}([A-Za-z])\*(?![\w*])", lambda m: f"${m[2]}^*$"),
    (rf"{_AT}([A-Za-zα-ωΓ-Ω])_(\w|min|max)\b", lambda m: f"${m[2]}{_scripts(m[3], None)}$"),
    (r"(?<=\|)_(\d)\b", lambda m: f"${_scripts(m[2], None)}$"),
    (r"(?<![\w)\]'-])([A-Za-z])(?= ?[=<>≤≥] ?[\d$-])", lambda m: f"${m[2]}$"),
    (r"<=|>=|->|\+-(?=\d)|(?<![\w)\]$-])-(?=\d|\$)|(?<= )-(?= )", lambda m: _SIGNS[m[0]]),
]


@cache
def formulas(text: str) -> str:
    """A text with what it spells in plain words between dollars."""
    text = re.sub(_FLOAT, lambda m: m["raw"] or _power_of_ten(m), text)
    for rule, shown in RULES:
        if re.search(rule, text):  # mostly not; to find what stays takes ten times as long
            text = re.sub(f"{_RAW}|{rule}", lambda m, shown=shown: m["raw"] or shown(m), text)
    return re.sub(f"{_RAW}|[^$`/]+|.", lambda m: m["raw"] or named(m[0]), text)


@cache
def readable(text: str) -> str:
    """In plain Unicode, for pictures and terminals: 1e-06 as 10⁻⁶, algorithms by their names."""
    return plain(formulas(text))


def _power_of_ten(found: re.Match) -> str:
    """As TeX, between dollars unless it stands between them."""
    _, factor, sign, digits = found.groups()
    times = "" if float(factor) == 1 else rf"{factor}\cdot"
    formula = f"{times}10^{{{sign.strip('+')}{digits}}}"
    return formula if found.string[: found.start()].count("$") % 2 else f"${formula}$"
