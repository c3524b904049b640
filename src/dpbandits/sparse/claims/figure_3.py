"""FL's Figure 3: slopes in s and the means over K, against the published values."""

import numpy as np

from dpbandits.core.errors import InputError
from dpbandits.core.ledger import Verdict, claim
from dpbandits.core.points import curves, points
from dpbandits.core.statistics import LEVEL, quantile
from dpbandits.sparse.claims.figures import (
    CORRECTED,
    FRESH,
    PRINTED,
    RELEASED,
    SIGNS,
    instances,
    judged,
)
from dpbandits.sparse.figures.layout import chi_square, residuals
from dpbandits.sparse.figures.paper import against_published, in_logarithms, log_slopes
from dpbandits.sparse.published import published

IN_SPARSITY = (
    r"$\ln R(10{,}000)$ against $\ln s$ is worst below $s^*$, best near $s^*$, then rises with "
    r"slopes 0.04, 0.14, 0.29, 0.37 for $\varepsilon$ = 0.5, 1, 2, 5"
)


@claim(
    "FL-F3L",
    where="Figure 3 left",
    statement=IN_SPARSITY,
    kind="figure",
    reads=("sparsity", "sparsity_others", "sparsity_private"),
)
def figure_3_left(tables) -> list[Verdict]:
    private = log_slopes(in_logarithms(tables("sparsity_private")))
    private = private[private["algorithm"] == SIGNS]
    ours = ", ".join(
        f"{r.slope:.2f} ($\\varepsilon = {r.epsilon:g}$)" for r in private.itertuples()
    )
    rows = []
    for series, name in ((PRINTED, "sparsity_others"), (RELEASED, "sparsity")):
        table = tables(name)
        measured, plot = _slopes(log_slopes(in_logarithms(table)), series, table["runs"].iloc[0])
        if series == RELEASED:
            measured += "; $R$ at the lowest $s$ over $R$ at $s^*$: " + dip(table)
        rows.append(
            judged(
                series,
                [plot],
                f"the slopes of the certified-private dp-signs are {ours}",
                what=IN_SPARSITY,
                scope=f"{instances(table)}, $s^* = {table['true_sparsity'].iloc[0]}$, least "
                r"squares over $s \ge s^*$; the error of a published slope from 50 runs",
                measured=measured,
                bound="the published slopes; $s$ below $s^*$ is shown, not judged",
                confidence=f"1 - {LEVEL:g} over the slopes",
                evidence=(
                    "figures/fl/fig3_left.csv",
                    "src/dpbandits/sparse/published/fig3_left.csv",
                ),
            )
        )
    return rows


def _slopes(slopes, series: str, runs: int) -> tuple[str, object]:
    """Slopes of a series against the published ones."""
    both = against_published(slopes[slopes["algorithm"] == series], runs)
    plot = points(
        both["epsilon"],
        both["slope"],
        spread=quantile(len(both)) * both["error"],
        at_least=both["slope_published"],
        at_most=both["slope_published"],
        panel="allowed: the published slopes",
        axes=("ε", "slope of ln R on ln s over s ≥ s*"),
        log="x",
    )
    texts = (
        f"{r.slope:.3f} ± {r.sem:.3f} ($\\varepsilon = {r.epsilon:g}$, $z = {r.z:.1f}$)"
        for r in both.itertuples()
    )
    return ", ".join(texts), plot


def dip(table) -> str:
    """Regret at the smallest s over that at s*, per eps, with standard errors."""
    own = table[table["algorithm"] == RELEASED].set_index(["epsilon", "sparsity"])
    least, true = own.index.get_level_values("sparsity").min(), own["true_sparsity"].iloc[0]
    texts = []
    for epsilon in own.index.get_level_values("epsilon").unique():
        low, at = own.loc[(epsilon, least)], own.loc[(epsilon, true)]
        ratio = low["mean"] / at["mean"]
        sem = ratio * np.hypot(low["sem"] / low["mean"], at["sem"] / at["mean"])
        texts.append(f"{ratio:.2f} ± {sem:.2f} ({epsilon:g})")
    return ", ".join(texts)


IN_ARMS = "$R(10{,}000)$ grows sublinearly with $K$; the 48 published means"


@claim(
    "FL-F3R",
    where="Figure 3 right",
    statement=IN_ARMS,
    kind="figure",
    reads=("arms", "arms_others", "arms_private"),
)
def figure_3_right(tables) -> list[Verdict]:
    from scipy.stats import chi2

    known, found = published("fig3_right"), {}
    for series, name in (
        (PRINTED, "arms_others"), (RELEASED, "arms"), (FRESH, "arms"), (CORRECTED, "arms_others"),
    ):  # fmt: skip
        own = tables(name)[tables(name)["algorithm"] == series]
        found[series] = (own, *chi_square(residuals(known, own, "arms")))
    shown = {k: f"chi-square {total:.1f} on {count} points, $p = {p:.2g}$"
             for k, (_, total, count, p) in found.items()}  # fmt: skip
    most = tables("arms_private")
    most = most[(most["algorithm"] == SIGNS) & (most["arms"] == most["arms"].max())]
    ours = ", ".join(f"{r.mean:.0f} ($\\varepsilon = {r.epsilon:g}$)" for r in most.itertuples())
    rows = []
    for series in (PRINTED, RELEASED):
        own, total, count, _ = found[series]
        if not count:
            raise InputError("config/fl.yaml: experiments.arms: no K and epsilon was published")
        fit = points(
            [series.removeprefix("fliphat-")],
            [total / count],
            at_most=chi2.isf(LEVEL, count) / count,
            panel=f"against the published points: level {LEVEL:g}",
            axes=("", "chi-square per point"),
            log="y",
        )
        also = f"; with fresh noise {shown[FRESH]}" if series == RELEASED else ""
        rows.append(
            judged(
                series,
                [fit, _regret_over_arms(series, own, known)],
                f"the certified-private dp-signs has regret {ours} at the largest $K$",
                what=IN_ARMS,
                scope=f"{instances(own)} per point beside the published 36, $K$ from "
                f"{own['arms'].min()} to {own['arms'].max()}",
                measured=shown[series] + also,
                bound=f"chi-square at the level {LEVEL:g}, and the points together",
                confidence="the p-value given; the selection noise must be reused for this",
                evidence=(
                    "figures/fl/fig3_right.csv",
                    "src/dpbandits/sparse/published/fig3_right.csv",
                ),
            )
        )
    return rows


def _regret_over_arms(series: str, own, known):
    """Each point against the published one of the same eps and K, with the errors of both."""
    both = own.astype({"epsilon": float}).merge(
        known, on=["epsilon", "arms"], suffixes=("", "_pub")
    )
    spread = quantile(len(both)) * np.hypot(both["sem"], both["sem_pub"])
    return curves(
        both.assign(spread=spread).sort_values("epsilon", kind="stable"),
        "arms",
        spread="spread",
        at_least="mean_pub",
        at_most="mean_pub",
        series="ε = {epsilon:g}",
        panel=f"{series.removeprefix('fliphat-')}; dashed: published",
        axes=("K", f"R({both['t'].max():,})"),
        log="y",
    )
