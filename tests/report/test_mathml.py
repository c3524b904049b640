"""Formulas as MathML: some by hand; those of all statements are well formed and complete."""

import re
import xml.etree.ElementTree as ET

import pytest

from dpbandits.core.claims import claims
from dpbandits.plots.plaintext import plain
from dpbandits.plots.texmath import Node, parse
from dpbandits.report.mathml import mathml

PARTS = {
    **dict.fromkeys(("mfrac", "msub", "msup", "munder", "mover"), 2),
    **dict.fromkeys(("msubsup", "munderover"), 3),
}
LEAVES = {"mi", "mn", "mo", "mspace"}
BY_HAND = {
    r"$\frac12$": "<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>",
    r"$x_i^2$": "<math><msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup></math>",
    r"$x^2_i$": "<math><msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup></math>",
    r"$^2 x$": "<math><mrow><msup><mrow></mrow><mn>2</mn></msup><mi>x</mi></mrow></math>",
    r"$a'$ & b": "<math><msup><mi>a</mi><mo>′</mo></msup></math> &amp; b",
    r"$1{,}000, 10,000.5$": "<math><mrow><mn>1</mn><mo>,</mo><mn>000</mn><mo>,</mo>"
    "<mn>10,000.5</mn></mrow></math>",
    r"$\mathbb R<\sqrt{2}$": '<math><mrow><mi mathvariant="normal">ℝ</mi><mo>&lt;</mo>'
    "<msqrt><mn>2</mn></msqrt></mrow></math>",
    r"$\left(x\right]$": '<math><mrow><mo stretchy="true">(</mo><mi>x</mi>'
    '<mo stretchy="true">]</mo></mrow></math>',
    r"$\hat\theta_{MLE}$": '<math><msub><mover accent="true"><mi>θ</mi>'
    '<mo stretchy="false">^</mo></mover><mi mathvariant="normal">MLE</mi></msub></math>',
}


TEN = "<math><msup><mn>10</mn><mn>9</mn></msup></math>"
BETWEEN = {
    "2 < 1e+09": f"2 &lt; {TEN}",
    "lazy-dp-ts, `lazy-dp-ts`": "Lazy-DP-TS, <code>lazy-dp-ts</code>",
    "figures/us/error_vs_T.csv": "figures/us/error_vs_T.csv",
    r"x and $T$ & `a_b<c`": "x and <math><mi>T</mi></math> &amp; <code>a_b&lt;c</code>",
}


@pytest.mark.parametrize("text", BETWEEN)
def test_text_between_formulas(text):
    assert mathml(text) == BETWEEN[text]


@pytest.mark.parametrize("tex", BY_HAND)
def test_markup_of_formulas(tex):
    assert mathml(tex) == BY_HAND[tex]


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
