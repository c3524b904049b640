"""FL's figures of the paper, each under the presets of FLIPHAT and with dp-signs."""

import numpy as np
import pandas as pd

from dpbandits.core.statistics import chi_square, slope
from dpbandits.reproduction.fl.figures.layout import (
    REFERENCE,
    SERIES,
    at_ends,
    at_epsilons,
    epsilon_bands,
    overlay,
    preset_panels,
    residual_strip,
)
from dpbandits.reproduction.fl.published import published
from dpbandits.reproduction.fl.summaries import (
    against_published,
    in_logarithms,
    log_slopes,
    residuals,
)
from dpbandits.reproduction.plots.figures import Drawing, figure
from dpbandits.reproduction.plots.style import BLACK, band

OF_THE_PAPER = ("fliphat-released", "fliphat-fresh", "fliphat-printed", "fliphat-corrected")
DOTTED = {"color": BLACK, "ls": ":", "lw": 0.9}


def _horizon(tables, setting: str) -> Drawing:
    data = tables("horizon")
    data = data[(data["metric"] == "regret") & (data["setting"] == setting)]
    canvas, places = preset_panels(data, "rounds t", "regret R(t)")
    for _, ax, rows, _ in places:
        epsilon_bands(ax, rows, "t")
        for name, style in REFERENCE.items():
            band(ax, data[data["algorithm"] == name], "t", name, style)
        ax.set_yscale("log")
        ax.set_ylim(data["mean"][data["t"] > data["t"].max() / 50].min() / 2, None)
    last = data[data["t"] == data["t"].max()]
    idle = last.loc[last["algorithm"] == "random-arm", "mean"].iloc[0]
    shares = last.set_index(["algorithm", "epsilon"])["mean"] / idle
    parts = [f"{title}: {at_epsilons(shares[series])}" for series, title in SERIES.items()]
    least = shares.xs(last["epsilon"].min(), level="epsilon")
    return Drawing(
        canvas, data,
        f"Regret at t = {int(data['t'].max())} as a share of the random arm's {idle:.0f}: "
        f"{'; '.join(parts)}; sa-lasso {shares['sa-lasso'].iloc[0]:.2f}.",
        finding=f"at ε = {last['epsilon'].min():g} corrected FLIPHAT has "
        f"{least['fliphat-corrected']:.0%} of the random arm's regret, dp-signs "
        f"{least['dp-signs']:.0%}",
    )  # fmt: skip


_OVER_TIME = (
    "Regret on a logarithmic axis against rounds, a panel per preset, a line with a band per "
    "ε; dotted and dash-dotted: a random arm and SA-Lasso, which are not private."
)


@figure(
    "fl/fig2_left",
    reads=("horizon",),
    title="Figure 2 left, Gaussian reward noise (the same as Figure 1 left)",
    paper_says="Sublinear also at ε = 0.5, most clearly after t = 7500.",
    alt=_OVER_TIME,
)
@figure(
    "fl/fig1_left",
    reads=("horizon",),
    title="Figure 1 left, regret over time",
    paper_says="Regret is sublinear and approaches the sparsity-agnostic bandit's as ε grows.",
    alt=_OVER_TIME,
)
def fig1_left_and_fig2_left(tables) -> Drawing:
    return _horizon(tables, "gaussian")


@figure(
    "fl/fig2_right",
    reads=("horizon",),
    title="Figure 2 right, uniform reward noise",
    paper_says="Much the same as with Gaussian noise.",
    alt=_OVER_TIME,
)
def fig2_right(tables) -> Drawing:
    return _horizon(tables, "uniform")


@figure(
    "fl/fig1_right",
    reads=("dimension", "dimension_private"),
    title="Figure 1 right, regret at T = 10,000 against ln d",
    paper_says="R(T) is nearly linear in ln d; the legend gives the slope of R/100.",
    alt="Regret against ln d, a panel per preset; a line with a band per ε.",
)
def fig1_right(tables) -> Drawing:
    data = pd.concat((tables("dimension"), tables("dimension_private")), ignore_index=True)
    data = data.assign(ln_d=np.log(data["d"]))
    canvas, places = preset_panels(data, "ln d", "regret R(10,000)")
    texts, slopes = [], []
    for series, ax, rows, _ in places:
        epsilon_bands(ax, rows, "ln_d")
        fits = {}
        for epsilon, line in rows.groupby("epsilon"):
            fits[epsilon] = slope(*(line[c].to_numpy() for c in ("ln_d", "mean", "sem")))
            _line(ax, line, "ln_d", fits[epsilon][0])
        at_ends(ax, rows, "ln_d", lambda epsilon, _, fits=fits: f"{fits[epsilon][0]:.0f}")
        slopes += [b for b, _ in fits.values()]
        shown = (f"{b / 100:.1f} ± {sem / 100:.1f} (ε={e:g})" for e, (b, sem) in fits.items())
        texts.append(f"{SERIES[series]}: {', '.join(shown)}")
    places[0][1].plot([], [], label="fitted line, at the right its slope per ln d", **DOTTED)
    rising = sum(b > 0 for b in slopes)
    finding = f"slopes per ln d are positive for {rising} of {len(slopes)} lines"
    text = f"Slopes of R/100 on ln d: {'; '.join(texts)}."
    return Drawing(canvas, data, text, finding=finding)


def _line(ax, rows: pd.DataFrame, x: str, slope: float) -> None:
    """A line of that slope through the middle of the points."""
    y = rows["mean"].mean() + slope * (rows[x] - rows[x].mean())
    ax.plot(rows[x], y, zorder=4, **DOTTED)


@figure(
    "fl/fig3_left",
    reads=("sparsity", "sparsity_others", "sparsity_private"),
    title="Figure 3 left, regret at T = 10,000 against s, true s* = 10",
    paper_says="Poor below s*, best near it, then worse again with slopes 0.04, 0.14, 0.29, 0.37 "
    "(dotted, through the middle of our points).",
    alt="ln regret against ln s, a panel per preset, a line with a band per ε; below the "
    "upper three a strip of our slopes less the published ones in standard errors.",
)
def fig3_left(tables) -> Drawing:
    parts = [tables(name) for name in ("sparsity", "sparsity_others", "sparsity_private")]
    data = pd.concat([in_logarithms(part) for part in parts], ignore_index=True)
    labels = "ln s", "ln R(10,000)", "our slope less published\nin standard errors"
    canvas, places = preset_panels(data, *labels)
    slopes, printed = log_slopes(data), published("fig3_left").set_index("epsilon")["slope"]
    for series, ax, rows, strip in places:
        fitted = slopes[slopes["algorithm"] == series]
        ours = fitted.set_index("epsilon")["slope"]
        epsilon_bands(ax, rows, "ln_s")
        ax.set_ylim(data["low"].min() - 0.2, data["high"].max() + 0.2)
        ax.axvline(np.log(rows["true_sparsity"].iloc[0]), color="#999999", lw=0.8, label="s = s*")
        if strip:
            for epsilon, line in rows[rows["sparsity"] >= rows["true_sparsity"]].groupby("epsilon"):
                _line(ax, line, "ln_s", printed[epsilon])
            both = against_published(fitted, rows["runs"].iloc[0])
            side_by_side = np.linspace(*rows["ln_s"].quantile([0.2, 0.8]), len(both))
            residual_strip(strip, both.assign(ln_s=side_by_side), "ln_s")
        at_ends(ax, rows, "ln_s", lambda e, _, ours=ours: f"{ours[e]:z.2f} ({printed[e]:g})")
    label = "published slope; at the right ours over s ≥ s* (published)"
    places[0][1].plot([], [], label=label, **DOTTED)
    released = slopes[slopes["algorithm"] == "fliphat-released"]
    both = released.merge(published("fig3_left"), on="epsilon", suffixes=("", "_published"))
    text = ", ".join(
        f"{r.slope:.3f} ± {r.sem:.3f} (published {r.slope_published:g}, ε={r.epsilon:g})"
        for r in both.itertuples()
    )
    largest = (both["slope"] - both["slope_published"]).abs().max()
    return Drawing(
        canvas,
        data,
        f"Released slopes over s ≥ s*: {text}.",
        "strips: one mark per ε, side by side",
        finding=f"the released presets' slopes are within {largest:.2g} of the published ones",
    )


@figure(
    "fl/fig3_right",
    reads=("arms", "arms_others", "arms_private"),
    title="Figure 3 right, regret at T = 10,000 against the number of arms",
    paper_says="Sublinear in K. Rings: the published means with 95% bars, in every panel; below "
    "the upper ones their distance from ours.",
    alt="Regret against the number of arms, a panel per preset, with the published points, and "
    "strips of published less simulated means in standard errors.",
)
def fig3_right(tables) -> Drawing:
    parts = [tables(name) for name in ("arms", "arms_others", "arms_private")]
    data, points = pd.concat(parts, ignore_index=True), published("fig3_right")
    labels = "number of arms K", "regret R(10,000)", "published less ours\nin standard errors"
    canvas, places = preset_panels(data, *labels)
    top = data["high"].max()
    texts, fits = [], {}
    for series, ax, rows, strip in places:
        epsilon_bands(ax, rows, "arms")
        overlay(ax, points, "arms")
        ax.set_ylim(-0.04 * top, 1.04 * top)
        both = residuals(points, rows, "arms")
        if strip:
            residual_strip(strip, both, "arms")
        if series in OF_THE_PAPER:
            fits[series], count, p = chi_square(both["z"])
            texts.append(f"{SERIES[series]}: {fits[series]:.0f} over {count} points (p = {p:.2g})")
    data = pd.concat([data, points.assign(algorithm="published", t=10000)], ignore_index=True)
    nearest = min(fits, key=fits.get)
    return Drawing(
        canvas,
        data,
        "Chi-square against the published points: " + "; ".join(texts) + ".",
        finding=f"of the four presets '{SERIES[nearest]}' comes closest to the published means",
    )
