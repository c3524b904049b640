"""What the privacy of Thompson sampling costs, with and without pre-pulls."""

from dpbandits.reproduction.plots.curves import ticks_at
from dpbandits.reproduction.plots.figures import Drawing, figure
from dpbandits.reproduction.plots.style import DASHES, MARKERS, METHODS, band, panels


@figure(
    "ts/regret_vs_privacy",
    notebook="regret",
    reads=("regret",),
    title="Regret against the privacy of a whole run",
    paper_says="pre-pulls and a larger variance trade regret for privacy",
    alt="Regret at the horizon against mu, one line with a 95% band per number of pre-pulls.",
    width="half",
)
def regret_vs_privacy(tables) -> Drawing:
    data = tables("regret")
    data = data[(data["metric"] == "regret") & (data["t"] == data["t"].max())]
    picture, axes = panels(1, 1, width="half", height=4, x="μ of a whole run (GDP)")
    ax = axes[0, 0]
    looks = zip(data.groupby("pre_pulls"), METHODS, DASHES, MARKERS, strict=False)
    for (b, rows), colour, dash, marker in looks:
        style = {"color": colour, "linestyle": dash, "marker": marker}
        band(ax, rows, "epsilon", f"{b} pre-pulls per arm", style)
    ax.set(xscale="log", ylim=(0, None), ylabel=f"regret at T = {data['t'].max():,}")
    ticks_at(ax, data["epsilon"].unique())
    best = data.loc[data.groupby("epsilon")["mean"].idxmin(), ["epsilon", "pre_pulls", "mean"]]
    first, last = best.iloc[0], best.iloc[-1]
    return Drawing(
        picture, data,
        f"The least mean regret needs {first['pre_pulls']:g} pre-pulls per arm at μ = "
        f"{first['epsilon']:g} and {last['pre_pulls']:g} at μ = {last['epsilon']:g}.",
        "shaded: 95% intervals of the mean over runs",
        best.set_axis(["μ", "best number of pre-pulls", "mean regret"], axis=1),
    )  # fmt: skip
