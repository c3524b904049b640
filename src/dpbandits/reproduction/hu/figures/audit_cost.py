"""What each auditor finds in mechanisms broken on purpose, and how many runs it takes."""

import numpy as np
import pandas as pd

from dpbandits.reproduction.plots.curves import named_rows
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.style import MARKERS, METHODS, panels

NO_RUNS = 1  # where the exact audit stands on a logarithmic axis
RUNS = Plot(
    "runs", "loss", curve="auditor", panel="specimen", log="x", x_label="runs of the code",
    y_label="loss that is found",
)  # fmt: skip


@figure(
    "hu/audit_cost",
    reads=("audit_cost",),
    title="What four auditors find, and at which cost",
    alt="For each mechanism, sound ones above and broken ones below: the number of runs with which "
    "the exact audit, the recorder, our samples and a hockey-stick test refute its claim; filled "
    "where they do.",
    plot=RUNS,
)
def audit_cost(tables) -> Drawing:
    data = tables("audit_cost")
    sound = data["defect"] == "none"
    data["specimen"] = data["mechanism"] + np.where(sound, "", ": " + data["defect"])
    groups = {"sound": data[sound], "broken": data[~sound]}
    counts = [part["specimen"].nunique() for part in groups.values()]
    canvas, axes = panels(2, 1, height=2.4, sharex=True, height_ratios=counts)
    for ax, (group, part) in zip(axes[:, 0], groups.items(), strict=True):
        names = list(dict.fromkeys(part["specimen"]))
        for i, (auditor, rows) in enumerate(part.groupby("auditor", sort=False)):
            y = np.array([names.index(name) for name in rows["specimen"]]) + 0.16 * (i - 1.5)
            x, found = np.maximum(rows["runs"], NO_RUNS), rows["found"].to_numpy(bool)
            style = {"color": METHODS[i], "marker": MARKERS[i], "ls": "", "ms": 6}
            ax.plot(x, y, mfc="none", label=auditor, **style)
            ax.plot(x[found], y[found], **style)
        named_rows(ax, names)
        ax.set_title(f"{group} mechanisms")
    axes[0, 0].plot([], [], "o", color="grey", ms=6, label="filled: the claim is refuted")
    axes[-1, 0].set(xscale="log", xlabel="runs of the code (1: none)")
    return Drawing(
        canvas, data, _in_words(**groups),
        "The recorder tries all neighbours of all small data sets; the samples are of one bad pair "
        "that is known. Runs of the sampling auditors: the fewest with which most trials refute.",
        _found(groups["broken"]),
    )  # fmt: skip


def _in_words(sound: pd.DataFrame, broken: pd.DataFrame) -> str:
    found = broken.groupby("auditor", sort=False)["found"].agg(["sum", "size"])
    counts = ", ".join(f"{name} {row['sum']}" for name, row in found.iterrows())
    return (
        f"Of {found['size'].iloc[0]} broken mechanisms are found: {counts}; of sound ones "
        f"{int(sound['found'].sum())} are accused."
    )


def _found(broken: pd.DataFrame) -> pd.DataFrame:
    by = broken.groupby("auditor", sort=False)
    runs = [
        f"{low:,} to {high:,}" for low, high in zip(by["runs"].min(), by["runs"].max(), strict=True)
    ]
    return pd.DataFrame({"auditor": list(by.groups), "broken ones found": by["found"].sum().values,
                         "runs": runs})  # fmt: skip
