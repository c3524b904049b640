"""The verdicts on US's identities, assumptions and remarks."""

import math
from fractions import Fraction

import numpy as np

from dpbandits.core.ledger import Verdict, claim
from dpbandits.core.points import points
from dpbandits.kernel.claims.certificates import numbers
from dpbandits.kernel.claims.evidence import (
    ATTACK,
    CERTIFIED,
    CLOSED_FORMS,
    EXACT,
    PROOF,
    shown_beyond,
    violated,
)  # fmt: skip
from dpbandits.kernel.engine.certificates import lemma_3_1_forms

ESTIMATOR_TESTS = "tests/kernel/test_kernel_estimator.py"


def _number(x) -> float:
    return int(x.p) / int(x.q)


@claim(
    "US-L3.1",
    where="Lemma 3.1 = 9.1",
    statement=r"$\bar\mu$ and $\bar\sigma^2$ in kernel form, eq. (4), (5), equal the feature form "
    r"with covariance $\frac1K\Phi_{\mathcal Z}\Phi_{\mathcal Z}'+\tau$",
    kind="identity",
)
def lemma_3_1(tables) -> Verdict:
    source, problems = np.random.default_rng(2025), 200
    forms = [lemma_3_1_forms(source) for _ in range(problems)]
    equal = sum(a == b and c == d for (a, b), (c, d) in forms)
    proved = equal == problems
    return Verdict(
        verdict="holds" if proved else "violated",
        method="proof",
        scope=f"{problems} random problems in rational arithmetic; proved in general by "
        r"$(A'A+\alpha)^{-1}A'=A'(AA'+\alpha)^{-1}$",
        measured=f"{equal} of {problems} agree exactly",
        bound="equality",
        evidence=(PROOF, EXACT, ESTIMATOR_TESTS),
        counterexample="" if proved else "seed 2025",
        points=[
            points(
                [_number(pair[i][0]) for pair in forms],
                [_number(pair[i][1]) for pair in forms],
                at_least=[_number(pair[i][0]) for pair in forms],
                at_most=[_number(pair[i][0]) for pair in forms],
                panel=f"{panel}, {problems} problems",
                axes=("feature form", "kernel form"),
                log=log,
            )
            for i, (panel, log) in enumerate(((r"$\bar\mu$", ""), (r"$\bar\sigma^2$", "xy")))
        ],
        proof_step=r"an intermediate line for $\bar\sigma^2$ carries $\frac1{K^2\tau}$ for "
        r"$\frac1\tau$; the last line is right",
    )


@claim(
    "US-S3-variance",
    where="Section 3",
    statement=r"$\bar\sigma^2$ is the posterior variance (3) of a Gaussian process after sampling "
    r"$\mathcal Z$",
    kind="identity",
)
def surrogate_variance(tables) -> Verdict:
    tau = Fraction(1, 2)  # one point z = w, k = 1, K = 1
    posterior = 1 - 1 / (1 + tau)
    surrogate = posterior / tau
    return violated(
        {"certified": posterior != surrogate},
        method="exact",
        scope=r"one point of $\mathcal Z$ at $w$, $k(w,w)=1$, $K=1$, $\tau=\frac12$",
        measured=rf"$\bar\sigma^2={surrogate}$",
        bound=f"(3): {posterior}",
        evidence=(PROOF, ESTIMATOR_TESTS),
        counterexample=rf"$z=w$, $\tau={tau}$",
        proof_step="no step: nothing rests on it",
        repaired=r"$\tau\bar\sigma^2$ is the posterior variance after $\mathcal Z$ with noise "
        r"variance $K\tau$",
        tightness="equality",
        points=shown_beyond(
            [r"$\tau=1/2$"], [float(surrogate)], float(posterior), ("", r"$\bar\sigma^2$")
        ),
    )


@claim(
    "US-S4-posterior",
    where="Section 4, before Lemma 4.2",
    statement=r"as the differing context can be any, only trivial bounds on the sensitivity of the "
    r"posterior mean $\mu_T$ are possible",
    kind="sensitivity",
)
def posterior_is_sensitive(tables) -> Verdict:
    return Verdict.proved(
        scope=r"kernels with two cells $v,z$, $k(v,v)=1$, $k(v,z)^2\le\kappa<1$: all other records "
        r"at $z$, one at $v$ of reward $\pm y$",
        measured=r"$\mu_T(v)$ moves by at least $2|y|\frac{1-\kappa}{\tau+1-\kappa}$ for every $T$",
        bound=r"does not fall with $T$",
        evidence=(PROOF, ATTACK),
        points=points(
            [2, 10**2, 10**4, 10**6],
            [_moved(t, 0.25) for t in (2, 10**2, 10**4, 10**6)],
            at_least=2 * 0.75 / 1.75,
            axes=("$T$", r"move of $\mu_T(v)$, $|y|=\tau=1$, $\kappa=1/4$"),
            log="x",
        ),
    )


def _moved(rounds: int, kappa: float) -> float:
    """Move of mu_T(v) as y turns from 1 to -1, tau = 1: T - 1 records at z are one of variance
    1/(T - 1)."""
    there = 1.0 + 1.0 / (rounds - 1)
    variance = 1.0 - kappa / there  # at v, without its own record
    return 2.0 * variance / (1.0 + variance)


@claim(
    "US-A2.3",
    where="Assumption 2.3",
    statement=r"the eigenfunctions are continuous and hence bounded: $\exists F$ with "
    r"$\sup_w|\psi_j(w)|\le F$ for all $j$",
    kind="assumption",
)
def bounded_eigenfunctions(tables) -> Verdict:
    degrees = (0, 1, 10, 100, 1000, 10_000)
    squares = [2 * j + 1 for j in degrees]
    return violated(
        {"certified": squares == sorted(squares)},
        method="exact",
        scope=r"$[-1,1]$ with the uniform law, $\psi_j=\sqrt{2j+1}P_j$ (Legendre), "
        r"$\lambda_j\propto(j+1)^{-3}$: $k$ is continuous and $\beta_p=3$; $P_j(1)=1$",
        measured="; ".join(
            rf"$\psi_{{{j}}}(1)^2={s}$" for j, s in zip(degrees, squares, strict=True)
        ),
        bound=r"some $F^2$ for all $j$",
        evidence=(PROOF,),
        counterexample=r"$\psi_j(1)=\sqrt{2j+1}$, unbounded in $j$",
        proof_step="'hence': continuity bounds each eigenfunction, not all of them together",
        repaired=r"$F$ has to be assumed (trigonometric eigenfunctions have $F^2=2^{\dim}$)",
        repaired_method="exact",
        tightness="attained by the cosine kernels",
        points=shown_beyond(
            degrees[1:], squares[1:], squares[0], ("$j$", r"$\psi_j(1)^2$; dashed: $j=0$"), log="xy"
        ),
    )


@claim(
    "US-A2.7",
    where="After Assumption 2.7",
    statement=r"clipping the rewards at $B+R\ln(T/\delta)$ changes none of them with probability "
    r"$1-\delta$",
)
def clipping(tables) -> list[Verdict]:
    from dpbandits.kernel.engine.counterexamples import clipping as at_one_round

    found, least = at_one_round(), 1 + math.sqrt(1 + 2 * math.log(2))
    ratios = (13, 20, 50, 100, 1000, 10_000)
    usual = math.erfc(math.sqrt(math.log(2 / 0.8))) / 0.8
    return [
        violated(
            found,
            scope=r"$T=1$, Gaussian noise, $f=0$, $B=R/100$, $\delta=0.8$; erfc in balls",
            measured=rf"$P(|y_1|>B+R\ln1.25)\ge{found['chance']:.4f}$",
            bound=r"$\delta=0.8$",
            evidence=(PROOF, CLOSED_FORMS, ATTACK),
            counterexample=r"$T=1$, $\delta=0.8$, $y\sim N(0,R^2)$, $B=R/100$",
            proof_step="'by the sub-Gaussian assumption': "
            rf"$2Te^{{-\ln^2(T/\delta)/2}}\le\delta$ needs $\ln(T/\delta)\ge{least:.3f}$",
            repaired=r"clip at $B+R\sqrt{2\ln(2T/\delta)}$",
            tightness=f"{usual:.2f} at the counterexample (a union bound)",
            points=shown_beyond(
                ["level as printed", "level as repaired"],
                [found["chance"], 0.8 * usual],
                [0.8, math.nan],
                ("", r"probability at $T=1$, $\delta=0.8$"),
                repaired=[math.nan, 0.8],
            ),
        ),
        Verdict.proved(
            reading="T-over-delta-at-least-13",
            statement=r"the same for $T/\delta\ge13$",
            scope=rf"in general: the union bound, where $\ln(T/\delta)\ge{least:.3f}$",
            evidence=(PROOF, ATTACK),
            points=points(
                ratios,
                [2 * r * math.exp(-(math.log(r) ** 2) / 2) for r in ratios],
                at_most=1,
                axes=(r"$T/\delta$", r"union bound / $\delta$"),
                log="xy",
            ),
        ),
    ]


@claim(
    "US-A2.8",
    where="After Assumption 2.10",
    statement="the elements of the RKHS of common kernels, such as Matérn's, are Lipschitz",
    kind="assumption",
)
def lipschitz_elements(tables) -> Verdict:
    found = numbers("US-A2.8")
    return violated(
        found,
        scope=r"Matérn's kernel of smoothness $\nu=\frac12$, $k=e^{-|x-y|}$, $\beta_p=2$; balls",
        measured=f"a slope of {found['left']:.3g} at norm 1",
        bound="some constant",
        evidence=(PROOF, CERTIFIED),
        counterexample=r"$f=\frac{k(\cdot,h)-k(\cdot,0)}{\|k(\cdot,h)-k(\cdot,0)\|}$: slope "
        r"$\sqrt{2(1-e^{-h})}/h\approx\sqrt{2/h}$, here $h=10^{-13}$",
        proof_step="no step: an assumption; what is quoted needs two derivatives of the kernel",
        repaired=r"true for $\nu>1$ and the squared exponential kernel, with "
        r"$L_f=\frac{\|f\|}\ell\sqrt{\nu/(\nu-1)}$, $\|f\|/\ell$",
        tightness="attained in the limit by difference quotients",
        points=shown_beyond(
            ["$h=1$", "$h=10^{-6}$", "$h=10^{-13}$"],
            [math.sqrt(2 * -math.expm1(-h)) / h for h in (1.0, 1e-6, 1e-13)],
            1e6,
            ("", "slope"),
            log="y",
        ),
    )


@claim(
    "US-S4-identical",
    where="Section 4, before Lemma 4.4",
    statement=r"the covariance matrices in $\bar\mu_T$ and $\mu_T$ are identically distributed",
    kind="identity",
)
def identically_distributed(tables) -> Verdict:
    from dpbandits.kernel.engine.counterexamples import first_entries

    usual, surrogate = first_entries()
    values = sorted(set(usual) | set(surrogate))
    gap = [float(abs(usual.get(v, 0) - surrogate.get(v, 0))) for v in values]
    return violated(
        {"certified": usual != surrogate},
        method="exact",
        scope=r"two equally likely orthonormal features, $T=K=2$: the laws of the first entry",
        measured=r"first entry of $\hat Z-\tau$: "
        + ", ".join(f"{v} ({p})" for v, p in usual.items())
        + r"; of $\tilde Z-\tau$: "
        + ", ".join(f"{v} ({p})" for v, p in surrogate.items()),
        bound="equal laws",
        evidence=(CLOSED_FORMS, PROOF, ATTACK),
        counterexample=r"$P(\frac12)=\frac14$ for $\tilde Z-\tau$, 0 for $\hat Z-\tau$",
        proof_step="no step: only the means are used",
        repaired=r"they have the same mean $Z=T\Lambda+\tau$",
        tightness="equality",
        points=shown_beyond(
            [str(v) for v in values], gap, 0, ("first entry", "difference of probabilities")
        ),
    )
