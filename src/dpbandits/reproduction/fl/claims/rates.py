"""FL's rates: the abstract, Theorem 5.6 with Psi_alpha and its remarks, and Table 1."""

import itertools
import math

import numpy as np

from dpbandits.reproduction.fl import theory
from dpbandits.reproduction.fl.claims.figures import RELEASED
from dpbandits.reproduction.fl.summaries import (
    jdp_linucb,
    late_growth,
    listed,
    power_of_ln_d,
)
from dpbandits.reproduction.fl.theory import psi, regret_terms
from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import points_of
from dpbandits.reproduction.statistics import fit_power, quantile

CONVERGED = "fliphat-converged"
SIZES = (400, 10, 5)  # d, s, s*: they cancel
AN_IDENTITY = {"at_least": 1 - 1e-9, "at_most": 1 + 1e-9}


# The abstract: the private terms of the upper over the lower bound, at s = s*


def private_ratio(horizon: float, d: float, true_sparsity: int) -> float:
    """J_0 of Theorem 5.6 over the private term of Theorem 3.2; eps and delta cancel."""
    _, private = regret_terms(0.0, horizon, d, true_sparsity, true_sparsity, 1.0, delta=0.01)
    return private / theory.lower_bound(horizon, d, true_sparsity, 1.0, 0.01)[0]


def growth_of_the_ratio(tables) -> Finding:
    horizons = [10.0**k for k in (3, 6, 12, 24, 48)]
    ratios = [private_ratio(t, 400, 5) for t in horizons]
    # the two terms divided by hand, with the logarithms of T
    repaired = [2**1.5 * 5 * psi(0.0, t) * math.log(400) / math.log(80) for t in horizons]
    named = {"what": "upper / lower rate of the private terms", "x": "T", "at": horizons}
    found = points_of(ratios, at_most=ratios[0], repaired=repaired, **named)
    numbers = {"first": ratios[0], "last": ratios[-1], "factor": ratios[-1] / ratios[0]}
    return Finding(numbers=numbers, points=found)


def ratio_without_logarithms(tables) -> Finding:
    """What is neither the linear factor nor the logarithm of d."""
    sizes = {5: 400, 50: 4 * 10**3, 500: 4 * 10**4, 5000: 4 * 10**6}
    left = [
        private_ratio(1e6, d, s) / (s * math.log(d) / math.log(d / s)) for s, d in sizes.items()
    ]
    found = points_of(left, at_least=left[0] * (1 - 1e-9), at_most=left[0] * (1 + 1e-9))
    return Finding("holds", {"left": ", ".join(f"{x:.6g}" for x in left)}, found)


# Theorem 5.6: the regret bound


def growth(tables, kind: str, series: str, epsilon: float = math.inf) -> tuple[float, float]:
    """Power of regret in T over the last four episodes on one kind of instance."""
    table = tables("margin_converged" if series == CONVERGED else "margin")
    rows = table[(table["metric"] == "regret") & (table["setting"] == kind)]
    return late_growth(rows, series, epsilon)


def late_horizons(tables) -> tuple[int, int]:
    """The end of the episode before the last four, and the end of the last."""
    ends = sorted(tables("margin_converged")["t"].unique())
    return int(ends[max(-5, -len(ends))]), int(ends[-1])


def growth_by_margin(tables) -> Finding:
    """Growth in T against the power of the whole bound between the same two horizons."""
    kinds = {"α = 0": "alpha-0", "α = 1": "alpha-1", "α = ∞": "alpha-inf"}
    fits = {name: growth(tables, kind, CONVERGED) for name, kind in kinds.items()}
    single = {name: growth(tables, kind, RELEASED) for name, kind in kinds.items()}
    first, last = late_horizons(tables)
    numbers = {"horizon": last, "runs": int(tables("margin_converged")["runs"].iloc[0])}
    numbers |= {"fits": listed(fits), "single": listed(single), "count": len(fits)}
    power, error = np.transpose([*fits.values()])
    ends = [[regret_terms(a, t, *SIZES, 1.0, delta=0.01)[0] for t in (first, last)] for a in (0, 1)]
    allowed = [math.log(b / a) / math.log(last / first) for a, b in ends]
    allowed.append(allowed[-1])  # alpha = inf: constant but for a logarithm
    found = points_of(power, spread=quantile(len(fits)) * error, at_most=allowed)
    return Finding(numbers=numbers, points=found)


def proved_bound(tables) -> Finding:
    """Theorem I4 for contexts uniform on the cube, where H1 says what every policy regrets."""
    cube = theory.Contexts(arms=2, orlicz=1.0, xi=8.0, x_max=1.0, b_max=1.0, sigma=0.1)
    low, high = theory.sparse_eigenvalues(cube)
    size = theory.Size(10**13, math.ceil(25088 * (high / low) ** 2), 1)
    horizons = 10.0 ** np.arange(16, 31, 2)
    rho = theory.rho_of(1.0, 0.01)
    floor = theory.two_point_floor(horizons, 0.1)
    proved = [theory.corrected_regret_bound(cube, size, t, rho) for t in horizons]
    return Finding(points=points_of(floor, at_most=proved))


def printed_bound(tables) -> Finding:
    """The printed bound, generously times 100, against Theorem H1's floor for every policy."""
    d, kept, true = 400, 1, 1
    horizons = 10.0 ** np.arange(4, 31, 2)
    proof = np.array([regret_terms(0, t, d, kept, true, 1, delta=0.01) for t in horizons])
    printed = theory.printed_non_private(0, horizons, d, kept, true)
    terms = np.maximum(printed, proof[:, 1]), proof.max(axis=1)
    allowed, repaired = (100 * ((kept + true) * math.log(d) + x) for x in terms)
    floor = theory.two_point_floor(horizons, 1.0)
    named = {"what": "regret of every policy at least; α = 0, ε = 1; 100 times the printed and the "
             "corrected bound", "x": "T", "at": horizons}  # fmt: skip
    found = points_of(floor, at_most=allowed, repaired=repaired, **named)
    beyond = {"beyond": floor[-1] / allowed[-1], "at": horizons[-1]}
    return Finding(numbers=growth_by_margin(tables).numbers | beyond, points=found)


# Remarks 1 to 3 after Theorem 5.6: where the private term leads

SPARSITIES = ((10, 5, 400), (20, 5, 400), (10, 5, 10**6), (100, 50, 10**6), (1000, 500, 10**12))


def exact_threshold(horizon, d, sparsity, true_sparsity, delta) -> float:
    """The epsilon at which I_0 = J_0 in the terms of E.3.1."""
    total = (sparsity + true_sparsity) * math.log(d) * math.log(1 / delta)
    return psi(0.0, horizon) / (math.sqrt(horizon) - 1) * math.sqrt(total)


def private_share(alpha: float, horizon: float, epsilon: float, d=400, s=10, true=5) -> float:
    """J_alpha/I_alpha."""
    other, private = regret_terms(alpha, horizon, d, s, true, epsilon, delta=0.01)
    return private / other


def private_term_by_size(tables) -> Finding:
    """Remark 1, in s and d, as it says."""
    spreads = [(s + t) * math.log(d) for s, t, d in SPARSITIES]
    shares = [private_share(0.0, 1e4, 1.0, d, s, t) for s, t, d in SPARSITIES] / np.sqrt(spreads)
    return Finding("holds", points=points_of(shares / shares[0], **AN_IDENTITY))


def private_term_over_time(tables) -> Finding:
    """Where the private term leads in T."""
    horizons = [10.0**k for k in (4, 6, 8, 10, 12, 16)]
    near, exact = (
        [private_share(0.0, t, threshold(t)) for t in horizons]
        for threshold in (
            lambda t: theory.privacy_threshold(0, t, *SIZES, 0.01),
            lambda t: exact_threshold(t, *SIZES, 0.01),
        )
    )
    first, last = (private_share(0.0, t, 1.0) for t in (horizons[0], horizons[-1]))
    numbers = {"first": first, "last": last, "least": min(near), "most": max(near)}
    return Finding("holds", numbers, points_of(exact, **AN_IDENTITY))


def thresholds(tables) -> Finding:
    """Remarks 2 and 3."""
    horizons = [10.0**k for k in range(4, 17, 2)]
    ratios = [
        [private_share(a, t, theory.privacy_threshold(a, t, *SIZES, 0.01)) for t in horizons]
        for a in (0.0, math.inf)
    ]
    numbers = {"least": min(ratios[0]), "most": max(ratios[0])}
    return Finding("holds", numbers, points_of(ratios, at_least=0.3, at_most=1.0))


# Psi_alpha


def psi_is_bounded(tables) -> Finding:
    alphas = [0.02, 0.1, 0.3, 1.0, 2.0, 5.0, 10.0, 25.0]
    ratios = []
    for alpha in alphas:
        log = math.lgamma(3 + 2 * alpha) - (3 + 2 * alpha) * math.log(alpha * math.log(2))
        ratios.append(psi(alpha, 1e300) / math.exp(log))
    logs = [(psi(0.0, t) / ((math.log(t) + 2) ** 3 / 3 + (math.log(t) + 1) ** 2)) for t in (2, 1e9)]
    numbers = {"least": min(ratios), "most": max(ratios), "first": logs[0], "second": logs[1]}
    return Finding(numbers=numbers, points=points_of(ratios, at_most=2))


def psi_of_the_appendix(alpha: float, horizon: float) -> float:
    """Psi_alpha(T) of E.3.1, without Delta_*^-alpha."""
    share = (1 - horizon**-alpha) / (1 - 2**-alpha)
    return share * math.log(horizon) ** (2 * alpha + 2)


def two_forms_of_psi(tables) -> Finding:
    def ratio(alpha: float, horizon: float) -> float:
        return psi_of_the_appendix(alpha, horizon) / psi(alpha, horizon)

    alphas, horizons = (0.5, 1.0, 2.0), [10.0**k for k in (2, 3, 4, 5, 6, 8, 10, 20, 30)]
    numbers = {f"ratio {a:g}": ratio(a, 20_000) for a in alphas}
    numbers |= {"sum": psi(1.0, 1e30), "other": psi_of_the_appendix(1.0, 1e30)}
    ratios = [[ratio(a, t) for t in horizons] for a in alphas]
    named = {"what": "Ψ of E.3.1 / Ψ of Section 5", "series": [[f"α = {a:g}"] for a in alphas]}
    return Finding(
        numbers=numbers, points=points_of(ratios, at_most=1, x="T", at=horizons, **named)
    )


# Table 1


def powers(tables) -> Finding:
    wide, arms = tables("large_d"), tables("arms")
    free = growth(tables, "gaussian", CONVERGED)
    strict = tables("margin")["epsilon"].min()
    private = growth(tables, "gaussian", RELEASED, strict)
    wide = wide[(wide["algorithm"] == RELEASED) & (wide["metric"] == "regret")]
    final, d_power = power_of_ln_d(wide)
    three = arms[(arms["algorithm"] == RELEASED) & (arms["arms"] == arms["arms"].min())]
    e_power = fit_power(three["epsilon"], three["mean"], three["sem"])
    fitted, sems = np.array([free, private, d_power, e_power]).T
    limits = {"at_least": [math.nan, math.nan, math.nan, -1.0]}  # the powers of T, T, ln d, eps
    limits |= {"at_most": [0.5, 0.5, math.nan, math.nan], "spread": quantile(4) * sems}
    numbers = {"d": wide["d"].max(), "horizon": late_horizons(tables)[1], "strict": strict}
    numbers |= {"least": arms["epsilon"].min(), "most": arms["epsilon"].max()}
    numbers |= {"largest": final["epsilon"].iloc[0], "arms": three["arms"].iloc[0]}
    for name, *fit in zip(("free", "private", "of ln d", "of eps"), fitted, sems, strict=True):
        numbers |= dict(zip((name, f"sem {name}"), fit, strict=True))
    return Finding(numbers=numbers, points=points_of(fitted, **limits))


LINUCB = "jdp-linucb", "jdp-linucb-best"  # with the width of its theorem, and the best (fl/widths)


def beside_linucb(tables) -> Finding:
    """Is the regret of FLIPHAT significantly below that of JDP-LinUCB at every d, with the width of
    its theorem and with its best one?"""
    table = jdp_linucb(tables)
    end = table[table["t"] == table["t"].max()].set_index(["algorithm", "d"])
    most = end.xs(table["d"].max(), level="d")["mean"]
    own = ("fliphat-released", "fliphat-zcdp")
    return _compared(end, own, most / most["random-arm"])


def dense_beside_linucb(tables) -> Finding:
    """Is the regret of dp-linear significantly below that of JDP-LinUCB, sparse or not?"""
    table = tables("dense")
    table["case"] = table["problem"] + " of " + table["d"].astype(str) + " coordinates"
    end = table[table["t"] == table["t"].max()].set_index(["algorithm", "case"])
    most = end[end["d"] == table["d"].max()].set_index("problem", append=True)["mean"]
    shares = {f"{name} {problem}": share for (name, _, problem), share in most.items()}
    return _compared(end, ("dp-linear",), shares)


def _compared(end, names: tuple[str, ...], shares) -> Finding:
    """The regret of JDP-LinUCB less that of these algorithms, at the last round, in each case."""
    found, least, rival = [], [], end.loc[LINUCB[0]]
    count = len(names) * len(LINUCB) * len(rival)
    for name, other in itertools.product(names, LINUCB):
        own, rival = end.loc[name], end.loc[other]
        gaps, errors = rival["mean"] - own["mean"], np.hypot(rival["sem"], own["sem"])
        found.append(points_of(gaps, at_least=0, spread=quantile(count) * errors))
        leads = gaps / errors
        least.append((leads.min(), leads.idxmin()))
    dims = sorted({*end.reset_index()["d"]})
    numbers = dict(shares) | {"dims": ", ".join(map(str, dims)), "most": dims[-1]}
    z, where = min(least)
    numbers |= {"z": z, "where": where, "asked": quantile(count)}
    numbers |= {"eps": rival["epsilon"].iloc[0], "horizon": int(rival["t"].max()), "count": count}
    numbers |= {"runs": int(end["runs"].min()), "more": int(end["runs"].max())}
    return Finding("consistent" if z > quantile(count) else "untestable", numbers, found)
