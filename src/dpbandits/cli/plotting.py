"""`dpbandits plot`: regret from `dpbandits simulate` as a picture, in the look of the house."""

from pathlib import Path

import pandas as pd

from dpbandits.cli.inputs import writable
from dpbandits.core.errors import InputError

COLUMNS = ("algorithm", "epsilon", "seed", "t", "regret")


def plot(options) -> None:
    from dpbandits.core.files import read_table
    from dpbandits.plots.style import look, panels

    try:
        table = read_table(options.file)
    except pd.errors.ParserError as error:
        raise InputError(f"{options.file}: not a CSV table: {error}") from None
    missing = [column for column in COLUMNS if column not in table]
    if missing:
        raise InputError(f"{options.file}: no column {missing[0]}; allowed: what simulate writes")
    output = writable(options.output or str(Path(options.file).with_suffix(".png")))
    x = "t" if table["t"].nunique() > 1 else "epsilon"
    figure, axes = panels(1, 1, width=5.2, height=3.2)
    several = table["epsilon"].nunique() > 1 and x == "t"
    for (name, epsilon), rows in _series(table, x):
        label = f"{name}, ε = {epsilon:g}" if several and epsilon != float("inf") else name
        style = look(label if several else name)
        curve = _summary(rows, x, options.band)
        axes[0, 0].plot(curve[x], curve["mean"], label=label, ms=3, markevery=5, **style)
        if options.band != "none":
            edges = (curve["low"], curve["high"])
            axes[0, 0].fill_between(curve[x], *edges, color=style["color"], alpha=0.2, lw=0)
    scales = {f"{axis}scale": "log" for axis in options.log if axis in "xy"}
    axes[0, 0].set(xlabel={"t": "rounds t", "epsilon": "ε"}[x], ylabel="regret", **scales)
    seeds = table["seed"].nunique()
    said = {"mean": "mean and 95% band", "spread": "mean and range", "none": "mean"}[options.band]
    axes[0, 0].set_title(f"Regret, {said}, {seeds} seeds")
    axes[0, 0].legend()
    figure.savefig(output)
    print(f"{output}: {len(axes[0, 0].lines)} curves over {x}")


def _series(table: pd.DataFrame, x: str):
    keys = ["algorithm", "epsilon"] if x == "t" else ["algorithm"]
    for key, rows in table.groupby(keys, sort=False):
        yield (key if x == "t" else (key[0], float("inf"))), rows


def _summary(rows: pd.DataFrame, x: str, band: str) -> pd.DataFrame:
    """Mean over seeds at each x, and the band asked for."""
    from dpbandits.core.statistics import bands

    found = rows.groupby(x)["regret"].agg(["mean", "sem", "size", "min", "max"]).reset_index()
    if band == "spread":
        return found.rename(columns={"min": "low", "max": "high"})
    low, high = bands(found["mean"], found["sem"], found["size"], found["min"])
    return found.assign(low=low, high=high)
