"""FL's figures of regret over long horizons: by margin, and episode by episode."""

import numpy as np
import pandas as pd

from dpbandits.core.statistics import fit_power
from dpbandits.reproduction.fl.figures.layout import ENDS, FREE, RELEASED, privacy_label
from dpbandits.reproduction.fl.summaries import late_growth
from dpbandits.reproduction.plots.curves import curves
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.style import band, epsilon_look, panels

_CONVERGED = {"color": "#000000", "linestyle": "-.", "marker": None}
_MARGINS = {  # title, the growth that the paper states
    "gaussian": ("Gaussian contexts (paper)", None),
    "alpha-0": ("α = 0 (gap log-uniform)", np.sqrt),
    "alpha-1": ("α = 1 (gap uniform)", np.log),
    "alpha-inf": ("α = ∞ (gap 1)", np.ones_like),
}
MARGIN = Plot("t", "mean", **ENDS, curve="epsilon", panel="setting", log="xy", x_label="rounds t",
              y_label="regret")  # fmt: skip


@figure(
    "fl/margin",
    reads=("margin", "margin_converged"),
    title="Regret by margin exponent",
    paper_says="Regret grows like the root of T at α = 0, ln T at α = 1, and stops at α = ∞.",
    alt="Regret against rounds on two logarithmic axes, a panel per kind of instance, a line per "
    "ε of the released constants, one more for steps run to convergence, with the power of T at "
    "their ends, and the growth that the paper states.",
    plot=MARGIN,
)
def margin(tables) -> Drawing:
    data = pd.concat((tables("margin"), tables("margin_converged")), ignore_index=True)
    data = data[(data["metric"] == "regret") & (data["t"] >= 10)]
    released = data[data["algorithm"] == RELEASED].sort_values("epsilon", kind="stable")
    order = pd.concat([released[released["setting"] == kind] for kind in _MARGINS])
    said = privacy_label(RELEASED)
    canvas, axes = curves(order, MARGIN, columns=4, height=4.4, series=RELEASED,
                          titles=lambda kind: f"{_MARGINS[kind][0]}\nreleased, {said}")  # fmt: skip
    rows = []
    for kind, ax in axes.items():
        own = data[(data["setting"] == kind) & np.isinf(data["epsilon"])]
        converged = own[own["algorithm"] == "fliphat-converged"]
        band(ax, converged, "t", "ε = ∞, run to convergence", _CONVERGED, series=FREE)
        late = [late_growth(own, series)[0] for series in (RELEASED, "fliphat-converged")]
        late = [round(value, 2) + 0 for value in late]
        for power, (_, line) in zip(late, own.groupby("algorithm", sort=False), strict=True):
            end = line.sort_values("t").iloc[-1]
            text = f"T^{power:g}" if power else "level"
            ax.annotate(text, end[["t", "mean"]], xytext=(5, 0), va="center",
                        textcoords="offset points", annotation_clip=False)  # fmt: skip
        if stated := _MARGINS[kind][1]:
            later = converged[converged["t"] >= 100]
            growth = stated(later["t"].to_numpy(float))
            ax.plot(later["t"], 0.5 * later["mean"].iloc[0] * growth / growth[0], color="0.5",
                    ls=":", lw=2, label="growth that the paper states")  # fmt: skip
        rows.append([_MARGINS[kind][0], *late])
    names = ["power of T at ε = ∞, last four episodes", "released", "run to convergence"]
    table = pd.DataFrame(rows, columns=names)
    powers, released = (table.set_index(names[0])[name].iloc[1:] for name in names[:0:-1])
    ln_t = fit_power(rounds := np.sort(data["t"].unique())[-4:], np.log(rounds))[0]
    return Drawing(
        canvas, data,
        "Run to convergence without privacy, regret grows no faster than the paper states: at the "
        f"end like T^{powers.iloc[0]:g} at α = 0, T^{powers.iloc[1]:g} at α = 1, "
        + (f"T^{powers.iloc[2]:g} at α = ∞" if powers.iloc[2] else "level at α = ∞")
        + f". With the released steps it grows at α = 1 like T^{released.iloc[1]:g}, where ln T "
        f"grows like T^{ln_t:.2f}.",
        "at the lines' ends: the power of T over the last four episodes, at ε = ∞; with one step "
        "from 0 the estimate approaches a multiple of Σβ*, not β*, so that the regret is "
        "eventually linear; run to convergence: M = ln(1 + N b²), η = 0.15", table,
    )  # fmt: skip


PER_ROUND = Plot("t", "mean", **ENDS, curve="epsilon", panel="metric", log="x",
                 x_label="end of the episode")  # fmt: skip


@figure(
    "fl/regret_by_episode",
    reads=("margin",),
    title="Regret per round of each episode",
    paper_says="The first episodes have the regret of random play, later ones that of the "
    "estimate's error.",
    alt="Mean regret per round, left, and cosine of the estimate with the signal, right, against "
    "the end of the episode, a line per ε.",
    plot=PER_ROUND,
)
def regret_by_episode(tables) -> Drawing:
    table = tables("margin")
    table = table[table["setting"] == "gaussian"]
    regret = table[table["metric"] == "regret"].copy()
    before = regret.groupby("epsilon")["t"].shift(fill_value=0)
    paid = regret["mean"] - regret.groupby("epsilon")["mean"].shift(fill_value=0)
    regret["mean"] = regret["low"] = regret["high"] = paid / (regret["t"] - before)
    regret["metric"] = "regret per round"
    cosine = table[table["metric"] == "cosine"].assign(metric="cosine of the estimate and β*")
    data = pd.concat((regret, cosine), ignore_index=True).sort_values("epsilon", kind="stable")
    data = data.sort_values("metric", ascending=False, kind="stable")
    canvas, grid = panels(1, 2, height=3.4, x=PER_ROUND.x_label)
    axes = dict(zip(data["metric"].unique(), grid[0], strict=True))
    said = f"released constants ({privacy_label(RELEASED)})"
    curves(data, PER_ROUND, axes=axes, series=RELEASED, titles=lambda metric: f"{metric}, {said}")
    axes["regret per round"].set_yscale("log")
    end = table["t"].max()
    early = end // 16
    for ax in grid[0]:
        ax.axvline(early, color="0.5", lw=1, label=f"round {early:,}")
    total = table[table["metric"] == "regret"]
    paid_early = total[total["t"] <= early].groupby("epsilon")["mean"].max()
    shares = paid_early / total.groupby("epsilon")["mean"].max()
    then = regret[regret["t"] == early].set_index("epsilon")["mean"]
    for epsilon, share in shares.items():
        offset = (-26, -12) if epsilon == then.idxmin() else (5, 5)
        place = {"textcoords": "offset points", "xytext": offset}
        color = epsilon_look(epsilon)["color"]
        axes["regret per round"].annotate(
            f"{share:.0%}", (early, then[epsilon]), color=color, **place
        )
    return Drawing(
        canvas, data,
        "The regret per round is that of random play until the estimate points along β*, and then "
        f"falls: the first {early:,} of {end:,} rounds bring {shares.min():.0%} to "
        f"{shares.max():.0%} of the regret.",
        "percentages, left: the share of the regret that comes before that round",
        table=pd.DataFrame({"ε": shares.index, "share of the regret": shares.to_numpy()}),
    )  # fmt: skip
