"""Numbers of docs/proofs/HU.md, FL.md and US.md, computed here again.

Each phrase stands in its page, with facts: a condition, or (value, digits as printed). Those that
take time are functions, so that no process computes them only to collect the tests.
"""

import math
from functools import partial

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import zeta
from scipy.stats import laplace, norm
from scratch import ROOT

from dpbandits.reproduction.fl.theory import (
    Contexts,
    Size,
    corrected_regret_bound,
    private_floor,
    proof_constants,
    rho_of,
    sparse_eigenvalues,
    two_point_floor,
)
from dpbandits.reproduction.hu import theory
from dpbandits.reproduction.ledger.claims import get_claim
from dpbandits.reproduction.ledger.inequalities import exact
from dpbandits.reproduction.us.algorithms.private_gp_ucb import gaussian_mu
from dpbandits.reproduction.us.claims.spectral import FIXED
from dpbandits.reproduction.us.exact_arithmetic import (
    atom_conditions,
    fixed_kernel_chance,
    hub_conditions,
)
from dpbandits.sparse import dp_linear
from dpbandits.sparse.fliphat import FliphatSetting

E = math.e


def informative_from(contexts: Contexts, size: Size, rho: float) -> float:
    """The least power of 2 from which I4 without margin is below 2 x_max b_max T."""
    horizon = 2
    most = 2 * contexts.x_max * contexts.b_max
    while corrected_regret_bound(contexts, size, horizon, rho) >= most * horizon:
        horizon *= 2
    return horizon


def discrepancy(levels, copies, below=0.0):
    """Theorem 9's first form over ln K/eps, bracket by bracket; eps is (1 - below) Delta_min."""
    epsilon, arms = 1 - below, levels * copies + 1
    counted = sum(2.0**level > epsilon for level in range(levels))
    first_form = math.log(arms) + counted * (1 + math.log(copies)) / epsilon
    return first_form * epsilon / math.log(arms)


def c_alpha(alpha):
    return sum(
        2 ** (-j * (alpha - 1) / 2) * (1 + 0.21 * j) ** ((1 + alpha) / 2) for j in range(999)
    )


def c_prime(alpha):
    factor = lambda j: (1 + 0.7 * j) * (1 + 0.21 * j) ** 2 * (1 + 0.143 * j)  # noqa: E731
    return sum(2.0 ** (-j * alpha) * factor(j) ** ((1 + alpha) / 2) for j in range(999))


Y = math.log(7 / 3)  # h_0/theta^2: 1/4 + 3/4 e^Y = 2
LEAST = Contexts(2, Y**-0.5, 1 / 4, 1.0, 1.0, 0.1)
KAPPA = sparse_eigenvalues(LEAST)[1] / sparse_eigenvalues(LEAST)[0]
KEPT = math.ceil(16 * (14 * KAPPA - 1) * (112 * KAPPA - 7))
BETA = sum(map(exact, get_claim("FL-P5.5").readings[0].inequality.given["beta"]))
CROSSING = math.exp(brentq(lambda x: 3 * math.log(x) - x / 2, 7, 40))
FIXED_RATIOS = {
    t: np.divide(*get_claim("US-L4.4").sides("fixed-kernel", T=t, J=j)) for t, j in FIXED.items()
}


def h2(epsilon):
    return 3.4616 * float(BETA) * private_floor(20_000, epsilon, 0.01)


def hundredfold(gap):
    return gap**2 * theory.optimism_pulls(0.5, gap, 1e12)


def stretch(epsilon, n=25):
    """The exact calibration of Exponential-GP over the printed one."""
    return 2 / epsilon * (epsilon / 2 + math.asinh(math.sinh(epsilon / 2) / (n - 1)))


def after_a_click():
    """P(L/2 - min(L', L'') < x): HU.md, Section 7, the attack on a service's learner."""
    x = math.sqrt(3 * math.log(5)) * (1 - 2**-0.5) + 1.5 * math.log(5)
    at = lambda z: laplace.pdf(z) * laplace.sf(z / 2 - x) ** 2  # noqa: E731
    return quad(at, -50, 50, points=[0, 2 * x])[0]


HU = [
    (r"c^{t-1} \le K^{(e^\varepsilon - 1)/(10\varepsilon)} \le K^{0.114}$",
     (math.exp(0.25) - 1) / 2.5 <= 0.114),
    (r"4.19 and 7.01 at $L = 8$, $c = 1$ and 256; 8.46 just below $\Delta_{\min}$ at $c = 2^{20}$",
     (discrepancy(8, 1), "4.19"), (discrepancy(8, 256), "7.01"),
     (discrepancy(8, 2**20, 1e-9), "8.46")),
    (r"$O(1)$ is at most 0.2, and summed over all $s \ge d_j + 1$ at most 0.4",
     lambda: theory.lemma_19_term(6) < 0.2,
     lambda: sum(map(theory.lemma_19_term, range(6, 15))) < 0.35),
    (r"\min(\Delta^*,\varepsilon) + 0.4$", theory.LEMMA_19 == 0.4),
    (r"$\frac12, \frac14, 0.57$ times $1/(e^{v/4} - 1)$",
     max(math.sqrt(math.pi / v) * -math.expm1(-v / 4) for v in np.linspace(0.01, 60, 9999)) < 0.57),
    (r"[24a + 4 + 4\sqrt\pi\,(2e)^{-1/2}] < 19.1\,\Delta'^{-2}$: so $\omega_2 \le 688",
     16 + 4 * math.sqrt(math.pi / 2 / E) < 19.1),
    (r"is 139, 181, 212, 272 at $\Delta_j = 0.05, 0.01, 0.003, 0.0003$",
     *[(partial(hundredfold, gap), digits) for gap, digits in zip(
         (0.05, 0.01, 0.003, 0.0003), ("139", "181", "212", "272"), strict=True)]),
    (r"$\lambda = \frac38$: $\frac34 > 0.54$)",
     math.exp(-2 * (math.log(2) + math.log(1 / 8) / 8 + 7 * math.log(7 / 8) / 8)) < 0.54),
    (r"from action 4 with probability 0.94 after a click in round 3", (after_a_click(), "0.94")),
]  # fmt: skip
FL = [
    (r"$\varsigma = (q_3-q_1)_+/1.349$", (2 * norm.ppf(0.75), "1.349")),
    (r"(at $\delta = 0.01$: up to 574)", (math.floor(16 * math.log(400) ** 2), "574")),
    (r"$C_1 = 25562$ and $C_2 = 30.2$",
     *[28 * proof_constants(k)[1] <= 25562 * k for k in (1.0, 10.0, 1e3)]),
    (r"$4 \le T \le 2.4\cdot10^7$", (CROSSING / 1e7, "2.4"), math.log(4) ** 3 > 2),
    (r"($\delta = 0.01$: $4.24 > 3.19$)", (math.log(math.log(2) * 100), "4.24"),
     (math.log(100) * math.log(2), "3.19")),
    (r"($T = 20{,}000$, $\sigma = 0.1$, $\delta = 0.01$, $x_{\max} = 3.46$, $b_{\max} = 3.44$) "
     r"H1 gives 1.2, and H2, for contexts made for it, 43 at $\varepsilon = 0.5$, 25 at 1 and 12 "
     r"at 10", (math.sqrt(2 * math.log(400)), "3.46"), (float(BETA), "3.44"),
     (two_point_floor(20_000, 0.1), "1.2"), (h2(0.5), "43"), (h2(1.0), "25"), (h2(10.0), "12")),
    (r"q\ln(6.2\,d\sqrt\kappa/q)", 2.25 * E < 6.2),
    (r"(\frac{ed}q\cdot2.25\sqrt\kappa)^q", KAPPA**-0.5 < 0.25),
    (r"\le 1.37\,bh$, $|g_S|^2 \le 2sh \le 0.2\,sh^2$ and $W \le (0.47+0.2)\,sb^2h^2$",
     1 + math.log(10) / 10 < 1.37),
    (r"\le 4.83\,G\sqrt{aT}$", 2 / (math.sqrt(2) - 1) <= 4.83),
    (r"\cdot3.42\sqrt{N_*} \le 13.7\,G^2a_{N_*}/\Delta_*",
     2 * math.sqrt(2) * 3.42 * math.sqrt(2) <= 13.7),
    (r"($C_2 = 6.67$, $C_3 = 3.11$, $C'_2 = 4.49$;", 0 <= 6.67 - c_alpha(2) < 0.01,
     0 <= 3.11 - c_alpha(3) < 0.01, 0 <= 4.49 - c_prime(2) < 0.01),
    (r"$\kappa = 32\frac{\vartheta^2}{h_0}(\ln2K+1) \ge 90$",
     math.isclose(KAPPA, 32 / Y * (math.log(4) + 1)), 90 < KAPPA < 91),
    (r"is $s \ge 2.03\cdot10^8$", 2.03e8 < KEPT < 2.04e8),
    (r"from $T \approx 3\cdot10^{23}$ on", 3e23 < informative_from(
        LEAST, Size(2 * KEPT + 1, KEPT, 1), rho_of(1.0, 0.01)) < 3.1e23),
    (r"is $\frac{7+4\sqrt3}2 = 6.96$", ((7 + 4 * math.sqrt(3)) / 2, "6.96"),
     math.isclose((7 + 4 * math.sqrt(3)) / 2, 1 / (2 * (2 - math.sqrt(3)) ** 2))),
    (r"$M = \lfloor0.16\ln(1+n)\rfloor$ steps (at least 1) of length $10^{-4}$",
     FliphatSetting().steps_factor == 0.16, FliphatSetting().step_size == 1e-4),
    (r"$8u\varsigma = 8u\lambda\frac n\pi < 2^{-18}$",
     8 / math.pi * 2.0 ** (18 + 13 - 53) < 2**-18),
    (r"$\omega+2g \le 1.28\,bh$, $\tau\sqrt{2h}+2g \le 0.49\,bh$, and "
     r"$\frac14\cdot1.28^2+0.49^2 < 0.67$. So I2.2's $W \le 0.67\,sb^2h^2$",
     1 + math.log(10) / 10 + 0.04 <= 1.28, math.sqrt(20) / 10 + 0.04 <= 0.49),
    (r"$0.9428$ at two ($\sqrt{2+w^2/2}/\Delta$",
     (math.sqrt(2 + dp_linear.WEIGHT**2 / 2) / dp_linear.DELTA, "0.9428")),
]  # fmt: skip
US = [
    (r"Otherwise $y<1.62$", (1 + math.sqrt(5)) / 2 < 1.62),
    (r"the norm exceeds the bound with probability 0.995",
     float(hub_conditions()["chance"]) > 0.995),
    (r"with probability above 0.99.", float(atom_conditions()["chance"]) > 0.99),
    (r"it is with probability 0.94 at least above" "\n" r"1.27 times the printed bound at "
     r"$T=2^{20}$, 7.8 times at $2^{30}$ and 63 times at $2^{42}$",
     min(map(fixed_kernel_chance, FIXED.values())) > 0.94, (FIXED_RATIOS[2**20], "1.27"),
     (FIXED_RATIOS[2**30], "7.8"), (FIXED_RATIOS[2**42], "63")),
    (r"$b\le1/2$ and $\tau\ge0.78$", 0.5 * 0.78 * math.log(1 + 1 / 0.78) >= 26 / 81),
    (r"($\tau\ge0.37$), for all $T$", 0.37 * math.log(1 + 1 / 0.37) >= 13 / 27),
    (r"\ge0.74N$.", min(1 - math.ceil(t / 4) / t for t in range(100, 999)) >= 0.74),
    (r"\frac2{0.73\cdot\frac23\ln2}\frac{F^2\gamma_T}T$, where $5.93<\frac{81}{13}=6.23$",
     (2 / (0.73 * 2 / 3 * math.log(2)), "5.93")),
    (r"=1024$ against $\frac{81}{26}\ln1025=21.6$", (81 / 26 * math.log(1025), "21.6")),
    (r"512 against 14.4.", (54 / 26 * math.log(1025), "14.4")),
    (r"is claimed; 22 at $T=2^{30}$", (get_claim("US-S6.3-norm").sides("real-draws")[0], "22")),
    (r"S:=cF\sqrt{4.5\,\ell}\,(\sqrt2R+B)+1.23\,cF\sqrt\tau B+\varrho\big[\tfrac53c^2F^2B\ell+"
     r"1.42\,cFB\sqrt\ell\big]+1.5\,cFBb^2", math.sqrt(1.5) <= 1.23,
     math.sqrt(2) <= 1.42),
    (r"F^2l+5.76BF\sqrt\tau+12.2FR(l-\ln2)", 2 * math.sqrt(108 / 13) >= 5.76,
     4 * math.sqrt(243 / 26) >= 12.2),
    (r"below $0.01$ at $M=10^4$", 2 / math.sqrt(2 * math.pi * 1e4) + 1e-4 < 0.01),
    (r"$x=5.1\cdot10^9$, and $\frac B{4(2M+\tau)}=1.25\cdot10^{11}$",
     (get_claim("US-L4.3").sides()[1] / 1e9, "5.1"),
     (get_claim("US-L4.3").sides()[0] / 1e11, "1.25")),
    (r"that is 12.8 times as much", (4 * math.log(400) * gaussian_mu(1.0), "12.8")),
    (r"with $n=25$, 1.04, 1.10 and 1.87 times the printed $\theta$ at $\varepsilon=0.5,5,50$",
     (stretch(0.5), "1.04"), (stretch(5.0), "1.10"), (stretch(50.0), "1.87")),
    (r"P(|y|>B+R\ln1.25)\ge0.8156>0.8$",
     math.erfc((0.01 + math.log(1.25)) / math.sqrt(2)) >= 0.8156),
    (r"\ell\ge1+\sqrt{1+2\ln2}=2.545$", (1 + math.sqrt(1 + 2 * math.log(2)), "2.545")),
    (r"$1/c=1+2\zeta(4)<3.2$", 1 + 2 * zeta(4) < 3.2),
    (r"is at most $0.7f(x)^2$; of $T$ rounds, on average over uniform $x$, at most $0.7Th^2/J$",
     max(((1 + f) * math.log1p(f) + (1 - f) * math.log1p(-f)) / 2 / f**2
         for f in np.linspace(0.01, 0.9999, 999)) < 0.7),
    (r"\le3.6Jg^{1/4}$", math.pi * math.sqrt(2) * (1 / (1 + 2 * zeta(4))) ** 0.25 < 3.6),
]  # fmt: skip
PAGES = {"HU": HU, "FL": FL, "US": US}


def text(page):
    return (ROOT / f"docs/proofs/{page}.md").read_text(encoding="utf-8")


def shown(value, digits):
    """Whether a value is printed with these digits."""
    places = len(digits.partition(".")[2])
    return f"{float(value_of(value)):.{places}f}" == digits


def value_of(fact):
    return fact() if callable(fact) else fact


@pytest.mark.parametrize(("page", "phrase", "facts"), [
    (page, phrase, facts) for page, rows in PAGES.items() for phrase, *facts in rows
])  # fmt: skip
def test_numbers_are_those_that_come_out(page, phrase, facts):
    assert phrase in text(page)
    for fact in facts:
        assert shown(*fact) if isinstance(fact, tuple) else value_of(fact), fact


def test_the_discrepancy_of_copies_rises_between_its_ends():
    """HU-S7-witness: brackets counted one by one, up to 2^60 copies; two levels are not enough."""
    for levels in (3, 8, 64):
        at = [discrepancy(levels, 2.0**k) for k in range(0, 61, 3)]
        below = [discrepancy(levels, 2.0**k, 0.3) for k in range(0, 61, 3)]
        assert at == sorted(at)
        assert below == sorted(below)
        assert at[0] == pytest.approx(1 + (levels - 1) / math.log(levels + 1))
        assert at[-1] < levels
        assert below[0] == pytest.approx(0.7 + levels / math.log(levels + 1))
        assert at[-1] < below[-1] < levels + 0.7
    assert discrepancy(8, 2.0**20, 1e-9) > 8  # the upper end that was claimed for all
    assert discrepancy(2, 2.0**20) > 2
    left, right = get_claim("HU-S7-witness").sides("first form")
    assert left == pytest.approx(discrepancy(8, 256))
    assert right == pytest.approx(discrepancy(8, 1))
