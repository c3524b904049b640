"""Checks of US's error rate, its volume lemma and its comparison with others."""

import numpy as np

from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import points_of
from dpbandits.reproduction.proofs import require_proof
from dpbandits.reproduction.statistics import NORMAL_95, quantile
from dpbandits.reproduction.us.claims.sampled import numbers_of
from dpbandits.reproduction.us.exact_arithmetic import volume_ratio_and_bound
from dpbandits.reproduction.us.summaries import LAST, fitted_rates


def lemma_8_1(tables) -> Finding:
    source, functions = np.random.default_rng(2025), 2000
    sides = [volume_ratio_and_bound(source) for _ in range(functions)]
    smallest = min(left - right for left, right in sides)
    share, least = np.array(sides, float).T
    require_proof(smallest == 0, "Lemma 8.1: linear functions attain it, none crosses it")
    numbers = {"functions": functions, "smallest": smallest}
    return Finding("holds", numbers, points_of(share, at_least=least))


def theorem_4_1(tables) -> dict[str, Finding]:
    from dpbandits.reproduction.us.studies.gamma import EPSILON

    gamma = tables("gamma")
    numbers = {"epsilon": EPSILON, "delta": gamma["delta"].max(), "last": gamma["t"].max()}
    useful = gamma["useful_from"]
    numbers |= {"earliest": useful.min(), "latest": useful.max()}
    return {"printed": Finding(numbers=numbers), "exponent": exponent(tables("error_vs_T"))}


def exponent(data) -> Finding:
    """The exponent of Theorem 4.1 and the fitted ones at eps = inf."""
    fits = fitted_rates(data)
    fits = fits[np.isinf(fits["epsilon"])]
    error = (fits["high"] - fits["low"]) / (2 * NORMAL_95)
    wide = quantile(len(fits)) * error
    slopes = [
        f"{r.setting} {r.slope:.2f} [{r.low:.2f}, {r.high:.2f}] (printed {r.printed:.2f})"
        for r in fits.itertuples()
    ]
    horizons = sorted(data["t"].unique())[-LAST:]
    numbers = {"slopes": ", ".join(slopes), "settings": ", ".join(fits["setting"])}
    numbers |= {"first": horizons[0], "last": horizons[-1], "count": len(horizons)}
    numbers |= {"fits": len(fits), "excess": wide.max()}
    numbers["agree"] = int((fits["low"] <= fits["printed"]).sum())
    above = (fits["slope"] - wide > fits["printed"]).any()
    require_proof(not above, "Section 5, exponent: a fit is above the printed one (or T too short)")
    found = points_of(fits["slope"], spread=wide, at_most=fits["printed"])
    return Finding("holds", numbers, found)


def improves(tables) -> dict[str, Finding]:
    """USCA beside private GP-UCB."""
    from dpbandits.reproduction.us.algorithms.private_gp_ucb import DELTA

    data = tables("rivals")
    data = data[(data["metric"] == "regret") & (data["t"] == data["t"].max())]
    ours, theirs, *exact = (
        data[data["algorithm"] == name].set_index("epsilon").sort_index()
        for name in ("usca", "private-gp-ucb", "usca-exact", "private-gp-ucb-exact")
    )
    gap = ours["mean"] - theirs["mean"]
    wide = quantile(len(gap)) * np.hypot(ours["sem"], theirs["sem"])
    numbers = numbers_of(data) | {"horizon": data["t"].max(), "delta": DELTA, "excess": wide.max()}
    numbers |= {"shown": _pairs(ours, theirs), "exact": _pairs(*exact)}
    verdict = "rejected" if (gap - wide > 0).any() else "consistent"
    return {"measured": Finding(verdict, numbers, points_of(gap, spread=wide, at_most=0))}


def _pairs(ours, theirs) -> str:
    """The means of two algorithms at each epsilon."""
    return ", ".join(
        f"ε={epsilon:g}: {mean:.3g} against {theirs['mean'][epsilon]:.3g}"
        for epsilon, mean in ours["mean"].items()
    )
