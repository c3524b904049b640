"""What each auditor finds in mechanisms broken on purpose, and how many runs it takes."""

import numpy as np
import pandas as pd

from dpbandits.reproduction.plots.curves import named_rows
from dpbandits.reproduction.plots.figures import Drawing, figure
from dpbandits.reproduction.plots.style import MARKERS, METHODS, panels

NO_RUNS = 1  # where the exact audit stands on a logarithmic axis


@figure(
    "hu/audit_cost",
    reads=("audit_cost",),
    title="What four auditors find, and at which cost",
    alt="For each mechanism, sound or broken on purpose: the number of runs with which the exact "
    "audit, the recorder, our samples and a hockey-stick test refute its claim; hollow where the "
    "claim is not refuted.",
)
def audit_cost(tables) -> Drawing:
    data = tables("audit_cost")
    specimen = data["mechanism"] + ": " + data["defect"].replace("none", "sound")
    names = list(dict.fromkeys(specimen))
    canvas, axes = panels(1, 1, height=0.6 + 0.34 * len(names))
    ax, auditors = axes[0, 0], list(dict.fromkeys(data["auditor"]))
    for i, auditor in enumerate(auditors):
        part = data[data["auditor"] == auditor]
        y = np.array([names.index(name) for name in specimen[part.index]]) + 0.18 * (i - 1.5)
        x = np.maximum(part["runs"].to_numpy(), NO_RUNS)
        found = part["found"].to_numpy(bool)
        style = {"color": METHODS[i], "marker": MARKERS[i], "ls": "", "ms": 6}
        ax.plot(x, y, mfc="none", label=auditor, **style)
        ax.plot(x[found], y[found], **style)
    ax.plot([], [], "o", ms=6, color="grey", label="filled: the claim is refuted")
    named_rows(ax, names)
    ax.set(xscale="log", xlabel="runs of the code (1: none)")
    broken = data[data["defect"] != "none"]
    found = broken.groupby("auditor")["found"].sum()[auditors]
    total = broken.groupby("auditor").size().iloc[0]
    alarms = int(data[data["defect"] == "none"]["found"].sum())
    runs = data.groupby("auditor")["runs"].agg(["min", "max"]).loc[auditors]
    table = pd.DataFrame({
        "auditor": auditors, f"found, of {total} broken": [*found],
        "fewest runs": [f"{n:,}" for n in runs["min"]],
        "most runs": [f"{n:,}" for n in runs["max"]],
    })  # fmt: skip
    return Drawing(
        canvas, data,
        f"The {auditors[0]} audit finds {found.iloc[0]} and the samples find {found.min()} to "
        f"{found.max()} of {total} broken mechanisms, with {alarms} false alarms.",
        "the recorder covers all neighbours of all small data sets; the samples are of one bad "
        "pair that is known",
        table,
    )  # fmt: skip
