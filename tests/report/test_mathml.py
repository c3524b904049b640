"""Formulas of all statements as MathML are well formed and complete (tests/formulas.csv: looks)."""

import re
import xml.etree.ElementTree as ET

from dpbandits.reproduction.ledger.claims import claims
from dpbandits.reproduction.plots.plaintext import plain
from dpbandits.reproduction.plots.texmath import Node, parse
from dpbandits.reproduction.report.mathml import mathml

PARTS = {
    **dict.fromkeys(("mfrac", "msub", "msup", "munder", "mover"), 2),
    **dict.fromkeys(("msubsup", "munderover"), 3),
}
LEAVES = {"mi", "mn", "mo", "mspace"}


def test_mathml_of_every_statement_is_well_formed():
    for claim in claims().values():
        text = mathml(claim.statement)
        assert not {"\\", "$"} & set(text), (claim.id, text)
        for element in ET.fromstring(f"<p>{text}</p>").iter():
            expected = 0 if element.tag in LEAVES else PARTS.get(element.tag)
            assert expected in (None, len(element)), (claim.id, text)


def leaves(node: Node | None) -> list[Node]:
    if node is None:
        return []
    return [node] if not node.parts else [leaf for part in node.parts for leaf in leaves(part)]


def test_no_letter_of_a_formula_is_lost():
    for claim in claims().values():
        for formula in claim.statement.split("$")[1::2]:
            assert formula.count("{") == formula.count("}"), claim.id
            kinds = ("letter", "number", "words")
            parsed = "".join(node.text for node in leaves(parse(formula)) if node.kind in kinds)
            typed = re.sub(r"\\[A-Za-z]+", "", formula)
            assert ascii_of(parsed) == ascii_of(typed), (claim.id, formula)


def ascii_of(text: str) -> list[str]:
    return sorted(c for c in text if c.isascii() and c.isalnum())


def test_incomplete_formula_is_no_error():
    for broken in (r"\frac", r"x^", "{x", "}", r"\left(x", r"\text", r"\sqrt", "^2"):
        ET.fromstring(mathml(f"${broken}$"))
        assert isinstance(plain(f"${broken}$"), str)
