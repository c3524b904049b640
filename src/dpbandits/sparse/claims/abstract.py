"""FL's abstract: upper against lower rate."""

import math

from dpbandits.core.ledger import Verdict, claim
from dpbandits.core.points import points
from dpbandits.sparse.theory import lower_bound, psi, regret_terms

EVIDENCE = ("src/dpbandits/sparse/theory.py",)
SCOPE = r"the private terms of Theorems 5.6 and 3.2 as printed, $\alpha = 0$, $s = s^*$"


def private_ratio(horizon: float, d: float, true_sparsity: int) -> float:
    """J_0 of Theorem 5.6 over the private term of Theorem 3.2, at s = s*; eps and delta cancel."""
    _, private = regret_terms(0.0, horizon, d, true_sparsity, true_sparsity, 1.0, 0.01)
    return private / lower_bound(horizon, d, true_sparsity, 1.0, 0.01)[0]


def _closed_form(horizon: float, d: float, true_sparsity: int) -> float:
    """The same ratio, with its logarithms of T: the two terms divided by hand."""
    return 2**1.5 * true_sparsity * psi(0.0, horizon) * math.log(d) / math.log(d / true_sparsity)


@claim(
    "FL-ABS",
    where="Abstract",
    statement=r"the regret is optimal in $\varepsilon$, $\delta$, $d$ and $T$ up to a linear "
    "factor in the sparsity and a logarithmic factor in $d$",
    kind="rate",
)
def optimal_up_to(tables) -> list[Verdict]:
    return [_as_printed(), _with_logarithms()]


def _as_printed() -> Verdict:
    horizons = [10.0**k for k in (3, 6, 12, 24, 48)]
    by_horizon = [private_ratio(t, 400, 5) for t in horizons]
    return Verdict.refuted(
        method="exact",
        scope=SCOPE,
        measured=f"upper over lower rate: {by_horizon[0]:.3g} at $T = 10^3$, "
        f"{by_horizon[-1]:.3g} at $T = 10^{{48}}$",
        bound="no growth in $T$",
        slack=f"factor {by_horizon[-1] / by_horizon[0]:.3g}",
        evidence=EVIDENCE,
        counterexample=r"$s = s^* = 5$, $d = 400$, $T\to\infty$: $\Psi_0(T)$ grows like $\ln^3T$",
        proof_step=r"the $\ln^3T$ of $\Psi_0$ is left out (the list of contributions has it)",
        repaired="up to a linear factor in the sparsity and logarithms of $d$ and $T$ (the next "
        "row)",
        repaired_method="exact",
        tightness=r"the ratio is $2^{3/2}s^*\Psi_0(T)\ln d/\ln(d/s^*)$",
        points=points(
            horizons,
            by_horizon,
            at_most=by_horizon[0],
            repaired=[_closed_form(t, 400, 5) for t in horizons],
            panel="no growth in T? dashed: the ratio at T = 1000",
            axes=("T", "upper / lower rate of the private terms"),
            log="xy",
        ),
    )


def _with_logarithms() -> Verdict:
    sizes = [(5, 400), (50, 4 * 10**3), (500, 4 * 10**4), (5000, 4 * 10**6)]
    # what is neither the linear factor nor the logarithm of d
    left = [private_ratio(1e6, d, s) / (s * math.log(d) / math.log(d / s)) for s, d in sizes]
    return Verdict.proved(
        reading="logs-in-T",
        statement="the same up to logarithms of $T$ too, as in the list of contributions",
        method="exact",
        scope=f"{SCOPE}; a statement on rates: what noise gives the promised privacy, and whether "
        "Theorem 3.2 stands, is judged at FL-T5.1 and FL-T3.2",
        measured=r"upper over lower rate divided by $s^*\ln d/\ln(d/s^*)$: "
        + ", ".join(f"{x:.6g}" for x in left),
        bound=r"$2^{3/2}\Psi_0(T)$, the same for all $s^*$ and $d$",
        evidence=EVIDENCE,
        points=points(
            [s for s, _ in sizes],
            left,
            at_least=left[0] * (1 - 1e-9),
            at_most=left[0] * (1 + 1e-9),
            axes=("s*", "ratio without s* and ln d"),
            log="x",
        ),
    )
