"""What the privacy of Thompson sampling costs, with and without pre-pulls."""

from dpbandits.reproduction.plots.figures import Drawing, figure
from dpbandits.reproduction.plots.style import DASHES, MARKERS, band, panels


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
    picture, axes = panels(1, 1, width="half", height=4)
    best = {}
    looks = zip(("C0", "C1", "C2", "C3"), DASHES, MARKERS, strict=False)
    for (b, rows), (colour, dash, marker) in zip(data.groupby("pre_pulls"), looks, strict=False):
        style = {"color": colour, "linestyle": dash, "marker": marker}
        band(axes[0, 0], rows, "epsilon", f"{b} pre-pulls per arm", style)
        best |= {
            mu: min(best.get(mu, (float("inf"), b)), (mean, b))
            for mu, mean in zip(rows["epsilon"], rows["mean"], strict=True)
        }
    axes[0, 0].set(xscale="log", yscale="log", xlabel="μ of a whole run (GDP)")
    axes[0, 0].set_ylabel(f"regret at T = {data['t'].max():g} (95% band)")
    lowest = ", ".join(f"b = {b} at mu = {mu:g} ({mean:.4g})" for mu, (mean, b) in best.items())
    return Drawing(picture, data, f"Least mean regret: {lowest}.")
