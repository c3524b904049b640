"""Formulas as Unicode, by hand; nothing of the ledger keeps a backslash."""

import pytest

from dpbandits.core.claims import claims
from dpbandits.plots.plaintext import plain

BY_HAND = {
    r"$\frac{\beta_0}{\sqrt N}$": "β₀/√N",
    r"$\tau=\frac12$": "τ=1/2",
    r"$\frac{R+1}{2\eta}\ln(1/\delta)$": "(R+1)/(2η)ln(1/δ)",
    r"$\max N$ and $\ln T$": "max N and ln T",
    r"$e^{\varepsilon}$, $x^{-2}$, $\sigma_{t}^2$": "e^ε, x⁻², σₜ²",
    r"$\Delta_{\min}\le\varepsilon$": "Δₘᵢₙ≤ε",
    r"$\bar\mu$, $\hat{\theta}$": "μ\u0304, θ\u0302",
    r"$\mathcal{O}(\log T)$": "O(log T)",
    r"$\{1,\ldots,K\}$, $\|x\|_2$": "{1,…,K}, ‖x‖₂",
    "no formula, 5$": "no formula, 5$",
}


@pytest.mark.parametrize("tex", BY_HAND)
def test_by_hand(tex):
    assert plain(tex) == BY_HAND[tex]


@pytest.mark.parametrize("id", claims())
def test_statements_can_be_read(id):
    said = plain(claims()[id].statement)
    assert "\\" not in said, said
    assert "$" not in said, said
