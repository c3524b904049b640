"""HU's figures of what privacy costs: regret over eps, and over AdaP's alpha."""

import numpy as np
import pandas as pd

from dpbandits.core.statistics import ratio
from dpbandits.reproduction.hu.summaries import FIRST, PRIVACY_COSTS, final, privacy_starts_to_cost
from dpbandits.reproduction.plots.figures import Drawing, figure
from dpbandits.reproduction.plots.style import band, look, panels

OURS = "lazy-dp-ts"


@figure(
    "hu/regret_vs_epsilon",
    reads=("regret_vs_epsilon", "without_privacy"),
    title="What privacy costs",
    paper_says="The price of privacy is K ln T/ε next to the sum of ln T/gap: it should show "
    "where ε falls below the gaps (Theorems 3 and 5).",
    alt="Regret at the horizon against ε, one line per algorithm, a star where privacy "
    "starts to cost, horizontal lines for algorithms without privacy.",
)
def regret_vs_epsilon(tables) -> Drawing:
    data = final(tables("regret_vs_epsilon"))
    free = final(tables("without_privacy"))
    figure, axes = panels(1, 1, width=6.5, height=4)
    ax = axes[0, 0]
    starts = {}
    for name, rows in data.groupby("algorithm", sort=False):
        finite = rows[np.isfinite(rows["epsilon"])]
        band(ax, finite, "epsilon", name)
        starts[name] = privacy_starts_to_cost(data, name)
        level = PRIVACY_COSTS * rows["mean"][np.isinf(rows["epsilon"])].item()
        if finite["epsilon"].min() <= starts[name].value <= finite["epsilon"].max():
            star = {"color": look(name)["color"], "mec": "black", "mew": 0.4, "markersize": 10}
            ax.plot(starts[name].value, level, "*", zorder=3, **star)
    for _, row in free.iterrows():
        color = look(row["algorithm"])["color"]
        ax.axhline(row["mean"], color=color, lw=0.9, ls=":", gid=row["algorithm"])
        right = {"xycoords": ax.get_yaxis_transform(), "va": "center", "color": color}
        ax.annotate(f"{row['algorithm']} (ε = ∞)", (1.01, row["mean"]), fontsize=6.5, **right)
    ax.plot([], [], ":", color="grey", lw=0.9, label="without privacy (right)")
    ax.plot([], [], "*", color="white", mec="black", mew=0.4, ms=10, label="privacy starts to cost")
    ax.set(xscale="log", yscale="log", xlabel="ε", ylabel=f"regret at T = {data['t'].max():g}")
    beyond = f"beyond {data['epsilon'][np.isfinite(data['epsilon'])].max():g}"
    texts = "; ".join(
        f"{name} {interval if np.isfinite(interval.value) else beyond}"
        for name, interval in starts.items()
    )
    return Drawing(
        figure,
        pd.concat([data, free]),
        f"Star: the largest ε at which the regret is {PRIVACY_COSTS:g} times the regret without "
        f"privacy, with an interval from the 95% bands: {texts}. Gaps: 0.125 to 0.5.",
        f"star: the largest ε with {PRIVACY_COSTS:g} times the regret at ε = ∞; {FIRST}",
        finding=f"below ε = {starts[OURS].value:.3g} privacy raises the regret of {OURS} by more "
        "than half",
    )


@figure(
    "hu/adap_alpha",
    reads=("adap_alpha", "fig1", "fig2"),
    title="AdaP's regret over its parameter α",
    paper_says="Figures 1 and 2 show AdaP-KLUCB close to Lazy-DP-TS; its α is not printed.",
    alt="Regret at the horizon against α for AdaP-KLUCB and AdaP-UCB with horizontal lines for "
    "Lazy-DP-TS and Anytime-Lazy-UCB, one panel per setting and ε.",
)
def adap_alpha(tables) -> Drawing:
    data = final(tables("adap_alpha"))
    others = final(pd.concat([tables("fig1"), tables("fig2")]))
    others = others[others["algorithm"].isin([OURS, "anytime-lazy-ucb"])]
    settings, epsilons = list(data["setting"].unique()), list(data["epsilon"].unique())
    labels = {"sharex": True, "height": 2.1, "x": "α", "y": f"regret at T = {data['t'].max():g}"}
    figure, axes = panels(len(settings), len(epsilons), **labels)
    texts, alphas = [], []
    for (setting, epsilon), rows in data.groupby(["setting", "epsilon"], sort=False):
        ax = axes[settings.index(setting), epsilons.index(epsilon)]
        for name, line in rows.groupby("algorithm", sort=False):
            band(ax, line, "alpha", name)
        levels = others[(others["setting"] == setting) & (others["epsilon"] == epsilon)]
        for _, row in levels.iterrows():
            style = {"color": look(row["algorithm"])["color"], "gid": row["algorithm"]}
            ax.axhline(row["mean"], ls=":", label=f"{row['algorithm']} (has no α)", **style)
        ax.axvline(3.1, color="grey", lw=0.6, label="α = 3.1, Azize and Basu's")
        ax.set_title(f"{setting} gaps, ε = {epsilon:g}")
        klucb = rows[rows["algorithm"] == "adap-klucb"].set_index("alpha")
        lazy = levels[levels["algorithm"] == OURS].iloc[0]
        closest = np.log(klucb["mean"] / lazy["mean"]).abs().idxmin()
        alphas.append(closest)
        texts.append(
            f"{setting}, ε = {epsilon:g}: α = {closest:g} comes closest "
            f"({ratio(klucb.loc[closest], lazy)} times lazy-dp-ts)"
        )
    finding = f"AdaP-KLUCB is closest to {OURS} at α = {min(alphas):g} to {max(alphas):g}"
    data = pd.concat([data, others])
    return Drawing(figure, data, "; ".join(texts) + ".", FIRST, finding=finding)
