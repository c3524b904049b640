"""FL's figures of the paper: each as published, then under every preset of FLIPHAT and dp-signs."""

import numpy as np
import pandas as pd

from dpbandits.core.statistics import chi_square, fit_power, slope
from dpbandits.reproduction.fl.figures.layout import (
    RELEASED,
    SERIES,
    by_epsilon,
    by_preset,
    ceiling,
    named_presets,
    overlay,
    preset_panels,
    privacy_label,
    published_form,
    share_of_random,
)
from dpbandits.reproduction.fl.published import published
from dpbandits.reproduction.fl.summaries import in_logarithms, log_slopes, residuals
from dpbandits.reproduction.plots.curves import label_ends, ticks_at
from dpbandits.reproduction.plots.figures import Drawing, figure
from dpbandits.reproduction.plots.style import BLACK

DOTTED = {"color": BLACK, "ls": ":", "lw": 1.1}
PRESETS = "each preset of FLIPHAT"
DESCRIBED = "a panel per ε, a line with a 95% band per preset."


def _over_time(file: str, setting: str, title: str, says: str) -> None:
    labels = {"x_label": "rounds t", "y_label": "regret R(t)"}
    plain, grid = by_epsilon("t", **labels), by_preset("t", log="xy", **labels)
    about = {"reads": ("horizon",), "paper_says": says}

    def read(tables, series: tuple[str, ...]) -> tuple[pd.DataFrame, str]:
        """The regrets; if not with Gaussian noise, those with it beside them, and a sentence."""
        data = tables("horizon")
        data = data[data["metric"] == "regret"]
        own = data[data["setting"] == setting]
        if setting == "gaussian":
            return own, ""
        keys = ["algorithm", "epsilon", "t"]
        other = data[data["setting"] == "gaussian"].set_index(keys)["mean"].rename("gaussian")
        own = own.join(other, on=keys)
        last = own[(own["t"] == own["t"].max()) & own["algorithm"].isin(series)]
        most = (last["mean"] / last["gaussian"] - 1).abs().max()
        return own, f" With Gaussian noise these regrets are the same up to {most:.1%}."

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
        data, beside = read(tables, (RELEASED,))
        canvas, ax = published_form(data, plain, data)
        label_ends(ax)
        if beside:
            for _, line in data[data["algorithm"] == RELEASED].groupby("epsilon"):
                ax.plot(
                    line["t"], line["gaussian"], color="0.45", lw=0.8, label="_gaussian", zorder=6
                )
        ax.locator_params(axis="x", nbins=5)
        data = data[data["algorithm"].isin([RELEASED, "random-arm", "sa-lasso"])]
        shares = _shares(data)
        own = shares[shares["algorithm"] == RELEASED].set_index("epsilon")["mean"]
        free = shares.loc[shares["algorithm"] == "sa-lasso", "mean"].iloc[0]
        line = data[data["algorithm"] == RELEASED].sort_values("t")
        half = line[line["t"] <= line["t"].max() / 2].groupby("epsilon")["mean"].last()
        late = (line.groupby("epsilon")["mean"].last() / half).max() - 1
        return Drawing(
            canvas, data,
            f"The second half of the rounds adds at most {late:.0%} at any ε; in all the regret is "
            f"{own.iloc[0]:.0%} of a random arm's at ε = {own.index[0]:g}, {own.iloc[-1]:.1%} at "
            f"ε = {own.index[-1]:g}, and SA-Lasso's is {free:.1%}.{beside}",
            "thin, grey: the same with Gaussian noise" if beside else "",
            table=share_of_random(shares), legend=False,
        )  # fmt: skip

    @figure(
        f"fl/{file}_presets",
        **about,
        title=f"{title}: {PRESETS}",
        alt=f"Regret against rounds on two logarithmic axes, {DESCRIBED}",
        plot=grid,
    )
    def presets(tables) -> Drawing:
        data, beside = read(tables, tuple(SERIES))
        late = data[np.isfinite(data["epsilon"])].sort_values("t")
        half = late[late["t"] <= late["t"].max() / 2]
        late, half = (d.groupby(["algorithm", "epsilon"])["mean"].last() for d in (late, half))
        late = (late / half - 1).groupby("algorithm").max()
        data = data[data["t"] >= data["t"].max() / 50]
        canvas, _ = preset_panels(data, grid, data)
        shares = _shares(data)
        least = shares["epsilon"].min()
        at = shares[shares["epsilon"] == least].set_index("algorithm")["mean"]
        return Drawing(
            canvas, data,
            f"At ε = {least:g} DP-Signs has {at['dp-signs']:.0%} of a random arm's regret and the "
            f"preset 'corrected', private too, {at['fliphat-corrected']:.0%}. The second half of "
            f"the rounds adds at most {late['dp-signs']:.1%} to the one and "
            f"{late['fliphat-corrected']:.0%} to the other (100% is linear).{beside}",
            "a line that levels off is sublinear, one as steep as the random arm's is linear",
            table=share_of_random(shares),
        )  # fmt: skip


def _shares(data: pd.DataFrame) -> pd.DataFrame:
    """Regret at the last round over that of a random arm."""
    last = data[data["t"] == data["t"].max()].sort_values("epsilon")
    idle = last.loc[last["algorithm"] == "random-arm", "mean"].iloc[0]
    return last.assign(mean=last["mean"] / idle)


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
NEARLY_LINEAR = "R(T) is nearly linear in ln d; its legend gives the slope of R/100."


@figure(
    "fl/fig1_right",
    reads=("dimension", "horizon"),
    title="Figure 1 right, regret at T = 10,000 against ln d",
    paper_says=NEARLY_LINEAR,
    alt="Regret against ln d for the released constants, a line with a 95% band per ε; dotted: "
    "fitted lines, and the level of a random arm.",
    width="half",
    plot=FIG1_RIGHT,
)
def fig1_right(tables) -> Drawing:
    data = tables("dimension")
    data = data[data["algorithm"] == RELEASED].assign(ln_d=np.log(data["d"]))
    canvas, ax = published_form(data, FIG1_RIGHT)
    slopes, off = _slopes(data), []
    for row in slopes.itertuples():
        line = data[data["epsilon"] == row.epsilon]
        off.append((_line(ax, line, "ln_d", row.slope) / line["mean"] - 1).abs().max())
    ceiling(ax, tables("horizon"), data["t"].max())
    ax.set_ylim(0, None)
    return Drawing(
        canvas, data,
        f"The regret rises with ln d for {slopes['rises'].sum()} of {len(slopes)} values of ε, and "
        f"nearly linearly: a straight line is off by at most {max(off):.0%}.",
        "the paper gives its slopes in a picture only; they are not compared",
        table=slopes[["epsilon", "text"]].set_axis(["ε", "slope of R/100 on ln d"], axis=1),
    )  # fmt: skip


@figure(
    "fl/fig1_right_presets",
    reads=("dimension", "dimension_private", "horizon"),
    title=f"Figure 1 right: {PRESETS}",
    paper_says=NEARLY_LINEAR,
    alt=f"Regret against ln d, {DESCRIBED}",
    plot=FIG1_RIGHT_PRESETS,
)
def fig1_right_presets(tables) -> Drawing:
    data = pd.concat((tables("dimension"), tables("dimension_private")), ignore_index=True)
    data = data.assign(ln_d=np.log(data["d"]))
    canvas, axes = preset_panels(data, FIG1_RIGHT_PRESETS, columns=4, height=3.6)
    for ax in axes.values():
        ceiling(ax, tables("horizon"), data["t"].max())
    slopes = _slopes(data)
    table = slopes.pivot(index="algorithm", columns="epsilon", values="text")
    flat = []
    for row in slopes[~slopes["rises"]].itertuples():
        flat.append(f"{SERIES[row.algorithm]}, ε = {row.epsilon:g}")
        line = data[(data["algorithm"] == row.algorithm) & (data["epsilon"] == row.epsilon)]
        start, text = line.sort_values("ln_d").iloc[0], f"does not rise:\n{SERIES[row.algorithm]}"
        axes[row.epsilon].annotate(text, start[["ln_d", "mean"]],
                                   xytext=(0.2, 0.22), textcoords="axes fraction",
                                   arrowprops={"arrowstyle": "->", "color": "0.3"})  # fmt: skip
    return Drawing(
        canvas, data,
        f"The regret rises with ln d for {slopes['rises'].sum()} of {len(slopes)} lines, up to a "
        "random arm's, which is its ceiling.",
        f"rises: by a slope of more than two standard errors (±); not: {'; '.join(flat) or 'none'}",
        table=named_presets(table, "slope of R/100 on ln d at ε"),
    )  # fmt: skip


def _slopes(data: pd.DataFrame) -> pd.DataFrame:
    rows = []
    for (series, epsilon), line in data.groupby(["algorithm", "epsilon"], sort=False):
        fitted = slope(*(line[c].to_numpy() for c in ("ln_d", "mean", "sem")))
        rows.append((series, float(epsilon), *fitted))
    table = pd.DataFrame(rows, columns=["algorithm", "epsilon", "slope", "sem"])
    text = [f"{r.slope / 100:.1f} ± {r.sem / 100:.1f}" for r in table.itertuples()]
    return table.assign(rises=table["slope"] > 2 * table["sem"], text=text)


def _line(ax, rows: pd.DataFrame, x: str, slope: float, label: str = "fitted line") -> pd.Series:
    """A line of that slope through the middle of the points."""
    y = rows["mean"].mean() + slope * (rows[x] - rows[x].mean())
    ax.plot(rows[x], y, zorder=7, label=label, **DOTTED)
    return y


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
        line = above[above["epsilon"] == row.epsilon]
        _line(ax, line, "ln_s", row.slope_published, "published slope")
    ax.axvline(np.log(data["true_sparsity"].iloc[0]), color="#999999", lw=0.9, label="s = s*")
    ours = [f"{r.slope:.3f} ± {r.sem:.3f}" for r in both.itertuples()]
    table = pd.DataFrame({"ε": both["epsilon"], "our slope": ours,
                          "published": both["slope_published"]})  # fmt: skip
    largest = (both["slope"] - both["slope_published"]).abs().max()
    below = data[data["sparsity"] <= data["true_sparsity"]].sort_values("sparsity")
    ends = below.groupby("epsilon")
    first, star = ends.first(), ends.last()
    cases = (first["low"] > star["high"], first["high"] < star["low"])
    higher, lower = (" and ".join(f"{e:g}" for e in c.index[c]) or "none" for c in cases)
    we_see = (
        f"Our slopes over s ≥ s* are within {largest:.2g} of the published ones; below s* the "
        f"regret is clearly higher than at s* for ε = {higher} and clearly lower for ε = {lower}."
    )
    note = (
        "clearly: the intervals are apart; the dotted lines pass through the middle of our points"
    )
    return Drawing(canvas, data, we_see, note, table=table)


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
    canvas, axes = preset_panels(data, FIG3_LEFT_PRESETS, columns=4, height=3.8)
    star = np.log(data["true_sparsity"].iloc[0])
    printed = published("fig3_left").set_index("epsilon")["slope"]
    above = data[(data["algorithm"] == RELEASED) & (data["sparsity"] >= data["true_sparsity"])]
    for epsilon, ax in axes.items():
        ax.axvline(star, color="#999999", lw=0.9, label="s = s*")
        _line(ax, above[above["epsilon"] == epsilon], "ln_s", printed[epsilon], "published slope")
    table = log_slopes(data).pivot(index="algorithm", columns="epsilon", values="slope")
    distance = (table - printed).abs().max(axis=1).sort_values()
    near, next_ = (SERIES[name] for name in distance.index[:2])
    we_see = (
        f"The published slopes are those of '{near}' and '{next_}', up to {distance.iloc[1]:.2g}; "
        f"every other preset is off by {distance.iloc[2]:.2g} or more at some ε."
    )
    slopes = named_presets(table, "slope over s ≥ s* at ε")
    slopes.loc[len(slopes)] = ["published", *printed[table.columns]]
    return Drawing(canvas, data, we_see, table=slopes)


ARMS = {"x_label": "number of arms K", "y_label": "regret R(10,000)"}
FIG3_RIGHT = by_epsilon("arms", **ARMS)
FIG3_RIGHT_PRESETS = by_preset("arms", log="xy", **ARMS)
SUBLINEAR = "Sublinear in K."


@figure(
    "fl/fig3_right",
    reads=("arms",),
    title="Figure 3 right, regret at T = 10,000 against the number of arms",
    paper_says=SUBLINEAR,
    alt="Regret against the number of arms for the released constants, a line with a 95% band per "
    "ε; rings: the published means.",
    width="half",
    plot=FIG3_RIGHT,
)
def fig3_right(tables) -> Drawing:
    data, points = tables("arms"), published("fig3_right")
    data = data[data["algorithm"] == RELEASED]
    canvas, ax = published_form(data, FIG3_RIGHT)
    overlay(ax, points, "arms", "published means")
    fit, count, p = chi_square(residuals(points, data, "arms")["z"])
    drawn = pd.concat([data, points.assign(algorithm="published", t=10000)], ignore_index=True)
    where = "beyond" if p < 0.01 else "within"
    powers = _powers_of_k(data)
    we_see = (
        f"The published means lie {where} the errors of ours (chi-square p = {p:.2g}); the regret "
        f"grows like K^{powers.min():.2g} to K^{powers.max():.2g}, where K would be linear."
    )
    note = "bars: 95% intervals of the published means"
    table = pd.DataFrame({"chi-square": [f"{fit:.0f}"], "points": [count], "p": [f"{p:.2g}"]})
    return Drawing(canvas, drawn, we_see, note, table=table)


def _powers_of_k(data: pd.DataFrame) -> pd.Series:
    """The fitted power of K of each curve."""
    by = data[data["mean"] > 0].groupby(["algorithm", "epsilon"], sort=False)
    return by[["arms", "mean"]].apply(lambda rows: fit_power(rows["arms"], rows["mean"])[0])


@figure(
    "fl/fig3_right_presets",
    reads=("arms", "arms_others", "arms_private"),
    title=f"Figure 3 right: {PRESETS}",
    paper_says=SUBLINEAR,
    alt=f"Regret against the number of arms, {DESCRIBED} Rings: the published means.",
    plot=FIG3_RIGHT_PRESETS,
)
def fig3_right_presets(tables) -> Drawing:
    parts = [tables(name) for name in ("arms", "arms_others", "arms_private")]
    data, points = pd.concat(parts, ignore_index=True), published("fig3_right")
    canvas, axes = preset_panels(data, FIG3_RIGHT_PRESETS, columns=4, height=3.8)
    for epsilon, ax in axes.items():
        said = f"published means ({privacy_label(RELEASED)})"
        overlay(ax, points[points["epsilon"] == epsilon], "arms", said, BLACK)
        ticks_at(ax, (2, 4, 8, 16, 24))
        first = data[(data["epsilon"] == epsilon) & (data["arms"] == data["arms"].min())]
        arms = np.unique(data["arms"])
        ax.plot(arms, first["mean"].max() * arms / arms[0], color="grey", ls="-.", lw=1,
                label="growth like K")  # fmt: skip
    rows = []
    for series in SERIES:
        own = data[data["algorithm"] == series]
        fit, count, p = chi_square(residuals(points, own, "arms")["z"])
        p = f"{p:.2g}" if p > 1e-99 else "below 1e-99"
        rows.append({"preset": SERIES[series], "chi-square": fit, "points": count, "p": p})
    table = pd.DataFrame(rows)
    nearest = table.loc[table["chi-square"].idxmin(), "preset"]
    drawn = pd.concat([data, points.assign(algorithm="published", t=10000)], ignore_index=True)
    powers = _powers_of_k(data)
    we_see = (
        f"The published means lie on the curves of the released constants, closest to '{nearest}', "
        f"by chi-square; the regret grows like K^{powers.min():.2g} to K^{powers.max():.2g}, where "
        "K would be linear."
    )
    return Drawing(canvas, drawn, we_see, "chi-square: against the published means", table)
