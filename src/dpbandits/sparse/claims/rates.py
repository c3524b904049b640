"""FL's rates: the estimation error, the regret bound and Table 1."""

import math

import numpy as np

from dpbandits.core.ledger import Verdict, claim
from dpbandits.core.points import points
from dpbandits.core.statistics import fit_power

RELEASED, CONVERGED = "fliphat-released", "fliphat-converged"
HORIZONS = (8191, 131071)  # the ends of the last four episodes but one, and of the last


def powers(table, term: str) -> dict[str, tuple[float, float]]:
    """Fitted power of the squared error in each factor of the study, with its standard error."""
    own = table[table["term"] == term]
    return {
        varied: fit_power(rows["value"], rows["mean"], rows["sem"])
        for varied, rows in own.groupby("varied", sort=False)
    }


def listed(fits: dict[str, tuple[float, float]]) -> str:
    return ", ".join(f"{name} {power:.2f} ± {sem:.2f}" for name, (power, sem) in fits.items())


@claim(
    "FL-P5.5",
    where="Proposition 5.5",
    statement="squared error <~ sigma^2 kappa^2 (s + s*) ln d/(kappa_low^2 N) + sigma^2 kappa^2 "
    "(s ln d)^2 ln((ln N)/delta) ln^3 N/(N eps)^2",
    kind="error bound",
    reads=("estimation",),
)
def estimation_control(tables) -> Verdict:
    data = tables("estimation")
    return Verdict(
        verdict="violated",
        method="exact",
        scope="as printed both terms carry sigma^2; refuted for every N, d, s, eps by noiseless "
        "rewards. The powers were measured at the rest of its form (study fl/estimation)",
        measured=f"powers of the non-private error: {listed(powers(data, 'statistical'))}; of "
        f"the error with privacy: {listed(powers(data, 'private'))}",
        bound="non-private: n -1, s at most 1, d by ln d; private: n -2 but for logarithms, s at "
        "most 2, d by ln^2 d, eps -2",
        slack="infinite at sigma = 0",
        evidence=("figures/fl/estimation_error.csv",),
        counterexample="sigma = 0: the right side is 0, yet the estimate carries Laplace noise of "
        "scale xi > 0, as B = R + x_max b_max does not vanish; so the error is positive with "
        "probability 1 while the statement allows failure with probability about 1/N only",
        proof_step="W is bounded by K' R^2 (...), and R^2 = (x_max b_max + sigma sqrt(2 ln N))^2 "
        "is then replaced by sigma^2 in the statement",
        repaired="the private term with (x_max b_max + sigma sqrt(2 ln N))^2 for sigma^2; with "
        "noise for the true sensitivity, times (4 x_max)^2",
        points=(_noise_floor(), *_power_points(data)),
    )


def _noise_floor():
    """What the last release alone adds, 2 s xi^2, against the printed form as sigma falls.

    The hidden constant is set by equality at sigma = 0.1; both sides are smooth formulas.
    """
    from dpbandits.sparse.engine.presets import plan
    from dpbandits.sparse.problem import SparseSetting
    from dpbandits.sparse.theory import estimation_terms

    n, epsilon, sides = 1024, 1.0, []
    for sigma in (0.1, 0.03, 0.01, 0.003, 0.001, 1e-4):
        setting = SparseSetting(preset="printed", sigma=sigma)
        scale = plan(setting, epsilon, n).scales[0]
        printed = sum(estimation_terms(n, 10, 5, 400, epsilon, setting.delta, sigma))
        sides.append((sigma, 2 * setting.sparsity * scale**2, printed))
    sigmas, added, printed = (np.array(column) for column in zip(*sides, strict=True))
    return points(
        *(sigmas, added),
        at_most=printed * added[0] / printed[0],
        panel="as sigma falls (equal at 0.1)",
        axes=("sigma", "squared error of the last release"),
        log="xy",
    )


POWERS = {"n": -1, "sparsity": 1, "d": math.nan}, {"n": -2, "sparsity": 2, "epsilon": -2}


def _power_points(data):
    """Fitted powers with 4 standard errors beside the printed ones (logarithms hidden)."""
    for term, printed in zip(("statistical", "private"), POWERS, strict=True):
        fits = powers(data, term)
        power = np.array([b for b, _ in fits.values()])
        error = 4 * np.array([sem for _, sem in fits.values()])
        yield points(
            list(fits),
            power,
            low=power - error,
            high=power + error,
            at_most=[printed.get(name, math.nan) for name in fits],
            panel=f"powers of the {term} error",
            axes=("", "power; dashed: printed, up to logarithms"),
        )


def growth(tables, kind: str, series: str, epsilon: float = math.inf) -> tuple[float, float]:
    """Power of regret in T over the last four episodes on one kind of instance."""
    from dpbandits.sparse.figures.beyond import late_growth

    table = tables("margin_converged" if series == CONVERGED else "margin")
    own = table[(table["metric"] == "regret") & (table["setting"] == kind)]
    return late_growth(own, series, epsilon)


@claim(
    "FL-T5.6",
    where="Theorem 5.6",
    statement="E R(T) <~ x_max b_max (s + s*) ln d + max(I_alpha, J_alpha) with I_alpha "
    "containing T^((1-alpha)/2 - 1)/(1 - alpha), J_alpha containing Psi_alpha(T), and the "
    "thresholds of remarks 2 and 3",
    kind="regret",
    reads=("margin", "margin_converged"),
)
def regret_bound(tables) -> Verdict:
    from dpbandits.sparse.theory import printed_non_private, privacy_threshold, regret_terms

    kinds = ("alpha-0", "alpha-1", "alpha-inf")
    fits = {kind: growth(tables, kind, CONVERGED) for kind in kinds}
    single = {kind: growth(tables, kind, RELEASED) for kind in kinds}
    printed = printed_non_private(0, 10**6, 400, 10, 5) / printed_non_private(0, 10**4, 400, 10, 5)
    plots = list(_growth_points(fits))
    faster = plots[-1]["beyond"].any()  # than the reading of the proof allows
    low = privacy_threshold(0, 10**4, 400, 10, 5, 0.01)
    i0, j0 = regret_terms(0, 10**4, 400, 10, 5, low, 0.01)
    return Verdict(
        verdict="rejected" if faster else "ambiguous",
        method="statistical",
        scope="printed statement: its I_0 falls in T (factor "
        f"{printed:.2f} from 10^4 to 10^6) and is infinite at alpha = 1, which contradicts "
        "Theorem 3.2 and is a misprint. Reading of the proof, T^((1-alpha)/2) - 1: measured, "
        "d = 400, K = 3, T to 131071, eps = inf, on instances with forced margins, M = "
        "ln(1 + N b^2), eta = 0.15",
        measured=f"growth powers over the last four episodes: {listed(fits)} (with the released "
        f"single small step, which the theorem does not cover: {listed(single)}); at the threshold "
        f"of remark 2 J_0/I_0 = {j0 / i0:.2f} with constants 1 (ln^3 T against the sum Psi_0)",
        bound="proof: 0.5 (alpha 0), 0 but for logarithms (alpha 1 and inf)",
        slack="", confidence="powers with their standard errors; a power 5 standard errors above "
        "the proof's would have been seen. The thresholds follow from J/I, up to constants",
        evidence=("figures/fl/margin.csv", "src/dpbandits/sparse/theory.py"),
        points=plots,
        counterexample="alpha = 0, eps = inf: I_0 as printed tends to 0 as T grows",
        proof_step="E.3.1 has T^((1-alpha)/2) - 1; the statement moved the -1 into the exponent",
        repaired="I_alpha = ((T^((1-alpha)/2) - 1)/(1 - alpha)) {...}, its limit at alpha = 1 "
        "being (ln T)/2 {...}",
    )  # fmt: skip


def _growth_points(fits: dict[str, tuple[float, float]]):
    """Growth in T against the power of the whole bound between the same two horizons."""
    from dpbandits.sparse.theory import printed_non_private, regret_terms

    power = np.array([b for b, _ in fits.values()])
    error = 5 * np.array([sem for _, sem in fits.values()])
    ends = [[regret_terms(a, t, 400, 10, 5, 1.0, 0.01)[0] for t in HORIZONS] for a in (0.0, 1.0)]
    proof = [math.log(b / a) / math.log(HORIZONS[1] / HORIZONS[0]) for a, b in ends]
    proof.append(proof[-1])  # alpha = inf: constant but for a logarithm
    ends = [printed_non_private(0, t, 400, 10, 5) for t in HORIZONS]
    printed = math.log(ends[1] / ends[0]) / math.log(HORIZONS[1] / HORIZONS[0])
    for panel, allowed in (
        ("statement as printed: I_0 falls, I_1 is infinite", [printed, math.nan, math.nan]),
        ("reading of the proof: growth of I_alpha", proof),
    ):
        yield points(
            *([kind.replace("-", " = ") for kind in fits], power),
            low=power - error,
            high=power + error,
            at_most=allowed,
            panel=panel,
            axes=("margin", "power of T in regret (5 se)"),
        )


@claim(
    "FL-TAB1",
    where="Table 1",
    statement="FLIPHAT's regret is O~(s* sqrt(T ln d) + s*^1.5 ln d/eps) without margin",
    kind="regret",
    reads=("margin", "margin_converged", "large_d", "arms"),
)
def table_one(tables) -> Verdict:
    wide, arms = tables("large_d"), tables("arms")
    free = growth(tables, "gaussian", CONVERGED)
    private = growth(tables, "gaussian", RELEASED, 0.5)
    final = wide[(wide["t"] == wide["t"].max()) & (wide["epsilon"] == wide["epsilon"].max())]
    d_power = fit_power(np.log(final["d"]), final["mean"], final["sem"])
    three = arms[(arms["algorithm"] == "fliphat-released") & (arms["arms"] == arms["arms"].min())]
    e_power = fit_power(three["epsilon"], three["mean"], three["sem"])
    plots = [
        points(
            [where],
            [value],
            low=[value - 5 * sem],
            high=[value + 5 * sem],
            at_least=least,
            at_most=most,
            axes=("", "power of regret (5 se)"),
        )
        for where, (value, sem), least, most in (
            ("T, eps = inf", free, math.nan, 0.5),
            ("T, eps = 0.5", private, math.nan, 0.5),
            ("ln d (other logarithms hidden)", d_power, math.nan, math.nan),
            ("eps", e_power, -1.0, math.nan),
        )
    ]
    return Verdict(
        verdict="rejected" if any(part["beyond"].any() for part in plots) else "consistent",
        method="statistical",
        scope="the released preset on the paper's instances (which have margin 1), d to 10^6, "
        "T to 131071, eps 0.5 to 5",
        measured=f"power of T over the last four episodes {free[0]:.2f} ± {free[1]:.2f} "
        f"(eps = inf, converged steps), {private[0]:.2f} ± {private[1]:.2f} (eps = 0.5); "
        f"of ln d {d_power[0]:.2f} ± {d_power[1]:.2f} (eps = {final['epsilon'].iloc[0]:g}); "
        f"of eps {e_power[0]:.2f} ± {e_power[1]:.2f} (K = {three['arms'].iloc[0]})",
        bound="in T 0.5 (and 0 but for logarithms where privacy dominates); in ln d 1, up to "
        "hidden powers; in eps -1 where privacy dominates",
        confidence="powers with standard errors; growth in T above sqrt(T) by 5 standard errors "
        "at eps = inf would have been seen. O~ hides powers of ln d, so that one above 1 is no "
        "contradiction; it does say that ln d is not what these sizes show",
        evidence=("figures/fl/margin.csv", "figures/fl/large_d.csv", "figures/fl/fig3_right.csv"),
        points=plots,
    )
