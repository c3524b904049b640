"""KL's claims on multi-armed bandits, policy (8)."""

import math

from dpbandits.core.ledger import Verdict
from dpbandits.offline import repaired as true
from dpbandits.offline.bandit import counterexamples
from dpbandits.offline.claims.numbers import crossing
from dpbandits.offline.engine.verdicts import ADD_REMOVE, ATTACKS, attacked, claim, proved, refuted

APPROX = (
    r"for every $\varepsilon \ge \frac1\eta[R/M + \beta_0((M-1)^{-1/2} - M^{-1/2})]$, $M = \max "
    r"N$, whatever the coverage: $\delta = X/(1+X)$, $X = \rho\exp(\frac1\eta[R + \beta_0/\sqrt M "
    r"- \beta_0/\sqrt{n_\varepsilon}])$, $n_\varepsilon = 1 + (\beta_0/2\eta\varepsilon)^{2/3}$, "
    r"$\rho = \max_b\pi_0(b)/\pi_0(m)$, $m$ the commonest arm; it falls exponentially above "
    r"$\varepsilon^* = R^3/(2\eta\beta_0^2)$ and nothing falls below"
)


@claim(
    "KL-T1-pure",
    where="Theorem 1, (9)",
    statement=r"pure loss at most $\frac1\eta\left(\frac{4R}{\min N-1} + \frac{\beta_0}{(\min N-1)"
    r"^{3/2}}\right)$ if $\min N > 1$",
    neighbours=ADD_REMOVE,
    reads=("tightness", "attacks"),
)
def bandit_pure(tables) -> Verdict:
    return proved(
        tables,
        "KL-T1-pure",
        "T1 pure",
        r"$\frac1\eta(4R/(\min N-1) + \beta_0/(\min N-1)^{3/2})$",
        "formal",
        repaired=r"sharper, with $N = \min N$: $\frac1\eta\left(\frac RN + \beta_0\left("
        r"\frac1{\sqrt{N-1}} - \frac1{\sqrt N}\right)\right)$",
        repaired_verdict="holds",
        repaired_method="formal",
        tightness=attacked(tables, "T1 pure"),
        evidence=("proofs/KL_Theorem1.v", ATTACKS),
    )


@claim(
    "KL-T1-approx",
    where="Theorem 1",
    statement=r"for every $N_0 > 0$ $(\varepsilon,\delta)$ DP, $\varepsilon = \frac1\eta(4R/N_0 + "
    r"\beta_0/N_0^{3/2})$, $\delta = |A|\exp(\varepsilon + \frac{\beta_0}\eta(1/\sqrt{\max N} - "
    r"1/\sqrt{N_0}))$, whatever the coverage",
    neighbours=ADD_REMOVE,
)
def bandit_approx(tables) -> Verdict:
    return refuted(
        counterexamples.theorem1_approx(),
        APPROX,
        tightness=attacked(tables, "T1 approx"),
        evidence=("proofs/KL_Theorem1_approx.v", ATTACKS),
    )


@claim(
    "KL-B12",
    where="Appendix B, (12)",
    statement=r"$\Pr_{a\sim\pi(\cdot;D)}(N(a) \le N_0) \le |A|\exp(\frac{\beta_0}\eta(1/\sqrt{\max "
    r"N} - 1/\sqrt{N_0}))$",
)
def rare_arms(tables) -> Verdict:
    repaired = (
        r"at most $X/(1+X)$, $X = \sum_{N(b) \le N_0}\frac{\pi_0(b)}{\pi_0(m)}\exp(\frac1\eta[R + "
        r"\beta_0/\sqrt{\max N} - \beta_0/\sqrt{N_0}])$"
    )
    return refuted(counterexamples.rare_mass(), repaired, tightness=attacked(tables, "T1 approx"))


@claim(
    "KL-B12-reference",
    where="Appendix B, (12), second inequality, and (24)",
    statement=r"$\pi_0(a)e^{f(a)/\eta}$ may stand as $e^{(f(a)+\ln\pi_0(a))/\eta}$ above and below",
)
def reference_inside(tables) -> Verdict:
    words = (
        "K=2, pi0=(1/100, 99/100), R=1: arm 0 has one record of reward 1, arm 1 has 10000 of "
        "reward 0; beta0=2/5, eta=1/10, N0=1; f + ln pi0 is largest at arm 1, the best covered one"
    )
    repaired = (
        r"$\eta\ln\pi_0(a)$ in its place; what is true is KL-B12's repair, where "
        r"$\pi_0(b)/\pi_0(m)$ stands outside of the exponential"
    )
    near = attacked(tables, "T1 approx")
    mass = true.odds((1 + 0.4 / 100 - 0.4) / 0.1 - math.log(99))
    found = crossing("KL-B12-reference", words, "probability", mass)
    return refuted(found, repaired, tightness=near)


@claim(
    "KL-B-mean",
    where="Appendix B, change of the mean",
    statement=r"$\frac RN + N(a;D')R(\frac1{N-1}-\frac1N) = \frac RN + \frac R{N-1}$",
    kind="identity",
)
def change_of_the_mean(tables) -> Verdict:
    words = "N=2, one record added: N(a;D')=3"
    repaired = (
        r"the second term is at most $\frac{N+1}{N(N-1)}R$; the end, $\frac{2R}{N-1}$, is true, "
        r"and $|\bar r-\bar r'| \le R/N$ in both directions"
    )
    near = attacked(tables, "T1 pure")
    found = crossing("KL-B-mean", words, "second term over R", 3 / 2)
    return refuted(found, repaired, tightness=near)


@claim(
    "KL-S4.1",
    where="Section 4.1, after Theorem 1",
    statement=r"$\varepsilon_0$ DP at the level $O(1/\min N)$ provided that $\min N > 0$",
    neighbours=ADD_REMOVE,
)
def one_record_is_cover(tables) -> Verdict:
    words = "K=2, uniform pi0, eta=1, one record each, of rewards 0 and 1/10; remove the first"
    near = attacked(tables, "T1 pure")
    repaired = r"for $\min N \ge 2$, by T1 pure, which is $O(1/\min N)$ at fixed $R, \beta_0, \eta$"
    return refuted(crossing("KL-S4.1", words, "probability"), repaired, tightness=near)


@claim(
    "KL-R1-scales",
    where="the remark after Corollary 1",
    statement=r"Corollary 1's $\delta$ is $O(e^{-\beta_0\sqrt k/(\eta\sqrt n)})$ as $n$ grows, its "
    r"$\varepsilon$ is $O(\beta_0k^{3/2}/(\eta n))$",
    kind="rate",
)
def scales_of_corollary_1(tables) -> Verdict:
    words = (
        "the printed formulas at K=2, R=1, k=4, beta0=1, eta=1/n^(5/6), max N=n-1; here n=10^6; "
        "the quotient is about 2e^(n^(1/3)); and with beta0 -> 0 epsilon stays above 4kR/(eta n)"
    )
    repaired = (
        r"$\delta = O(\exp(-\frac{\beta_0(\sqrt k-1)}{\eta\sqrt n}+\varepsilon))$, "
        r"$\varepsilon = O((kR+\beta_0k^{3/2}n^{-1/2})/(\eta n))$ are the printed formulas' scales "
        "(what is true of the policy: KL-C1's repair)"
    )
    near = attacked(tables, "T1 approx")
    scale = 2 * math.exp(-(10**5) * (2 - 1) / 10**3 + 16 / 10 + 8 / 10**4)  # at these n, k, eta
    found = crossing("KL-R1-scales", words, "printed delta", scale)
    return refuted(found, repaired, tightness=near)


@claim(
    "KL-C1",
    where="Corollary 1",
    statement=r"Theorem 1 (approximate) with $N_0 = \max N/k$ for every $k > 0$ (its $\delta$ "
    r"lacks a $1/\eta$ in $4kR/\max N$)",
    neighbours=ADD_REMOVE,
)
def bandit_corollary(tables) -> Verdict:
    return refuted(
        counterexamples.corollary1(),
        f"in place of a $k$: {APPROX}",
        tightness=attacked(tables, "T1 approx"),
        evidence=("proofs/KL_Theorem1_approx.v", ATTACKS),
    )


@claim(
    "KL-R1",
    where="the remark after Corollary 1",
    statement=r"for fixed $k$ and $\beta_0/\eta = \Omega(\sqrt n) \cap o(n^{3/2})$ both "
    r"$\varepsilon$ and $\delta$ decay to zero",
    kind="rate",
    neighbours=ADD_REMOVE,
)
def vanishing_loss(tables) -> Verdict:
    repaired = (
        r"with $R, \pi_0$ fixed: if $\beta_0/\eta \to \infty$, $\eta\beta_0^2 \to \infty$, $\eta n "
        r"\to \infty$ and $\beta_0/\eta = o(n^{3/2})$, then $\delta(\varepsilon) \to 0$ for every "
        r"fixed $\varepsilon > 0$"
    )
    return refuted(
        counterexamples.vanishing(),
        repaired,
        scope=r"a sequence of data sets; $\delta(1)$ at $n = 10^8$ in ball arithmetic, its limit 1 "
        "in docs/proofs/KL.md (KL-R1); the bound shown is what any decay to zero passes",
        tightness=attacked(tables, "T1 approx"),
    )


@claim(
    "KL-DEF1",
    where="Definition 1 with Theorems 1 to 4",
    statement=r"policy (8) is $(\varepsilon,\delta)$ DP in the sense of Definition 1, over all "
    r"data sets, for some $\varepsilon$ and some $\delta < 1/2$",
    neighbours=ADD_REMOVE,
)
def all_data_sets(tables) -> Verdict:
    repaired = (
        r"the theorems bound one data set $D$: for $N \ge 2$ all pairs of neighbours of which one "
        r"has $\min N(a) \ge N$ lose at most Theorem 1's pure bound at $N$; the bound itself is a "
        "function of the data"
    )
    return refuted(
        counterexamples.every_data_set(),
        repaired,
        scope="one pair of data sets, at every finite eps (its loss is infinite)",
        tightness=attacked(tables, "T1 pure"),
    )
