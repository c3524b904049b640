"""Plain words as formulas, by hand: what is meant, and what must stay as it is."""

import pytest

from dpbandits.plots.words import formulas, readable

MEANT = {
    "loss 2 eps (eps = 0.25, T = 1e+09)": r"loss 2 $\epsilon$ ($\epsilon$ = 0.25, $T$ = $10^{9}$)",
    "6.5e-07; -3e4": r"$6.5\cdot10^{-7}$; −$3\cdot10^{4}$",
    "$h=1e-06$ and K/eps": r"$h=10^{-6}$ and K/$\epsilon$",
    "Delta_min^-2, gap^2": r"$\Delta_{\min}^{-2}$, $\mathrm{gap}^{2}$",
    "|Z^-1/2 (1-p)^T|, {0,1}^K": r"|$Z^{-1/2}$ (1-p)$^{T}$|, {0,1}$^{K}$",
    "beta0=6/5, |beta*|, delta'": r"$\beta_{0}$=6/5, |$\beta^*$|, $\delta'$",
    "s >= s*, x_t -> 0": r"s $\ge$ $s^*$, $x_{t}$ $\to$ 0",
    "sqrt(gamma_T/T), x_max = sqrt(2 ln d)": r"$\sqrt{\gamma_T/T}$, $x_{\max}$ = $\sqrt{2 \ln d}$",
    "17 sqrt(gamma_T ln(1/delta)/(T tau))": r"17 $\sqrt{\gamma_T \ln(1/\delta)/(T \tau)}$",
    "e^((f + ln pi0(a))/eta), sqrt(max N)": r"$e^{(f + \ln \pi_0(a))/\eta}$, $\sqrt{\max N}$",
    "1/n^(5/6), σ^2, e^(-n kl(a, b_min))": r"1/$n^{5/6}$, $σ^{2}$, $e^{-n \mathrm{kl}(a, b_\min)}$",
    "sup sigmabar^2, |b|_1": r"sup $\bar\sigma^{2}$, |b|$_{1}$",
    "|Z~^-1 Z - Id|": r"|$\tilde Z^{-1}$ Z − Id|",
    "eps^=ln 2": r"$\hat\epsilon$=ln 2",
    "0.3 (+-0.01), [-0.4, -0.3]": "0.3 (±0.01), [−0.4, −0.3]",
    "eps-private; anytime-lazy-ucb: 2": r"$\epsilon$-private; Anytime-Lazy-UCB: 2",
}
KEPT = (
    "figures/us/gamma, kl/tau",
    "figures/hu/open_problem.csv, src/dpbandits/pdf/build.py",
    "`eps <= 1e-06` and $\\beta_0 = \\sqrt{d^2}$",
    "alpha-0 0.28, alpha-inf, matern32-beta, log_reference, Theorem 5.6, 2.9, B.2, K-1, user's",
    "an arm-pair of 3-5; Corollary 10(a); a deltas, etas; 5 * 3 **b**",
)


@pytest.mark.parametrize("text", MEANT)
def test_plain_words_become_formulas(text):
    assert formulas(text) == MEANT[text]


@pytest.mark.parametrize("text", KEPT)
def test_names_and_formulas_stay(text):
    assert formulas(text) == text


def test_in_plain_unicode():
    text = "T = 1e+06, 5.3e-12: sup sigmabar^2, x_max, ε/Δ_min; lazy-dp-ts at $x_{\\max}$ > -1"
    assert readable(text) == "T = 10⁶, 5.3·10⁻¹²: sup σ̄², xₘₐₓ, ε/Δₘᵢₙ; Lazy-DP-TS at xₘₐₓ > −1"
    assert readable(readable(text)) == readable(text)
