"""Power of the black-box auditor against the number of runs."""

import numpy as np
import pandas as pd

from dpbandits.reproduction.plots.curves import curves
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.style import GREEN, RED

LOOKS = {
    "a false claim": {"color": RED, "marker": "s"},
    "a true claim": {"color": GREEN, "marker": "o"},
}
POWER = Plot(
    "runs", "refuted", curve="claim", panel="name", log="x", x_label="runs",
    y_label="share of audits that refute",
)  # fmt: skip


@figure(
    "hu/audit_runs",
    reads=("audit_power",),
    title="How many runs refute a false claim of privacy",
    alt="Share of audits that refute the claim against the number of runs, a panel per mechanism: "
    "a Gaussian sum, a noisy maximum and a Laplace sum on floats; green where the claim is true, "
    "red where it is false.",
    plot=POWER,
)
def audit_runs(tables) -> Drawing:
    data = tables("audit_power")
    false = data["claim_is_false"]
    data = data.assign(
        name=data["mechanism"] + np.where(false, "", " (true claim)"),
        claim=np.where(false, "a false claim", "a true claim"),
    )
    enough = data["runs"].where(data["refuted"] >= 0.9)
    needed = enough[false].groupby(data["name"], sort=False).min().fillna(np.inf)
    canvas, _ = curves(data, POWER, columns=data["name"].nunique(), height=2.9, looks=LOOKS,
                       titles=lambda n: n.replace(", ", ",\n").replace(" (", "\n("))  # fmt: skip
    alarms = data[~data["claim_is_false"]]
    wrong = int((alarms["refuted"] * alarms["trials"]).sum().round())
    found = [runs for runs in needed if np.isfinite(runs)]
    texts = {n: f"{r:,.0f}" if r in found else "not found" for n, r in needed.items()}
    table = pd.DataFrame(texts.items(), columns=["false claim of", "runs for nine of ten audits"])
    return Drawing(
        canvas, data,
        f"{len(found)} of {len(needed)} false claims are refuted in nine of ten audits, with "
        f"{min(found, default=0):,.0f} to {max(found, default=0):,.0f} runs; {wrong} of "
        f"{int(alarms['trials'].sum())} audits refute a true one.",
        f"{data['trials'].max()} audits at each point; runs: on each of two data sets", table,
    )  # fmt: skip
