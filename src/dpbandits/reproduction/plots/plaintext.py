r"""TeX formulas as plain Unicode, for terminals, plots and the texts beside pictures.

Statements are written in TeX between dollars; `plain` makes β₀/√N of $\frac{\beta_0}{\sqrt N}$.
"""

import re
import unicodedata
from functools import cache

SYMBOLS = {
    name: symbol
    for symbol, names in {
        "≤": "le leq", "≥": "ge geq", "×": "times", "·": "cdot", "∈": "in", "∉": "notin",
        "∘": "circ", "∋": "ni", "∞": "infty", "≈": "approx", "∑": "sum", "∏": "prod",
        "∫": "int", "±": "pm", "∓": "mp", "~": "sim", "→": "to", "≲": "lesssim",
        "≳": "gtrsim", "∝": "propto", "…": "ldots dots",
        "∪": "cup", "∩": "cap", "⊤": "top", "≼": "preceq", "≺": "prec", "⌈": "lceil", "⌉": "rceil",
        "⌊": "lfloor", "⌋": "rfloor", "∃": "exists", "∀": "forall", "⊆": "subseteq",
        "⊇": "supseteq", "∨": "vee", "∧": "wedge", "⟨": "langle", "⟩": "rangle", "∇": "nabla",
        "ℓ": "ell", "≠": "ne neq", "∂": "partial", "∖": "setminus", "‖": "| Vert",
        "ε": "varepsilon epsilon", "φ": "varphi phi", "'": "prime", "≍": "asymp",
        " ": ", ; : ! quad qquad", "": "left right big Big bigl bigr displaystyle",
    }.items()
    for name in names.split()
} | {" ": " "}  # fmt: skip
NAMES = {
    "ln", "log", "exp", "coth", "max", "min", "sup", "inf", "arg", "argmax", "argmin", "Pr", "cos",
    "sin", "tanh", "dim", "det", "deg",
}  # fmt: skip
MARKS = {"bar": "\u0304", "hat": "\u0302", "tilde": "\u0303", "dot": "\u0307"}
MARKS |= {"underline": "\u0332"}
SCRIPTS = {
    "^": str.maketrans("0123456789+-=()nij∘", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱʲ°"),
    "_": str.maketrans("0123456789+-=()aeijmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑᵢⱼₘₙₒₚᵣₛₜᵤᵥₓ"),
}
TOKEN = re.compile(r"\\[A-Za-z]+|\\.|.", re.DOTALL)
FORMULA = re.compile(r"\$([^$\n]+)\$")
_SINGLE = re.compile(r"√?(\d+|[^\W\d_][\u0300-\u036f′*°⁰-⁹¹²³₀-₉ⁱⁿʲₐ-ₜᵢ-ᵥⱼ]*)|\([^()]*\)|\|[^|]*\|")
_APPLIED = "\u2061"  # stands after a name until it is known whether a space is needed


def plain(text: str) -> str:
    """All formulas of a text as Unicode."""
    return FORMULA.sub(lambda match: _unicode(match[1]), text)


@cache
def _unicode(formula: str) -> str:
    text = _row(TOKEN.findall(formula), "")
    return re.sub(rf"{_APPLIED}(?=[^\W_]|[√‖])", " ", text).replace(_APPLIED, "")


def _row(tokens: list[str], end: str) -> str:
    """The text up to the token `end`; all these tokens are removed from the list."""
    text = ""
    while tokens and tokens[0] != end:
        if tokens[0] in ("^", "_", "'"):
            text = text.removesuffix(_APPLIED) + _script(tokens)
        else:
            text += _next(tokens, text or end)
    del tokens[:1]
    return text


def _next(tokens: list[str], before: str = "") -> str:
    """The next group, command or character."""
    while not before and len(tokens) > 1 and tokens[0] == " ":
        tokens.pop(0)
    token = tokens.pop(0) if tokens else ""
    if token == "{":
        return _row(tokens, "}")
    if not token.startswith("\\"):
        return token
    name = token[1:]
    if name in ("frac", "tfrac", "dfrac"):
        above, below = _next(tokens), _next(tokens)
        parts = f"{_enclosed(above)}/{_enclosed(below)}"
        return f" {parts}" if before.endswith(_APPLIED) else parts
    if name == "sqrt":
        return f"√{_enclosed(_next(tokens))}"
    if name in ("mathrm", "text", "textrm", "operatorname"):
        end = tokens.index("}") if "}" in tokens else len(tokens)
        inside = tokens[1:end]
        del tokens[: end + 1]
        return "".join(inside)
    if name in MARKS:
        part = _next(tokens)
        return part[:1] + MARKS[name] + part[1:]
    if name in ("mathcal", "mathbf", "mathbb", "mathit"):
        return _next(tokens)
    if name in SYMBOLS:
        return SYMBOLS[name]
    kind, letter = "CAPITAL" if name[0].isupper() else "SMALL", name.upper().replace("LAMB", "LAM")
    try:
        return unicodedata.lookup(f"GREEK {kind} LETTER {letter}")
    except KeyError:
        return name + _APPLIED * name.isalpha()


def _enclosed(text: str) -> str:
    """In parentheses, unless it is a single number or symbol, or has parentheses already."""
    return text if _SINGLE.fullmatch(text) else f"({text})"


def _script(tokens: list[str]) -> str:
    """Primes, a subscript and a superscript."""
    found = {"'": "", "_": "", "^": ""}
    while tokens and tokens[0] in found:
        sign = tokens.pop(0)
        found[sign] += "'" if sign == "'" else _next(tokens)
    below, above = (_shifted(sign, found[sign].strip(_APPLIED)) for sign in "_^")
    return below + found["'"] + above


def _shifted(sign: str, text: str) -> str:
    if all(ord(character) in SCRIPTS[sign] for character in text):
        return text.translate(SCRIPTS[sign])
    return text if text in ("*", "⊤", "'") else f"{sign}{text if text.isalnum() else f'({text})'}"
