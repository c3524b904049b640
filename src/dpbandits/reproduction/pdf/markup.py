"""Texts with TeX formulas as Typst markup, from the trees of plots.texmath."""

import re

from dpbandits.reproduction.plots.texmath import Node, replaced
from dpbandits.reproduction.plots.words import formulas

_CALLS = {  # Typst's functions for alphabets and accents
    "mathcal": "cal", "mathbf": "bold", "mathbb": "bb", "mathit": "italic",
    "hat": "hat", "tilde": "tilde", "dot": "dot", "underline": "underline", "bar": "macron",
}  # fmt: skip
_SIGNS = {"~": "∼"}
_OPEN, _CLOSE = "([{⌈⌊⟨", ")]}⌉⌋⟩"
_BARS = "|‖"
_SINGLE = ("letter", "number", "sign", "name", "words", "accent", "style", "fraction", "root")
_AFTER_SLASH = re.compile(r"(?<=[a-z]{2}\\/)(?=\w{2})")
_SPECIAL_IN_TEXT = re.compile(r"""([\\#*_$<>@=\-+/\[\]~.:"'`])""")
_SPECIAL_IN_FORMULA = re.compile(r"""([\\#$,;/&_^"()\[\]{}'@`])""")


def markup(text: str) -> str:
    """A text of the ledger, with formulas between dollars and `code`, as Typst markup."""
    return replaced(formulas(text), lambda tree: f"${_math(tree)}$", _prose)


def _prose(text: str) -> str:
    """The text between formulas, with `code` as raw text."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # an odd number of backticks
        parts = [text]
    return "".join(f"#raw({_quoted(p)})" if i % 2 else _escaped(p) for i, p in enumerate(parts))


def _escaped(text: str) -> str:
    """The text without commands; a line may break after a slash of a path."""
    return _AFTER_SLASH.sub("\u200b", _SPECIAL_IN_TEXT.sub(r"\\\1", text))


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _math(node: Node | None) -> str:
    """The markup of a tree."""
    if node is None or node.kind == "space":
        return ""
    if node.kind == "row":
        return _row(node.parts)
    if node.kind == "scripts":
        return _scripts(node, _math(node.parts[0]))
    if node.kind == "fence":
        left, inside, right = node.parts
        return _row((left, *(inside.parts if inside.kind == "row" else (inside,)), right))
    if node.kind in ("accent", "style"):
        wide = node.text == "bar" and node.parts[0].kind == "row"
        name = "overline" if wide else _CALLS[node.text]
        return f"{name}({_math(node.parts[0])})"
    if node.kind in ("fraction", "root"):
        name = "frac" if node.kind == "fraction" else "sqrt"
        return f"{name}({', '.join(map(_math, node.parts))})"
    return _leaf(node)


def _leaf(node: Node) -> str:
    if node.kind == "name" or (node.kind == "words" and node.text.isalnum()):
        return f'op("{node.text}")'
    if node.kind == "words" or (node.kind == "number" and {",", "e"} & set(node.text)):
        return _quoted(node.text)
    return _SPECIAL_IN_FORMULA.sub(r"\\\1", _SIGNS.get(node.text, node.text))


def _row(parts: tuple[Node, ...]) -> str:
    """The parts in order; brackets grow around fractions only, so that other lines may break."""
    brackets = _growing_brackets(parts)
    texts = []
    for i, part in enumerate(parts):
        text = _math(part)
        if i in brackets:
            text = _scripts(part, brackets[i]) if part.kind == "scripts" else brackets[i]
        texts.append(text)
    return " ".join(text for text in texts if text)


def _growing_brackets(parts: tuple[Node, ...]) -> dict[int, str]:
    """Position -> markup of the brackets around a fraction, and of all bars in pairs."""
    signs = [_sign(part) for part in parts]
    brackets, stack = {}, []
    for i, sign in enumerate(signs):
        if sign and sign in _OPEN:
            stack.append(i)
        elif sign and sign in _CLOSE and stack:
            j = stack.pop()
            if any(map(_has_fraction, parts[j + 1 : i])):
                brackets |= {j: signs[j], i: sign}
    for bar in _BARS:
        positions = [i for i, sign in enumerate(signs) if sign == bar]
        if len(positions) % 2 == 0:
            brackets |= dict.fromkeys(positions[::2], f"lr({bar}")
            brackets |= dict.fromkeys(positions[1::2], f"{bar})")
    return brackets


def _sign(part: Node | None) -> str:
    """The sign that a part is, or to which it adds scripts; empty if there is none."""
    base = part.parts[0] if part is not None and part.kind == "scripts" else part
    return base.text if base is not None and base.kind == "sign" else ""


def _has_fraction(node: Node | None) -> bool:
    if node is None:
        return False
    return node.kind == "fraction" or any(map(_has_fraction, node.parts))


def _scripts(node: Node, base_text: str) -> str:
    """A base with its primes, subscript and superscript."""
    base, below, above = node.parts
    if base is None:
        base_text = '""'
    elif base.kind not in _SINGLE:
        base_text = f"attach({base_text})"  # groups it without visible brackets
    superscripts = above.parts if above is not None and above.kind == "row" else (above,)
    primes = [part for part in superscripts if part is not None and part.text == "′"]
    rest = [part for part in superscripts if part is not None and part.text != "′"]
    text = base_text + "'" * len(primes)
    text += f"_({_math(below)})" if below is not None else ""
    return text + (f"^({_row(tuple(rest))})" if rest else "")
