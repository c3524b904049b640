r"""TeX formulas as plain Unicode, for terminals, plots and pages without a formula engine.

Statements are written in TeX between dollars; `plain` makes β₀/√N of $\frac{\beta_0}{\sqrt N}$.
Unknown commands stay as they are.
"""

import itertools
import re

from dpbandits.reproduction.plots.texmath import Node, replaced

MARKS = {
    "bar": "\u0304",
    "hat": "\u0302",
    "tilde": "\u0303",
    "underline": "\u0332",
    "dot": "\u0307",
}
RAISED = str.maketrans("0123456789+-=()nij∘", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱʲ°")
LOWERED = str.maketrans("0123456789+-=()aeijmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑᵢⱼₘₙₒₚᵣₛₜᵤᵥₓ")
_MODIFIERS = "\u0300-\u036f′*°⁰-⁹¹²³₀-₉ⁱⁿʲₐ-ₜᵢ-ᵥⱼ"  # accents and scripts after a letter


def plain(text: str) -> str:
    """All formulas of a text as Unicode."""
    return replaced(text, _unicode)


def _unicode(node: Node | None) -> str:
    if node is None:
        return ""
    if node.kind == "scripts":
        base, below, above = node.parts
        return _unicode(base) + _script("_", below) + _script("^", above)
    parts = [_unicode(part) for part in node.parts]
    if node.kind == "row":
        return "".join(_spaced(node.parts, parts))
    if node.kind == "fraction":
        return "/".join(_enclosed(part) for part in parts)
    if node.kind == "root":
        return f"√{_enclosed(parts[0])}"
    if node.kind == "accent":
        return parts[0][:1] + MARKS[node.text] + parts[0][1:]
    return "".join(parts) if parts else node.text


def _spaced(nodes: tuple[Node, ...], texts: list[str]) -> list[str]:
    """The texts of a row, with a space between a function and its argument: ln T, max N."""
    for i, (node, argument) in enumerate(itertools.pairwise(nodes)):
        letter = texts[i + 1][:1].isalnum() or texts[i + 1][:1] in "√‖"
        if node.kind == "name" and (letter or argument.kind == "fraction"):
            texts[i] += " "
    return texts


def _enclosed(text: str) -> str:
    """In parentheses, unless it is a single number or symbol, or has parentheses already."""
    single = re.fullmatch(rf"√?(\d+|[^\W\d_][{_MODIFIERS}]*)|\([^()]*\)|\|[^|]*\|", text)
    return text if single else f"({text})"


def _script(sign: str, node: Node | None) -> str:
    text = _unicode(node)
    primes = len(text) - len(text.lstrip("′")) if sign == "^" else 0
    text = text[primes:]
    table = RAISED if sign == "^" else LOWERED
    if not text:
        return "'" * primes
    if all(ord(character) in table for character in text):
        raised = text.translate(table)
    elif text in ("*", "⊤"):
        raised = text
    else:
        raised = f"{sign}{text}" if text.isalnum() else f"{sign}({text})"
    return "'" * primes + raised
