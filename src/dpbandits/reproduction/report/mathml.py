"""Texts with TeX formulas as HTML with MathML, from the trees of plots.texmath."""

import html
import re
import unicodedata
from functools import cache
from itertools import zip_longest

from dpbandits.reproduction.plots.texmath import Node, replaced
from dpbandits.reproduction.plots.words import formulas

_OVER = {"bar": "¯", "hat": "^", "tilde": "~", "dot": "˙"}
_LIMITS = {"∑", "∏"}  # operators with their bounds below and above
_ALPHABETS = {"mathcal": "SCRIPT", "mathbb": "DOUBLE-STRUCK", "mathbf": "BOLD"}
_SIGNS = {"-": "−", "*": "∗", "~": "∼"}
_BREAK_BEFORE = set("=≤≥<>+-∼~≲≳∝→∈")  # a line may also break after a comma
LONG = 12  # a formula with at most this number of leaves is not broken into lines
_FENCES = set("()[]{}|‖⟨⟩⌈⌉⌊⌋")
_CODE = re.compile(r"`([^`]+)`")


@cache
def mathml(text: str) -> str:
    """A text as HTML, its formulas as <math>."""
    return replaced(formulas(text), _formula, _prose)


def _prose(text: str) -> str:
    """The text between formulas, with `code` as <code>."""
    pieces = enumerate(map(html.escape, _CODE.split(text)))
    return "".join(f"<code>{piece}</code>" if i % 2 else piece for i, piece in pieces)


def _formula(tree: Node) -> str:
    """One <math>, or several for a long formula: browsers break lines only between them."""
    if _size(tree) <= LONG:
        return f"<math>{_element(tree)}</math>"
    pieces: list[list[Node]] = [[]]
    for node in _flat(tree):
        if node.text in _BREAK_BEFORE and node.kind == "sign" and len(pieces[-1]) > 2:
            pieces.append([])
        pieces[-1].append(node)
        if node.text == ",":
            pieces.append([])
    rows = ("".join(_row(Node("row", parts=tuple(piece)))) for piece in pieces if piece)
    infix = (re.sub(r"^<mo>", '<mo form="infix">', row) for row in rows)
    return "\u200b".join(f"<math><mrow>{row}</mrow></math>" for row in infix)


def _flat(node: Node) -> list[Node]:
    """The parts of a formula, with those of its rows and fences in their place."""
    if node.kind not in ("row", "fence"):
        return [node]
    return [leaf for part in node.parts for leaf in _flat(part)]


def _size(node: Node | None) -> int:
    """The number of leaves of a formula, as a measure of its width."""
    return 0 if node is None else sum(map(_size, node.parts)) or 1


def _element(node: Node | None) -> str:
    """The MathML element of a tree."""
    if node is None:
        return "<mrow></mrow>"
    if node.kind == "row":
        return f"<mrow>{''.join(_row(node))}</mrow>"
    if node.kind == "scripts":
        return _scripts(*node.parts)
    if node.kind == "style":
        return _letters(node.parts[0], node.text)
    parts = [_element(part) for part in node.parts]
    if node.kind == "fence":
        left, inside, right = parts
        return f"<mrow>{_stretched(left)}{inside}{_stretched(right)}</mrow>"
    if node.kind == "accent":
        return _accent(parts[0], node.text)
    if node.kind in ("fraction", "root"):
        tag = "mfrac" if node.kind == "fraction" else "msqrt"
        return f"<{tag}>{''.join(parts)}</{tag}>"
    return _leaf(node)


def _leaf(node: Node) -> str:
    text = html.escape(_SIGNS.get(node.text, node.text))
    if node.kind == "number":
        return f"<mn>{text}</mn>"
    if node.kind == "space":
        return '<mspace width="0.17em"></mspace>'
    if node.kind == "sign":
        attributes = ' stretchy="false"' if node.text in _FENCES else ""
        attributes += ' lspace="0" rspace="0"' if node.text in "|‖" else ""
        return f"<mo{attributes}>{text}</mo>"
    upright = node.kind != "letter" or (node.text.isupper() and not node.text.isascii())
    return f'<mi mathvariant="normal">{text}</mi>' if upright else f"<mi>{text}</mi>"


def _row(node: Node) -> list[str]:
    """The elements of a row: without its spaces, but with one between a name and a letter."""
    parts = [part for part in node.parts if part.kind != "space"]
    elements = []
    for part, following in zip_longest(parts, parts[1:]):
        elements.append(_element(part))
        base = part.parts[0] if part.kind == "scripts" and part.parts[0] else part
        touches = following is not None and following.kind not in ("sign", "fence")
        if base.kind in ("name", "words") and touches:
            elements.append(_leaf(Node("space")))
    return elements


def _scripts(base: Node | None, below: Node | None, above: Node | None) -> str:
    limits = base is not None and base.text in _LIMITS
    names = ("munder", "mover", "munderover") if limits else ("msub", "msup", "msubsup")
    tag = names[2] if below and above else names[0] if below else names[1]
    parts = [_element(base), *(_script(part) for part in (below, above) if part)]
    return f"<{tag}>{''.join(parts)}</{tag}>"


def _script(node: Node) -> str:
    """A script; three letters or more (MLE) are a word, not a product."""
    parts = node.parts if node.kind == "row" else ()
    letters = [part.text for part in parts if part.kind == "letter" and part.text.isascii()]
    is_word = len(letters) == len(parts) > 2
    return _leaf(Node("words", "".join(letters))) if is_word else _element(node)


def _accent(inner: str, name: str) -> str:
    if name == "underline":
        return f"<munder>{inner}<mo>_</mo></munder>"
    return f'<mover accent="true">{inner}<mo stretchy="false">{_OVER[name]}</mo></mover>'


def _letters(inner: Node, style: str) -> str:
    text = "".join(_alphabet(letter, style) for letter in inner.text)
    return f'<mi mathvariant="normal">{text}</mi>' if text else _element(inner)


def _alphabet(letter: str, style: str) -> str:
    """The letter in one of Unicode's mathematical alphabets, if it is there."""
    kind = f"{_ALPHABETS.get(style)} {'CAPITAL' if letter.isupper() else 'SMALL'} {letter.upper()}"
    for name in (f"MATHEMATICAL {kind}", kind):  # ℝ and some others have names without the prefix
        try:
            return unicodedata.lookup(name)
        except KeyError:
            continue
    return letter


def _stretched(fence: str) -> str:
    return fence.replace('stretchy="false"', 'stretchy="true"')
