"""US's figures of error rates. The paper has no figures; the captions are computed, too."""

from itertools import product

import numpy as np
import pandas as pd

from dpbandits.reproduction.plots.figures import Drawing, figure
from dpbandits.reproduction.plots.style import BLACK, band, epsilon_look, epsilon_name, panels
from dpbandits.reproduction.us.figures.look import kernel_name
from dpbandits.reproduction.us.summaries import fitted_rates, where

RATES = "The rate is √(γ_T/T) + γ_T/(T ε) (Theorem 4.1)."


@figure(
    "us/error_vs_T",
    title="Error rate against T",
    paper_says=RATES,
    alt="Error rate against T on log axes; panels per kernel, d and contexts, lines per ε.",
)
def error_vs_t(tables) -> Drawing:
    data = tables("error_vs_T")
    settings = list(data["setting"].unique())
    looks = {"sharex": True, "sharey": True, "x": "rounds T", "y": "error rate"}
    canvas, axes = panels(2, len(settings) // 2, width=2.3, height=2.4, **looks)
    for ax, setting in zip(axes.flat, settings, strict=True):
        regret = where(data, setting=setting, metric="regret")
        for epsilon, rows in where(regret, algorithm="usca").groupby("epsilon"):
            label = f"usca, {epsilon_name(epsilon)}"
            band(ax, rows, "t", label, epsilon_look(epsilon), series="usca")
        nonprivate = where(regret, algorithm="posterior-mean")
        nonprivate = nonprivate.assign(low=nonprivate["low"].clip(lower=nonprivate["mean"] / 10.0))
        band(ax, nonprivate, "t", "posterior-mean")
        gain = where(data, setting=setting, metric="information_gain", epsilon=np.inf)
        first = where(regret, algorithm="usca", epsilon=np.inf)["mean"].iloc[0]
        ratio = np.sqrt(gain["mean"] / gain["t"])
        rate = first * ratio / ratio.iloc[0]
        ax.plot(gain["t"], rate, color="0.6", lw=1, ls=":", label="√(γ/T)")
        last = where(regret, algorithm="usca", epsilon=5.0)["mean"].iloc[-1]
        random = where(regret, algorithm="random-action")["mean"].iloc[0]
        ratio = gain["mean"] / gain["t"]
        rate = last * ratio / ratio.iloc[-1]
        rate = rate[rate < 1.5 * random]
        ax.plot(gain["t"][rate.index], rate, color="0.6", lw=1, ls="-.", label="γ/(Tε)")
        ax.axhline(random, color="0.3", lw=0.8, ls="--", label="random-action")
        ax.set(title=kernel_name(setting), xscale="log", yscale="log")
    drawn = data[data["metric"].isin(["regret", "information_gain"])]
    note = "√(γ/T): through the first point of ε = ∞; γ/(Tε): through the last of ε = 5"
    fits = fitted_rates(data)
    slopes = fits["slope"][np.isinf(fits["epsilon"])]
    finding = f"without privacy its exponent is {slopes.min():.2f} to {slopes.max():.2f}"
    return Drawing(canvas, drawn, _error_sentence(fits), note, finding=finding)


def _error_sentence(rates: pd.DataFrame) -> str:
    without = rates[np.isinf(rates["epsilon"])]
    private = rates[rates["epsilon"] == 5.0]
    return (
        "USCA, mean over runs with 95% bands; dashed: a random action; dotted: √(γ_T/T) "
        "through the first point of ε = inf; dash-dotted: γ_T/(T ε) "
        "through the last point of ε = 5. Slopes in T of the last five points: "
        f"ε = inf {without['slope'].min():.2f} to {without['slope'].max():.2f}, where "
        f"√(γ_T/T) has {without['printed'].min():.2f} to {without['printed'].max():.2f}; "
        f"ε = 5 {private['slope'].min():.2f} to {private['slope'].max():.2f}."
        + _contexts_sentence(private.set_index("setting")["of_chance"])
    )


def _contexts_sentence(of_chance: pd.Series) -> str:
    """The cost of rare contexts: the noise has one scale, that of the cell with the largest
    variance."""
    parts = [
        f"{share:.0%} for {kernel_name(setting)} ({of_chance[setting.removesuffix('-beta')]:.0%} "
        "if uniform)"
        for setting, share in of_chance.items()
        if setting.endswith("-beta")
    ]
    start = "Error at ε = 5 and the largest T as a share of a random action's:"
    return f" {start} {', '.join(parts)}." if parts else ""


@figure(
    "us/rates",
    reads=("error_vs_T",),
    title="Exponents of the error rate",
    paper_says=RATES,
    alt="Fitted exponents with intervals per kernel, dimension and ε, beside two printed.",
)
def rates(tables) -> Drawing:
    data = tables("error_vs_T")
    fits = fitted_rates(data)
    settings = list(fits["setting"].unique())
    canvas, axes = panels(1, 1, width=7.6, height=2.9)
    ax = axes[0, 0]
    for column, (epsilon, rows) in enumerate(fits.groupby("epsilon")):
        x = np.arange(len(settings)) + 0.14 * (column - 2)
        wide = np.abs(rows[["low", "high"]].to_numpy().T - rows["slope"].to_numpy())
        look = epsilon_look(epsilon) | {"linestyle": "", "ms": 3.5, "capsize": 1.5}
        label = f"usca, {epsilon_name(epsilon)}"
        ax.errorbar(x, rows["slope"], wide, label=label, **look)[0].set_gid("usca")
    printed = fits.groupby("setting", sort=False)[["printed", "printed_private"]].mean()
    for at, (one, two) in enumerate(printed.to_numpy()):
        ax.hlines([one, two], at - 0.42, at + 0.42, colors=["0.2", "0.6"], lw=1)
    ax.plot([], [], color="0.2", label="printed: √(γ/T)")
    ax.plot([], [], color="0.6", label="printed: γ/(Tε)")
    ax.set_xticks(
        range(len(settings)),
        [kernel_name(s).replace(", ", "\n").replace(" Mercer", "") for s in settings],
    )
    lowest = min(fits["low"].min(), fits["printed_private"].min())
    ax.set(ylabel="exponent of T, last five points", ylim=(max(lowest, -2.0) - 0.1, 0.1))
    slower = fits[fits["low"] > fits["printed"]]
    rest = fits.drop(slower.index)
    sentence = (
        f"Bars: 95% intervals. For {len(rest)} of {len(fits)} exponents the interval contains "
        f"that of √(γ_T/T) or lies below it. The {len(slower)} slower ones (ε "
        f"{slower['epsilon'].min():g} to {slower['epsilon'].max():g}) have errors that at the "
        f"largest T are still {slower['of_chance'].min():.0%} to {slower['of_chance'].max():.0%} "
        f"of a random action's (the others {rest['of_chance'].min():.0%} to "
        f"{rest['of_chance'].max():.0%}): T is too short there."
    )
    finding = f"{len(rest)} of {len(fits)} intervals contain the printed exponent or lie below it"
    note = "bars: 95% intervals of the fitted exponent"
    return Drawing(canvas, fits, sentence, note, finding=finding)


@figure(
    "us/error_vs_epsilon",
    reads=("error_vs_epsilon", "error_vs_T"),
    title="Error rate against ε",
    paper_says="The terms √(γ_T/T) and γ_T/(T ε) are equal at ε = √(γ_T/T).",
    alt="Error rate against ε, a panel per kernel and length, a line per algorithm; a black "
    "star where privacy doubles USCA's error, a white one where the terms are printed to cross.",
)
def error_vs_epsilon(tables) -> Drawing:
    data = tables("error_vs_epsilon")
    settings = list(data["setting"].unique())
    lengths = sorted(data["t"].unique())
    looks = {"sharex": True, "sharey": True, "x": "ε", "y": "error rate"}
    canvas, axes = panels(len(settings), len(lengths), width=2.6, height=2.2, **looks)
    crossed = crossings(data, tables("error_vs_T"))
    for ax, (setting, t) in zip(axes.flat, product(settings, lengths), strict=True):
        rows = where(data, setting=setting, t=t)
        for name, part in rows[np.isfinite(rows["epsilon"])].groupby("algorithm", sort=False):
            band(ax, part, "epsilon", name)
        floor = where(rows, algorithm="usca", epsilon=np.inf)["mean"].iloc[0]
        ax.axhline(floor, color="0.4", lw=0.8, ls=":", label="usca, ε = ∞")
        crossing, printed = where(crossed, setting=setting, t=t)[["crossing", "printed"]].iloc[0]
        star = {"ls": "", "marker": "*", "ms": 9, "mec": BLACK, "mew": 0.6, "zorder": 5}
        ax.plot(crossing, 2 * floor, color=BLACK, label="measured crossing (error doubled)", **star)
        ax.plot(printed, 2 * floor, color="w", label="printed crossing √(γ/T)", **star)
        numbers = f"crossing {crossing:.3g}, printed {printed:.3g}"
        ax.set_title(f"{kernel_name(setting)}, T = {t:,}\n{numbers}", fontsize=7.5)
        ax.set(xscale="log", yscale="log")
    text = "; ".join(
        f"{r.setting}, T = {r.t}: {r.crossing:.3g} (printed {r.printed:.3g})"
        for r in crossed.itertuples()
    )
    sentence = (
        "Bands 95%; thin lines: ε = inf; stars: the ε where privacy doubles the error, "
        "the measured crossing of the two terms, and (white) √(γ_T/T), the printed one: "
        f"{text}. {_gain_sentence(data)}"
    )
    ratio = crossed["crossing"] / crossed["printed"]
    finding = (
        f"privacy doubles it at {ratio.min():.3g} to {ratio.max():.3g} times the printed crossing"
    )
    drawn = data.merge(crossed, on=["setting", "t"], how="left")
    return Drawing(canvas, drawn, sentence, finding=finding)


def _gain_sentence(data: pd.DataFrame) -> str:
    """How much the least noise reduces the error, at the epsilon where it does most."""
    finite = data[np.isfinite(data["epsilon"])]
    means = finite.pivot_table(
        index=["setting", "t", "epsilon"], columns="algorithm", values="mean"
    )
    share = (means["usca-exact"] / means["usca"]).groupby("epsilon").mean()
    best = share.idxmin()
    return (
        "usca-exact uses the smallest noise that is ε-private; its error is "
        f"{share[best]:.0%} of that of usca with the printed noise at ε = {best:g} (mean "
        "over panels and T), "
        f"{share.iloc[0]:.0%} at {share.index[0]:g}, {share.iloc[-1]:.0%} at {share.index[-1]:g}."
    )


def crossings(data: pd.DataFrame, curves: pd.DataFrame) -> pd.DataFrame:
    """epsilon where USCA's error is twice that of epsilon = inf, by log-log interpolation."""
    lines = []
    usca = data[data["algorithm"] == "usca"]
    for (setting, t), rows in usca.groupby(["setting", "t"], sort=False):
        finite = rows[np.isfinite(rows["epsilon"])].sort_values("epsilon")
        floor = rows[np.isinf(rows["epsilon"])]["mean"].iloc[0]
        excess = np.log(finite["mean"].to_numpy() / (2.0 * floor))
        crossing = np.nan
        if excess[0] > 0 > excess[-1]:
            falling = -np.maximum.accumulate(excess[::-1])[::-1]  # ascending: for np.interp
            crossing = np.exp(np.interp(0.0, falling, np.log(finite["epsilon"])))
        gain = where(curves, metric="information_gain", setting=setting, t=t)["mean"]
        printed = np.sqrt(gain.iloc[0] / t) if len(gain) else np.nan
        lines.append({"setting": setting, "t": t, "crossing": crossing, "printed": printed})
    return pd.DataFrame(lines)


@figure(
    "us/rivals",
    title="USCA beside its rivals, SE kernel",
    paper_says="USCA improves on the private GP-UCB of Dubey (2021), the other private method.",
    alt="Error rate against T, one panel per ε, one line per algorithm.",
)
def rivals(tables) -> Drawing:
    data = where(tables("rivals"), metric="regret")
    epsilons = sorted(e for e in data["epsilon"].unique() if np.isfinite(e))
    names = list(data["algorithm"].unique())
    labels = {"x": "rounds T", "y": "error rate"}
    canvas, axes = panels(1, len(epsilons), width=2.7, sharey=True, **labels)
    for ax, epsilon in zip(axes[0], epsilons, strict=True):
        for name in names:
            rows = data[(data["algorithm"] == name) & data["epsilon"].isin([epsilon, np.inf])]
            band(ax, rows.assign(low=rows["low"].clip(lower=1e-4)), "t", name)
        ax.set(title=epsilon_name(epsilon), xscale="log", yscale="log")
        ax.set_ylim(bottom=3e-4)
    last = data[data["t"] == data["t"].max()].set_index(["algorithm", "epsilon"])["mean"]
    parts = [
        f"at ε = {e:g}: "
        + ", ".join(f"{n} {last[n, e]:.3g}" for n in names if (n, e) in last.index)
        for e in epsilons
    ]
    free = ", ".join(f"{n} {last[n, np.inf]:.3g}" for n in names if (n, np.inf) in last.index)
    sentence = (
        f"Error rates at T = {data['t'].max()} {'; '.join(parts)}; without privacy: {free}. "
        "private-gp-ucb has δ = 0.01, the others are pure; -exact: the least noise that the "
        "exact loss allows, in place of the published one."
    )
    note = "Exact: the least noise that the exact loss allows; GP-UCB, Posterior-Mean: no privacy"
    best = ", ".join(f"{last[:, e].idxmin()} at {e:g}" for e in epsilons)
    finding = f"lowest private error, by ε: {best}"
    return Drawing(canvas, data, sentence, note, finding=finding)
