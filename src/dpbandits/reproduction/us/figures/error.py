"""US's figures of error rates. The paper has no figures."""

import numpy as np
import pandas as pd

from dpbandits.reproduction.plots.curves import curves, named_rows, ticks_at
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.style import BLACK, band, epsilon_name, look, panels
from dpbandits.reproduction.plots.widths import drawn_widths
from dpbandits.reproduction.us.algorithms.private_gp_ucb import DELTA
from dpbandits.reproduction.us.summaries import fitted_rates, kernel_name, where

RATES = ("US-T4.1 (exponent)",)
OVER_T = Plot("t", "mean", "low", "high", curve="epsilon", panel="setting", log="xy",
              x_label="rounds T", y_label="error rate")  # fmt: skip
LEARNS = 0.4  # of a random action's error at the last T
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
        "; ".join(["the error rate is the mean of max f − f(action); four of the ten settings, "
                   "fits of all are in us/rates; contexts are uniform unless said; √(γ/T) runs "
                   "through the first point of ε = ∞, γ/(Tε) through the last of ε = 5", *absent]),
    )  # fmt: skip


@figure(
    "us/rates",
    reads=("error_vs_T",),
    claims=RATES,
    title="Exponents of the error rate",
    alt="A panel per ε and in it a row per kernel, dimension and contexts: the fitted exponent "
    "with its interval, and ticks at the exponents of the two printed terms.",
)
def rates(tables) -> Drawing:
    """One panel per ε: where the measured exponent lies left of a tick, the error falls faster than
    that term."""
    fits = fitted_rates(tables("error_vs_T"))
    settings = list(fits["setting"].unique())
    learns = (fits["of_chance"] <= LEARNS).groupby(fits["epsilon"]).sum()
    epsilons = sorted((e for e in learns.index if e == np.inf or 2 * learns[e] >= len(settings)),
                      reverse=True)  # fmt: skip
    canvas, (axes,) = panels(1, len(epsilons), height=3.4, sharex=True, sharey=True)
    for epsilon, ax in zip(epsilons, axes, strict=True):
        rows = fits[fits["epsilon"] == epsilon]
        y = [settings.index(name) for name in rows["setting"]]
        wide = np.abs(rows[["low", "high"]].to_numpy().T - rows["slope"].to_numpy())
        for column, colour, label in (  # without noise there is no second term
            ("printed", BLACK, "printed: √(γ/T)"), ("printed_private", "0.6", "printed: γ/(Tε)"),
        )[: 1 + np.isfinite(epsilon)]:  # fmt: skip
            ax.plot(rows[column], y, "|", color=colour, ms=13, mew=1.8, label=label)
        style = look("usca") | {"linestyle": "", "ms": 4.5}
        line = ax.errorbar(rows["slope"], y, xerr=wide, label="usca, measured", capsize=2, **style)
        line[0].set_gid("usca")
        slow = rows["of_chance"].to_numpy() > LEARNS
        name = f"usca, not yet learning: error above {LEARNS:g} of a random action's"
        style |= {"mfc": "white", "zorder": 5, "label": name}
        ax.plot(rows["slope"][slow], np.array(y)[slow], **style)
        kind = "judged" if epsilon == np.inf else "drawn for comparison, not judged"
        ax.set(title=f"{epsilon_name(epsilon)}, {kind}", xlabel="exponent of T")
        named_rows(ax, [kernel_name(name).replace(" Mercer", "") for name in settings])
    drawn = fits[fits["epsilon"].isin(epsilons)]
    lowest = min(drawn["low"].min(), drawn["printed_private"].min())
    axes[0].set_xlim(max(lowest, -2.0) - 0.1, 0.1)
    note = "further left is faster; fitted to the last five points; bars are 95% intervals; "
    note += "the exponent is judged without privacy noise, where one term alone is left"
    rest = ", ".join(f"{n} at ε = {e:g}" for e, n in learns.items() if e not in epsilons)
    seen = f"Of {len(settings)} settings USCA learns by the last T in {rest} (in the table; an "
    seen += "exponent fitted before says little): too few to draw." if rest else ""
    return Drawing(canvas, fits, note, seen=seen if rest else "")


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
    """A star: where privacy doubles the error; dashed: where the two printed terms are equal."""
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
        ax.axvline(row.printed, color=BLACK, lw=1.3, ls="--", label="√(γ/T) = γ/(Tε)")
        ax.plot(row.crossing, 2 * floor, "*", color=BLACK, ms=11, zorder=5,
                label="privacy doubles USCA's error")  # fmt: skip
    note = "-exact: the smallest noise that is ε-private; exponential-gp draws the action by its "
    note += "posterior mean (ours); dotted: no privacy; √(γ/T) and γ/(Tε) are printed in O() only, "
    note += "and equal at the dashed line if both hidden constants are 1"
    rates = finite.pivot_table(
        index=["setting", "t", "epsilon"], columns="algorithm", values="mean"
    )
    below = rates.index[rates["exponential-gp"] < rates["usca"]].to_frame(index=False)
    passed = below.groupby(["setting", "t"])["epsilon"].min()
    double, factor = crossed["crossing"], crossed["crossing"] / crossed["printed"]
    return Drawing(
        canvas, data.merge(crossed, on=["setting", "t"], how="left"), note,
        seen=f"Privacy doubles USCA's error at ε of {double.min():.2g} to {double.max():.2g}, "
        f"{factor.min():.0f} to {factor.max():.0f} times the dashed line; Exponential-GP is below "
        f"USCA from ε of {passed.min():g} to {passed.max():g} on.",
    )  # fmt: skip


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


FREE = {"posterior-mean": "posterior-mean (no privacy)",
        "random-action": "random-action (ignores all data)"}  # fmt: skip
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
    """USCA and private GP-UCB are also drawn with the least noise that their exact loss allows
    (-exact). Private GP-UCB has a δ, USCA has none."""
    data = where(tables("rivals"), metric="regret")
    epsilons = sorted(e for e in data["epsilon"].unique() if np.isfinite(e))
    parts = [
        data[data["epsilon"].isin([epsilon, np.inf])].assign(panel=epsilon_name(epsilon))
        for epsilon in epsilons
    ]
    data = pd.concat(parts).assign(low=lambda rows: rows["low"].clip(lower=1e-4))
    free = {name: look(name) | {"color": "0.5", "linestyle": (0, (4, 2))} for name in FREE}
    thin = {"linestyle": ":", "marker": None, "lw": 1.1}
    names = set(data["algorithm"])
    printed = {name: look(name) for name in names if f"{name}-exact" in names}
    exact = {f"{name}-exact": style | thin for name, style in printed.items()}
    last = data[data["t"].eq(data["t"].max()) & np.isfinite(data["epsilon"])]
    last = last.pivot(index="epsilon", columns="algorithm", values="mean")
    ends = ", ".join(f"{name} {{{name}:.3g}}" for name in ("usca", "private-gp-ucb"))
    means = dict(zip(map(epsilon_name, last.index), last.to_dict("records"), strict=True))
    canvas, axes = curves(data, RIVALS, height=4, looks=free | printed | exact,
                          titles=lambda name: f"{name}: {ends.format(**means[name])}",
                          names=lambda name: FREE.get(name, name))  # fmt: skip
    both = zip(last.index, last["usca-exact"], last["private-gp-ucb-exact"], strict=True)
    least = ", ".join(f"ε={e:g}: {ours:.3g} against {theirs:.3g}" for e, ours, theirs in both)
    for ax in axes.values():
        ax.set_ylim(bottom=3e-4)
        ticks_at(ax, data["t"].unique(), text="{:,.0f}".format)
    return Drawing(
        canvas, data,
        f"private-gp-ucb has δ = {DELTA:g}, the others are pure; above each panel the errors at "
        "its end; full: the published noise; dotted, -exact: the least noise that the exact loss "
        "allows",
        seen=f"With the least noise of both (dotted), T = {data['t'].max():,}: {least}.",
    )  # fmt: skip


@figure(
    "us/widths",
    title="Private GP-UCB with less optimism than its theorem asks for",
    alt="Error rate over that with the width of the theorem, against the share of this width, a "
    "panel per ε, a line with a 95% band.",
    width="half",
)
def widths(tables) -> Drawing:
    """Rivals at their best: the width of private GP-UCB is chosen on functions of their own."""
    note = "the error rate is the mean of max f − f(action)"
    return drawn_widths(tables("widths"), "error rate", kernel_name, width="half", note=note)
