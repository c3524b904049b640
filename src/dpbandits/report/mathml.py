"""Mathematics as MathML, which browsers set by themselves: from the tree of plots.texmath."""

import html
import re
import unicodedata
from functools import cache
from itertools import zip_longest

from dpbandits.plots.texmath import Node, replaced
from dpbandits.plots.words import formulas

_OVER = {"bar": "¯", "hat": "^", "tilde": "~", "dot": "˙"}
_LIMITS = {"∑", "∏"}  # carry their bounds below and above
_ALPHABETS = {"mathcal": "SCRIPT", "mathbb": "DOUBLE-STRUCK", "mathbf": "BOLD"}
_SIGNS = {"-": "−", "*": "∗", "~": "∼"}
_BEFORE = set("=≤≥<>+-∼~≲≳∝→∈")  # a line may break before these, and after a comma
LONG = 12  # leaves of a formula that is never broken
_FENCES = set("()[]{}|‖⟨⟩⌈⌉⌊⌋")
_CODE = re.compile(r"`([^`]+)`")


@cache
def mathml(text: str) -> str:
    """A text as HTML, its formulas as <math>."""
    return replaced(formulas(text), _formula, _prose)


def _prose(text: str) -> str:
    """Words: `code` as code."""
    pieces = enumerate(map(html.escape, _CODE.split(text)))
    return "".join(f"<code>{piece}</code>" if i % 2 else piece for i, piece in pieces)


def _formula(tree: Node) -> str:
    """One <math>; a long formula in several, since browsers break lines only between them."""
    if _size(tree) <= LONG:
        return f"<math>{_shown(tree)}</math>"
    pieces: list[list[Node]] = [[]]
    for node in _flat(tree):
        if node.text in _BEFORE and node.kind == "sign" and len(pieces[-1]) > 2:
            pieces.append([])
        pieces[-1].append(node)
        if node.text == ",":
            pieces.append([])
    rows = ("".join(_row(Node("row", parts=tuple(piece)))) for piece in pieces if piece)
    infix = (re.sub(r"^<mo>", '<mo form="infix">', row) for row in rows)
    return "\u200b".join(f"<math><mrow>{row}</mrow></math>" for row in infix)


def _flat(node: Node) -> list[Node]:
    """The parts of a long formula, brackets that grow with what they hold among them."""
    if node.kind not in ("row", "fence"):
        return [node]
    return [leaf for part in node.parts for leaf in _flat(part)]


def _size(node: Node | None) -> int:
    """How many leaves a formula has: about how wide it is."""
    return 0 if node is None else sum(map(_size, node.parts)) or 1


def _shown(node: Node | None) -> str:
    if node is None:
        return "<mrow></mrow>"
    if node.kind == "row":
        return f"<mrow>{''.join(_row(node))}</mrow>"
    if node.kind == "scripts":
        return _scripts(*node.parts)
    if node.kind == "style":
        return _letters(node.parts[0], node.text)
    parts = [_shown(part) for part in node.parts]
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
        still = ' stretchy="false"' if node.text in _FENCES else ""
        still += ' lspace="0" rspace="0"' if node.text in "|‖" else ""
        return f"<mo{still}>{text}</mo>"
    upright = node.kind != "letter" or (node.text.isupper() and not node.text.isascii())
    return f'<mi mathvariant="normal">{text}</mi>' if upright else f"<mi>{text}</mi>"


def _row(node: Node) -> list[str]:
    """Spaces typed between signs mean nothing; a name stands apart from a letter after it."""
    parts = [part for part in node.parts if part.kind != "space"]
    shown = []
    for part, follows in zip_longest(parts, parts[1:]):
        shown.append(_shown(part))
        core = part.parts[0] if part.kind == "scripts" and part.parts[0] else part
        touching = follows is not None and follows.kind not in ("sign", "fence")
        if core.kind in ("name", "words") and touching:
            shown.append(_leaf(Node("space")))
    return shown


def _scripts(base: Node | None, below: Node | None, above: Node | None) -> str:
    over = base is not None and base.text in _LIMITS
    names = ("munder", "mover", "munderover") if over else ("msub", "msup", "msubsup")
    tag = names[2] if below and above else names[0] if below else names[1]
    parts = [_shown(base), *(_script(part) for part in (below, above) if part)]
    return f"<{tag}>{''.join(parts)}</{tag}>"


def _script(node: Node) -> str:
    """A word of three letters or more below a letter (MLE) is no product."""
    parts = node.parts if node.kind == "row" else ()
    letters = [part.text for part in parts if part.kind == "letter" and part.text.isascii()]
    word = len(letters) == len(parts) > 2
    return _leaf(Node("words", "".join(letters))) if word else _shown(node)


def _accent(inner: str, name: str) -> str:
    if name == "underline":
        return f"<munder>{inner}<mo>_</mo></munder>"
    return f'<mover accent="true">{inner}<mo stretchy="false">{_OVER[name]}</mo></mover>'


def _letters(inner: Node, style: str) -> str:
    text = "".join(_alphabet(letter, style) for letter in inner.text)
    return f'<mi mathvariant="normal">{text}</mi>' if text else _shown(inner)


def _alphabet(letter: str, style: str) -> str:
    kind = f"{_ALPHABETS.get(style)} {'CAPITAL' if letter.isupper() else 'SMALL'} {letter.upper()}"
    for name in (f"MATHEMATICAL {kind}", kind):  # some, as ℝ, were there before the alphabets
        try:
            return unicodedata.lookup(name)
        except KeyError:
            continue
    return letter


def _stretched(fence: str) -> str:
    return fence.replace('stretchy="false"', 'stretchy="true"')
