"""FL's figures beyond the paper."""

import numpy as np
import pandas as pd

from dpbandits.core.figures import Drawing, figure
from dpbandits.core.statistics import fit_power
from dpbandits.core.style import MARKERS, OKABE_ITO, band, look, panels
from dpbandits.sparse.figures.layout import NOT_PRIVATE, PRIVATE, dash, epsilon_bands


@figure(
    "fl/large_d",
    notebook="beyond",
    reads=("large_d",),
    title="Regret for up to a million coordinates, released constants",
    paper_says="The cost of privacy grows like ln d (checked there up to d = 4000).",
    alt="Regret against d on a logarithmic axis, one line per epsilon and horizon.",
)
def large_d(tables) -> Drawing:
    data = tables("large_d")
    horizons = sorted(data["t"].unique())
    canvas, axes = panels(1, len(horizons), sharey=True)
    text = []
    for ax, t in zip(axes[0], horizons, strict=True):
        here = data[data["t"] == t]
        epsilon_bands(ax, here, "d")
        ax.set(
            title=f"released, after {t} rounds\n{NOT_PRIVATE}", xscale="log", xlabel="dimension d"
        )
        for epsilon, own in here.groupby("epsilon"):
            first, last = own["mean"].iloc[0], own["mean"].iloc[-1]
            text.append(f"{last / first:.2f} at t = {t}, ε = {epsilon:g}")
    axes[0, 0].set_ylabel("regret")
    axes[0, 0].legend()
    low, high = data["d"].min(), data["d"].max()
    return Drawing(canvas, data, f"Regret at d = {high} over that at d = {low}: {'; '.join(text)}.")


@figure(
    "fl/dimension_vs_linucb",
    notebook="beyond",
    reads=("linucb",),
    title="Dependence on d beside a private linear bandit without sparsity",
    paper_says="Regret of the earlier JDP bandit grows like a power of d, FLIPHAT's like ln d.",
    alt="Regret as a share of the random arm's against d, FLIPHAT and JDP-LinUCB.",
)
def dimension_vs_linucb(tables) -> Drawing:
    data = tables("linucb")
    horizons = sorted(data["t"].unique())
    canvas, axes = panels(1, len(horizons), sharey=True)
    text = []
    for ax, t in zip(axes[0], horizons, strict=True):
        here = data[data["t"] == t]
        idle = here[here["algorithm"] == "random-arm"].set_index("d")["mean"]
        for name, label in (
            ("fliphat-released", f"fliphat, released ({NOT_PRIVATE})"),
            ("jdp-linucb", f"jdp-linucb ({PRIVATE})"),
        ):
            own = here[here["algorithm"] == name].copy()
            for column in ("mean", "low", "high"):
                own[column] = own[column] / own["d"].map(idle)
            style = look(name.removesuffix("-released")) | {"linestyle": dash(name)}
            band(ax, own, "d", label, style)
            shares = ", ".join(f"{m:.2f}" for m in own["mean"])
            text.append(f"{name} at t = {t}: {shares}")
        ax.axhline(1, color="#555555", ls=":", lw=1)
        ax.set(title=f"after {t} rounds, ε = 10", xscale="log", xlabel="dimension d")
        ax.set_xticks(own["d"], own["d"].astype(str))
        ax.minorticks_off()
    axes[0, 0].set_ylabel("regret / random arm's")
    axes[0, 0].legend()
    d = ", ".join(map(str, sorted(data["d"].unique())))
    return Drawing(
        canvas, data, f"Shares of the random arm's regret for d = {d}: {'; '.join(text)}."
    )


_CONVERGED = {"color": "#000000", "linestyle": "--", "marker": None}
_MARGINS = {
    "gaussian": "Gaussian contexts (paper)",
    "alpha-0": "α = 0 (gap log-uniform)",
    "alpha-1": "α = 1 (gap uniform)",
    "alpha-inf": "α = ∞ (gap 1)",
}


@figure(
    "fl/margin",
    notebook="beyond",
    reads=("margin", "margin_converged"),
    title="Instances with margin exponent 0, 1 and infinity",
    paper_says="Regret grows like the root of T at α = 0, ln T at α = 1, and stops at α = ∞.",
    alt="Regret against rounds, four panels with one kind of instance each, a line per epsilon.",
)
def margin(tables) -> Drawing:
    data = pd.concat((tables("margin"), tables("margin_converged")), ignore_index=True)
    data = data[data["metric"] == "regret"]
    canvas, axes = panels(2, 2, height=2.6, sharex=True)
    text = []
    for ax, kind in zip(axes.flat, _MARGINS, strict=True):
        own = data[data["setting"] == kind]
        converged = own[own["algorithm"] == "fliphat-converged"]
        released = own[own["algorithm"] == "fliphat-released"]
        epsilon_bands(ax, released, "t", lambda *_: ", released")
        band(ax, converged, "t", "ε = inf, M = ln(1 + N b²), η = 0.15", _CONVERGED)
        ax.set(title=_MARGINS[kind], xscale="log", yscale="log")
        growth = [late_growth(own, series) for series in ("fliphat-released", "fliphat-converged")]
        text.append(f"{kind} {growth[0][0]:.2f} and {growth[1][0]:.2f}")
    for ax in axes[1]:
        ax.set_xlabel("rounds t")
    for ax in axes[:, 0]:
        ax.set_ylabel("regret")
    axes[0, 0].legend(title=f"dashed: {NOT_PRIVATE}", title_fontsize=6, fontsize=6)
    return Drawing(
        canvas,
        data,
        "Growth powers over the last four episodes at ε = inf, released steps and run to "
        f"convergence: {'; '.join(text)}. One step from 0 estimates a multiple of Σβ*, not β*: "
        "its regret must end up linear.",
    )


def late_growth(table: pd.DataFrame, series: str, epsilon: float = np.inf) -> tuple[float, float]:
    """Power of regret in T over the last four checkpoints, and its standard error."""
    rows = table[(table["algorithm"] == series) & (table["epsilon"] == epsilon)].tail(4)
    return fit_power(rows["t"], rows["mean"])


@figure(
    "fl/regret_by_episode",
    notebook="beyond",
    reads=("margin",),
    title="Where regret is paid: per round of each episode, and the estimate in force",
    paper_says="The first episodes are paid in full; later ones pay for the estimate's error.",
    alt="Mean regret per round and cosine of the estimate with the signal, per episode.",
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
    canvas, axes = panels(1, 2, sharex=True)
    epsilon_bands(axes[0, 0], regret, "t", lambda *_: ", released")
    epsilon_bands(axes[0, 1], cosine, "t", lambda *_: ", released")
    axes[0, 0].set(xscale="log", yscale="log", ylabel="regret per round", xlabel="end of episode")
    axes[0, 1].set(ylabel="cosine(estimate, β*)", xlabel="end of episode")
    axes[0, 1].legend(title=f"dashed: {NOT_PRIVATE}", title_fontsize=6, fontsize=6)
    end = table["t"].max()
    early = end // 16
    share = [
        f"{own.loc[own['t'] <= early, 'mean'].max() / own['mean'].max():.2f} (ε={e:g})"
        for e, own in table[table["metric"] == "regret"].groupby("epsilon")
    ]
    data = pd.concat((regret.drop(columns=["sem", "low", "high"]), cosine), ignore_index=True)
    text = f"Share of the regret after {end} rounds that the first {early} pay: "
    return Drawing(canvas, data, text + ", ".join(share) + ".")


TERMS = {"statistical": "without noise", "private": "with the printed noise"}


@figure(
    "fl/estimation_error",
    notebook="beyond",
    reads=("estimation",),
    title="Squared error of N-IHT against n, s, d and ε",
    paper_says="Non-private (s + s*) ln d/n, private (s ln d)^2 ln^4 n/(n ε)^2, both times σ^2.",
    alt="Squared error against each factor on logarithmic axes, with fitted powers.",
)
def estimation_error(tables) -> Drawing:
    data = tables("estimation")
    canvas, axes = panels(1, 4, width=2.6, sharey=True)
    names = {"n": "rows n", "sparsity": "kept s", "d": "dimension d", "epsilon": "ε"}
    text = []
    for ax, (varied, label) in zip(axes[0], names.items(), strict=True):
        own = data[data["varied"] == varied]
        for slot, (term, rows) in enumerate(own.groupby("term", sort=True)):
            power, sem = fit_power(rows["value"], rows["mean"], rows["sem"])
            ax.errorbar(
                rows["value"], rows["mean"], yerr=1.96 * rows["sem"], marker=MARKERS[slot],
                markersize=4, color=OKABE_ITO[slot], label=f"{TERMS[term]}: power {power:.2f}",
            )  # fmt: skip
            text.append(f"{term} in {varied} {power:.2f} ± {sem:.2f}")
        ax.set(xscale="log", yscale="log", xlabel=label)
        ticks = sorted(own["value"].unique())
        ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks], rotation=30)
        ax.minorticks_off()
        ax.legend()
    axes[0, 0].set_ylabel("squared error")
    canvas.suptitle(f"printed constants; {NOT_PRIVATE}", fontsize=7.5)
    return Drawing(canvas, data, f"Fitted powers: {'; '.join(text)}.")
