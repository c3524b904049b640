"""Formulas, numbers and names as they are shown in Unicode."""

import pytest

from dpbandits.reproduction.ledger.claims import claims
from dpbandits.reproduction.plots.plaintext import plain
from dpbandits.reproduction.plots.words import formulas

WORDS = {
    "T = 1e+09; 6.5e-07; -3e4": r"T = $10^{9}$; $6.5\cdot10^{-7}$; −$3\cdot10^{4}$",
    "$h=1e-06$ and $K$/ε": r"$h=10^{-6}$ and $K$/ε",
    "[-0.4, -0.3], 1 - 2": "[−0.4, −0.3], 1 − 2",
    "ε-private; anytime-lazy-ucb: 2": "ε-private; Anytime-Lazy-UCB: 2",
}


@pytest.mark.parametrize("id", claims())
def test_no_statement_keeps_tex_commands(id):
    text = plain(claims()[id].statement)
    assert "\\" not in text, text
    assert "$" not in text, text


@pytest.mark.parametrize("text", WORDS)
def test_numbers_and_names_of_programs(text):
    assert formulas(text) == WORDS[text]
