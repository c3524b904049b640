"""Numbers and names that programs write, by hand: what is shown, and what must stay as it is."""

import pytest

from dpbandits.plots.words import formulas, readable

SHOWN = {
    "T = 1e+09; 6.5e-07; -3e4": r"T = $10^{9}$; $6.5\cdot10^{-7}$; −$3\cdot10^{4}$",
    "$h=1e-06$ and $K$/ε": r"$h=10^{-6}$ and $K$/ε",
    "[-0.4, -0.3], 1 - 2": "[−0.4, −0.3], 1 − 2",
    "ε-private; anytime-lazy-ucb: 2": "ε-private; Anytime-Lazy-UCB: 2",
}
STAYS = (
    "figures/hu/open_problem.csv, src/dpbandits/pdf/build.py, kl/tau",
    "`eps <= 1e-06` and $\\beta_0 = \\sqrt{d^2}$, $K-1$",
    "alpha-0 0.28, matern32-beta, log_reference, Theorem 5.6, 2.9, B.2, K-1, user's",
    "an arm-pair of 3-5; Corollary 10(a); 5 * 3 **b**",
)


@pytest.mark.parametrize("text", SHOWN)
def test_numbers_and_names_as_they_are_shown(text):
    assert formulas(text) == SHOWN[text]


@pytest.mark.parametrize("text", STAYS)
def test_paths_code_and_formulas_stay(text):
    assert formulas(text) == text


def test_in_plain_unicode():
    text = "T = 1e+06, 5.3e-12; lazy-dp-ts at $x_{\\max}$ > -1"
    assert readable(text) == "T = 10⁶, 5.3·10⁻¹²; Lazy-DP-TS at xₘₐₓ > −1"
    assert readable(readable(text)) == readable(text)
