"""FL's rates: the abstract, Theorem 5.6 with Psi_alpha and its remarks, and Table 1."""

import math

import numpy as np

from dpbandits.reproduction.fl import theory
from dpbandits.reproduction.fl.claims.figures import RELEASED
from dpbandits.reproduction.fl.summaries import late_growth, power_of_ln_d
from dpbandits.reproduction.fl.theory import (
    lower_bound,
    printed_non_private,
    privacy_threshold,
    psi,
    regret_terms,
    two_point_floor,
)
from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import points
from dpbandits.reproduction.statistics import LEVEL, fit_power, quantile

CONVERGED = "fliphat-converged"
SIZES = (400, 10, 5)  # d, s, s*: they cancel


def listed(fits: dict[str, tuple[float, float]]) -> str:
    """Fitted powers with their standard errors."""
    return ", ".join(
        f"{name}: {round(p, 2) + 0:.2f} ± {sem:.2f}" for name, (p, sem) in fits.items()
    )


# The abstract: the private terms of the upper over the lower bound, at s = s*


def private_ratio(horizon: float, d: float, true_sparsity: int) -> float:
    """J_0 of Theorem 5.6 over the private term of Theorem 3.2; eps and delta cancel."""
    _, private = regret_terms(0.0, horizon, d, true_sparsity, true_sparsity, 1.0, delta=0.01)
    return private / lower_bound(horizon, d, true_sparsity, 1.0, 0.01)[0]


def _closed_form(horizon: float, d: float, true_sparsity: int) -> float:
    """The same ratio, with its logarithms of T: the two terms divided by hand."""
    return 2**1.5 * true_sparsity * psi(0.0, horizon) * math.log(d) / math.log(d / true_sparsity)


def optimal_up_to(tables) -> dict[str, Finding]:
    horizons = [10.0**k for k in (3, 6, 12, 24, 48)]
    ratios = [private_ratio(t, 400, 5) for t in horizons]
    look = {"axes": ("T", "upper / lower rate of the private terms"), "log": "xy"}
    look |= {"panel": "no growth in T? dashed: the ratio at T = 1000"}
    repaired = [_closed_form(t, 400, 5) for t in horizons]
    plot = points(horizons, ratios, at_most=ratios[0], repaired=repaired, **look)
    numbers = {"first": ratios[0], "last": ratios[-1], "factor": ratios[-1] / ratios[0]}
    printed = Finding("violated", numbers, plot)

    sizes = [(5, 400), (50, 4 * 10**3), (500, 4 * 10**4), (5000, 4 * 10**6)]
    # what is neither the linear factor nor the logarithm of d
    left = [private_ratio(1e6, d, s) / (s * math.log(d) / math.log(d / s)) for s, d in sizes]
    limits = {"at_least": left[0] * (1 - 1e-9), "at_most": left[0] * (1 + 1e-9)}
    look = {"axes": ("s*", "ratio without s* and ln d"), "log": "x"}
    plot = points([s for s, _ in sizes], left, **limits, **look)
    with_logs = Finding("holds", {"left": ", ".join(f"{x:.6g}" for x in left)}, plot)
    return {"printed": printed, "logs-in-T": with_logs}


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


def regret_bound(tables) -> dict[str, Finding]:
    kinds = {"α = 0": "alpha-0", "α = 1": "alpha-1", "α = ∞": "alpha-inf"}
    fits = {name: growth(tables, kind, CONVERGED) for name, kind in kinds.items()}
    single = {name: growth(tables, kind, RELEASED) for name, kind in kinds.items()}
    horizons = late_horizons(tables)
    numbers = {"horizon": horizons[1], "runs": int(tables("margin_converged")["runs"].iloc[0])}
    numbers |= {"fits": listed(fits), "single": listed(single), "level": LEVEL, "count": len(fits)}
    proof = _growth_points(fits, horizons)
    verdict = "rejected" if proof["beyond"].any() else "consistent"
    return {
        "printed": _as_printed(numbers),
        "proof": Finding(verdict, numbers, proof),
        "ours: private noise": Finding(points=_proved_bound()),
    }


def _proved_bound():
    """Theorem I4 for contexts uniform on the cube, where H1 says what every policy regrets."""
    cube = theory.Contexts(arms=2, orlicz=1.0, xi=8.0, x_max=1.0, b_max=1.0, sigma=0.1)
    low, high = theory.sparse_eigenvalues(cube)
    size = theory.Size(10**13, math.ceil(25088 * (high / low) ** 2), 1)
    horizons = [10.0**k for k in (16, 18, 20, 22, 24, 26, 28, 30)]
    rho = theory.rho_of(1.0, 0.01)
    floor = two_point_floor(np.array(horizons), 0.1)
    proved = [theory.corrected_regret_bound(cube, size, t, rho) for t in horizons]
    look = {"axes": ("T", "regret of every policy at least"), "log": "xy"}
    look |= {"panel": "α = 0, ε = 1; dashed: the proved bound"}
    return points(horizons, floor, at_most=proved, **look)


def _as_printed(numbers: dict) -> Finding:
    """The printed bound, generously times 100, against Theorem H1's floor for every policy."""
    d, kept, true = 400, 1, 1
    horizons = [10.0**k for k in range(4, 31, 2)]
    proof = np.array([regret_terms(0, t, d, kept, true, 1, delta=0.01) for t in horizons])
    printed = [printed_non_private(0, t, d, kept, true) for t in horizons]
    terms = np.maximum(printed, proof[:, 1]), proof.max(axis=1)
    allowed, repaired = (100 * ((kept + true) * math.log(d) + x) for x in terms)
    floor = two_point_floor(np.array(horizons), 1.0)
    look = {"axes": ("T", "regret of every policy at least"), "log": "xy"}
    look |= {"panel": "α = 0, ε = 1; 100 times the printed and the corrected bound"}
    plot = points(horizons, floor, at_most=allowed, repaired=repaired, **look)
    numbers = numbers | {"beyond": floor[-1] / allowed[-1], "at": horizons[-1]}
    return Finding("violated", numbers, plot)


def _growth_points(fits: dict[str, tuple[float, float]], horizons: tuple[int, int]):
    """Growth in T against the power of the whole bound between the same two horizons."""
    power = np.array([b for b, _ in fits.values()])
    error = quantile(len(fits)) * np.array([sem for _, sem in fits.values()])
    ends = [[regret_terms(a, t, *SIZES, 1.0, delta=0.01)[0] for t in horizons] for a in (0.0, 1.0)]
    allowed = [math.log(b / a) / math.log(horizons[1] / horizons[0]) for a, b in ends]
    allowed.append(allowed[-1])  # alpha = inf: constant but for a logarithm
    look = {"axes": ("margin", f"power of T in regret, 1 - {LEVEL:g}")}
    look |= {"panel": "reading of the proof: growth of I_α"}
    return points(list(fits), power, spread=error, at_most=allowed, **look)


# Remarks 1 to 3 after Theorem 5.6: where the private term leads

SPARSITIES = ((10, 5, 400), (20, 5, 400), (10, 5, 10**6), (100, 50, 10**6), (1000, 500, 10**12))


def exact_threshold(horizon, d, sparsity, true_sparsity, delta) -> float:
    """The epsilon at which I_0 = J_0 in the terms of E.3.1."""
    total = (sparsity + true_sparsity) * math.log(d) * math.log(1 / delta)
    return psi(0.0, horizon) / (math.sqrt(horizon) - 1) * math.sqrt(total)


def private_term_dominates(tables) -> dict[str, Finding]:
    """Remark 1: in s and d, as it says; and where the private term leads in T."""
    spreads = [(s + t) * math.log(d) for s, t, d in SPARSITIES]
    terms = [regret_terms(0.0, 1e4, d, s, t, 1.0, delta=0.01) for s, t, d in SPARSITIES]
    shares = [p / i / math.sqrt(x) for (i, p), x in zip(terms, spreads, strict=True)]
    look = {"at_least": 1 - 1e-9, "at_most": 1 + 1e-9, "log": "x"}
    axes = ("(s + s*) ln d", "J₀/I₀ over √((s + s*) ln d), 1 at the first")
    sizes = points(spreads, [share / shares[0] for share in shares], axes=axes, **look)

    def ratio(horizon: float, epsilon: float) -> float:
        other, private = regret_terms(0.0, horizon, *SIZES, epsilon, delta=0.01)
        return private / other

    horizons = [10.0**k for k in (4, 6, 8, 10, 12, 16)]
    near = [ratio(t, privacy_threshold(0, t, *SIZES, 0.01)) for t in horizons]
    exact = [ratio(t, exact_threshold(t, *SIZES, 0.01)) for t in horizons]
    numbers = {"first": ratio(horizons[0], 1.0), "last": ratio(horizons[-1], 1.0)}
    numbers |= {"least": min(near), "most": max(near)}
    equal = points(horizons, exact, axes=("T", "J₀ / I₀ at the threshold"), **look)
    return {
        "printed": Finding("holds", points=sizes),
        "ours: in T": Finding("holds", numbers, equal),
    }


def thresholds(tables) -> Finding:
    """Remarks 2 and 3."""
    horizons, ratios = [10.0**k for k in range(4, 17, 2)], {}
    for alpha in (0.0, math.inf):
        levels = [privacy_threshold(alpha, t, *SIZES, 0.01) for t in horizons]
        terms = [
            regret_terms(alpha, t, *SIZES, e, delta=0.01)
            for t, e in zip(horizons, levels, strict=True)
        ]
        ratios[f"α = {alpha:g}"] = [private / other for other, private in terms]
    look = {"axes": ("T", "J / I at the printed threshold"), "log": "x"}
    plot = points(horizons, ratios, at_least=0.3, at_most=1.0, **look)
    at_zero = ratios["α = 0"]
    return Finding("holds", {"least": min(at_zero), "most": max(at_zero)}, plot)


# Psi_alpha


def psi_is_bounded(tables) -> Finding:
    alphas = [0.02, 0.1, 0.3, 1.0, 2.0, 5.0, 10.0, 25.0]
    ratios = []
    for alpha in alphas:
        log = math.lgamma(3 + 2 * alpha) - (3 + 2 * alpha) * math.log(alpha * math.log(2))
        ratios.append(psi(alpha, 1e300) / math.exp(log))
    logs = [(psi(0.0, t) / ((math.log(t) + 2) ** 3 / 3 + (math.log(t) + 1) ** 2)) for t in (2, 1e9)]
    numbers = {"least": min(ratios), "most": max(ratios), "first": logs[0], "second": logs[1]}
    axes = ("α", "sum / bound without 2")
    return Finding(numbers=numbers, points=points(alphas, ratios, at_most=2, axes=axes, log="x"))


def psi_of_the_appendix(alpha: float, horizon: float) -> float:
    """Psi_alpha(T) of E.3.1, without Delta_*^-alpha."""
    share = (1 - horizon**-alpha) / (1 - 2**-alpha)
    return share * math.log(horizon) ** (2 * alpha + 2)


def two_forms_of_psi(tables) -> Finding:
    alphas, horizons = (0.5, 1.0, 2.0), [10.0**k for k in (2, 3, 4, 5, 6, 8, 10, 20, 30)]
    numbers = {f"ratio {a:g}": psi_of_the_appendix(a, 20_000) / psi(a, 20_000) for a in alphas}
    numbers |= {"sum": psi(1.0, 1e30), "other": psi_of_the_appendix(1.0, 1e30)}
    ratios = {
        f"α = {a:g}": [psi_of_the_appendix(a, t) / psi(a, t) for t in horizons] for a in alphas
    }
    look = {"axes": ("T", "Ψ of E.3.1 / Ψ of Section 5"), "log": "xy"}
    return Finding("violated", numbers, points(horizons, ratios, at_most=1, **look))


# Table 1


def table_one(tables) -> dict[str, Finding]:
    return {
        "printed": _powers(tables),
        "ours: beside JDP-LinUCB": beside_linucb(tables),
        "ours: dp-linear beside JDP-LinUCB": dense_beside_linucb(tables),
    }


def beside_linucb(tables) -> Finding:
    """Is the regret of FLIPHAT significantly below that of JDP-LinUCB at every d?"""
    table = tables("linucb")
    end = table[table["t"] == table["t"].max()].set_index(["algorithm", "d"])
    mean, sem = end["mean"], end["sem"]
    dims, series = sorted(table["d"].unique()), ("fliphat-released", "fliphat-zcdp")
    gaps = {name: (mean["jdp-linucb"] - mean[name])[dims] for name in series}
    errors = {name: np.hypot(sem["jdp-linucb"], sem[name])[dims] for name in series}
    z = min((gaps[name] / errors[name]).min() for name in series)
    count = len(series) * len(dims)
    plots = [
        points(dims, gaps[name], at_least=0, spread=quantile(count) * errors[name], series=name,
               axes=("d", "regret of JDP-LinUCB less FLIPHAT's"))
        for name in series
    ]  # fmt: skip
    short = {"linucb": "jdp-linucb", "signs": "dp-signs"} | {n.split("-")[1]: n for n in series}
    idle = mean["random-arm", dims[-1]]
    numbers = {key: mean[name, dims[-1]] / idle for key, name in short.items()}
    numbers |= {"dims": ", ".join(map(str, dims)), "most": dims[-1], "z": z, "count": count}
    numbers |= {"eps": end["epsilon"]["jdp-linucb"].iloc[0], "level": LEVEL}
    numbers |= {"horizon": int(table["t"].max()), "runs": int(table["runs"].iloc[0])}
    verdict = "consistent" if z > quantile(count) else "untestable"
    return Finding(verdict, numbers, plots)


def dense_beside_linucb(tables) -> Finding:
    """Is the regret of dp-linear significantly below that of JDP-LinUCB, sparse or not?"""
    table = tables("dense").dropna(subset="t")
    end = table[table["t"] == table["t"].max()].set_index(["algorithm", "problem", "d"])
    own, rival = (end.loc[name] for name in ("dp-linear", "jdp-linucb"))
    gaps, errors = rival["mean"] - own["mean"], np.hypot(own["sem"], rival["sem"])
    cases = [f"{problem} of {d} coordinates" for problem, d in gaps.index]
    axes = ("", "share of random arms' regret, JDP-LinUCB's less dp-linear's")
    plot = points(cases, gaps, at_least=0, spread=quantile(len(cases)) * errors, axes=axes)
    numbers = {
        f"{name} {problem}": end.loc[name, problem, most]["mean"]
        for most in [table["d"].max()]
        for name in ("dp-linear", "jdp-linucb", "dp-signs", "fliphat-zcdp-clip")
        for problem in ("few", "all")
    }
    numbers |= {"dims": ", ".join(map(str, sorted(table["d"].unique()))), "most": table["d"].max()}
    numbers |= {"eps": end["epsilon"].iloc[0], "horizon": int(table["t"].max())}
    numbers |= {"runs": int(end["runs"].iloc[0]), "level": LEVEL, "count": len(cases)}
    numbers["z"] = (gaps / errors).min()
    verdict = "consistent" if numbers["z"] > quantile(len(cases)) else "untestable"
    return Finding(verdict, numbers, plot)


def _powers(tables) -> Finding:
    wide, arms = tables("large_d"), tables("arms")
    free = growth(tables, "gaussian", CONVERGED)
    strict = tables("margin")["epsilon"].min()
    private = growth(tables, "gaussian", RELEASED, strict)
    wide = wide[(wide["algorithm"] == RELEASED) & (wide["metric"] == "regret")]
    final, d_power = power_of_ln_d(wide)
    three = arms[(arms["algorithm"] == RELEASED) & (arms["arms"] == arms["arms"].min())]
    e_power = fit_power(three["epsilon"], three["mean"], three["sem"])
    powers, sems = np.array([free, private, d_power, e_power]).T
    names = ["T, ε = inf", f"T, ε = {strict:g}", "ln d (other logarithms hidden)", "ε"]
    limits = {"at_least": [math.nan, math.nan, math.nan, -1.0]}
    limits |= {"at_most": [0.5, 0.5, math.nan, math.nan], "spread": quantile(4) * sems}
    plot = points(names, powers, axes=("", f"power of regret, 1 - {LEVEL:g}"), **limits)
    numbers = {"d": wide["d"].max(), "horizon": late_horizons(tables)[1], "strict": strict}
    numbers |= {"least": arms["epsilon"].min(), "most": arms["epsilon"].max(), "level": LEVEL}
    numbers |= {"largest": final["epsilon"].iloc[0], "arms": three["arms"].iloc[0]}
    names = ("free", "private", "of ln d", "of eps")
    numbers |= dict(zip(names, powers, strict=True))
    numbers |= {f"sem {name}": sem for name, sem in zip(names, sems, strict=True)}
    return Finding("rejected" if plot["beyond"].any() else "consistent", numbers, plot)
