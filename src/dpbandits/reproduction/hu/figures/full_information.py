"""HU's figures of full information: the sweeps, the conjecture, the lower bound."""

import numpy as np
import pandas as pd

from dpbandits.core.statistics import ratio
from dpbandits.reproduction.hu.summaries import growth_in_k
from dpbandits.reproduction.plots.figures import Drawing, figure
from dpbandits.reproduction.plots.style import BLACK, band, epsilon_look, epsilon_name, look, panels

AXES = {"arms": "number of actions K", "gap": "gap Δ", "epsilon": "ε", "horizon": "rounds T"}
SIGNS = {"arms": "K", "gap": "Δ", "epsilon": "ε", "horizon": "T"}
INSTANCES = (
    "best mean 3/4, best action last; Δₘᵢₙ = 2^(1-K); doubling gaps: Δₘᵢₙ, 2 Δₘᵢₙ, 4 Δₘᵢₙ, ..., "
    "1/2; equal gaps: all Δₘᵢₙ"
)


@figure(
    "hu/full_information",
    title="Full information, regret over K, gap, ε and T",
    paper_says="RNM-FTNL has regret ln K/min(gap, ε), naive FTNL K ln K/ε where ε matters "
    "(Section 5).",
    alt="Regret against K, gap, ε and T in four panels; solid with a band if the best action "
    "is last, thin if it is first.",
)
def full_information(tables) -> Drawing:
    data = tables("full_information")
    figure, axes = panels(2, 2)
    for ax, vary in zip(axes.flat, AXES, strict=True):
        sweep = data[data["vary"] == vary]
        for name, rows in sweep.groupby("algorithm", sort=False):
            band(ax, rows[rows["best"] == "last"], "value", name)
            first = rows[rows["best"] == "first"]
            thin = look(name) | {"marker": None, "lw": 0.5}
            ax.plot(first["value"], first["mean"], gid=name, **thin)
        ax.set(xscale="log", yscale="log", xlabel=AXES[vary], ylabel="regret")
        fixed = [f"{sign} = {sweep[key].iloc[0]:g}" for key, sign in SIGNS.items() if key != vary]
        ax.set_title(", ".join(fixed))
    ax.plot([], [], color=BLACK, lw=0.5, label="thin: best action first, else last")
    last = data[(data["vary"] == "arms") & (data["best"] == "last")]
    last = last[last["value"] == last["value"].max()].set_index("algorithm")
    price = {n: ratio(last.loc[n], last.loc["rnm-ftnl"]) for n in last.index if n != "rnm-ftnl"}
    prices = ", ".join(f"{name} {interval}" for name, interval in price.items())
    largest = f"K = {last['value'].iloc[0]:g}"
    return Drawing(
        figure,
        data,
        f"With {largest} actions, in multiples of the regret of the printed RNM-FTNL, which is "
        f"only 2 ε-private: {prices}. Thin lines: the best action first.",
        "best mean 1/2 + Δ, the others 1/2",
        finding=f"with {largest} naive FTNL has {price['ftnl'].value:.3g} times the regret of "
        "RNM-FTNL",
    )


@figure(
    "hu/conjecture",
    title="Section 7, K or ln K",
    paper_says="The upper bound of the doubling-gap instance grows like K over ε; the conjecture "
    "is that the true rate is ln K/min(gap, ε) (Section 7).",
    alt="ε times regret against K on a logarithmic axis, for doubling gaps and equal gaps, "
    "printed and corrected RNM-FTNL: straight lines would be growth like ln K.",
)
def conjecture(tables) -> Drawing:
    data = tables("conjecture")
    data = data[data["algorithm"].isin(["rnm-ftnl", "rnm-ftnl-corrected"])]  # others: open_problem
    figure, axes = panels(1, 2, x="number of actions K")
    texts, fits = [], []
    for ax, (kind, rows) in zip(axes[0], data.groupby("instance", sort=False), strict=True):
        for (name, share), line in rows.groupby(["algorithm", "epsilon_over_gap"], sort=False):
            style = look(name) | ({} if share == 1 else {"mfc": "white"})
            band(ax, line, "arms", f"{name}, ε = {share:g} Δmin", style, series=name)
            fits.append(fit := growth_in_k(line))
            texts.append(
                f"{kind}, {name}, ε = {share:g} Δₘᵢₙ: exponent of K {fit.exponent}, {fit.misfits}"
            )
        _plot_growth(ax, rows[rows["algorithm"] == "rnm-ftnl-corrected"])
        ax.set(xscale="log", title=f"{kind} gaps", ylabel="ε × regret", ylim=(0, None))
        label_arms(ax, rows["arms"].max())
    better = sum(fit.log_misfit < fit.line_misfit for fit in fits)
    return Drawing(
        figure,
        data,
        "; ".join(texts) + ".",
        INSTANCES,
        finding=f"a fit linear in ln K is better than one in K for {better} of {len(fits)} curves",
    )


def _plot_growth(ax, rows: pd.DataFrame) -> None:
    """What growth like K and like ln K would look like, from the first point on."""
    first = rows.sort_values("arms").iloc[0]
    arms = np.geomspace(first["arms"], rows["arms"].max())
    for growth, name, dash in ((arms, "K", "-."), (np.log(arms), "ln K", ":")):
        label = f"growth like {name} from the first point"
        ax.plot(arms, first["mean"] * growth / growth[0], color="grey", ls=dash, label=label)


def label_arms(ax, most: int) -> None:
    """Ticks of a logarithmic axis of K."""
    ticks = [k for k in (3, 5, 10, 20) if k <= most]
    ax.set_xticks(ticks, ticks)
    ax.minorticks_off()


@figure(
    "hu/lower_bound",
    title="Theorem 12's lower bound beside the largest regret over its packing class",
    paper_says="Any ε-private learner has regret at least a constant times max(ln K/gap, "
    "ln K/ε) on some instance (Theorem 12).",
    alt="Largest regret over the class divided by the private lower bound 0.0098 ln K/ε, "
    "against K; a column per gap, a row per learner, a line per ε, and a line at 1.",
)
def lower_bound(tables) -> Drawing:
    data = tables("lower_bound")
    ends = ["mean", "low", "high"]
    scaled = data.assign(**data[ends].div(data["private_bound"], axis=0))
    names, gaps, epsilons = (list(data[k].unique()) for k in ("algorithm", "gap", "epsilon"))
    labels = {"x": "number of actions K", "sharex": True, "sharey": True}
    figure, axes = panels(len(names), len(gaps), height=1.7, **labels)
    for (name, gap, epsilon), line in scaled.groupby(["algorithm", "gap", "epsilon"], sort=False):
        ax = axes[names.index(name), gaps.index(gap)]
        shifted = line.assign(arms=line["arms"] * 1.15 ** (epsilons.index(epsilon) - 1))
        band(ax, shifted, "arms", epsilon_name(epsilon), epsilon_look(epsilon), series=name)
        ax.set(xscale="log", yscale="log", title=f"{name}, gap {gap:g}")
    for ax in axes.flat:
        ax.axhline(1, color="black", lw=0.8, label="Theorem 12's lower bound")
        ax.set_xticks(data["arms"].unique(), data["arms"].unique())
        ax.minorticks_off()
    for ax in axes[:, 0]:
        ax.set_ylabel("regret / lower bound")
    cases = scaled.groupby(["arms", "gap", "epsilon"])["mean"]
    difference = (cases.max() / cases.min()).max() - 1
    closest = scaled.loc[scaled.groupby("algorithm", sort=False)["mean"].idxmin()]
    texts = "; ".join(
        f"{row.algorithm}: {row.mean:.3g} times the bound {row.private_bound:.3g} at K = "
        f"{row.arms}, gap {row.gap:g}, ε = {row.epsilon:g}, T = {row.horizon:g}"
        for row in closest.itertuples()
    )
    return Drawing(
        figure,
        scaled,
        f"Where each comes closest: {texts}.",
        "best mean 1/2 + gap, the others 1/2; T: the smallest that the theorem allows; values of "
        "ε set side by side",
        finding=f"regret is {scaled['mean'].min():.3g} to {scaled['mean'].max():.3g} times the "
        f"bound; learners differ by at most {difference:.0%}",
    )
