r"""Mathematics as plain Unicode, for terminals, plots and pages without a formula engine.

Statements stand once, in TeX between dollars; `plain` gives what a reader can read anywhere:
$\frac{\beta_0}{\sqrt N}$ becomes β₀/√N. What it does not know stays as it is written.
"""

import itertools
import re

from dpbandits.plots.texmath import Node, replaced

MARKS = {
    "bar": "\u0304",
    "hat": "\u0302",
    "tilde": "\u0303",
    "underline": "\u0332",
    "dot": "\u0307",
}
RAISED = str.maketrans("0123456789+-=()nij∘", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱʲ°")
LOWERED = str.maketrans("0123456789+-=()aeijmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑᵢⱼₘₙₒₚᵣₛₜᵤᵥₓ")
_CARRIED = "\u0300-\u036f′*°⁰-⁹¹²³₀-₉ⁱⁿʲₐ-ₜᵢ-ᵥⱼ"  # what a letter may carry and stay one thing


def plain(text: str) -> str:
    """All formulas of a text as Unicode."""
    return replaced(text, _shown)


def _shown(node: Node | None) -> str:
    if node is None:
        return ""
    if node.kind == "scripts":
        base, below, above = node.parts
        return _shown(base) + _script("_", below) + _script("^", above)
    parts = [_shown(part) for part in node.parts]
    if node.kind == "row":
        return "".join(_apart(node.parts, parts))
    if node.kind == "fraction":
        return "/".join(_enclosed(part) for part in parts)
    if node.kind == "root":
        return f"√{_enclosed(parts[0])}"
    if node.kind == "accent":
        return parts[0][:1] + MARKS[node.text] + parts[0][1:]
    return "".join(parts) if parts else node.text


def _apart(nodes: tuple[Node, ...], shown: list[str]) -> list[str]:
    """ln T, max N, ln (a+b)/c: a name and what belongs to it do not touch."""
    for i, (node, follows) in enumerate(itertools.pairwise(nodes)):
        letter = shown[i + 1][:1].isalnum() or shown[i + 1][:1] in "√‖"
        if node.kind == "name" and (letter or follows.kind == "fraction"):
            shown[i] += " "
    return shown


def _enclosed(text: str) -> str:
    """In parentheses if it is more than one thing."""
    one = re.fullmatch(rf"√?(\d+|[^\W\d_][{_CARRIED}]*)|\([^()]*\)|\|[^|]*\|", text)
    return text if one else f"({text})"


def _script(sign: str, node: Node | None) -> str:
    text = _shown(node)
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
