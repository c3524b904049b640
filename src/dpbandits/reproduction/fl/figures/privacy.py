"""FL's figures of privacy: what each preset gives, what its bounds cut off, what it costs."""

import numpy as np
import pandas as pd

from dpbandits.reproduction.fl.figures.layout import (
    ENDS,
    REFERENCE,
    SERIES,
    instance,
    named_presets,
)
from dpbandits.reproduction.fl.figures.noise import SIGNAL
from dpbandits.reproduction.plots.curves import curves, label_ends, ticks_at
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.style import BLUE, METHODS, RED, not_private, panels

REAL = Plot("epsilon", "account_high", "certified_low", "account_high", curve="preset", log="xy",
            x_label="claimed ε", y_label="real ε at δ = 0.01")  # fmt: skip
INFINITE = 1000  # where ε = ∞ is drawn


@figure(
    "fl/privacy",
    title="Real ε of each preset at δ = 0.01, if contexts are clipped at xₘₐₓ and if not",
    paper_says="(ε, δ) as claimed.",
    alt="A panel per preset, a column per claimed ε: the real ε between a certified lower and an "
    "accounted upper end if contexts are clipped, infinity if not, and a dash at the claimed ε.",
    plot=REAL,
)
def privacy(tables) -> Drawing:
    data = tables("privacy")
    presets = data.groupby("preset", sort=False)
    canvas, (axes,) = panels(
        1, len(presets), height=3.6, sharey=True, x="claimed ε", y=REAL.y_label
    )
    for ax, (preset, rows) in zip(axes, presets, strict=True):
        x, low, high = range(len(rows)), rows["certified_low"], rows["account_high"]
        ax.vlines(x, low.fillna(high), high, color=BLUE, lw=3, alpha=0.5)
        marks = {"color": BLUE, "ls": "", "ms": 7}
        ax.plot(x, high, "o", label="clipped: real ε at most (accountant)", **marks)
        if low.notna().any():
            label = "clipped: real ε at least (certified)"
            ax.plot(x, low, "^", mfc="white", label=label, **marks)
        if f"fliphat-{preset}" in not_private():
            label = "not clipped, as simulated: infinite"
            ax.plot(x, [INFINITE] * len(x), "*", color=RED, ms=10, ls="", label=label)
        ax.plot(x, rows["epsilon"], "_", color="black", ms=22, mew=1.5, label="claimed")
        ax.set(title=f"{preset} constants" if preset in ("printed", "released") else preset,
               yscale="log", ylim=(0.05, 2 * INFINITE), xlim=(-0.6, len(x) - 0.4))  # fmt: skip
        ticks_at(ax, (0.1, 1, 10, 100, INFINITE), "y", lambda y: "∞" if y == INFINITE else f"{y:g}")
        ax.set_xticks(x, [f"{e:g}" for e in rows["epsilon"]])
    released = data[data["preset"] == "released"]
    least = (released["certified_low"] / released["epsilon"]).min()
    return Drawing(
        canvas, data,
        f"With the released constants the real ε is at least {least:.3g} times the claimed one if "
        "contexts are clipped, and infinite if they are not, as in the experiments; corrected and "
        "zcdp, which clip, keep the claimed ε.",
        "with the printed constants and clipped contexts no lower end is certified; "
        + instance("sparsity", "true_sparsity"),
        released[["epsilon", "certified_low", "account_high"]].set_axis(
            ["claimed ε, released, clipped", "real ε at least", "at most"], axis=1),
    )  # fmt: skip


CUT = Plot("factor", "clipped", curve="curve", log="y", x_label="bound / the paper's bound",
           y_label="share of rows or rewards clipped")  # fmt: skip
LEAD = Plot("factor", "lead", curve="curve", log="y", x_label="bound / the paper's bound",
            y_label="signal / noise")  # fmt: skip


@figure(
    "fl/bounds",
    title="The choice of xₘₐₓ and bₘₐₓ",
    paper_says="xₘₐₓ = √(2 ln d) and bₘₐₓ = |β*|₁ are assumed to be known bounds.",
    alt="Left the share of rows or rewards that are clipped, right the signal over the noise, "
    "against the bound in units of the paper's.",
    plot=(CUT, LEAD),
)
def bounds(tables) -> Drawing:
    data = tables("bounds")
    symbols = {"x_max": "xₘₐₓ (clips rows)", "b_max": "bₘₐₓ (clips rewards)"}
    shares = data["clipped_rewards"].where(data["varied"] == "b_max", data["clipped_rows"])
    names = [f"{symbols[v]}, d = {d}" for v, d in zip(data["varied"], data["d"], strict=True)]
    data = data.assign(clipped=shares, curve=names)
    looks = {
        name: {"color": METHODS[i], "marker": "osD^"[i]}
        for i, name in enumerate(dict.fromkeys(names))
    }
    canvas, axes = panels(1, 2, height=3.4)
    for ax, plot in zip(axes[0], (CUT, LEAD), strict=True):
        curves(data, plot, axes={"": ax}, looks=looks)
        ax.set(xlabel=plot.x_label, ylabel=plot.y_label)
        ax.axvline(1, color="black", lw=1, ls="--", label="the paper's bound")
    at = data[data["factor"] == 1.0].iloc[0]
    axes[0, 0].set_ylim(1e-6, 1.5)
    for ax, y, text in ((axes[0, 0], "clipped", f"{at['clipped']:.0%}"),
                        (axes[0, 1], "lead", f"{at['lead']:.2g}")):  # fmt: skip
        ax.annotate(text, (1, at[y]), xytext=(8, 2), textcoords="offset points")
    axes[0, 1].axhline(1, color="#777777", ls=":", lw=1.4, label="signal as large as the noise")
    table = data[data["factor"].isin([0.5, 1.0])]
    table = table[["curve", "factor", "clipped", "lead"]].set_axis(
        ["bound", "over the paper's", "share clipped", "signal / noise"], axis=1
    )
    return Drawing(
        canvas, data,
        f"At d = {at['d']:g} the paper's xₘₐₓ clips an entry in {at['clipped_rows']:.0%} of "
        f"the rows, and the signal is {at['lead']:.2g} of the noise; a larger bound clips less and "
        "lowers the signal further.",
        f"preset corrected; signal / noise: the {SIGNAL}; with a smaller bₘₐₓ β* lies outside the "
        "l1 ball; " + instance("sparsity", "true_sparsity", "rho", "sigma", "delta"), table,
    )  # fmt: skip


PRICE = Plot("epsilon", "mean", **ENDS, curve="algorithm", log="xy", x_label="ε",
             y_label="regret / random arm's")  # fmt: skip


@figure(
    "fl/price",
    reads=("horizon",),
    title="What privacy costs",
    paper_says="Regret approaches the non-private bandit's as ε grows.",
    alt="Regret at the last round as a share of the random arm's, against ε, a line per preset, "
    "named at its end.",
    plot=PRICE,
)
def price(tables) -> Drawing:
    data = tables("horizon")
    last = data[(data["t"] == data["t"].max()) & (data["metric"] == "regret")]
    last = last[last["setting"] == "gaussian"]
    idle = last.loc[last["algorithm"] == "random-arm", "mean"].iloc[0]
    last = last.assign(**last[["mean", "sem", "low", "high"]] / idle)
    own = last[last["algorithm"].isin(SERIES) & np.isfinite(last["epsilon"])]
    canvas, axes = curves(own, PRICE, height=4, names=SERIES)
    ax, lasso = axes[""], last.loc[last["algorithm"] == "sa-lasso", "mean"].iloc[0]
    ends = [own["epsilon"].min(), own["epsilon"].max()]
    ax.plot(ends, [lasso] * 2, label="sa-lasso, not private", **REFERENCE["sa-lasso"])
    ticks_at(ax, own["epsilon"].unique())
    ticks_at(ax, (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1), "y")
    label_ends(ax)
    private = own[~own["algorithm"].isin(not_private()) & (own["epsilon"] == ends[0])]
    best = SERIES[private.loc[private["mean"].idxmin(), "algorithm"]]
    table = own.pivot(index="algorithm", columns="epsilon", values="mean")
    return Drawing(
        canvas, own,
        f"At ε = {ends[0]:g} {best} has the least regret of the private presets, "
        f"{private['mean'].min():.0%} of the random arm's.",
        "DP-Signs may lie below SA-Lasso, which is another algorithm and no bound; no lower bound "
        "is drawn: those that are proved lie far below (docs/proofs/FL.md, H)",
        named_presets(table, "share at ε"), legend=False,
    )  # fmt: skip


FRESH = Plot("epsilon", "mean", **ENDS, curve="algorithm", panel="kind", log="xy", x_label="ε",
             y_label="regret / random arm's")  # fmt: skip


@figure(
    "fl/fresh_instances",
    title="dp-signs on new instances",
    paper_says="Nothing: dp-signs is ours; its constants were chosen on the paper's instance.",
    alt="Regret over the random arm's against ε, a panel per kind of signal, a line with a "
    "95% band over instances per learner.",
    plot=FRESH,
)
def fresh_instances(tables) -> Drawing:
    data = tables("fresh_instances")
    canvas, axes = curves(data, FRESH, height=3.8, names=SERIES,
                          titles=lambda kind: f"{kind} signals")  # fmt: skip
    for ax in axes.values():
        ticks_at(ax, data["epsilon"].unique())
        ticks_at(ax, (0.02, 0.05, 0.1, 0.2, 0.5, 1), "y")
    signs = data[data["algorithm"] == "dp-signs"]
    lowest = data.loc[data.groupby(["kind", "epsilon"])["mean"].idxmin(), "algorithm"]
    least = (lowest == "dp-signs").sum()
    table = pd.DataFrame({
        "signals": kind, "ε": rows["epsilon"], "share": rows["mean"], "at worst": rows["worst"],
        "lowest of the private methods in": [f"{share:.0%}" for share in rows["best"]],
    } for kind, rows in signs.groupby("kind", sort=False)).explode(
        ["ε", "share", "at worst", "lowest of the private methods in"])  # fmt: skip
    return Drawing(
        canvas, data,
        f"dp-signs has the lowest mean at {least} of {len(signs)} places: at most "
        f"{signs['worst'].max():.0%} of the random arm's regret on any instance, and the least of "
        f"the private methods on {signs['best'].mean():.0%} of the instances.",
        f"{data['instances'].iloc[0]} instances of each kind; bands are 95% intervals over "
        "instances, each with a β* of its own: |βⱼ| uniform in [0.5, 1] (alike), log-uniform in "
        "[0.1, 1] (uneven), as alike with σ = 1, ρ = 0.5 (noisy); else "
        + instance("arms", "sparsity", "rho", "sigma", "delta"), table,
    )  # fmt: skip
