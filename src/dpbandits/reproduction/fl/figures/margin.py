"""FL's figures of regret over long horizons: by margin, and episode by episode."""

import pandas as pd

from dpbandits.reproduction.fl.figures.layout import FREE, at_epsilons, epsilon_bands
from dpbandits.reproduction.fl.summaries import late_growth
from dpbandits.reproduction.plots.figures import Drawing, figure
from dpbandits.reproduction.plots.style import band, panels

_CONVERGED = {"color": "#000000", "linestyle": "-.", "marker": None}
_MARGINS = {
    "gaussian": "Gaussian contexts (paper)",
    "alpha-0": "α = 0 (gap log-uniform)",
    "alpha-1": "α = 1 (gap uniform)",
    "alpha-inf": "α = ∞ (gap 1)",
}


@figure(
    "fl/margin",
    reads=("margin", "margin_converged"),
    title="Regret by margin exponent",
    paper_says="Regret grows like the root of T at α = 0, ln T at α = 1, and stops at α = ∞.",
    alt="Regret against rounds on two logarithmic axes, a panel per kind of instance, a line per "
    "ε, one more for steps run to convergence.",
)
def margin(tables) -> Drawing:
    data = pd.concat((tables("margin"), tables("margin_converged")), ignore_index=True)
    data = data[data["metric"] == "regret"]
    canvas, axes = panels(2, 2, height=2.6, sharex=True, x="rounds t", y="regret")
    text, late = [], []
    for ax, kind in zip(axes.flat, _MARGINS, strict=True):
        rows = data[data["setting"] == kind]
        converged = rows[rows["algorithm"] == "fliphat-converged"]
        released = rows[rows["algorithm"] == "fliphat-released"]
        epsilon_bands(ax, released, "t", preset="released")
        band(ax, converged, "t", "ε = ∞, M = ln(1 + N b²), η = 0.15", _CONVERGED, series=FREE)
        ax.set(title=_MARGINS[kind], xscale="log", yscale="log")
        growth = [late_growth(rows, series) for series in ("fliphat-released", "fliphat-converged")]
        late.append(round(growth[1][0], 2) + 0)
        text.append(f"{kind} {growth[0][0]:.2f} and {growth[1][0]:.2f}")
    return Drawing(
        canvas,
        data,
        "Exponent of T, fitted to the last four episodes at ε = ∞, for the released number of "
        f"steps and for N-IHT run to convergence: {'; '.join(text)}. With one step from 0 the "
        "estimate approaches a multiple of Σβ*, not β*, so the regret is eventually linear.",
        finding=f"run to convergence its late exponents of T are {min(late)} to {max(late)}",
    )


@figure(
    "fl/regret_by_episode",
    reads=("margin",),
    title="Regret per round of each episode",
    paper_says="The first episodes have the regret of random play, later ones that of the "
    "estimate's error.",
    alt="Mean regret per round, left, and cosine of the estimate with the signal, right, against "
    "the end of the episode, a line per ε.",
)
def regret_by_episode(tables) -> Drawing:
    table = tables("margin")
    table = table[table["setting"] == "gaussian"]
    regret = table[table["metric"] == "regret"].copy()
    before = regret.groupby("epsilon")["t"].shift(fill_value=0)
    paid = regret["mean"] - regret.groupby("epsilon")["mean"].shift(fill_value=0)
    regret["mean"] = regret["low"] = regret["high"] = paid / (regret["t"] - before)
    regret["metric"] = "regret per round"
    cosine = table[table["metric"] == "cosine"]
    canvas, axes = panels(1, 2, sharex=True, x="end of episode")
    epsilon_bands(axes[0, 0], regret, "t", preset="released")
    epsilon_bands(axes[0, 1], cosine, "t", preset="released")
    axes[0, 0].set(xscale="log", yscale="log", ylabel="regret per round")
    axes[0, 1].set(ylabel="cosine(estimate, β*)")
    end = table["t"].max()
    early = end // 16
    total = table[table["metric"] == "regret"]
    paid_early = total[total["t"] <= early].groupby("epsilon")["mean"].max()
    shares = paid_early / total.groupby("epsilon")["mean"].max()
    data = pd.concat((regret.drop(columns=["sem", "low", "high"]), cosine), ignore_index=True)
    text = f"Share of the regret after {end} rounds that is incurred in the first {early}: "
    finding = f"the first {early} of {end} rounds incur {shares.min():.0%} to {shares.max():.0%}"
    return Drawing(canvas, data, f"{text}{at_epsilons(shares)}.", finding=finding)
