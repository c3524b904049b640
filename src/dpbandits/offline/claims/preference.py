"""KL's claims on RLHF, policy (11): Theorems 3 and 4, Corollary 3, and steps of Appendix D."""

import math

from dpbandits.core.ledger import Verdict
from dpbandits.core.points import points
from dpbandits.offline.engine.crossing import bradley_terry
from dpbandits.offline.engine.verdicts import (
    ADD_REMOVE,
    ATTACKS,
    LABEL,
    PAGE,
    STEPS,
    attacked,
    claim,
    refuted,
)
from dpbandits.offline.preference import counterexamples

INSIDE = "one data set and its neighbour, in balls; the MLE, inside its ball, has both readings"
LABEL_PURE = (
    r"$\frac{4(2 + e^{2B} + e^{-2B})}{\eta(l-\lambda)}$, for the MLE over the ball or inside it"
)
LABEL_APPROX = (
    r"for any set $I \ni m$: $\varepsilon = \frac{2(2+e^{2B}+e^{-2B})}{\eta\sqrt{l-\lambda}}"
    r"\max_{a,b\in I}|\phi_a-\phi_b|_{(\Sigma-\lambda)^{-1}}$, $\delta = X/(1+X)$, $X = \sum_{a"
    r"\notin I}\frac{\pi_0(a)}{\pi_0(m)}\exp(\frac1\eta[B|\phi_a-\phi_m| - \beta_0(\Gamma_a-"
    r"\Gamma_m)])$"
)
RECORD_PURE = (
    r"$\frac1\eta\left[\frac{4(1+e^{2B})}{l-\lambda} + \beta_0\left(\frac1{\sqrt{h-4}} - "
    r"\frac1{\sqrt h}\right)\right]$, $h = \max(l,\lambda+4)$"
)
RECORD_APPROX = (
    r"for any set $I \ni m$, $g = \sqrt{h/(h-4)}$, $s = \sqrt{l/(l+4)}$: $\varepsilon = "
    r"\frac1\eta[\frac{2(1+e^{2B})}{\sqrt{l-\lambda}}\max_{a,b\in "
    r"I}|\phi_a-\phi_b|_{(\Sigma-\lambda)^{-1}} + \beta_0\max_I\Gamma\,(g-1)]$ (its second term 0 "
    r"if $I = \{m\}$), $\delta = X/(1+X)$, $X$ the larger of $\sum_{a\notin "
    r"I}\frac{\pi_0(a)}{\pi_0(m)}e^{E_a/\eta}$ for $E_a = B|\phi_a-\phi_m| - \beta_0(\Gamma_a - "
    r"g\Gamma_m)$ and $B|\phi_a-\phi_m| - \beta_0(s\Gamma_a - \Gamma_m)$"
)


@claim(
    "KL-S3.2",
    where="Section 3.2",
    statement=r"$\Pr[y=1] = \sigma(e^{r(x,a^1)} - e^{r(x,a^2)})$ is the Bradley-Terry model",
    kind="definition",
    reads=(),
)
def preference_probability(tables) -> Verdict:
    repaired = (
        r"$\Pr[y=1] = \sigma(r(x,a^1) - r(x,a^2))$ with $\sigma(t) = 1/(1+e^{-t})$, as the "
        "likelihood of Section 4.3 and the gradient of Appendix D have it"
    )
    more = {"scope": "two rewards; with the printed sigma(t) = 1/(1+e^t) it is 0.152"}
    return refuted(bradley_terry(), repaired, "exact", tightness="an identity", **more)


@claim(
    "KL-S4.3",
    where="Section 4.3 and (25)",
    statement=r"$\nabla\ell_D(\theta_{MLE}(D)) = 0$ for all data sets $D$ ($\ell_D$ being strongly "
    "convex for all of them)",
)
def zero_gradient(tables) -> Verdict:
    repaired = (
        r"$\ell_D$ is concave; the MLE over the ball exists and $\nabla\ell_D(\theta)^\top(\theta'-"
        r"\theta) \le 0$ for all $\theta'$ of it, which is all that the repaired proof needs"
    )
    return refuted(
        counterexamples.no_zero_gradient(), repaired, tightness=attacked(tables, "T3 pure")
    )


@claim(
    "KL-T3-pure",
    where="Theorem 3 = label part of Theorem 4",
    statement=r"label DP with $\varepsilon_0 = \frac{2+2e^{2B}}{\eta(l-\lambda)}$, "
    r"$l = \lambda_{\min}(D)$",
    neighbours=LABEL,
)
def label_pure(tables) -> list[Verdict]:
    more = {"tightness": attacked(tables, "T3 pure"), "scope": INSIDE, "evidence": (ATTACKS,)}
    printed = refuted(counterexamples.theorem3_pure(), LABEL_PURE, **more)
    unit = refuted(
        counterexamples.theorem3_unit_differences(),
        r"with $|\phi_1-\phi_2| \le 1$: $\frac{2(2+e^B+e^{-B})}{\eta(l-\lambda)}$",
        reading="unit-differences",
        statement=r"the same, if $|\phi(x,a^1)-\phi(x,a^2)| \le 1$ for all records",
        **(more | {"tightness": attacked(tables, "T3 unit pure")}),
    )
    radii = (0.61, 1.0, 2.0, 3.0)
    wide = Verdict.proved(
        reading="unit-differences, B at least 0.61",
        statement=r"the same, if also $e^{3B} \ge e^{2B}+e^B+1$, that is $B \ge 0.6094$",
        scope=f"all data sets: {PAGE}, T3 pure",
        measured=r"$2(2+e^B+e^{-B}) \le 2+2e^{2B}$",
        bound=r"$2+2e^{2B}$",
        evidence=(PAGE, STEPS),
        points=points(
            radii,
            [4 + 4 * math.cosh(b) for b in radii],
            at_most=[2 + 2 * math.exp(2 * b) for b in radii],
            axes=("B", r"attained, times $\eta(l-\lambda)$"),
            log="y",
        ),
    )
    return [printed, unit, wide]


@claim(
    "KL-T3-approx",
    where="Theorem 3 = label part of Theorem 4",
    statement=r"for $\lambda_0 > \lambda$ $(\varepsilon,\delta)$ label DP, $\varepsilon = "
    r"\varepsilon_0\sqrt{l/\lambda_0}$, $\delta = |A|e^\varepsilon\exp(\frac{\beta_0}\eta("
    r"\min_a|\phi|_{\Sigma^{-1}} - 1/\sqrt{\lambda_0}))$",
    neighbours=LABEL,
)
def label_approx(tables) -> Verdict:
    return refuted(
        counterexamples.theorem3_approx(),
        LABEL_APPROX,
        scope=INSIDE,
        tightness=attacked(tables, "T3 approx"),
        evidence=(ATTACKS,),
    )


@claim(
    "KL-T4-pure",
    where="Theorem 4",
    statement=r"$\varepsilon_0 = \frac1{\eta\sqrt l}\left(\frac{(1+e^{2B})\sqrt l}{l-\lambda} + "
    r"\frac{2\beta_0}{l-1}\right)$, $l = \lambda_{\min}(D)$",
    neighbours=ADD_REMOVE,
)
def record_pure(tables) -> Verdict:
    return refuted(
        counterexamples.theorem4_pure(),
        RECORD_PURE,
        scope=INSIDE,
        tightness=attacked(tables, "T4 pure"),
        evidence=(ATTACKS,),
    )


@claim(
    "KL-T4-approx",
    where="Theorem 4",
    statement=r"for $\lambda_0 > \lambda$ $(\varepsilon,\delta)$ DP, $\varepsilon = \varepsilon_0"
    r"\sqrt{l/\lambda_0}$, $\delta = |A|e^\varepsilon\exp(\frac{\beta_0}\eta(\min_a|\phi|_{"
    r"\Sigma^{-1}} - 1/\sqrt{\lambda_0}))$",
    neighbours=ADD_REMOVE,
)
def record_approx(tables) -> Verdict:
    return refuted(
        counterexamples.theorem4_approx(),
        RECORD_APPROX,
        scope=INSIDE,
        tightness=attacked(tables, "T4 approx"),
        evidence=(ATTACKS,),
    )


@claim(
    "KL-C3",
    where="Corollary 3",
    statement=r"if $l \ge \lambda + n/(k_1d)$: label DP with $\varepsilon_0 = (2+2e^{2B})"
    r"\frac{k_1d}{n\eta}$",
    neighbours=LABEL,
)
def label_corollary(tables) -> list[Verdict]:
    printed = refuted(
        counterexamples.corollary3_pure(),
        r"$4(2+e^{2B}+e^{-2B})\frac{k_1d}{n\eta}$",
        scope=INSIDE,
        tightness=attacked(tables, "T3 pure"),
        evidence=(ATTACKS,),
    )
    approx = refuted(
        counterexamples.corollary3_approx(),
        r"as in KL-T3-approx; and $\varepsilon = c\varepsilon_0$ means $\lambda_0 = l/c^2$, so "
        r"$\sqrt{ck_1}$ should be $c\sqrt{k_1}$",
        reading="approximate-part",
        statement=r"for $c \in (0,1)$: $(c\varepsilon_0, |A|e^\varepsilon\exp(\frac{\beta_0}\eta"
        r"\sqrt{d/n}(1-\sqrt{ck_1})))$ label DP",
        scope=INSIDE,
        tightness=attacked(tables, "T3 approx"),
        evidence=(ATTACKS,),
    )
    return [printed, approx]


@claim(
    "KL-D30",
    where="Appendix D, (29) and the first line of (30)",
    statement=r"$\gamma|(\theta(D_+)-\theta(D))^\top\phi| \le \frac{|\langle "
    r"z,\phi\rangle_{(\Sigma_+-\lambda)^{-1}}|}{1+e^{-2B}}$, from $\nabla^2\ell \preceq "
    r"-\gamma(\Sigma_+-\lambda)$ in a bilinear form",
)
def bilinear_form(tables) -> Verdict:
    repaired = (
        r"$\gamma|(\theta(D_+)-\theta(D))^\top\phi| \le \frac{|z|_{(\Sigma-\lambda)^{-1}}|\phi|_{"
        r"(\Sigma-\lambda)^{-1}}}{1+e^{-2B}}$: the norms of (30), from a form quadratic in "
        r"$\theta(D_+)-\theta(D)$"
    )
    scope = "one data set and its neighbour, whatever the size of the step, in ball arithmetic"
    more = {"scope": scope, "tightness": attacked(tables, "T4 pure")}
    return refuted(counterexamples.bilinear_step(), repaired, **more)


@claim(
    "KL-D33",
    where="Appendix D, (33)",
    statement=r"$\Gamma(x,a;D_-) - \Gamma(x,a;D) \le \frac{2}{l-1}\Gamma(x,a;D)$",
)
def width_of_differences(tables) -> Verdict:
    repaired = (
        r"$\Gamma_- - \Gamma \le \Gamma(\sqrt{h/(h-4)}-1)$, $h = \max(l,\lambda+4)$; for $l > 4$ "
        r"at most $\frac2{l-4}\Gamma$"
    )
    more = {"scope": "relative growth", "tightness": attacked(tables, "T4 pure")}
    return refuted(counterexamples.width_step(), repaired, **more)
