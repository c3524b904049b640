"""FL's Figure 3: slopes in s and the means over K, against the published values."""

import numpy as np

from dpbandits.core.claims import Finding
from dpbandits.core.errors import InputError
from dpbandits.core.points import curves, points
from dpbandits.core.statistics import LEVEL, quantile
from dpbandits.sparse.claims.figures import (
    CORRECTED,
    FRESH,
    PRINTED,
    READINGS,
    RELEASED,
    SIGNS,
    instances,
    judged,
)
from dpbandits.sparse.figures.layout import chi_square, residuals
from dpbandits.sparse.figures.paper import against_published, in_logarithms, log_slopes
from dpbandits.sparse.published import published


def figure_3_left(tables) -> dict[str, Finding]:
    private = log_slopes(in_logarithms(tables("sparsity_private")))
    private = private[private["algorithm"] == SIGNS]
    ours = ", ".join(
        f"{r.slope:.2f} ($\\varepsilon = {r.epsilon:g}$)" for r in private.itertuples()
    )
    found = {}
    for series, name in ((PRINTED, "sparsity_others"), (RELEASED, "sparsity")):
        table = tables(name)
        measured, plot = _slopes(log_slopes(in_logarithms(table)), series, table["runs"].iloc[0])
        numbers = instances(table) | {"true": table["true_sparsity"].iloc[0]}
        numbers |= {"measured": measured, "private": ours}
        found[READINGS[series]] = judged([plot], numbers)
    return found | {"released, below s*": below_true_sparsity(tables("sparsity"))}


def _slopes(slopes, series: str, runs: int) -> tuple[str, object]:
    """Slopes of a series against the published ones."""
    both = against_published(slopes[slopes["algorithm"] == series], runs)
    spread, known = quantile(len(both)) * both["error"], both["slope_published"]
    limits = {"spread": spread, "at_least": known, "at_most": known}
    look = {"axes": ("ε", "slope of ln R on ln s over s ≥ s*"), "log": "x"}
    look |= {"panel": "allowed: the published slopes"}
    plot = points(both["epsilon"], both["slope"], **limits, **look)
    texts = (
        f"{r.slope:.3f} ± {r.sem:.3f} ($\\varepsilon = {r.epsilon:g}$, $z = {r.z:.1f}$)"
        for r in both.itertuples()
    )
    return ", ".join(texts), plot


def below_true_sparsity(table) -> Finding:
    """ln R at the smallest s less ln R at s*, per epsilon: is regret worse there?"""
    own = table[table["algorithm"] == RELEASED].set_index(["epsilon", "sparsity"])
    least, true = own.index.get_level_values("sparsity").min(), own["true_sparsity"].iloc[0]
    rows = []
    for epsilon in own.index.get_level_values("epsilon").unique():
        low, at = own.loc[(epsilon, least)], own.loc[(epsilon, true)]
        error = np.hypot(low["sem"] / low["mean"], at["sem"] / at["mean"])
        rows.append((epsilon, np.log(low["mean"] / at["mean"]), error))
    epsilons, gaps, errors = np.transpose(rows)
    spread = quantile(len(rows)) * errors
    axes = ("ε", f"ln R at s = {least} less ln R at s = {true}")
    drawn = points(epsilons, gaps, spread=spread, at_least=0, axes=axes, log="x")
    z = [f"{g:.4f} ± {e:.4f} ($\\varepsilon = {x:g}$, $z = {g / e:.1f}$)" for x, g, e in rows]
    numbers = instances(table) | {"least": least, "true": true, "level": LEVEL}
    numbers |= {"gaps": ", ".join(z)}
    if drawn["beyond"].any():
        return Finding("rejected", numbers, drawn)
    return Finding("consistent" if (gaps > spread).all() else "untestable", numbers, drawn)


def figure_3_right(tables) -> dict[str, Finding]:
    from scipy.stats import chi2

    known, found = published("fig3_right"), {}
    for series, name in (
        (PRINTED, "arms_others"), (RELEASED, "arms"), (FRESH, "arms"), (CORRECTED, "arms_others"),
    ):  # fmt: skip
        own = tables(name)[tables(name)["algorithm"] == series]
        found[series] = (own, *chi_square(residuals(known, own, "arms")))
    most = tables("arms_private")
    most = most[(most["algorithm"] == SIGNS) & (most["arms"] == most["arms"].max())]
    ours = ", ".join(f"{r.mean:.0f} ($\\varepsilon = {r.epsilon:g}$)" for r in most.itertuples())
    judgements = {}
    for series, reading in READINGS.items():
        own, total, count, p = found[series]
        if not count:
            raise InputError("config/fl.yaml: experiments.arms: no K and epsilon was published")
        name, allowed = series.removeprefix("fliphat-"), chi2.isf(LEVEL, count) / count
        look = {"axes": ("", "chi-square per point"), "log": "y"}
        look |= {"panel": f"against the published points: level {LEVEL:g}"}
        fit = points([name], [total / count], at_most=allowed, **look)
        numbers = instances(own) | {"least": own["arms"].min(), "most": own["arms"].max()}
        numbers |= {"total": total, "count": count, "p": p, "private": ours}
        numbers |= dict(zip(("fresh", "fresh count", "fresh p"), found[FRESH][1:], strict=True))
        judgements[reading] = judged([fit, _regret_over_arms(series, own, known)], numbers)
    return judgements


def _regret_over_arms(series: str, own, known):
    """Each point against the published one of the same eps and K, with the errors of both."""
    both = own.astype({"epsilon": float}).merge(
        known, on=["epsilon", "arms"], suffixes=("", "_pub")
    )
    spread = quantile(len(both)) * np.hypot(both["sem"], both["sem_pub"])
    both = both.assign(spread=spread).sort_values("epsilon", kind="stable")
    limits = {"spread": "spread", "at_least": "mean_pub", "at_most": "mean_pub"}
    look = {"axes": ("K", f"R({both['t'].max():,})"), "log": "y", "series": "ε = {epsilon:g}"}
    look |= {"panel": f"{series.removeprefix('fliphat-')}; dashed: published"}
    return curves(both, "arms", **limits, **look)
