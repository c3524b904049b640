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
from dpbandits.reproduction.plots.style import METHODS, look, not_private, panels

REAL = Plot("epsilon", "account_high", "certified_low", "account_high", curve="preset", log="xy",
            x_label="claimed ε", y_label="real ε at δ = 0.01")  # fmt: skip


@figure(
    "fl/privacy",
    title="Real ε of each preset at δ = 0.01, contexts bounded by xₘₐₓ",
    paper_says="(ε, δ) as claimed.",
    alt="Real ε against claimed ε: certified lower ends and accounted upper ends.",
    width="half",
    plot=REAL,
)
def privacy(tables) -> Drawing:
    data = tables("privacy")
    canvas, axes = panels(1, 1, width="half", height=4.2, x=REAL.x_label, y=REAL.y_label)
    ax = axes[0, 0]
    for slot, (preset, rows) in enumerate(data.groupby("preset", sort=False)):
        x = rows["epsilon"] * 1.06 ** (slot - 1)  # side by side
        style = look(f"fliphat-{preset}") | {"linestyle": "", "ms": 6}
        low, high = rows["certified_low"], rows["account_high"]
        ax.vlines(x, low.fillna(high), high, color=style["color"], lw=2, alpha=0.5)
        ax.plot(x, high, label=f"{preset}: at most (accountant)", **style)
        if low.notna().any():
            ax.plot(x, low, label=f"{preset}: at least (certified)", mfc="none", **style)
    ends = np.array([data["epsilon"].min(), data["epsilon"].max()])
    ax.plot(ends, ends, color="#555555", ls=":", lw=1.2, label="claimed")
    ax.set(xscale="log", yscale="log")
    released = data[data["preset"] == "released"]
    least = (released["certified_low"] / released["epsilon"]).min()
    return Drawing(
        canvas, data,
        f"With the released constants the real ε is at least {least:.3g} times the claimed one, "
        "certified; without clipping it is infinite.",
        "contexts bounded by xₘₐₓ; presets stand side by side; "
        + instance("sparsity", "true_sparsity"),
        released[["epsilon", "certified_low", "account_high"]].set_axis(
            ["claimed ε, released", "real ε at least", "at most"], axis=1),
    )  # fmt: skip


CUT = Plot("factor", "clipped", curve="curve", log="y", x_label="factor of the bound",
           y_label="share clipped")  # fmt: skip
LEAD = Plot("factor", "lead", curve="curve", log="y", x_label="factor of the bound",
            y_label="signal / noise")  # fmt: skip


@figure(
    "fl/bounds",
    title="The choice of xₘₐₓ and bₘₐₓ",
    paper_says="xₘₐₓ = √(2 ln d) and bₘₐₓ = |β*|₁ are assumed to be known bounds.",
    alt="Left the share of rows or rewards that are clipped, right the signal over the noise, "
    "against the factor.",
    plot=(CUT, LEAD),
)
def bounds(tables) -> Drawing:
    data = tables("bounds")
    symbols = {"x_max": "xₘₐₓ, share of rows", "b_max": "bₘₐₓ, share of rewards"}
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
    axes[0, 0].set_ylim(1e-6, 1.5)
    axes[0, 1].axhline(1, color="#777777", ls=":", lw=1, label="signal as large as the noise")
    at = data[data["factor"] == 1.0].iloc[0]
    table = data[data["factor"].isin([0.5, 1.0])]
    table = table[["curve", "factor", "clipped", "lead"]].set_axis(
        ["bound", "factor", "share clipped", "signal / noise"], axis=1
    )
    return Drawing(
        canvas, data,
        f"At d = {at['d']:g} the paper's xₘₐₓ clips an entry in up to {at['clipped_rows']:.0%} of "
        "the rows.",
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
    ax.plot(ends, [lasso] * 2, label="sa-lasso (no privacy)", **REFERENCE["sa-lasso"])
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
        "no lower bound is drawn: those that are proved lie far below (docs/proofs/FL.md, H)",
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
    signs = data[data["algorithm"] == "dp-signs"]
    table = pd.DataFrame({
        "signals": kind, "ε": rows["epsilon"], "share": rows["mean"], "at worst": rows["worst"],
        "lowest of the private methods in": [f"{share:.0%}" for share in rows["best"]],
    } for kind, rows in signs.groupby("kind", sort=False)).explode(
        ["ε", "share", "at worst", "lowest of the private methods in"])  # fmt: skip
    return Drawing(
        canvas, data,
        f"dp-signs has at most {signs['worst'].max():.0%} of the random arm's regret, and the "
        f"lowest of the private methods on {signs['best'].mean():.0%} of the instances.",
        f"{data['instances'].iloc[0]} instances of each kind; bands are 95% intervals over "
        "instances, each with a β* of its own: |βⱼ| uniform in [0.5, 1] (alike), log-uniform in "
        "[0.1, 1] (uneven), as alike with σ = 1, ρ = 0.5 (noisy); else "
        + instance("arms", "sparsity", "rho", "sigma", "delta"), table,
    )  # fmt: skip
