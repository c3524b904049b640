"""FL's rates: the regret bound with its remarks, and Table 1."""

import math

import numpy as np

from dpbandits.core.ledger import Verdict, claim
from dpbandits.core.points import points
from dpbandits.core.statistics import LEVEL, fit_power, quantile
from dpbandits.sparse.claims.figures import OPEN
from dpbandits.sparse.figures.margin import late_growth
from dpbandits.sparse.theory import (
    printed_non_private,
    privacy_threshold,
    psi,
    regret_terms,
    two_point_floor,
)

RELEASED, CONVERGED = "fliphat-released", "fliphat-converged"
SIZES = (400, 10, 5)  # d, s, s*: they cancel
UNPROVED = {
    "repaired": r"unproved: with $\ln(dT)$ for $\ln d$ the bad events cost $O(\ln T)$ (G7), but "
    r"the chance of the eigenvalue event $\mathcal E_1$ is taken from a work on another "
    "algorithm. The runs speak for it",
    "repaired_verdict": "open",
}


def listed(fits: dict[str, tuple[float, float]]) -> str:
    return ", ".join(f"{name} {power:.2f} ± {sem:.2f}" for name, (power, sem) in fits.items())


def growth(tables, kind: str, series: str, epsilon: float = math.inf) -> tuple[float, float]:
    """Power of regret in T over the last four episodes on one kind of instance."""
    table = tables("margin_converged" if series == CONVERGED else "margin")
    own = table[(table["metric"] == "regret") & (table["setting"] == kind)]
    return late_growth(own, series, epsilon)


def late_horizons(tables) -> tuple[int, int]:
    """The end of the episode before the last four, and the end of the last."""
    ends = sorted(tables("margin_converged")["t"].unique())
    return int(ends[max(-5, -len(ends))]), int(ends[-1])


@claim(
    "FL-T5.6",
    where="Theorem 5.6",
    statement=r"$\mathbb E R(T) \lesssim x_{\max}b_{\max}(s+s^*)\ln d + \max(I_\alpha, J_\alpha)$ "
    r"with $I_\alpha$ containing $T^{(1-\alpha)/2-1}/(1-\alpha)$, $J_\alpha$ containing "
    r"$\Psi_\alpha(T)$",
    kind="regret",
    reads=("margin", "margin_converged"),
)
def regret_bound(tables) -> list[Verdict]:
    fits = {kind: growth(tables, kind, CONVERGED) for kind in ("alpha-0", "alpha-1", "alpha-inf")}
    single = {kind: growth(tables, kind, RELEASED) for kind in fits}
    horizons = late_horizons(tables)
    runs = int(tables("margin_converged")["runs"].iloc[0])
    scope = (
        rf"instances with forced margins, $T$ to {horizons[1]}, {runs} runs, "
        r"$\varepsilon = \infty$, steps run to convergence"
    )
    measured = (
        f"growth powers over the last four episodes: {listed(fits)} (with the released single "
        f"small step, which the theorem does not cover: {listed(single)})"
    )
    confidence = (
        f"1 - {LEVEL:g} over the {len(fits)} powers: what lies beyond by more would be seen"
    )
    proof = _growth_points(fits, horizons)
    failed = proof["beyond"].any()
    evidence = ("figures/fl/margin.csv", "src/dpbandits/sparse/theory.py")
    return [
        _as_printed(measured),
        Verdict.sampled(
            not failed,
            reading="proof",
            statement=r"the same with $I_\alpha$ as E.3.1 has it, $T^{(1-\alpha)/2}-1$",
            scope=scope,
            measured=measured,
            bound=r"0.5 ($\alpha = 0$), 0 but for logarithms ($\alpha = 1$, $\infty$)",
            confidence=confidence,
            evidence=evidence,
            points=proof,
            **(OPEN if failed else UNPROVED),
        ),
    ]  # fmt: skip


def _as_printed(measured: str) -> Verdict:
    """The printed bound, generously times 100, against Theorem H1's floor for every policy."""
    d, kept, true = 400, 1, 1
    horizons = [10.0**k for k in range(4, 31, 2)]
    terms = [
        max(printed_non_private(0, t, d, kept, true), regret_terms(0, t, d, kept, true, 1, 0.01)[1])
        for t in horizons
    ]
    proof = [max(regret_terms(0, t, d, kept, true, 1, 0.01)) for t in horizons]
    allowed, repaired = (100 * ((kept + true) * math.log(d) + np.array(x)) for x in (terms, proof))
    floor = two_point_floor(np.array(horizons), 1.0)
    return Verdict(
        verdict="violated",
        method="proof",
        scope=r"$\alpha = 0$, every fixed $\varepsilon$ and hidden constant: $I_0 \propto "
        r"T^{-1/2}$ and $\Psi_0 = O(\ln^3T)$, where two instances make every policy regret "
        r"$\sigma\sqrt T/12$ (Theorem H1). Assumption 5.2(c) is read with its root (FL-A5.2c)",
        measured=rf"floor over 100 times the bound: {floor[-1] / allowed[-1]:.3g} at "
        f"$T = {horizons[-1]:g}$. Simulated: {measured}",
        bound="1",
        slack="grows like $\\sqrt T/\\ln^3T$",
        evidence=("docs/proofs/FL.md", "src/dpbandits/sparse/theory.py", "figures/fl/margin.csv"),
        counterexample=r"$\beta^* = \pm\frac\sigma{2\sqrt T}e_1$, $K = 2$, contexts uniform on "
        r"$[-1,1]^d$, noise $N(0,\sigma^2)$, $T\to\infty$",
        proof_step=r"E.3.1 has $T^{(1-\alpha)/2}-1$; the statement moved the $-1$ into the "
        "exponent",
        repaired=r"$I_\alpha$ with $(T^{(1-\alpha)/2}-1)/(1-\alpha)$, at $\alpha = 1$ "
        r"$\frac12\ln T$ (the next row)",
        repaired_verdict="consistent",
        repaired_method="statistical",
        tightness="in powers: see the next row; the constants are hidden",
        points=points(
            horizons,
            floor,
            at_most=allowed,
            repaired=repaired,
            panel="α = 0, ε = 1; 100 times the printed and the repaired bound",
            axes=("T", "regret of every policy at least"),
            log="xy",
        ),
    )


def _growth_points(fits: dict[str, tuple[float, float]], horizons: tuple[int, int]):
    """Growth in T against the power of the whole bound between the same two horizons."""
    power = np.array([b for b, _ in fits.values()])
    error = quantile(len(fits)) * np.array([sem for _, sem in fits.values()])
    ends = [[regret_terms(a, t, *SIZES, 1.0, 0.01)[0] for t in horizons] for a in (0.0, 1.0)]
    allowed = [math.log(b / a) / math.log(horizons[1] / horizons[0]) for a, b in ends]
    return points(
        [kind.replace("-", " = ") for kind in fits],
        power,
        spread=error,
        at_most=[*allowed, allowed[-1]],  # alpha = inf: constant but for a logarithm
        panel="reading of the proof: growth of I_alpha",
        axes=("margin", f"power of T in regret, 1 - {LEVEL:g}"),
    )


@claim(
    "FL-TAB1",
    where="Table 1",
    statement=r"FLIPHAT's regret is $\tilde O(s^*\sqrt{T\ln d} \vee s^{*1.5}\ln d/\varepsilon)$ "
    "without margin",
    kind="regret",
    reads=("margin", "margin_converged", "large_d", "arms"),
)
def table_one(tables) -> Verdict:
    wide, arms = tables("large_d"), tables("arms")
    free = growth(tables, "gaussian", CONVERGED)
    strict = tables("margin")["epsilon"].min()
    private = growth(tables, "gaussian", RELEASED, strict)
    wide = wide[(wide["algorithm"] == RELEASED) & (wide["metric"] == "regret")]
    final = wide[(wide["t"] == wide["t"].max()) & (wide["epsilon"] == wide["epsilon"].max())]
    d_power = fit_power(np.log(final["d"]), final["mean"], final["sem"])
    three = arms[(arms["algorithm"] == RELEASED) & (arms["arms"] == arms["arms"].min())]
    e_power = fit_power(three["epsilon"], three["mean"], three["sem"])
    powers, sems = np.array([free, private, d_power, e_power]).T
    plot = points(
        ["T, eps = inf", f"T, eps = {strict:g}", "ln d (other logarithms hidden)", "eps"],
        powers,
        spread=quantile(4) * sems,
        at_least=[math.nan, math.nan, math.nan, -1.0],
        at_most=[0.5, 0.5, math.nan, math.nan],
        axes=("", f"power of regret, 1 - {LEVEL:g}"),
    )
    failed = plot["beyond"].any()
    return Verdict.sampled(
        not failed,
        scope="the released preset on the paper's instances (which have margin 1), $d$ to "
        f"{wide['d'].max():g}, $T$ to {late_horizons(tables)[1]}, $\\varepsilon$ from "
        f"{arms['epsilon'].min():g} to {arms['epsilon'].max():g}",
        measured=f"power of $T$ over the last four episodes {free[0]:.2f} ± {free[1]:.2f} "
        rf"($\varepsilon = \infty$, converged steps), {private[0]:.2f} ± {private[1]:.2f} "
        rf"($\varepsilon = {strict:g}$); of $\ln d$ {d_power[0]:.2f} ± {d_power[1]:.2f} "
        rf"($\varepsilon = {final['epsilon'].iloc[0]:g}$); of $\varepsilon$ {e_power[0]:.2f} ± "
        f"{e_power[1]:.2f} ($K = {three['arms'].iloc[0]}$)",
        bound=r"in $T$ 0.5 (and 0 but for logarithms where privacy dominates); in $\ln d$ 1, up to "
        r"hidden powers; in $\varepsilon$ $-1$ where privacy dominates",
        confidence=f"1 - {LEVEL:g} over the four powers, given with standard errors. "
        r"$\tilde O$ hides powers of $\ln d$, so that one above 1 is no contradiction",
        evidence=("figures/fl/margin.csv", "figures/fl/large_d.csv", "figures/fl/fig3_right.csv"),
        points=plot,
        **(OPEN if failed else UNPROVED),
    )


@claim(
    "FL-R1",
    where="Remark 1 after Theorem 5.6",
    statement=r"for fixed $(\varepsilon,\delta)$ the private term $J_\alpha$ dominates $I_\alpha$",
    kind="threshold",
)
def private_term_dominates(tables) -> Verdict:
    horizons = [10.0**k for k in (4, 6, 8, 10, 12, 16)]
    terms = [regret_terms(0.0, t, *SIZES, 1.0, 0.01) for t in horizons]
    ratios = [private / other for other, private in terms]
    near = []
    for t in horizons:
        other, private = regret_terms(0.0, t, *SIZES, privacy_threshold(0, t, *SIZES, 0.01), 0.01)
        near.append(private / other)
    return Verdict.refuted(
        method="exact",
        scope=r"the terms as in the proof with equal constants; $\alpha = 0$, $\varepsilon = 1$, "
        r"$\delta = 0.01$, any $\alpha \le 1$ as $T\to\infty$",
        measured=f"$J_0/I_0$ falls from {ratios[0]:.3g} at $T = 10^4$ to {ratios[-1]:.3g} at "
        "$T = 10^{16}$",
        bound="1",
        slack=f"factor {1 / ratios[-1]:.3g}",
        evidence=("src/dpbandits/sparse/theory.py", "docs/proofs/FL.md"),
        counterexample=r"$\alpha = 0$: $I_0$ grows like $\sqrt T$, $J_0$ like $\ln^3T$",
        proof_step="only $s$ and $d$ are compared",
        repaired=r"$J_0 > I_0$ if and only if $\varepsilon/\sqrt{\ln(1/\delta)} < (\Psi_0(T)/"
        r"(\sqrt T-1))\sqrt{(s+s^*)\ln d}$ (remark 2 with $\Psi_0$ for $\ln^3T$); for $\alpha > 1$ "
        "both are bounded in $T$",
        repaired_method="exact",
        tightness=f"an equivalence; with $\\ln^3T$ as printed $J_0/I_0$ is {min(near):.2f} to "
        f"{max(near):.2f} at the threshold",
        points=points(horizons, ratios, at_least=1, axes=("T", "J_0 / I_0"), log="xy"),
    )


@claim(
    "FL-PSI",
    where="Theorem 5.6",
    statement=r"$\Psi_\alpha(T) \lesssim \Gamma(3+2\alpha)/(\Delta_*^\alpha(\alpha\ln "
    r"2)^{3+2\alpha})$ for $\alpha > 0$, and $\Psi_0(T) \lesssim \ln^3T$",
)
def psi_is_bounded(tables) -> Verdict:
    alphas = [0.02, 0.1, 0.3, 1.0, 2.0, 5.0, 10.0, 25.0]
    ratios = []
    for alpha in alphas:
        log = math.lgamma(3 + 2 * alpha) - (3 + 2 * alpha) * math.log(alpha * math.log(2))
        ratios.append(psi(alpha, 1e300) / math.exp(log))
    logs = [(psi(0.0, t) / ((math.log(t) + 2) ** 3 / 3 + (math.log(t) + 1) ** 2)) for t in (2, 1e9)]
    return Verdict.proved(
        scope=r"$0 < \alpha \le 25$ with constant 2, and $\alpha = 0$ with $\frac13(\ln T+2)^3 + "
        r"(\ln T+1)^2$ (G4)",
        measured=f"sum over the bound without its constant: {min(ratios):.3f} to "
        rf"{max(ratios):.3f}; $\Psi_0$ over its bound {logs[0]:.2f} and {logs[1]:.2f}",
        bound="2; 1",
        evidence=("docs/proofs/FL.md", "tests/sparse/test_sparse_proofs.py"),
        tightness=r"the constant tends to 1 as $\alpha\to0$ at $T = \infty$",
        points=points(alphas, ratios, at_most=2, axes=("alpha", "sum / bound without 2"), log="x"),
    )
