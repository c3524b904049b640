"""Figure of the auditors themselves: their power on mechanisms broken on purpose."""

import numpy as np
import pandas as pd

from dpbandits.reproduction.plots.curves import named_rows
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.style import MARKERS, METHODS, panels

BOUNDS = Plot(
    "samples", "median_bound", curve="specimen", panel="group", log="x", x_label="runs",
    y_label="black-box lower bound of ε",
)  # fmt: skip


@figure(
    "hu/audit_power",
    reads=("audit_zoo",),
    title="The auditors on mechanisms broken on purpose",
    alt="For each mechanism, sound ones above and broken ones below: the claimed and the true "
    "privacy loss, and the median black-box lower bound at three sample sizes; filled if the "
    "claim is refuted.",
    plot=BOUNDS,
)
def audit_power(tables) -> Drawing:
    data = tables("audit_zoo")
    sound = data["defect"] == "none"
    data["group"] = np.where(sound, "sound", "broken")
    data["specimen"] = data["mechanism"] + np.where(sound, "", ": " + data["defect"])
    groups = {group: data[data["group"] == group] for group in ("sound", "broken")}
    counts = [part["specimen"].nunique() for part in groups.values()]
    canvas, axes = panels(2, 1, height=2.4, sharex=True, height_ratios=counts)
    claimed = data["claimed_epsilon"].iloc[0]
    for ax, (group, part) in zip(axes[:, 0], groups.items(), strict=True):
        names = list(dict.fromkeys(part["specimen"]))
        y = np.arange(len(names))
        true = part.groupby("specimen")["true_epsilon"].first()[names].to_numpy()
        most = 1.06 * data["median_bound"].max()
        ax.plot(np.minimum(true, most), y, "|", color="black", ms=15, mew=2,
                label="true loss (exact audit)")  # fmt: skip
        for place in y[np.isinf(true)]:
            ax.annotate("→ ∞", (most, place), xytext=(6, -3), textcoords="offset points")
        for i, (samples, rows) in enumerate(part.groupby("samples")):
            rows = rows.set_index("specimen").loc[names]
            bound, refuted = rows["median_bound"].to_numpy(), rows["refuted"].to_numpy() > 0.5
            style = {"color": METHODS[i], "marker": MARKERS[i], "ls": "", "ms": 6}
            ax.plot(bound, y, mfc="none", label=f"lower bound from {samples:,} runs", **style)
            ax.plot(bound[refuted], y[refuted], **style)
        ax.axvline(claimed, color="black", lw=1, ls="--", label="claimed")
        named_rows(ax, names)
        ax.set_title(f"{group} mechanisms")
    axes[0, 0].plot([], [], "o", color="grey", ms=6, label="filled: refuted in most trials")
    axes[-1, 0].set(xlabel="privacy loss ε", xlim=(0, 1.12 * data["median_bound"].max()))
    return Drawing(canvas, data, _in_words(groups), table=_power(groups["broken"]))


def _in_words(groups: dict[str, pd.DataFrame]) -> str:
    exact = groups["broken"].groupby("specimen")["exact_audit_refutes"].first()
    sound = groups["sound"]
    alarms = int((sound["refuted"] * sound["trials"]).sum().round())
    return (
        f"The exact audits refute {exact.sum()} of {len(exact)} broken mechanisms, and of "
        f"{int(sound['trials'].sum())} black-box audits of sound ones {alarms} gave a false alarm."
    )


def _power(broken: pd.DataFrame) -> pd.DataFrame:
    share = broken.groupby("samples")["refuted"].mean().reset_index()
    share["refuted"] = [f"{value:.0%}" for value in share["refuted"]]
    share["samples"] = [f"{value:,}" for value in share["samples"]]
    return share.rename(
        columns={"samples": "runs", "refuted": "share of trials on broken ones that refute"}
    )
