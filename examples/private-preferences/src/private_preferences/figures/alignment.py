"""J and the expected reward against privacy: central methods, and local ones on their own axis."""

from itertools import product

from dpbandits.reproduction.plots.figures import Drawing, figure
from dpbandits.reproduction.plots.style import MARKERS, METHODS, panels

ALT = "J(π) (left half) and expected true reward against epsilon, a row per coverage, a column per "
ALT += "weight η of the divergence in J, one line with a 95% band over data sets per method"
NOTE = "shaded: 95% intervals of the mean over data sets; dotted: the reference policy"


@figure(
    "pp/central",
    title="KL's policy and its central rivals at the same exact loss over all label flips",
    paper_says="KL: regularisation alone is private; VPO: so is private regression under it",
    alt=ALT,
)
def central(tables) -> Drawing:
    return _drawing(tables("central"), "exact label loss at most ε")


@figure(
    "pp/local",
    title="Rewards learned from randomised labels",
    paper_says="2510.13512: the gap shrinks as 1/((e^ε − 1)² n); 2505.15694: c(ε) times the error",
    alt=ALT,
)
def local(tables) -> Drawing:
    return _drawing(tables("local"), "ε of a report (local)")


def _drawing(data, x: str) -> Drawing:
    coverages, etas = (data[key].unique() for key in ("coverage", "objective_eta"))
    columns = list(product(("J", "reward"), etas))
    canvas, axes = panels(len(coverages), len(columns), height=2.3, width=2.4, x=x)
    for row, coverage in zip(axes, coverages, strict=True):
        row[0].set_ylabel(f"coverage {coverage:g}")
        for ax, (measure, eta) in zip(row, columns, strict=True):
            part = data.query("coverage == @coverage and objective_eta == @eta")
            lines = part[part["measure"] == measure].groupby("method", sort=False)
            for (name, line), color, marker in zip(lines, METHODS, MARKERS, strict=False):
                style = {"color": color, "marker": marker, "markersize": 3.5}
                ax.plot(line["epsilon"], line["mean"], label=name, **style)
                ax.fill_between(line["epsilon"], line["low"], line["high"], color=color, alpha=0.1)
            ax.axhline(0.0, color="0.5", linestyle=":", linewidth=0.8)
            ax.set(xscale="log", title=f"{measure}, η = {eta:g}")
    axes[0, 0].legend()
    finding, we_see = _in_words(data[data["measure"] == "J"])
    return Drawing(canvas, data, we_see, NOTE, finding=finding)


def _in_words(data) -> tuple[str, str]:
    """Who has the highest mean J, and whether its band is above all others."""
    led, parts = {}, []
    for place, rows in data.groupby(["coverage", "objective_eta", "epsilon"], sort=False):
        best, *others = rows.sort_values("mean", ascending=False).to_dict("records")
        name, clear = best["method"], best["low"] > max(row["high"] for row in others)
        led.setdefault(name, []).append(clear)
        where = "coverage {:g}, η {:g}, ε {:g}".format(*place)
        parts.append(f"{where}: {name} {best['mean']:.3f}, {others[0]['method']} next")
    counts = (f"{name} at {len(c)} (clearly at {sum(c)})" for name, c in led.items())
    finding = f"highest mean J of {len(parts)} places: {', '.join(counts)}"
    return finding, f"{finding}. {'; '.join(parts)}."
