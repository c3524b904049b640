"""FL's figures of the paper: each as published, then under every preset of FLIPHAT and dp-signs."""

import numpy as np
import pandas as pd

from dpbandits.core.statistics import chi_square, slope
from dpbandits.reproduction.fl.figures.layout import (
    RELEASED,
    SERIES,
    by_epsilon,
    by_preset,
    named_presets,
    overlay,
    preset_panels,
    published_form,
    share_of_random,
)
from dpbandits.reproduction.fl.published import published
from dpbandits.reproduction.fl.summaries import in_logarithms, log_slopes, residuals
from dpbandits.reproduction.plots.figures import Drawing, figure
from dpbandits.reproduction.plots.style import BLACK

OF_THE_PAPER = ("fliphat-released", "fliphat-fresh", "fliphat-printed", "fliphat-corrected")
DOTTED = {"color": BLACK, "ls": ":", "lw": 1.1}
PRESETS = "each preset of FLIPHAT"
DESCRIBED = "a panel per ε, a line with a 95% band per preset."


def _over_time(file: str, setting: str, title: str, says: str) -> None:
    labels = {"x_label": "rounds t", "y_label": "regret R(t)"}
    plain, grid = by_epsilon("t", **labels), by_preset("t", log="y", **labels)
    about = {"reads": ("horizon",), "paper_says": says}

    def read(tables) -> pd.DataFrame:
        data = tables("horizon")
        return data[(data["metric"] == "regret") & (data["setting"] == setting)]

    @figure(
        f"fl/{file}",
        **about,
        title=title,
        alt="Regret against rounds for the released constants, a line with a 95% band per ε; "
        "dotted and dash-dotted: a random arm and SA-Lasso, which are not private.",
        width="half",
        plot=plain,
    )
    def as_published(tables) -> Drawing:
        data = read(tables)
        canvas, _ = published_form(data, plain, data)
        data = data[data["algorithm"].isin([RELEASED, "random-arm", "sa-lasso"])]
        shares = _shares(data)
        own = shares[shares["algorithm"] == RELEASED].set_index("epsilon")["mean"]
        return Drawing(
            canvas, data,
            f"After {data['t'].max():,} rounds the regret is {own.iloc[0]:.0%} of a random arm's "
            f"at ε = {own.index[0]:g} and {own.iloc[-1]:.0%} at ε = {own.index[-1]:g}.",
            table=_table(shares),
        )  # fmt: skip

    @figure(
        f"fl/{file}_presets",
        **about,
        title=f"{title}: {PRESETS}",
        alt=f"Regret on a logarithmic axis against rounds, {DESCRIBED}",
        plot=grid,
    )
    def presets(tables) -> Drawing:
        data = read(tables)
        canvas, axes = preset_panels(data, grid, data)
        low = data["mean"][data["t"] > data["t"].max() / 50].min() / 2
        for ax in axes.values():
            ax.set_ylim(low, None)
        shares = _shares(data)
        least = shares["epsilon"].min()
        at = shares[shares["epsilon"] == least].set_index("algorithm")["mean"]
        return Drawing(
            canvas, data,
            f"At ε = {least:g} the private presets have {at['dp-signs']:.0%} (dp-signs) to "
            f"{at[PRIVATE_ONES].max():.0%} of a random arm's regret.",
            table=_table(shares),
        )  # fmt: skip


PRIVATE_ONES = ["fliphat-corrected", "fliphat-zcdp", "fliphat-zcdp-clip", "dp-signs"]


def _shares(data: pd.DataFrame) -> pd.DataFrame:
    """Regret at the last round over that of a random arm."""
    last = data[data["t"] == data["t"].max()].sort_values("epsilon")
    idle = last.loc[last["algorithm"] == "random-arm", "mean"].iloc[0]
    return last.assign(mean=last["mean"] / idle)


def _table(shares: pd.DataFrame) -> pd.DataFrame:
    return share_of_random(shares, 1.0)


_over_time(
    "fig1_left", "gaussian", "Figure 1 left (and 2 left), regret over time",
    "Regret is sublinear, also at ε = 0.5, and approaches the sparsity-agnostic bandit's as ε "
    "grows.",
)  # fmt: skip
_over_time(
    "fig2_right", "uniform", "Figure 2 right, uniform reward noise",
    "Much the same as with Gaussian noise.",
)  # fmt: skip

LN_D = {"x_label": "ln d", "y_label": "regret R(10,000)"}
FIG1_RIGHT, FIG1_RIGHT_PRESETS = by_epsilon("ln_d", **LN_D), by_preset("ln_d", **LN_D)
NEARLY_LINEAR = "R(T) is nearly linear in ln d; the legend gives the slope of R/100."


@figure(
    "fl/fig1_right",
    reads=("dimension",),
    title="Figure 1 right, regret at T = 10,000 against ln d",
    paper_says=NEARLY_LINEAR,
    alt="Regret against ln d for the released constants, a line with a 95% band per ε; dotted: "
    "fitted lines.",
    width="half",
    plot=FIG1_RIGHT,
)
def fig1_right(tables) -> Drawing:
    data = tables("dimension")
    data = data[data["algorithm"] == RELEASED].assign(ln_d=np.log(data["d"]))
    canvas, ax = published_form(data, FIG1_RIGHT)
    slopes = _slopes(data)
    for row in slopes.itertuples():
        _line(ax, data[data["epsilon"] == row.epsilon], "ln_d", row.slope)
    ax.plot([], [], label="fitted line", **DOTTED)
    texts = [f"{r.slope / 100:.1f} ± {r.sem / 100:.1f}" for r in slopes.itertuples()]
    table = pd.DataFrame({"ε": slopes["epsilon"], "slope of R/100 on ln d": texts})
    rising = (slopes["slope"] > 0).sum()
    we_see = f"The regret rises with ln d for {rising} of {len(slopes)} values of ε."
    return Drawing(canvas, data, we_see, table=table)


@figure(
    "fl/fig1_right_presets",
    reads=("dimension", "dimension_private"),
    title=f"Figure 1 right: {PRESETS}",
    paper_says=NEARLY_LINEAR,
    alt=f"Regret against ln d, {DESCRIBED}",
    plot=FIG1_RIGHT_PRESETS,
)
def fig1_right_presets(tables) -> Drawing:
    data = pd.concat((tables("dimension"), tables("dimension_private")), ignore_index=True)
    data = data.assign(ln_d=np.log(data["d"]))
    canvas, _ = preset_panels(data, FIG1_RIGHT_PRESETS, columns=4)
    slopes = _slopes(data)
    table = (slopes.assign(slope=slopes["slope"] / 100)
             .pivot(index="algorithm", columns="epsilon", values="slope"))  # fmt: skip
    rising = (slopes["slope"] > 0).sum()
    return Drawing(
        canvas, data, f"The fitted slopes are positive for {rising} of {len(slopes)} lines.",
        table=named_presets(table, "slope of R/100 on ln d at ε"),
    )  # fmt: skip


def _slopes(data: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for (series, epsilon), line in data.groupby(["algorithm", "epsilon"], sort=False):
        fitted = slope(*(line[c].to_numpy() for c in ("ln_d", "mean", "sem")))
        rows.append((series, float(epsilon), *fitted))
    return pd.DataFrame(rows, columns=["algorithm", "epsilon", "slope", "sem"])


def _line(ax, rows: pd.DataFrame, x: str, slope: float) -> None:
    """A line of that slope through the middle of the points."""
    y = rows["mean"].mean() + slope * (rows[x] - rows[x].mean())
    ax.plot(rows[x], y, zorder=4, **DOTTED)


LN_S = {"x_label": "ln s", "y_label": "ln R(10,000)"}
FIG3_LEFT, FIG3_LEFT_PRESETS = by_epsilon("ln_s", **LN_S), by_preset("ln_s", **LN_S)
SLOPES_SAID = (
    "Poor below s*, best near it, then worse again with slopes 0.04, 0.14, 0.29, 0.37 in ln s."
)


@figure(
    "fl/fig3_left",
    reads=("sparsity",),
    title="Figure 3 left, regret at T = 10,000 against s, true s* = 10",
    paper_says=SLOPES_SAID,
    alt="ln regret against ln s for the released constants, a line with a 95% band per ε; dotted: "
    "the published slopes over s ≥ s*.",
    width="half",
    plot=FIG3_LEFT,
)
def fig3_left(tables) -> Drawing:
    data = in_logarithms(tables("sparsity"))
    data = data[data["algorithm"] == RELEASED]
    canvas, ax = published_form(data, FIG3_LEFT)
    both = log_slopes(data).merge(published("fig3_left"), on="epsilon", suffixes=("", "_published"))
    above = data[data["sparsity"] >= data["true_sparsity"]]
    for row in both.itertuples():
        _line(ax, above[above["epsilon"] == row.epsilon], "ln_s", row.slope_published)
    ax.plot([], [], label="published slope, through the middle of our points", **DOTTED)
    ax.axvline(np.log(data["true_sparsity"].iloc[0]), color="#999999", lw=0.9, label="s = s*")
    ours = [f"{r.slope:.3f} ± {r.sem:.3f}" for r in both.itertuples()]
    table = pd.DataFrame({"ε": both["epsilon"], "our slope": ours,
                          "published": both["slope_published"]})  # fmt: skip
    largest = (both["slope"] - both["slope_published"]).abs().max()
    we_see = f"Our slopes over s ≥ s* are within {largest:.2g} of the published ones."
    return Drawing(canvas, data, we_see, table=table)


@figure(
    "fl/fig3_left_presets",
    reads=("sparsity", "sparsity_others", "sparsity_private"),
    title=f"Figure 3 left: {PRESETS}",
    paper_says=SLOPES_SAID,
    alt=f"ln regret against ln s, {DESCRIBED}",
    plot=FIG3_LEFT_PRESETS,
)
def fig3_left_presets(tables) -> Drawing:
    parts = [tables(name) for name in ("sparsity", "sparsity_others", "sparsity_private")]
    data = pd.concat([in_logarithms(part) for part in parts], ignore_index=True)
    canvas, axes = preset_panels(data, FIG3_LEFT_PRESETS, columns=4)
    star = np.log(data["true_sparsity"].iloc[0])
    for ax in axes.values():
        ax.axvline(star, color="#999999", lw=0.9, label="s = s*")
    table = log_slopes(data).pivot(index="algorithm", columns="epsilon", values="slope")
    printed = published("fig3_left").set_index("epsilon")["slope"]
    distance = (table - printed).abs().max(axis=1)
    near = SERIES[distance.idxmin()]
    we_see = f"The slopes of '{near}' are nearest to the published ones."
    return Drawing(canvas, data, we_see, table=named_presets(table, "slope over s ≥ s* at ε"))


ARMS = {"x_label": "number of arms K", "y_label": "regret R(10,000)"}
FIG3_RIGHT, FIG3_RIGHT_PRESETS = by_epsilon("arms", **ARMS), by_preset("arms", **ARMS)


@figure(
    "fl/fig3_right",
    reads=("arms",),
    title="Figure 3 right, regret at T = 10,000 against the number of arms",
    paper_says="Sublinear in K.",
    alt="Regret against the number of arms for the released constants, a line with a 95% band per "
    "ε; rings: the published means.",
    width="half",
    plot=FIG3_RIGHT,
)
def fig3_right(tables) -> Drawing:
    data, points = tables("arms"), published("fig3_right")
    data = data[data["algorithm"] == RELEASED]
    canvas, ax = published_form(data, FIG3_RIGHT)
    overlay(ax, points, "arms")
    fit, count, p = chi_square(residuals(points, data, "arms")["z"])
    drawn = pd.concat([data, points.assign(algorithm="published", t=10000)], ignore_index=True)
    we_see = f"The published means lie within the errors of ours (chi-square p = {p:.2g})."
    if p < 0.01:
        we_see = f"The published means lie beyond the errors of ours (chi-square p = {p:.2g})."
    table = pd.DataFrame({"chi-square": [f"{fit:.0f}"], "points": [count], "p": [f"{p:.2g}"]})
    return Drawing(canvas, drawn, we_see, table=table)


@figure(
    "fl/fig3_right_presets",
    reads=("arms", "arms_others", "arms_private"),
    title=f"Figure 3 right: {PRESETS}",
    paper_says="Sublinear in K.",
    alt=f"Regret against the number of arms, {DESCRIBED} Rings: the published means.",
    plot=FIG3_RIGHT_PRESETS,
)
def fig3_right_presets(tables) -> Drawing:
    parts = [tables(name) for name in ("arms", "arms_others", "arms_private")]
    data, points = pd.concat(parts, ignore_index=True), published("fig3_right")
    canvas, axes = preset_panels(data, FIG3_RIGHT_PRESETS, columns=4)
    for epsilon, ax in axes.items():
        overlay(ax, points[points["epsilon"] == epsilon], "arms", BLACK)
    rows = []
    for series in OF_THE_PAPER:
        own = data[data["algorithm"] == series]
        fit, count, p = chi_square(residuals(points, own, "arms")["z"])
        rows.append({"preset": SERIES[series], "chi-square": fit, "points": count, "p": f"{p:.2g}"})
    table = pd.DataFrame(rows)
    nearest = table.loc[table["chi-square"].idxmin(), "preset"]
    drawn = pd.concat([data, points.assign(algorithm="published", t=10000)], ignore_index=True)
    we_see = f"Of the paper's presets '{nearest}' comes closest to the published means."
    return Drawing(canvas, drawn, we_see, "chi-square: against the published means", table)
