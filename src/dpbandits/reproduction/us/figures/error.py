"""US's figures of error rates. The paper has no figures."""

import numpy as np
import pandas as pd

from dpbandits.reproduction.plots.curves import curves, ticks_at
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.style import BLACK, band, epsilon_look, epsilon_name, look, panels
from dpbandits.reproduction.us.figures.look import kernel_name
from dpbandits.reproduction.us.summaries import fitted_rates, where

RATES = ("US-T4.1 (exponent)",)
OVER_T = Plot("t", "mean", "low", "high", curve="epsilon", panel="setting", log="xy",
              x_label="rounds T", y_label="error rate")  # fmt: skip
SHOWN = "se", "matern32", "se-2d", "matern52-beta"  # of ten alike, which are in us/rates


@figure(
    "us/error_vs_T",
    claims=RATES,
    title="Error rate against T",
    alt="Error rate against T on log axes; a panel per kernel, dimension and contexts, a line with "
    "a 95% band per ε, and the shapes of the two printed terms.",
)
def error_vs_t(tables) -> Drawing:
    table = tables("error_vs_T")
    settings = [name for name in SHOWN if name in set(table["setting"])] or [table["setting"][0]]
    regret = where(table, metric="regret")
    usca = where(regret, algorithm="usca").sort_values("epsilon", kind="stable")
    data = pd.concat([usca[usca["setting"] == name] for name in settings])
    canvas, axes = curves(data, OVER_T, columns=4, height=4, series="usca", titles=kernel_name)
    absent = []
    for setting, ax in axes.items():
        own = where(regret, setting=setting)
        free = where(own, algorithm="posterior-mean")
        free = free.assign(low=free["low"].clip(lower=free["mean"] / 10))
        band(ax, free, "t", "posterior-mean (no privacy)", look("posterior-mean"),
             series="posterior-mean")  # fmt: skip
        random = where(own, algorithm="random-action")["mean"].iloc[0]
        gain = where(table, setting=setting, metric="information_gain", epsilon=np.inf)
        for epsilon, ratio, dash, name in (
            (np.inf, np.sqrt(gain["mean"] / gain["t"]), ":", "like √(γ/T)"),
            (5.0, gain["mean"] / gain["t"], "-.", "like γ/(Tε)"),
        ):
            line = where(own, algorithm="usca", epsilon=epsilon)["mean"]
            at = 0 if epsilon == np.inf else -1
            rate = line.iloc[at] * ratio / ratio.iloc[at]
            rate = rate[rate < random]
            if len(rate) > 2:  # else the error is near a random action's everywhere
                ax.plot(gain["t"][rate.index], rate, color="0.5", lw=1.2, ls=dash, label=name)
            else:
                absent.append(f"no line {name} in {kernel_name(setting)}: it would lie above "
                              "random-action")  # fmt: skip
        ax.axhline(random, color="0.3", lw=1, ls="--", label="random-action")
    return Drawing(
        canvas, data,
        "; ".join(["four of the ten settings; contexts are uniform unless said; √(γ/T) runs "
                   "through the first point of ε = ∞, γ/(Tε) through the last of ε = 5", *absent]),
    )  # fmt: skip


@figure(
    "us/rates",
    reads=("error_vs_T",),
    claims=RATES,
    title="Exponents of the error rate",
    alt="Fitted exponents with intervals per kernel, dimension and ε, beside two printed.",
)
def rates(tables) -> Drawing:
    fits = fitted_rates(tables("error_vs_T"))
    settings = list(fits["setting"].unique())
    canvas, axes = panels(1, 1, height=3.6, y="exponent of T (lower is faster)")
    ax = axes[0, 0]
    for column, (epsilon, rows) in enumerate(fits.groupby("epsilon")):
        x = np.arange(len(settings)) + 0.14 * (column - 2)
        wide = np.abs(rows[["low", "high"]].to_numpy().T - rows["slope"].to_numpy())
        style = epsilon_look(epsilon) | {"linestyle": "", "ms": 4.5}
        label = f"usca, {epsilon_name(epsilon)}"
        ax.errorbar(x, rows["slope"], wide, label=label, capsize=2, **style)[0].set_gid("usca")
        late = (rows["low"] > rows["printed"]).to_numpy()
        ax.plot(x[late], rows["slope"][late], **style, mfc="white", zorder=4)
    printed = fits.groupby("setting", sort=False)[["printed", "printed_private"]].mean()
    for at, (one, two) in enumerate(printed.to_numpy()):
        ax.hlines([one, two], at - 0.42, at + 0.42, colors=["0.1", "0.6"], lw=1.4)
    ax.plot([], [], color="0.1", label="printed: √(γ/T)")
    ax.plot([], [], color="0.6", label="printed: γ/(Tε)")
    ax.plot([], [], "o", color="0.3", mfc="white", label="hollow: slower than √(γ/T)")
    names = [kernel_name(s).replace(", ", "\n").replace(" Mercer", "") for s in settings]
    reach = (fits["low"] <= fits["printed"]).groupby(fits["setting"]).agg(["sum", "size"])
    names = [f"{name}\n{n} of {of}" for name, (n, of) in
             zip(names, reach.loc[settings].to_numpy(), strict=True)]  # fmt: skip
    ax.set_xticks(range(len(settings)), names)
    lowest = min(fits["low"].min(), fits["printed_private"].min())
    ax.set_ylim(max(lowest, -2.0) - 0.1, 0.1)
    return Drawing(
        canvas, fits,
        "the exponent is fitted to the last five points; bars are its 95% intervals; filled, and "
        "counted below each setting: the interval contains the exponent of √(γ/T) or lies below",
    )  # fmt: skip


OVER_EPSILON = Plot("epsilon", "mean", "low", "high", curve="algorithm", panel="panel", log="xy",
                    x_label="ε", y_label="error rate")  # fmt: skip


@figure(
    "us/error_vs_epsilon",
    reads=("error_vs_epsilon", "error_vs_T"),
    title="Error rate against ε",
    alt="Error rate against ε, a panel per kernel and length, a line per algorithm; a star where "
    "privacy doubles USCA's error, a vertical line where the printed terms would cross.",
)
def error_vs_epsilon(tables) -> Drawing:
    data = tables("error_vs_epsilon")
    crossed = crossings(data, tables("error_vs_T"))
    data["panel"] = [f"{kernel_name(s)}, T = {t:,}" for s, t in zip(data["setting"], data["t"],
                                                                    strict=True)]  # fmt: skip
    finite = data[np.isfinite(data["epsilon"])].sort_values(["setting", "t"], kind="stable")
    canvas, axes = curves(finite, OVER_EPSILON, columns=data["t"].nunique(), height=2.4)
    for row in crossed.itertuples():
        own = where(data, setting=row.setting, t=row.t)
        ax = axes[own["panel"].iloc[0]]
        floor = where(own, algorithm="usca", epsilon=np.inf)["mean"].iloc[0]
        ax.axhline(floor, color="0.4", lw=1, ls=":", label="usca, ε = ∞")
        ax.axvline(
            row.printed,
            color=BLACK,
            lw=1.3,
            ls="--",
            label="both printed terms equal",
        )
        ax.plot(row.crossing, 2 * floor, "*", color=BLACK, ms=11, zorder=5,
                label="privacy doubles USCA's error")  # fmt: skip
    note = "usca-exact uses the smallest noise that is ε-private; dotted: no privacy; the terms "
    note += "are printed in O() only, and equal at the dashed line if both hidden constants are 1"
    return Drawing(canvas, data.merge(crossed, on=["setting", "t"], how="left"), note)


def crossings(data: pd.DataFrame, over_t: pd.DataFrame) -> pd.DataFrame:
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
        gain = where(over_t, metric="information_gain", setting=setting, t=t)["mean"]
        printed = np.sqrt(gain.iloc[0] / t) if len(gain) else np.nan
        lines.append({"setting": setting, "t": t, "crossing": crossing, "printed": printed})
    return pd.DataFrame(lines)


RIVALS = Plot("t", "mean", "low", "high", curve="algorithm", panel="panel", log="xy",
              x_label="rounds T", y_label="error rate")  # fmt: skip


@figure(
    "us/rivals",
    claims=("US-ABS (measured)",),
    title="USCA beside its rivals, SE kernel",
    alt="Error rate against T, one panel per ε, one line per algorithm; dashed grey lines: without "
    "privacy.",
)
def rivals(tables) -> Drawing:
    data = where(tables("rivals"), metric="regret")
    epsilons = sorted(e for e in data["epsilon"].unique() if np.isfinite(e))
    parts = [
        data[data["epsilon"].isin([epsilon, np.inf])].assign(panel=epsilon_name(epsilon))
        for epsilon in epsilons
    ]
    data = pd.concat(parts).assign(low=lambda rows: rows["low"].clip(lower=1e-4))
    free = data.groupby("algorithm")["epsilon"].min()
    free = list(free[np.isinf(free)].index)
    looks = {name: look(name) | {"color": "0.5", "linestyle": (0, (4, 2))} for name in free}
    ignores = {name: f"{name} (no privacy)" for name in free}
    ignores |= {"random-action": "random-action (ignores all data)"}
    canvas, axes = curves(data, RIVALS, height=4, looks=looks,
                          names=lambda name: ignores.get(name, name))  # fmt: skip
    for ax in axes.values():
        ax.set_ylim(bottom=3e-4)
        ticks_at(ax, data["t"].unique(), text="{:,.0f}".format)
    return Drawing(
        canvas, data,
        "private-gp-ucb has δ = 0.01, the others are pure; -exact: the least noise that the exact "
        "loss allows, in place of the published one",
    )  # fmt: skip
