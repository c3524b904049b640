"""Formulas, numbers and names as they are shown in Unicode."""

import pytest
from formulas import SHOWN, rows

from dpbandits.reproduction.ledger.claims import claims
from dpbandits.reproduction.plots.plaintext import plain
from dpbandits.reproduction.plots.words import formulas, readable

WORDS = {
    "T = 1e+09; 6.5e-07; -3e4": r"T = $10^{9}$; $6.5\cdot10^{-7}$; −$3\cdot10^{4}$",
    "$h=1e-06$ and $K$/ε": r"$h=10^{-6}$ and $K$/ε",
    "[-0.4, -0.3], 1 - 2": "[−0.4, −0.3], 1 − 2",
    "ε-private; anytime-lazy-ucb: 2": "ε-private; Anytime-Lazy-UCB: 2",
}
UNCHANGED = (
    "figures/hu/open_problem.csv, src/dpbandits/reproduction/report/page.py, kl/tau",
    "`eps <= 1e-06` and $\\beta_0 = \\sqrt{d^2}$, $K-1$",
    "alpha-0 0.28, matern32-beta, log_reference, Theorem 5.6, 2.9, B.2, K-1, user's",
    "an arm-pair of 3-5; Corollary 10(a); 5 * 3 **b**",
)


@pytest.mark.parametrize("id", claims())
def test_no_statement_keeps_tex_commands(id):
    text = plain(claims()[id].statement)
    assert "\\" not in text, text
    assert "$" not in text, text


@pytest.mark.parametrize("row", rows(), ids=lambda row: row["tex"])
def test_formulas_and_texts_look_as_in_formulas_csv(row):
    assert {name: show(row["tex"]) for name, show in SHOWN.items()} | {"tex": row["tex"]} == row


@pytest.mark.parametrize("text", WORDS)
def test_numbers_and_names_of_programs(text):
    assert formulas(text) == WORDS[text]


@pytest.mark.parametrize("text", UNCHANGED)
def test_paths_code_and_formulas_are_unchanged(text):
    assert formulas(text) == text


def test_readable_text():
    text = "T = 1e+06, 5.3e-12; lazy-dp-ts at $x_{\\max}$ > -1"
    assert readable(text) == "T = 10⁶, 5.3·10⁻¹²; Lazy-DP-TS at xₘₐₓ > −1"
    assert readable(readable(text)) == readable(text)
