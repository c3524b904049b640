"""What the privacy of Thompson sampling costs, with and without pre-pulls."""

from dpbandits.reproduction.plots.curves import ticks_at
from dpbandits.reproduction.plots.figures import Drawing, figure
from dpbandits.reproduction.plots.style import DASHES, MARKERS, METHODS, band, panels


@figure(
    "ts/regret_vs_privacy",
    reads=("regret",),
    title="Regret against the privacy of a whole run",
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
    return Drawing(picture, data, "shaded: 95% intervals of the mean over runs")
