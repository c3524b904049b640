"""What each auditor finds in mechanisms broken on purpose, and how many runs it takes."""

import numpy as np

from dpbandits.reproduction.plots.figures import Drawing, figure
from dpbandits.reproduction.plots.style import MARKERS, METHODS, panels
from dpbandits.reproduction.plots.words import readable

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
    canvas, axes = panels(1, 1, width=6.5, height=4)
    ax, auditors = axes[0, 0], list(dict.fromkeys(data["auditor"]))
    for i, auditor in enumerate(auditors):
        part = data[data["auditor"] == auditor]
        y = -np.array([names.index(name) for name in specimen[part.index]]) - 0.18 * (i - 1.5)
        x = np.maximum(part["runs"].to_numpy(), NO_RUNS)
        found = part["found"].to_numpy(bool)
        look = {"color": METHODS[i], "marker": MARKERS[i], "ls": ""}
        ax.plot(x, y, mfc="none", label=auditor, **look)
        ax.plot(x[found], y[found], **look)
    ax.plot([], [], "o", color="grey", label="filled: the claim is refuted")
    ax.set_yticks(-np.arange(len(names)), [readable(name) for name in names])
    ax.set(xscale="log", xlabel="runs of the code (1: none)")
    broken = data[data["defect"] != "none"]
    found = broken.groupby("auditor")["found"].sum()[auditors]
    total = broken.groupby("auditor").size().iloc[0]
    alarms = int(data[data["defect"] == "none"]["found"].sum())
    counts = ", ".join(f"{name} {n}" for name, n in found.items())
    recorder = data[data["auditor"] == "recorder"]["runs"]
    sentence = (
        f"Of {total} broken mechanisms are found: {counts}; false alarms: {alarms}. The recorder "
        f"takes {recorder.min():,} to {recorder.max():,} runs for all neighbours of all small data "
        "sets; the samples are of one bad pair that is known. Filled: the claim is refuted."
    )
    return Drawing(canvas, data, sentence, finding=counts)
