"""FL's figure of the estimation error."""

from dpbandits.reproduction.fl.figures.layout import instance, privacy_label
from dpbandits.reproduction.fl.summaries import powers
from dpbandits.reproduction.plots.curves import curves, ticks_at, write_beside
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.style import ORANGE, look
from dpbandits.reproduction.statistics import NORMAL_95

NAMES = {"n": "rows n", "sparsity": "kept s", "d": "dimension d", "epsilon": "ε"}
TERMS = {
    "statistical": "without noise",
    "private": f"with the printed noise ({privacy_label('fliphat-printed')})",
}
BOUNDS = {
    "statistical": "printed bound, first term",
    "private": "printed bound, second term (noise)",
}
LOOKS = {"statistical": {"color": ORANGE, "marker": "o"}, "private": look("fliphat-printed")}


@figure(
    "fl/estimation_error",
    reads=("estimation",),
    claims=("FL-P5.5",),
    title="Squared error of N-IHT against n, s, d and ε",
    alt="Squared error against each of n, s, d and ε on logarithmic axes, and dotted the two terms "
    "of the printed bound.",
)
def estimation_error(tables) -> Drawing:
    """One factor at a time on independent rows, beside Proposition 5.5."""
    data = tables("estimation")
    half = NORMAL_95 * data["sem"]
    data = data.assign(low=data["mean"] - half, high=data["mean"] + half)
    plot = Plot("value", curve="term", panel="varied", log="xy", y_label="squared error")
    titles = {varied: f"against {name}" for varied, name in NAMES.items()}
    options = {"names": TERMS, "looks": LOOKS, "titles": titles, "sharex": False}
    canvas, axes = curves(data, plot, columns=4, height=3.4, **options)
    fits = {term: powers(data, term) for term in TERMS}
    printed = {
        term: powers(data.assign(mean=data["printed"], sem=data["printed"]), term) for term in TERMS
    }
    for varied, ax in axes.items():
        moved = data[data["varied"] == varied]
        for term, rows in moved.groupby("term", sort=False):
            dotted = {"ls": ":", "lw": 1.6, "color": LOOKS[term]["color"]}
            ax.plot(rows["value"], rows["printed"], label=BOUNDS[term], **dotted)
            at, power = rows.iloc[len(rows) // 2], fits[term][varied][0]
            above = term == "private"
            place = {"ha": "right" if (power > 0) == above else "left", "color": dotted["color"]}
            text = f"power {power:.2f}\n(term {printed[term][varied][0]:.2f})"
            write_beside(ax, text, at["value"], at["mean"],
                         (0, 12 if above else -12), **place)  # fmt: skip
        ax.set_xlabel(NAMES[varied])
        short = lambda v: f"{v:g}" if v < 1000 else f"{v / 1000:.0f}k"  # noqa: E731
        ticks_at(ax, sorted(moved["value"].unique()), text=short)
    far = (data["repaired"] / data["mean"]).min()
    return Drawing(
        canvas, data,
        "printed constants; printed bound: Proposition 5.5 with its hidden constants 1, so that "
        "slopes compare, not heights; the "
        f"corrected bound of Theorem F1 lies beyond the axis, at {far:.2g} times the error and "
        f"more; one of n, s, d, ε moves; {instance('rho', 'sigma', 'delta')}",
    )  # fmt: skip
