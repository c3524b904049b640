"""KL's claims on linear contextual bandits, policy (10)."""

import math
from dataclasses import replace

from dpbandits.core.ledger import Verdict
from dpbandits.core.points import points
from dpbandits.offline.claims.numbers import crossing
from dpbandits.offline.engine.verdicts import (
    ADD_REMOVE,
    ATTACKS,
    PAGE,
    STEPS,
    TESTS,
    attacked,
    claim,
    proved,
    refuted,
)
from dpbandits.offline.linear import counterexamples
from dpbandits.offline.theory import Bound

PURE = (
    r"for $\lambda \le (l-1)/2$: $\frac1\eta\left[\frac{2R}l\left(1 + "
    r"\frac{\sqrt{(n-1)(l-1-\lambda)}}{l-1}\right) + \beta_0\left(\frac1{\sqrt{l-1}} - "
    r"\frac1{\sqrt l}\right)\right]$, no $d$ in it; every lambda in docs/proofs/KL.md"
)
APPROX = (
    r"for any set $I$ of actions and $m \in I$: $\varepsilon = \frac1\eta[\sigma\,\mathrm{diam}_I "
    r"+ \beta_0\kappa(\sqrt{l/(l-1)}-1)]$, $\delta = X/(1+X)$, $X$ the largest over $D$, removals "
    r"and additions of $\sum_{a\notin "
    r"I}\frac{\pi_0(a)}{\pi_0(m)}\exp(\frac1\eta[R\sqrt{n'}|\phi_a-\phi_m|_{\Sigma'^{-1}} - "
    r"\beta_0(\Gamma_a' - \Gamma_m')])$ (docs/proofs/KL.md, T2 approx); with $I$ by $\lambda_0$ it "
    r"says something for $\beta_0 > R\sqrt{n+1}$"
)


@claim(
    "KL-T2-pure",
    where="Theorem 2",
    statement=r"pure loss at most $\frac1{\eta\sqrt l}\left(2\left(1+\sqrt{\frac{nd}{l-1}}\right)"
    r"\frac R{\sqrt{l-1}} + \frac{\beta_0}{l-1}\right)$, $l = \lambda_{\min}(D) > 1$",
    neighbours=ADD_REMOVE,
    reads=("tightness", "attacks"),
)
def linear_pure(tables) -> Verdict:
    return proved(
        tables,
        "KL-T2-pure",
        "T2 pure (its ratio to the truth has infimum 1: n = d = 1, beta0 = 0, lambda to infinity)",
        "as stated",
        repaired=f"sharper and free of the dimension: {PURE}",
        repaired_verdict="holds",
        repaired_method="proof",
        tightness=attacked(tables, "T2 pure"),
        evidence=(ATTACKS,),
    )


@claim(
    "KL-T2-pure-appendix",
    where=r"end of Appendix C, $\lambda_0 = \lambda_{\min}$",
    statement=r"pure loss at most $\frac1{\eta\sqrt l}\left(\left(1+\sqrt{\frac{nd}{l-1}}\right)"
    r"\frac R{\sqrt l} + \frac{\beta_0}{2(l-1)}\right)$",
    neighbours=ADD_REMOVE,
)
def linear_pure_appendix(tables) -> Verdict:
    return refuted(
        counterexamples.theorem2_pure_appendix(),
        f"the main text's Theorem 2 (pure); sharper: {PURE}",
        tightness=attacked(tables, "T2 pure"),
        evidence=(ATTACKS,),
    )


@claim(
    "KL-T2-approx",
    where="Theorem 2",
    statement=r"for every $\lambda_0 > 0$ $(\varepsilon,\delta)$ DP, $\varepsilon$ = the pure "
    r"bound times $\sqrt{l/\lambda_0}$, $\delta = "
    r"|A|e^\varepsilon\exp(\frac{\beta_0}\eta(\min_a|\phi|_{\Sigma^{-1}} - 1/\sqrt{\lambda_0}))$",
    neighbours=ADD_REMOVE,
)
def linear_approx(tables) -> Verdict:
    return refuted(
        counterexamples.theorem2_approx(),
        APPROX,
        tightness=attacked(tables, "T2 approx"),
        evidence=(ATTACKS,),
    )


@claim(
    "KL-C2",
    where="Corollary 2",
    statement=r"if $l \ge 1 + n/(k_1d)$: $\varepsilon_0 = \frac{k_1d}{n\eta}(2R(1+\sqrt{k_1}d) + "
    r"\beta_0\sqrt{k_1d/n})$; and for $c \in (0,1)$: $(c\varepsilon_0, |A|e^\varepsilon\exp("
    r"\frac{\beta_0}\eta\sqrt{d/n}(1-\sqrt{ck_1})))$",
    neighbours=ADD_REMOVE,
    reads=("tightness", "attacks"),
)
def linear_corollary(tables) -> list[Verdict]:
    printed = refuted(
        counterexamples.corollary2_approx(),
        f"{APPROX}; and $\\varepsilon = c\\varepsilon_0$ means $\\lambda_0 = l/c^2$, so "
        r"$\sqrt{ck_1}$ should be $c\sqrt{k_1}$",
        tightness=attacked(tables, "T2 approx"),
        evidence=(ATTACKS,),
    )
    pure = proved(
        tables,
        "KL-C2",
        "T2 pure",
        r"$\frac{k_1d}{n\eta}(2R(1+\sqrt{k_1}d) + \beta_0\sqrt{k_1d/n})$",
        reading="pure-part",
        statement=r"if $l \ge 1 + n/(k_1d)$: pure loss at most $\varepsilon_0$",
        repaired=r"sharper: $1+\sqrt{k_1d}$ in place of $1+\sqrt{k_1}d$",
        tightness=attacked(tables, "T2 pure"),
        repaired_verdict="holds",
        repaired_method="proof",
    )
    return [printed, pure]


@claim(
    "KL-C2-width",
    where="Corollaries 2 and 3, from Theorems 2 and 3",
    statement=r"$\min_a|\phi(x,a)|_{\Sigma^{-1}} \le \sqrt{d/n}$ if $l \ge 1 + n/(k_1d)$",
)
def width_of_the_actions(tables) -> Verdict:
    words = "d=2, lambda=1: 100 of 10^6 records are e1, the others e2; actions e1 and -e1"
    repaired = (
        r"only $\le \sqrt{1/l} \le \sqrt{k_1d/n}$: then $1-\sqrt{ck_1}$ becomes $\sqrt{k_1}(1-c)$, "
        "which is positive: no decay is left"
    )
    near = attacked(tables, "T2 approx")
    return refuted(crossing("KL-C2-width", words, "width", 101**-0.5), repaired, tightness=near)


@claim(
    "KL-S4.2",
    where="Section 4.2, after Theorem 2",
    statement=r"near-zero $\varepsilon$ and $\delta$ require $\lambda_{\min}(D) = \Omega(\sqrt "
    "n)$, even for approximate DP",
    kind="rate",
    neighbours=ADD_REMOVE,
)
def coverage_needed(tables) -> Verdict:
    from dpbandits.offline import repaired

    records = [10.0**k for k in (3, 6, 9, 12, 15)]
    losses = [float(repaired.theorem2_pure(n, n**0.4, 1.0, 1.0, 1.0).epsilon) for n in records]
    return Verdict.refuted(
        method="proof",
        scope=r"$\eta, R, \beta_0$ fixed, $l = n^{2/5}$, all data sets; also in the printed "
        r"formula the term is $\sqrt{nd}/l^{3/2}$",
        measured="pure loss at most " + ", ".join(f"{x:.2g}" for x in losses) + " at n = 10^3, "
        "10^6, ..., 10^15 with l = n^0.4 (eta = R = beta0 = lambda = 1); exponent needed: 1/3",
        bound="exponent at least 1/2",
        slack="any exponent above 1/3 suffices",
        evidence=(PAGE, STEPS, TESTS),
        counterexample=r"every sequence of data sets with $\lambda_{\min} = n^{2/5}$",
        proof_step=r"$\sqrt{nd/(l-1)}/\sqrt{l(l-1)}$ is of order $\sqrt{nd}/l^{3/2}$: it is read "
        r"as $\sqrt n/l$",
        repaired=r"$l/n^{1/3} \to \infty$ suffices for the pure loss (fixed $\eta, R$, bounded "
        r"$\beta_0$), and over all data sets with given $n$, $l$ it is needed",
        tightness=attacked(tables, "T2 pure"),
        points=points(
            ["exponent of n that suffices"],
            [1 / 3],
            at_least=0.5,
            repaired=1 / 3,
            axes=("", "a, for λ_min = n^a"),
        ),
    )


@claim(
    "KL-C21",
    where="Appendix C, (21) for additions",
    statement=r"$n/\lambda_{\min}(D) \le (n-1)/(\lambda_{\min}(D)-1)$, last inequality",
)
def addition_step(tables) -> Verdict:
    repaired = (
        r"true for $l \le n$; Theorem 2 keeps $nd$ ($n/l \le n/(l-1)$) and survives, with the "
        "sharper form T2 pure"
    )
    found = replace(counterexamples.addition_step(), repaired=(Bound(0.0, 1 / 2),))
    return refuted(found, repaired, tightness=attacked(tables, "T2 pure"))


@claim(
    "KL-C22",
    where="Appendix C, (22)",
    statement=r"$|\phi|_{\Sigma_-^{-1}} \ge \sqrt{1+1/l}\,|\phi|_{\Sigma^{-1}}$, used in the "
    "denominator",
)
def width_step(tables) -> Verdict:
    repaired = (
        r"only $\ge |\phi|_{\Sigma^{-1}}$; (22)'s end $\Gamma_- - \Gamma \le \Gamma/(2(l-1))$ is "
        r"true, and sharper $\Gamma_- - \Gamma \le \Gamma(\sqrt{l/(l-1)}-1)$"
    )
    grown = points(
        ["the counterexample"],
        [1.0],
        at_least=math.sqrt(3 / 2),
        repaired=1.0,
        axes=("", r"$|\phi|_{\Sigma_-^{-1}} / |\phi|_{\Sigma^{-1}}$"),
    )
    near = attacked(tables, "T2 pure")
    return refuted(counterexamples.width_step(), repaired, tightness=near, points=grown)
