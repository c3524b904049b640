"""FL's figures of privacy: what each preset gives, what its bounds cut off, what it costs."""

import numpy as np
import pandas as pd

from dpbandits.reproduction.fl.figures.layout import REFERENCE, SERIES, instance, privacy_label
from dpbandits.reproduction.plots.figures import Drawing, figure
from dpbandits.reproduction.plots.style import MARKERS, METHODS, band, look, not_private, panels


@figure(
    "fl/privacy",
    title="Real ε of each preset at δ = 0.01, contexts bounded by xₘₐₓ",
    paper_says="(ε, δ) as claimed.",
    alt="Real ε against claimed ε: certified lower ends and accounted upper ends.",
)
def privacy(tables) -> Drawing:
    data = tables("privacy")
    canvas, axes = panels(1, 1, width=4.2, height=3)
    ax = axes[0, 0]
    for slot, (preset, rows) in enumerate(data.groupby("preset", sort=False)):
        x = rows["epsilon"] * 1.06 ** (slot - 1)  # side by side
        style = look(f"fliphat-{preset}") | {"linestyle": "", "ms": 5}
        low, high = rows["certified_low"], rows["account_high"]
        ax.vlines(x, low.fillna(high), high, color=style["color"], lw=2, alpha=0.5)
        ax.plot(x, high, label=f"{preset}: upper bound (accountant)", **style)
        if low.notna().any():
            ax.plot(x, low, label=f"{preset}: lower bound (certified)", mfc="none", **style)
    ends = np.array([data["epsilon"].min(), data["epsilon"].max()])
    ax.plot(ends, ends, color="#555555", ls=":", lw=1, label="claimed")
    delta = data["delta"].iloc[0]
    ax.set(xscale="log", yscale="log", xlabel="claimed ε", ylabel=f"real ε at δ = {delta:g}")
    released = data[data["preset"] == "released"]
    least = (released["certified_low"] / released["epsilon"]).min()
    text = ", ".join(f"{r.certified_low:.2f} ({r.epsilon:g})" for r in released.itertuples())
    return Drawing(
        canvas, data,
        f"With the released constants the real ε (claimed ε) is at least {text}, certified; with "
        "unclipped contexts it is infinite. The corrected noise gives the ε that it claims.",
        "line: the real ε lies between its ends; presets side by side; "
        + instance("sparsity", "true_sparsity"),
        finding=f"the released constants give at least {least:.3g} times the claimed ε",
    )  # fmt: skip


@figure(
    "fl/bounds",
    title="The choice of xₘₐₓ and bₘₐₓ",
    paper_says="xₘₐₓ = √(2 ln d) and bₘₐₓ = |β*|₁ are assumed to be known bounds.",
    alt="Share of rows with a clipped entry, and signal-to-noise ratio, against the factor.",
)
def bounds(tables) -> Drawing:
    data = tables("bounds")
    canvas, axes = panels(1, 2, sharex=True, x="factor of the bound")
    symbols = {"x_max": "xₘₐₓ", "b_max": "bₘₐₓ"}
    for slot, ((varied, d), rows) in enumerate(data.groupby(["varied", "d"], sort=False)):
        style = {"color": METHODS[slot], "marker": MARKERS[slot], "markersize": 3}
        clipped = "rows" if varied == "x_max" else "rewards"
        label = f"{symbols[varied]} times the factor, d = {d} (left: share of {clipped})"
        axes[0, 0].plot(rows["factor"], rows[f"clipped_{clipped}"], label=label, **style)
        axes[0, 1].plot(rows["factor"], rows["lead"], **style)
    axes[0, 0].set(yscale="log", ylim=(1e-6, 1.5), ylabel="share clipped")
    axes[0, 1].set(yscale="log", ylabel="signal-to-noise ratio")
    axes[0, 1].axhline(1, color="#999999", ls=":", lw=1, label="noise as large as the signal")
    at = data[data["factor"] == 1.0].iloc[0]
    half = data[data["factor"] == 0.5].set_index(["varied", "d"])
    x, b = half.loc[("x_max", at["d"])], half.loc[("b_max", at["d"])]
    return Drawing(
        canvas, data,
        f"At d = {at['d']:g}, xₘₐₓ = {at['x_max']:.2f} clips {at['clipped_entries']:.2%} of the "
        f"entries, at least one entry in up to {at['clipped_rows']:.0%} of the rows, and a share "
        f"{at['clipped_rewards']:.1e} of the rewards; the signal-to-noise ratio is "
        f"{at['lead']:.2f}. With half of xₘₐₓ: up to {x['clipped_rows']:.0%} of the rows, ratio "
        f"{x['lead']:.2f}. With half of bₘₐₓ: a share {b['clipped_rewards']:.1e} of the rewards, "
        f"ratio {b['lead']:.2f}; then β* lies outside the l1 ball.",
        "preset corrected; signal-to-noise ratio: the largest noise-free score over ln d times "
        "the selection noise's scale; "
        + instance("sparsity", "true_sparsity", "rho", "sigma", "delta"),
        finding=f"xₘₐₓ clips up to {at['clipped_rows']:.0%} of the rows, half of it "
        f"{x['clipped_rows']:.0%}",
    )  # fmt: skip


@figure(
    "fl/price",
    reads=("horizon",),
    title="What privacy costs",
    paper_says="Regret approaches the non-private bandit's as ε grows.",
    alt="Regret at the last round as a share of the random arm's, against ε, per preset.",
)
def price(tables) -> Drawing:
    data = tables("horizon")
    last = data[(data["t"] == data["t"].max()) & (data["metric"] == "regret")]
    last = last[last["setting"] == "gaussian"]
    idle = last.loc[last["algorithm"] == "random-arm", "mean"].iloc[0]
    lasso = last.loc[last["algorithm"] == "sa-lasso", "mean"].iloc[0]
    canvas, axes = panels(1, 1, width=5.2, height=3.2)
    drawn, texts = [], []
    for series, title in SERIES.items():
        rows = last[last["algorithm"] == series].assign(share=lambda x: x["mean"] / idle)
        axes[0, 0].errorbar(
            rows["epsilon"], rows["share"], yerr=(rows["high"] - rows["mean"]) / idle,
            label=f"{title} ({privacy_label(series)})", markersize=3, **look(series),
        )[0].set_gid(series)  # fmt: skip
        drawn.append(rows)
        texts.append(f"{title}: {rows['share'].iloc[0]:.2f} to {rows['share'].iloc[-1]:.2f}")
    axes[0, 0].axhline(lasso / idle, label="sa-lasso (no privacy)", **REFERENCE["sa-lasso"])
    axes[0, 0].set(xscale="log", xlabel="ε", ylabel="regret over the random arm's", yscale="log")
    private = last[last["algorithm"].isin(SERIES) & ~last["algorithm"].isin(not_private())]
    low, high = last["epsilon"].min(), drawn[0]["epsilon"].max()
    best = private.loc[private[private["epsilon"] == low]["mean"].idxmin(), "algorithm"]
    return Drawing(
        canvas, pd.concat(drawn, ignore_index=True),
        f"Share of the random arm's regret at t = {int(last['t'].max())}, from ε = {low:g} to "
        f"{high:g}: {'; '.join(texts)}; sa-lasso {lasso / idle:.2f}.",
        "no lower bound is drawn: those that are proved lie far below (docs/proofs/FL.md, H)",
        finding=f"{SERIES[best]} has the least regret of the private presets at ε = {low:g}",
    )  # fmt: skip


@figure(
    "fl/fresh_instances",
    title="dp-signs on new instances",
    paper_says="Nothing: dp-signs is ours; its constants were chosen on the paper's instance.",
    alt="Regret over the random arm's against ε, a panel per kind of signal, a line with a "
    "95% band over instances per learner.",
)
def fresh_instances(tables) -> Drawing:
    data = tables("fresh_instances")
    kinds = list(data.groupby("kind", sort=False))
    labels = {"x": "ε", "y": "regret over the random arm's"}
    canvas, axes = panels(1, len(kinds), height=3.4, width=2.8, sharey=True, **labels)
    for ax, (kind, rows) in zip(axes[0], kinds, strict=True):
        for series, line in rows.groupby("algorithm", sort=False):
            band(ax, line, "epsilon", SERIES.get(series, series), series=series)
        ax.set(title=f"{kind} signals", xscale="log", yscale="log")
    signs = data[data["algorithm"] == "dp-signs"].set_index(["kind", "epsilon"])
    released = data[data["algorithm"] == "fliphat-released"].set_index(["kind", "epsilon"])
    text = "; ".join(
        f"{kind}: {rows['mean'].iloc[0]:.3f} at ε = {rows.index[0][1]:g} to "
        f"{rows['mean'].iloc[-1]:.3f} at {rows.index[-1][1]:g}, at worst "
        f"{rows['worst'].max():.3f}, lowest of the private methods in {rows['best'].mean():.0%}"
        for kind, rows in signs.groupby(level=0, sort=False)
    )
    below = signs["high"].lt(released["low"]).sum()
    means = data.groupby("algorithm", sort=False)["mean"].mean()
    every = ", ".join(f"{SERIES.get(series, series)} {mean:.3f}" for series, mean in means.items())
    return Drawing(
        canvas, data,
        f"Share of the random arm's regret under dp-signs, {data['instances'].iloc[0]} instances "
        f"each: {text}. Mean over all settings: {every}. The regret of dp-signs is below that with "
        "the released constants, with disjoint 95% intervals, in "
        f"{below} of {len(signs)} settings.",
        "bands: 95% over instances, each with a β* of its own: |βⱼ| uniform in [0.5, 1] (alike), "
        "log-uniform in [0.1, 1] (uneven), as alike with σ = 1, ρ = 0.5 (noisy); else "
        + instance("arms", "sparsity", "rho", "sigma", "delta"),
        finding=f"at most {signs['worst'].max():.2g} of the random arm's regret, lowest of the "
        f"private methods in {signs['best'].mean():.0%}",
    )  # fmt: skip
