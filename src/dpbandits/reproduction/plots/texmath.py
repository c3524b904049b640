r"""A parser for the TeX formulas of statements.

It gives a tree of nodes, from which plots.plaintext writes Unicode and pdf.markup Typst. A node has
a kind, a text and parts:

    row       parts in order                      letter    one letter, greek or latin, or ∞, ∇
    number    digits, point, thousands, e+06       sign      operator, relation, bracket, comma
    name      ln, max, ...: upright               words     of \mathrm and \text: upright
    space     between two parts                   style     text = mathcal, ...; one part
    fraction  above, below                        root      one part
    accent    text = bar, ...; one part           scripts   base, below, above, or None
    fence     left sign, inside, right sign: of \left and \right
"""

import re
import unicodedata
from dataclasses import dataclass
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
        "ℓ": "ell", "≠": "ne neq", "∂": "partial", "′": "prime", "∖": "setminus", "‖": "| Vert",
        "ε": "varepsilon epsilon", "φ": "varphi phi", "≍": "asymp",
    }.items()
    for name in names.split()
}  # fmt: skip
NAMES = {
    "ln", "log", "exp", "coth", "max", "min", "sup", "inf", "arg", "argmax", "argmin", "Pr", "cos",
    "sin", "tanh", "dim", "det", "deg",
}  # fmt: skip
ACCENTS = {"bar", "hat", "tilde", "underline", "dot"}
STYLES = {"mathcal", "mathbf", "mathbb", "mathit"}
_UPRIGHT = {"mathrm", "text", "textrm", "operatorname"}
_FRACTIONS = {"frac", "tfrac", "dfrac"}
_SPACES = {",", ";", ":", "!", " ", "quad", "qquad"}
_NOTHING = {"big", "Big", "bigl", "bigr", "displaystyle"}
_LETTERS = set("∞∇ℓ∂⊤")
_FORMULA = re.compile(r"\$([^$\n]+)\$")
TOKEN = re.compile(r"\\[A-Za-z]+|\\.|.", re.DOTALL)


@dataclass(frozen=True)
class Node:
    kind: str
    text: str = ""
    parts: tuple["Node | None", ...] = ()


@cache
def parse(formula: str) -> Node:
    """The tree of a formula without its dollars."""
    return _row(TOKEN.findall(formula), "")


def replaced(text: str, show, between=str) -> str:
    """A text with `show` applied to the tree of each formula, and `between` to the rest."""
    pieces = _FORMULA.split(text)
    return "".join(show(parse(p)) if i % 2 else between(p) for i, p in enumerate(pieces))


def unknown_commands(text: str) -> list[str]:
    """The commands in the formulas of a text that would be shown as their bare names."""

    def names(node: Node | None):
        if node and node.kind == "name" and node.text not in NAMES:
            yield node.text
        for part in node.parts if node else ():
            yield from names(part)

    return [name for formula in _FORMULA.findall(text) for name in names(parse(formula))]


def _row(tokens: list[str], end: str) -> Node:
    """The nodes up to the token `end`; all these tokens are removed from the list."""
    parts: list[Node] = []
    while tokens:
        token = tokens.pop(0)
        if token == end:
            break
        if token in ("^", "_", "'"):
            base = parts.pop() if parts else None
            tokens.insert(0, token)
            parts.append(_scripts(base, tokens))
        elif token.isdigit():
            parts.append(_number(token, tokens))
        else:
            parts += _nodes(token, tokens)
    return parts[0] if len(parts) == 1 else Node("row", parts=tuple(parts))


def _number(first: str, tokens: list[str]) -> Node:
    rest = re.match(r"\d*(,\d{3}(?!\d))*(\.\d+)?(e[+-]\d\d+)?", "".join(tokens[:40]))[0]
    del tokens[: len(rest)]
    return Node("number", first + rest)


def _scripts(base: Node | None, tokens: list[str]) -> Node:
    below, above = None, []
    while tokens and tokens[0] in ("^", "_", "'"):
        sign = tokens.pop(0)
        if sign == "_":
            below = _argument(tokens)
        else:
            above.append(Node("sign", "′") if sign == "'" else _argument(tokens))
    raised = above[0] if len(above) == 1 else Node("row", parts=tuple(above)) if above else None
    return Node("scripts", parts=(base, below, raised))


def _argument(tokens: list[str]) -> Node:
    """The next group, command or character."""
    while tokens and tokens[0] == " ":
        tokens.pop(0)
    token = tokens.pop(0) if tokens else "}"
    if token.isdigit():
        return Node("number", token)
    nodes = _nodes(token, tokens)
    return nodes[0] if len(nodes) == 1 else Node("row", parts=tuple(nodes))


def _nodes(token: str, tokens: list[str]) -> list[Node]:
    if token.startswith("\\"):
        return _command(token[1:], tokens)
    if token == "{":
        return [_row(tokens, "}")]
    if token == " ":
        return [Node("space", " ")]
    if token == "}":
        return []
    return [Node("letter" if token.isalpha() else "sign", token)]


def _command(name: str, tokens: list[str]) -> list[Node]:
    if name == "left":
        left = _argument(tokens)
        inside = _row(tokens, "\\right")
        return [Node("fence", parts=(left, inside, _argument(tokens)))]
    if name in _FRACTIONS:
        return [Node("fraction", parts=(_argument(tokens), _argument(tokens)))]
    if name == "sqrt":
        return [Node("root", parts=(_argument(tokens),))]
    if name in _UPRIGHT:
        return [Node("words", _text(tokens))]
    if name in ACCENTS or name in STYLES:
        kind = "accent" if name in ACCENTS else "style"
        return [Node(kind, name, (_argument(tokens),))]
    if name in _SPACES or name in _NOTHING:
        return [Node("space", " ")] if name in _SPACES else []
    if name in SYMBOLS:
        symbol = SYMBOLS[name]
        return [Node("letter" if symbol.isalpha() or symbol in _LETTERS else "sign", symbol)]
    letter = _greek(name)
    return [Node("letter", letter) if letter else Node("name" if name.isalpha() else "sign", name)]


def _text(tokens: list[str]) -> str:
    """The content of the braces after \\text, unchanged."""
    if not tokens or tokens[0] != "{":
        return tokens.pop(0) if tokens else ""
    end = tokens.index("}") if "}" in tokens else len(tokens)
    text = "".join(tokens[1:end])
    del tokens[: end + 1]
    return text


def _greek(name: str) -> str:
    kind = "CAPITAL" if name[0].isupper() else "SMALL"
    try:
        return unicodedata.lookup(f"GREEK {kind} LETTER {name.upper().replace('LAMBDA', 'LAMDA')}")
    except KeyError:
        return ""
