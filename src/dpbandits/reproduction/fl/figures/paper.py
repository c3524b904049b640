"""FL's figures of the paper: each as published, then under every preset of FLIPHAT and dp-signs."""

from dataclasses import replace

import numpy as np
import pandas as pd

from dpbandits.reproduction.fl.claims.figures import TENTH
from dpbandits.reproduction.fl.figures.layout import (
    RELEASED,
    ceiling,
    draw_references,
    overlay,
    preset_panels,
    privacy_label,
    published_form,
)
from dpbandits.reproduction.fl.published import SUBLINEAR_AFTER, published
from dpbandits.reproduction.fl.summaries import (
    against_published,
    in_logarithms,
    log_slopes,
    second_half,
    slope_in,
)
from dpbandits.reproduction.plots.curves import label_ends, ticks_at
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.style import BLACK, epsilon_name

PRESETS = "each preset of FLIPHAT"
EXPLAINED = (
    "the presets have the constants of the text (printed) or of the authors' code (released), "
    "Laplace noise for the true sensitivity (corrected), or Gumbel and Gaussian noise (zcdp)"
)
DESCRIBED = "a panel per ε, a line with a 95% band per preset."
PRINTED = "fliphat-printed"
SAID = (
    "of these curves the paper prints one number: at ε = 0.5 regret is clearly sublinear in "
    f"particular after T = {SUBLINEAR_AFTER:,} (Appendix F.1), the dashed vertical line"
)
OVER_TIME = Plot("t", curve="epsilon", x_label="rounds t", y_label="regret R(t)")
OVER_LN_D = Plot("ln_d", curve="epsilon", x_label="ln d", y_label="regret R(10,000)")
OVER_LN_S = Plot("ln_s", curve="epsilon", x_label="ln s", y_label="ln R(10,000)")
OVER_ARMS = replace(OVER_LN_D, x="arms", x_label="number of arms K")


def _over_time(file: str, setting: str, claim: str, title: str) -> None:
    def regret(data: pd.DataFrame, noise: str) -> pd.DataFrame:
        return data[(data["metric"] == "regret") & (data["setting"] == noise)]

    @figure(
        f"fl/{file}",
        reads=("horizon",),
        claims=(f"{claim} (released)",),
        title=title,
        alt="Regret against rounds for the released constants, a line with a 95% band per ε; "
        "dotted and dash-dotted: a random arm and SA-Lasso, which are not private.",
        width="half",
    )
    def as_published(tables) -> Drawing:
        data = regret(tables("horizon"), setting)
        data = data[data["algorithm"].isin([RELEASED, "random-arm", "sa-lasso"])]
        canvas, ax = published_form(data, OVER_TIME)
        draw_references(ax, data)
        ax.axvline(SUBLINEAR_AFTER, color="0.4", lw=1, ls=(0, (2, 2)), zorder=1.5)
        if setting != "gaussian":
            usual = regret(tables("horizon"), "gaussian")
            _beside(dict.fromkeys(data["epsilon"], ax), usual, RELEASED)
        label_ends(ax)
        ax.locator_params(axis="x", nbins=5)
        return Drawing(canvas, data, SAID, legend=False)

    @figure(
        f"fl/{file}_presets",
        reads=("horizon", "horizon_private"),
        claims=(f"{claim} (printed)", f"{claim} (released)"),
        title=f"{title}: {PRESETS}",
        alt=f"Regret against rounds on two logarithmic axes, {DESCRIBED}",
    )
    def presets(tables) -> Drawing:
        table = _joined(tables, "horizon", "horizon_private")
        table = table[table["t"] >= table["t"].max() / 50]
        data = regret(table, setting)
        canvas, axes = preset_panels(data, replace(OVER_TIME, log="xy"))
        for ax in axes.values():
            draw_references(ax, data)
        if setting != "gaussian":
            _beside(axes, regret(table, "gaussian"), RELEASED, PRINTED)
        note = "a line that levels off is sublinear, one as steep as the random arm's is linear"
        return Drawing(canvas, data, f"{note}; {EXPLAINED}", seen=_least_flat(data))


_over_time("fig1_left", "gaussian", "FL-F1L", "Figure 1 left (and 2 left), regret over time")
_over_time("fig2_right", "uniform", "FL-F2R", "Figure 2 right, uniform reward noise")


def _least_flat(data: pd.DataFrame) -> str:
    """Of the printed constants' curves that flatten, which does so least, and how much."""
    growth = second_half(data, PRINTED)
    flat = growth[growth < 1 - TENTH]
    if flat.empty:
        return ""
    return (f"With the printed constants the second half costs {flat.max():.2f} times the first at "
            f"{epsilon_name(flat.idxmax())}, where the curve flattens least.")  # fmt: skip


def _beside(axes: dict, usual: pd.DataFrame, *names: str) -> None:
    """The same curves with Gaussian noise, in the axes of each epsilon; one is named."""
    style = {"color": "0.1", "lw": 1.6, "ls": (0, (3, 2)), "zorder": 6}
    label = "released and printed, Gaussian noise" if PRINTED in names else "same, Gaussian noise"
    usual = usual[usual["algorithm"].isin(names)]
    for (_, epsilon), line in usual.groupby(["algorithm", "epsilon"]):
        axes[epsilon].plot(line["t"], line["mean"], label=label, **style)
        label = "_usual"


def _joined(tables, *names: str) -> pd.DataFrame:
    return pd.concat([tables(name) for name in names], ignore_index=True)


def _line(ax, rows: pd.DataFrame, x: str, slope: float, label: str, lower: float = 0) -> None:
    """A line of that slope through the middle of the points, or so much lower."""
    y = rows["mean"].mean() - lower + slope * (rows[x] - rows[x].mean())
    style = {"ls": "-", "lw": 2.2} if lower else {"ls": ":", "lw": 1.1}
    ax.plot(rows[x], y, zorder=7, label=label, color=BLACK, **style)


@figure(
    "fl/fig1_right",
    reads=("dimension", "horizon"),
    claims=("FL-F1R (released)",),
    title="Figure 1 right, regret at T = 10,000 against ln d",
    alt="Regret against ln d for the released constants, a line with a 95% band per ε; dotted: "
    "fitted lines, and the level of a random arm.",
    width="half",
)
def fig1_right(tables) -> Drawing:
    data = tables("dimension")
    data = data[data["algorithm"] == RELEASED].assign(ln_d=np.log(data["d"]))
    canvas, ax = published_form(data, OVER_LN_D)
    for _, own in data.groupby("epsilon"):
        _line(ax, own, "ln_d", slope_in(own, "ln_d")[0], "fitted line")
    ceiling(ax, tables("horizon"), data["t"].max())
    ax.set_ylim(0, None)
    note = "the paper gives its slopes in a picture only; they are not compared"
    note += f"; {data['d'].nunique()} values of d, as the published curve; Section 6 says 12"
    return Drawing(canvas, data, note)


@figure(
    "fl/fig1_right_presets",
    reads=("dimension", "dimension_private", "horizon"),
    claims=("FL-F1R",),
    title=f"Figure 1 right: {PRESETS}",
    alt=f"Regret against ln d, {DESCRIBED}",
)
def fig1_right_presets(tables) -> Drawing:
    data = _joined(tables, "dimension", "dimension_private")
    data = data.assign(ln_d=np.log(data["d"]))
    canvas, axes = preset_panels(data, OVER_LN_D, columns=4, height=3.6)
    for ax in axes.values():
        ceiling(ax, tables("horizon"), data["t"].max())
    return Drawing(canvas, data, EXPLAINED)


def _published_slopes(axes: dict, data: pd.DataFrame, lower: float = 0) -> None:
    """In the axes of each epsilon, and where s is s*."""
    printed = published("fig3_left").set_index("epsilon")["slope"]
    above = data[(data["algorithm"] == RELEASED) & (data["sparsity"] >= data["true_sparsity"])]
    for epsilon, ax in axes.items():
        own = above[above["epsilon"] == epsilon]
        label = "published slope" + ", drawn below the released constants" * (lower > 0)
        _line(ax, own, "ln_s", printed[epsilon], label, lower)
    for ax in dict.fromkeys(axes.values()):
        ax.axvline(np.log(data["true_sparsity"].iloc[0]), color="#999999", lw=0.9, label="s = s*")


@figure(
    "fl/fig3_left",
    reads=("sparsity",),
    claims=("FL-F3L (released)", "FL-F3L (released, below s*)"),
    title="Figure 3 left, regret at T = 10,000 against s, true s* = 10",
    alt="ln regret against ln s for the released constants, a line with a 95% band per ε; dotted: "
    "the published slopes over s ≥ s*.",
    width="half",
)
def fig3_left(tables) -> Drawing:
    """Dotted: the published slopes, through the middle of our points."""
    data = in_logarithms(tables("sparsity"))
    data = data[data["algorithm"] == RELEASED]
    canvas, ax = published_form(data, OVER_LN_S)
    _published_slopes(dict.fromkeys(data["epsilon"].unique(), ax), data)
    slopes = against_published(log_slopes(data), data["runs"].iloc[0])
    found = {
        epsilon_name(row.epsilon): f"slope {row.slope:.3f}, published {row.slope_published:g}"
        for row in slopes.itertuples()
    }
    for line in ax.lines:
        if (name := line.get_label()) in found:
            line.set_label(f"{name}: {found[name]}")
    return Drawing(canvas, data, "the dotted lines pass through the middle of our points")


@figure(
    "fl/fig3_left_presets",
    reads=("sparsity", "sparsity_others", "sparsity_private"),
    claims=("FL-F3L",),
    title=f"Figure 3 left: {PRESETS}",
    alt=f"ln regret against ln s, {DESCRIBED}",
)
def fig3_left_presets(tables) -> Drawing:
    data = in_logarithms(_joined(tables, "sparsity", "sparsity_others", "sparsity_private"))
    canvas, axes = preset_panels(data, OVER_LN_S, columns=4, height=3.8)
    _published_slopes(axes, data, lower=0.25)
    printed, released = (
        against_published(log_slopes(data[data["algorithm"] == name]), data["runs"].iloc[0])
        for name in (PRINTED, RELEASED)
    )
    both = printed.merge(released[["epsilon", "slope"]], on="epsilon", suffixes=("", "_released"))
    for row in both.itertuples():
        found = f"slopes: printed constants {row.slope:.3f},\nreleased {row.slope_released:.3f}, "
        found += f"published curve {row.slope_published:g}"
        axes[row.epsilon].set_title(f"{epsilon_name(row.epsilon)}\n{found}")
    return Drawing(canvas, data, EXPLAINED)


def _with_published(data: pd.DataFrame) -> pd.DataFrame:
    points = published("fig3_right").assign(algorithm="published", t=10000)
    return pd.concat([data, points], ignore_index=True)


@figure(
    "fl/fig3_right",
    reads=("arms",),
    claims=("FL-F3R (released)",),
    title="Figure 3 right, regret at T = 10,000 against the number of arms",
    alt="Regret against the number of arms for the released constants, a line with a 95% band per "
    "ε; rings: the published means.",
    width="half",
)
def fig3_right(tables) -> Drawing:
    """The rings are the published means, with 95% bars."""
    data = tables("arms")
    data = data[data["algorithm"] == RELEASED]
    canvas, ax = published_form(data, OVER_ARMS)
    overlay(ax, published("fig3_right"), "published means")
    return Drawing(canvas, _with_published(data), "bars: 95% intervals of the published means")


@figure(
    "fl/fig3_right_presets",
    reads=("arms", "arms_others", "arms_private"),
    claims=("FL-F3R",),
    title=f"Figure 3 right: {PRESETS}",
    alt=f"Regret against the number of arms, {DESCRIBED} Rings: the published means.",
)
def fig3_right_presets(tables) -> Drawing:
    data, points = _joined(tables, "arms", "arms_others", "arms_private"), published("fig3_right")
    canvas, axes = preset_panels(data, replace(OVER_ARMS, log="xy"), columns=4, height=3.8)
    arms = np.unique(data["arms"])
    for epsilon, ax in axes.items():
        said = f"published means ({privacy_label(RELEASED)})"
        overlay(ax, points[points["epsilon"] == epsilon], said, BLACK)
        ticks_at(ax, (2, 4, 8, 16, 24))
        first = data[(data["epsilon"] == epsilon) & (data["arms"] == arms[0])]["mean"].max()
        ax.plot(arms, first * arms / arms[0], color="grey", ls="-.", lw=1, label="growth like K")
    return Drawing(canvas, _with_published(data), EXPLAINED)
