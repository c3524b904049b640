"""`dpbandits plot`: a picture of the regret that `dpbandits simulate` wrote."""

from pathlib import Path

from dpbandits.core.errors import InputError

TITLES = {"mean": "mean and 95% band", "spread": "mean and range", "none": "mean"}


def plot(file: Path, output: Path | None, band: str, log: str) -> None:
    from dpbandits.reproduction.pipeline.compare import read_regret
    from dpbandits.reproduction.plots.curves import tidy
    from dpbandits.reproduction.plots.style import DASHES, MARKERS, look, panels
    from dpbandits.reproduction.statistics import bands

    table = read_regret(file)
    output = output or file.with_suffix(".png")
    x = "t" if table["t"].nunique() > 1 or (table["epsilon"] == float("inf")).all() else "epsilon"
    several = table["epsilon"].nunique() > 1 and x == "t"
    figure, axes = panels(1, 1, width="half", height=3.8)
    ax, epsilons = axes[0, 0], list(table["epsilon"].unique())
    keys = ["algorithm", "epsilon"] if x == "t" else ["algorithm"]  # one curve each
    for (name, *at), rows in table.groupby(keys, sort=False):
        label, style = name, look(name)  # one colour per algorithm; a dash and a marker per epsilon
        if several:
            place = epsilons.index(*at)
            label = f"{name}, ε = {at[0]:g}"
            style["linestyle"] = DASHES[place % len(DASHES)]
            style["marker"] = MARKERS[place % len(MARKERS)]
        curve = rows.groupby(x)["regret"].agg(["mean", "sem", "size", "min", "max"]).reset_index()
        ax.plot(curve[x], curve["mean"], label=label, markevery=5, **style)
        if band != "none":
            ends = curve["min"], curve["max"]
            if band == "mean":
                ends = bands(curve["mean"], curve["sem"], curve["size"], curve["min"])
            ax.fill_between(curve[x], *ends, color=style["color"], alpha=0.2, lw=0)
    if "y" in log and not any((line.get_ydata() > 0).any() for line in ax.lines):
        raise InputError("--log y: no regret is above 0; allowed: a linear axis")
    scales = {f"{axis}scale": "log" for axis in log if axis in "xy"}
    ax.set(xlabel={"t": "rounds t", "epsilon": "ε"}[x], ylabel="regret", **scales)
    ax.set_title(f"Regret, {TITLES[band]}, {table['seed'].nunique()} seeds")
    tidy(figure)
    figure.savefig(output)
    print(f"{output}: {len(ax.lines)} curves over {x}")
