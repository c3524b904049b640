"""FL's figure of the estimation error."""

from functools import partial

import numpy as np

from dpbandits.reproduction.fl.figures.layout import instance, privacy_label
from dpbandits.reproduction.fl.summaries import powers
from dpbandits.reproduction.plots.curves import curves, power_text, ticks_at, write_beside
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.style import BLACK, ORANGE, look, panels
from dpbandits.reproduction.statistics import NORMAL_95

NAMES = {"n": "rows n", "sparsity": "kept s", "d": "dimension d", "epsilon": "ε"}
TERMS = {
    "statistical": "without noise",
    "private": f"with the printed noise ({privacy_label('fliphat-printed')})",
}
BOUNDS = {
    "statistical": "slope of the printed bound's first term",
    "private": "slope of its second term (noise)",
}
LOOKS = {"statistical": {"color": ORANGE, "marker": "o"}, "private": look("fliphat-printed")}


@figure(
    "fl/estimation_error",
    reads=("estimation", "points"),
    claims=("FL-P5.5",),
    title="Squared error of N-IHT against n, s, d and ε, and as the reward noise σ vanishes",
    alt="Squared error against each of n, s, d and ε on logarithmic axes, and dotted the slopes of "
    "the two terms of the printed bound; at the right, against σ: what the privacy noise adds "
    "stays, and the printed bound falls below it.",
)
def estimation_error(tables) -> Drawing:
    """One factor at a time on independent rows, beside Proposition 5.5; at the right what its
    verdict rests on."""
    data = tables("estimation")
    half = NORMAL_95 * data["sem"]
    data = data.assign(low=data["mean"] - half, high=data["mean"] + half)
    plot = Plot("value", curve="term", panel="varied", log="xy")
    titles = {varied: f"against {name}" for varied, name in NAMES.items()}
    canvas, (row,) = panels(1, len(NAMES) + 1, height=3.4, y="squared error")
    axes = dict(zip(NAMES, row[:-1], strict=True))
    for ax in row[1:-1]:
        ax.sharey(row[0])
        ax.tick_params(labelleft=False)
    curves(data, plot, axes=axes, names=TERMS, looks=LOOKS, titles=titles)
    _as_sigma_vanishes(row[-1], tables("points"))
    fits = {term: powers(data, term) for term in TERMS}
    printed = {
        term: powers(data.assign(mean=data["printed"], sem=data["printed"]), term) for term in TERMS
    }
    for varied, ax in axes.items():
        moved = data[data["varied"] == varied]
        for term, rows in moved.groupby("term", sort=False):
            dotted = {"ls": ":", "lw": 1.6, "color": LOOKS[term]["color"]}
            middle = rows.iloc[len(rows) // 2]
            shifted = rows["printed"] * middle["mean"] / middle["printed"]
            ax.plot(rows["value"], shifted, label=BOUNDS[term], **dotted)
            at, power = rows.iloc[len(rows) // 2], fits[term][varied][0]
            above = term == "private"
            place = {"ha": "right" if (power > 0) == above else "left", "color": dotted["color"]}
            text = f"power {power:.2f}\n(term {printed[term][varied][0]:.2f})"
            far = 24 if varied == "d" else 12  # there the curve is level
            write_beside(ax, text, at["value"], at["mean"], (0, far if above else -12), **place)
        ax.set_xlabel(NAMES[varied])
        short = lambda v: f"{v:g}" if v < 1000 else f"{v / 1000:.0f}k"  # noqa: E731
        ticks_at(ax, sorted(moved["value"].unique()), text=short)
    far = (data["repaired"] / data["mean"]).min()
    return Drawing(
        canvas, data,
        "printed constants; Proposition 5.5 hides its constants, so that only slopes compare: each "
        "term's is drawn through the middle point of its curve; right: n = 1,024, d = 400, ε = 1, "
        "black: the noise of the last release alone, in the mean (earlier steps add more; ξ: "
        "the scale of its Laplace noise on each of the s kept coordinates), "
        "the hidden constant such that both sides are equal at σ = 0.1; the error is larger there "
        "than at the left, as n is 16 and ε 20 times smaller; the "
        f"corrected bound of Theorem F1 lies beyond the axes, at {far:.2g} times the error "
        f"and more; one of n, s, d, ε moves; {instance('rho', 'sigma', 'delta')}",
    )  # fmt: skip


def _as_sigma_vanishes(ax, points) -> None:
    """What the last release alone adds, whatever σ is, and what the printed bound then allows."""
    own = points[points["id"] == "FL-P5.5"].dropna(subset="at")
    own = own.assign(at=own["at"].astype(float)).sort_values("at")
    printed = {"color": BLACK, "ls": "--", "lw": 1.2}
    for column, label, style in (
        ("measured", "what the last release adds, 2sξ²", {"color": BLACK, "marker": "s"}),
        ("at_most", "printed bound, equal at σ = 0.1", printed),
    ):
        ax.plot(own["at"], own[column], label=label, **style)
    ax.set(xscale="log", yscale="log", title="at n = 1,024, ε = 1", xlabel="reward noise σ",
           ylabel="squared error")  # fmt: skip
    ticks_at(ax, 10.0 ** np.arange(-4, 0), text=partial(power_text, far=True))
