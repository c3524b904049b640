"""HU's figures of what privacy costs: regret over eps, and over AdaP's alpha."""

import numpy as np
import pandas as pd

from dpbandits.core.statistics import ratio
from dpbandits.reproduction.hu.summaries import FIRST, PRIVACY_COSTS, final, privacy_starts_to_cost
from dpbandits.reproduction.plots.curves import curves, label_ends
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.style import epsilon_name, look

OURS = "lazy-dp-ts"
ENDS = {"low": "low", "high": "high", "curve": "algorithm"}
OVER_EPSILON = Plot(
    "epsilon", "mean", **ENDS, log="xy", x_label="ε", y_label="regret after a million rounds"
)
OVER_ALPHA = Plot(
    "alpha", "mean", **ENDS, panel="panel", x_label="α", y_label="regret after a million rounds"
)


@figure(
    "hu/regret_vs_epsilon",
    reads=("regret_vs_epsilon", "without_privacy"),
    title="What privacy costs",
    paper_says="The price of privacy is K ln T/ε next to the sum of ln T/gap: it should show "
    "where ε falls below the gaps (Theorems 3 and 5).",
    alt="Regret at the horizon against ε, one line per algorithm, named at its end, a star where "
    "privacy starts to cost, dotted horizontal lines for algorithms without privacy.",
    plot=OVER_EPSILON,
)
def regret_vs_epsilon(tables) -> Drawing:
    data, free = final(tables("regret_vs_epsilon")), final(tables("without_privacy"))
    finite = data[np.isfinite(data["epsilon"])]
    canvas, axes = curves(finite, OVER_EPSILON, height=4.4)
    ax, starts = axes[""], {}
    for name, rows in data.groupby("algorithm", sort=False):
        starts[name] = privacy_starts_to_cost(data, name)
        level = PRIVACY_COSTS * rows["mean"][np.isinf(rows["epsilon"])].item()
        star = {"color": look(name)["color"], "mec": "black", "mew": 0.4, "ms": 12, "zorder": 4}
        if finite["epsilon"].min() <= starts[name].value <= finite["epsilon"].max():
            ax.plot(starts[name].value, level, "*", **star)
    for row, dash in zip(free.itertuples(), (":", "-.", (0, (1, 3))), strict=False):
        style = {"color": look(row.algorithm)["color"], "lw": 1, "ls": dash}
        ends = [finite["epsilon"].min(), finite["epsilon"].max()]
        ax.plot(ends, [row.mean] * 2, gid=row.algorithm, label=f"{row.algorithm}, ε = ∞", **style)
    label_ends(ax)
    largest = finite["epsilon"].max()
    rows = [
        {"algorithm": name, "privacy starts to cost below ε =": f"{i}" if np.isfinite(i.value)
         else f"more than {largest:g}"} for name, i in starts.items()
    ]  # fmt: skip
    return Drawing(
        canvas, pd.concat([data, free]),
        f"Below ε = {starts[OURS].value:.2g} privacy raises the regret of {OURS} by more than "
        "half.",
        f"star: the largest ε at which the regret is {PRIVACY_COSTS:g} times that without privacy, "
        f"in the table with an interval from the 95% bands; the means of DP-IMED and DP-KLUCB rest "
        f"on the few runs in which they do not find the best arm; {FIRST}",
        pd.DataFrame(rows), legend=False,
    )  # fmt: skip


@figure(
    "hu/adap_alpha",
    reads=("adap_alpha", "fig1", "fig2"),
    title="AdaP's regret over its parameter α",
    paper_says="Figures 1 and 2 show AdaP-KLUCB close to Lazy-DP-TS; its α is not printed.",
    alt="Regret at the horizon against α for AdaP-KLUCB and AdaP-UCB with horizontal lines for "
    "Lazy-DP-TS and Anytime-Lazy-UCB, one panel per setting and ε.",
    plot=OVER_ALPHA,
)
def adap_alpha(tables) -> Drawing:
    data = final(tables("adap_alpha"))
    data["panel"] = [f"{r.setting} gaps, {epsilon_name(r.epsilon)}" for r in data.itertuples()]
    others = final(pd.concat([tables("fig1"), tables("fig2")]))
    others = others[others["algorithm"].isin([OURS, "anytime-lazy-ucb"])]
    canvas, axes = curves(data, OVER_ALPHA, columns=3, height=2.3, sharey=False)
    rows = []
    for (setting, epsilon), part in data.groupby(["setting", "epsilon"], sort=False):
        ax = axes[part["panel"].iloc[0]]
        levels = others[(others["setting"] == setting) & (others["epsilon"] == epsilon)]
        for row in levels.itertuples():
            style = {"color": look(row.algorithm)["color"], "gid": row.algorithm, "ls": ":"}
            ax.axhline(row.mean, label=f"{row.algorithm} (has no α)", **style)
        ax.axvline(3.1, color="grey", lw=0.8, label="α = 3.1, of AdaP's authors")
        klucb = part[part["algorithm"] == "adap-klucb"].set_index("alpha")
        lazy = levels[levels["algorithm"] == OURS].iloc[0]
        closest = np.log(klucb["mean"] / lazy["mean"]).abs().idxmin()
        rows.append({"gaps": setting, "ε": epsilon, "closest at α": closest,
                     f"regret / that of {OURS}": str(ratio(klucb.loc[closest], lazy))})  # fmt: skip
    table = pd.DataFrame(rows)
    alphas = table["closest at α"]
    return Drawing(
        canvas, pd.concat([data, others]),
        f"AdaP-KLUCB comes closest to {OURS} at a different α in each panel, from α = "
        f"{alphas.min():g} to {alphas.max():g}.", FIRST, table,
    )  # fmt: skip
