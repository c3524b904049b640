"""What each auditor finds in mechanisms broken on purpose, and how many runs it takes."""

import numpy as np
import pandas as pd

from dpbandits.reproduction.plots.curves import named_rows
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.style import RED, panels

RUNS = Plot(
    "runs", "loss", curve="auditor", panel="specimen", log="x", x_label="runs of the code",
    y_label="loss that is found",
)  # fmt: skip


@figure(
    "hu/audit_cost",
    reads=("audit_cost",),
    title="What four auditors find, and at which cost",
    alt="A panel for the exact audit, the recorder, our samples and a hockey-stick test, and in it "
    "a row per mechanism, sound ones above and broken ones below: the runs that it takes; filled "
    "where the claim is refuted.",
    plot=RUNS,
)
def audit_cost(tables) -> Drawing:
    data = tables("audit_cost")
    sound = data["defect"] == "none"
    data["specimen"] = data["mechanism"] + np.where(sound, " (sound)", ": " + data["defect"])
    groups = {"sound": data[sound], "broken": data[~sound]}
    names = [*dict.fromkeys(pd.concat(groups.values())["specimen"])]
    auditors = data.groupby("auditor", sort=False)
    canvas, (axes,) = panels(1, len(auditors), height=3.8, sharey=True, width_ratios=(1, 3, 3, 3))
    for ax, (auditor, rows) in zip(axes, auditors, strict=True):
        y = rows["specimen"].map(names.index)
        for found, fill, label in (
            (True, RED, "claim refuted, with so many runs"), (False, "none", "claim not refuted"),
        ):  # fmt: skip
            own = rows["found"] == found
            ax.plot(rows["runs"][own], y[own], "o", ms=7, color=RED if found else "0.4", mfc=fill,
                    label=label)  # fmt: skip
        named_rows(ax, names)
        ax.axhline(groups["sound"]["specimen"].nunique() - 0.5, color="black", lw=1)
        ax.set(title=auditor, xlabel=RUNS.x_label)
        if rows["runs"].max():
            ax.set(xscale="log", xlim=(60, 2 * data["runs"].max()))
        else:
            ax.set(xticks=[0], xlabel="runs")
    return Drawing(
        canvas, data, _in_words(**groups),
        "The exact audit computes the loss and runs nothing; the recorder tries all neighbours of "
        "all small data sets; the sampling auditors run one bad pair that is known, here the "
        "fewest runs with which most trials refute.",
    )  # fmt: skip


def _in_words(sound: pd.DataFrame, broken: pd.DataFrame) -> str:
    found = broken.groupby("auditor", sort=False)["found"].agg(["sum", "size"])
    counts = ", ".join(f"{name} {row['sum']}" for name, row in found.iterrows())
    return (
        f"Of {found['size'].iloc[0]} broken mechanisms are found: {counts}; of sound ones "
        f"{int(sound['found'].sum())} are accused."
    )
