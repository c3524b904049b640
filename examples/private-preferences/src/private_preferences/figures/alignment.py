"""J and the expected reward against privacy: central methods, and local ones on their own axis."""

from itertools import product

from dpbandits.reproduction.plots.figures import Drawing, figure
from dpbandits.reproduction.plots.style import EXACT, MARKERS, METHODS, panels

MEASURES = {"J": "J(π)", "reward": "expected true reward"}
ALT = "J (left) and reward (right) against epsilon, a row per coverage, a column per weight η of "
ALT += "the divergence in J and measure, one line with a 95% band over data sets per method"
NOTE = "shaded: 95% intervals of the mean over data sets; dotted: the reference policy"


@figure(
    "pp/central",
    title="KL's policy and its central rivals at the same exact loss over all label flips",
    paper_says="KL: regularisation alone is private; VPO: so is private regression under it",
    alt=ALT,
)
def central(tables) -> Drawing:
    return _drawing(tables("central"), "exact loss over label flips at most ε (nats)")


@figure(
    "pp/local",
    title="Rewards learned from randomised labels",
    paper_says="2510.13512: the gap shrinks as 1/((e^ε − 1)² n); 2505.15694: by c(ε) more error",
    alt=ALT,
)
def local(tables) -> Drawing:
    return _drawing(tables("local"), "ε of each label's report (local)")


def _drawing(data, x: str) -> Drawing:
    coverages, etas = (data[key].unique() for key in ("coverage", "objective_eta"))
    columns = list(product(MEASURES, etas))
    canvas, axes = panels(len(coverages), len(columns), height=2.3, width=2.4, x=x)
    for row, coverage in zip(axes, coverages, strict=True):
        for ax, (measure, eta) in zip(row, columns, strict=True):
            part = data.query("coverage == @coverage and objective_eta == @eta")
            lines = part[part["measure"] == measure].groupby("method", sort=False)
            for (name, series), color, marker in zip(lines, METHODS, MARKERS, strict=False):
                style = {"color": color, "marker": marker, "markersize": 3.5, "gid": EXACT}
                ax.plot(series["epsilon"], series["mean"], label=name, **style)
                ends = series["epsilon"], series["low"], series["high"]
                ax.fill_between(*ends, color=style["color"], alpha=0.1)
            ax.axhline(0.0, color="0.5", linestyle=":", linewidth=0.8)
            ax.set(xscale="log", title=f"{MEASURES[measure]}, η = {eta:g}, coverage {coverage:g}")
    axes[0, 0].legend()
    finding, we_see = _in_words(data)
    return Drawing(canvas, data, we_see, NOTE, finding=finding)


def _in_words(data) -> tuple[str, str]:
    """Who has the highest mean J, and whether its band is above all others."""
    led, parts = {}, []
    keys = ["coverage", "objective_eta", "epsilon"]
    for place, rows in data[data["measure"] == "J"].groupby(keys, sort=False):
        best, *others = rows.sort_values("mean", ascending=False).to_dict("records")
        name, clear = best["method"], best["low"] > max(row["high"] for row in others)
        led.setdefault(name, []).append(clear)
        where = "coverage {:g}, η {:g}, ε {:g}".format(*place)
        parts.append(f"{where}: {name} {best['mean']:.3f}, {others[0]['method']} next")
    counts = (f"{name} at {len(c)} (clearly at {sum(c)})" for name, c in led.items())
    finding = f"highest mean J of {len(parts)} places: {', '.join(counts)}"
    return finding, f"{finding}. {'; '.join(parts)}."
