"""HU's figures over eps, K, gaps and alpha."""

import numpy as np
import pandas as pd

from dpbandits.core.figures import Drawing, figure
from dpbandits.core.style import band, look, panels
from dpbandits.stochastic import theory
from dpbandits.stochastic.readings import (
    PRIVACY_COSTS,
    final,
    growth_in_k,
    privacy_starts_to_cost,
    ratio,
)


@figure(
    "hu/regret_vs_epsilon",
    notebook="privacy",
    reads=("regret_vs_epsilon", "without_privacy"),
    title="What privacy costs: regret against epsilon",
    paper_says="The price of privacy is K ln T/eps next to the sum of ln T/gap: it should show "
    "where eps falls below the gaps (Theorems 3 and 5).",
    alt="Regret at the horizon against epsilon, one line per algorithm, a star where privacy "
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
            place = (starts[name].value, level)
            ax.plot(*place, "*", color=look(name)["color"], markersize=11, zorder=3)
    for _, row in free.iterrows():
        ax.axhline(row["mean"], color=look(row["algorithm"])["color"], lw=0.8, ls=":")
        ax.annotate(row["algorithm"], (data["epsilon"].min(), row["mean"]), fontsize=6, va="bottom")
    ax.set(xscale="log", yscale="log", xlabel="ε", ylabel=f"regret at T = {data['t'].max():g}")
    ax.legend(fontsize=7)
    beyond = f"beyond {data['epsilon'][np.isfinite(data['epsilon'])].max():g}"
    said = "; ".join(
        f"{name} {interval if np.isfinite(interval.value) else beyond}"
        for name, interval in starts.items()
    )
    drawn = pd.concat([data, free])
    return Drawing(
        figure,
        drawn,
        f"Privacy starts to cost (star: the largest eps with {PRIVACY_COSTS:g} times the regret at "
        f"eps = inf; interval from the 95% bands) at eps = {said}. Gaps: 0.125 to 0.5.",
    )


@figure(
    "hu/adap_alpha",
    notebook="privacy",
    reads=("adap_alpha", "fig1", "fig2"),
    title="AdaP's regret over its parameter alpha",
    paper_says="Figures 1 and 2 show AdaP-KLUCB close to Lazy-DP-TS; its alpha is not printed.",
    alt="Regret at the horizon against alpha for AdaP-KLUCB and AdaP-UCB with horizontal lines for "
    "Lazy-DP-TS and Anytime-Lazy-UCB, one panel per setting and epsilon.",
)
def adap_alpha(tables) -> Drawing:
    data = final(tables("adap_alpha"))
    others = final(pd.concat([tables("fig1"), tables("fig2")]))
    others = others[others["algorithm"].isin(["lazy-dp-ts", "anytime-lazy-ucb"])]
    settings, epsilons = list(data["setting"].unique()), list(data["epsilon"].unique())
    figure, axes = panels(len(settings), len(epsilons), sharex=True, height=2.1)
    matches = []
    for (setting, epsilon), rows in data.groupby(["setting", "epsilon"], sort=False):
        ax = axes[settings.index(setting), epsilons.index(epsilon)]
        for name, line in rows.groupby("algorithm", sort=False):
            band(ax, line, "alpha", name)
        here = others[(others["setting"] == setting) & (others["epsilon"] == epsilon)]
        for _, row in here.iterrows():
            style = look(row["algorithm"])
            ax.axhline(row["mean"], color=style["color"], ls=":", label=row["algorithm"])
        ax.axvline(3.1, color="grey", lw=0.6)
        ax.set_title(f"{setting} gaps, ε = {epsilon:g}")
        klucb = rows[rows["algorithm"] == "adap-klucb"].set_index("alpha")
        lazy = here[here["algorithm"] == "lazy-dp-ts"].iloc[0]
        best = (np.log(klucb["mean"] / lazy["mean"])).abs().idxmin()
        matches.append(
            f"{setting}, eps = {epsilon:g}: alpha = {best:g} comes closest "
            f"({ratio(klucb.loc[best], lazy)} times lazy-dp-ts)"
        )
    for ax in axes[-1]:
        ax.set_xlabel("α (line: 3.1, Azize and Basu's)")
    for ax in axes[:, 0]:
        ax.set_ylabel(f"regret at T = {data['t'].max():g}")
    axes[0, 0].legend(fontsize=6)
    return Drawing(figure, pd.concat([data, others]), "; ".join(matches) + ".")


AXES = {
    "arms": "number of actions K",
    "gap": "gap Δ",
    "epsilon": "ε",
    "horizon": "rounds T",
}


@figure(
    "hu/full_information",
    notebook="full_information",
    reads=("full_information",),
    title="Full information: RNM-FTNL beside FTNL and FTL over K, gap, eps and T",
    paper_says="RNM-FTNL has regret ln K/min(gap, eps), naive FTNL K ln K/eps where eps matters "
    "(Section 5).",
    alt="Regret against K, gap, epsilon and T in four panels; solid with a band if the best action "
    "is last, thin if it is first.",
)
def full_information(tables) -> Drawing:
    data = tables("full_information")
    figure, axes = panels(2, 2)
    for ax, vary in zip(axes.flat, AXES, strict=True):
        here = data[data["vary"] == vary]
        for name, rows in here.groupby("algorithm", sort=False):
            band(ax, rows[rows["best"] == "last"], "value", name)
            first = rows[rows["best"] == "first"]
            ax.plot(first["value"], first["mean"], color=look(name)["color"], lw=0.5)
        ax.set(xscale="log", yscale="log", xlabel=AXES[vary], ylabel="regret")
    axes[0, 0].legend(fontsize=6)
    last = data[(data["vary"] == "arms") & (data["best"] == "last")]
    last = last[last["value"] == last["value"].max()].set_index("algorithm")
    price = {n: ratio(last.loc[n], last.loc["rnm-ftnl"]) for n in ("rnm-ftnl-corrected", "ftnl")}
    return Drawing(
        figure,
        data,
        f"With K = {last['value'].iloc[0]:g} actions, in multiples of the printed RNM-FTNL's "
        f"regret: corrected {price['rnm-ftnl-corrected']} (the price of true eps-privacy), naive "
        f"FTNL {price['ftnl']}. Thin lines: the best action first.",
    )


@figure(
    "hu/conjecture",
    notebook="full_information",
    reads=("conjecture",),
    title="Section 7: does the doubling-gap instance cost K or ln K?",
    paper_says="The upper bound of the doubling-gap instance grows like K over eps; the conjecture "
    "is that the true rate is ln K/min(gap, eps) (Section 7).",
    alt="eps times regret against K on a logarithmic axis, for doubling gaps and equal gaps, "
    "printed and corrected RNM-FTNL: straight lines would be growth like ln K.",
)
def conjecture(tables) -> Drawing:
    data = tables("conjecture")
    figure, axes = panels(1, 2)
    said = []
    for ax, (kind, rows) in zip(axes[0], data.groupby("instance", sort=False), strict=True):
        for (name, share), line in rows.groupby(["algorithm", "epsilon_over_gap"], sort=False):
            style = look(name) | {"linestyle": "-" if share == 1 else "--"}
            band(ax, line, "arms", f"{name}, ε = {share:g} Δmin", style)
            fit = growth_in_k(line)
            said.append(
                f"{kind}, {name}, eps = {share:g} Delta_min: exponent of K {fit.exponent}, "
                f"mean square misfit {fit.log_misfit:.2g} of a line in ln K against "
                f"{fit.line_misfit:.2g} of one in K"
            )
        ax.set(xscale="log", xlabel="number of actions K", title=f"{kind} gaps")
        ticks = [k for k in (3, 5, 10, 20) if k <= rows["arms"].max()]
        ax.set_xticks(ticks, ticks)
        ax.minorticks_off()
        ax.set_ylabel("ε × regret")
        ax.set_ylim(0, 1.3 * rows["high"].max())  # room for the legend
    axes[0, 0].legend(fontsize=6, handlelength=4, loc="upper left")
    return Drawing(figure, data, "; ".join(said) + ".")


@figure(
    "hu/lower_bound",
    notebook="full_information",
    reads=("lower_bound",),
    title="Theorem 12: the largest regret over the packing class beside the lower bound",
    paper_says="Any eps-private learner has regret at least a constant times max(ln K/gap, "
    "ln K/eps) on some instance (Theorem 12).",
    alt="Largest regret over the class divided by the private lower bound 0.0098 ln K/eps, "
    "against K; one panel per gap; no point lies below 1.",
)
def lower_bound(tables) -> Drawing:
    data = tables("lower_bound")
    scaled = data.copy()
    for column in ("mean", "low", "high"):
        scaled[column] = data[column] / data["private_bound"]
    gaps = list(data["gap"].unique())
    figure, axes = panels(1, len(gaps), sharey=True)
    marks = dict(zip(data["epsilon"].unique(), ("-", "--", ":"), strict=False))
    for ax, gap in zip(axes[0], gaps, strict=True):
        here = scaled[(scaled["gap"] == gap) & (scaled["algorithm"] == "rnm-ftnl-corrected")]
        for epsilon, line in here.groupby("epsilon", sort=False):
            style = look("rnm-ftnl-corrected") | {"linestyle": marks[epsilon]}
            band(ax, line, "arms", f"ε = {epsilon:g}", style)
        ax.axhline(1, color="black", lw=0.8)
        ax.set(xscale="log", yscale="log", xlabel="number of actions K", title=f"gap {gap:g}")
    axes[0, 0].set_ylabel("largest regret / (0.0098 ln K/ε)")
    axes[0, 0].legend()
    lowest = scaled[scaled["algorithm"] == "rnm-ftnl-corrected"].nsmallest(1, "mean").iloc[0]
    example = theory.private_lower_bound(int(lowest["arms"]), lowest["epsilon"])
    return Drawing(
        figure,
        scaled,
        f"The corrected RNM-FTNL comes closest at K = {lowest['arms']}, gap {lowest['gap']:g}, "
        f"eps = {lowest['epsilon']:g}: {lowest['mean']:.3g} times the bound {example:.3g} "
        f"at T = {lowest['horizon']:g}.",
    )
