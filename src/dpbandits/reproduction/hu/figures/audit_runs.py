"""Power of the black-box auditor against the number of runs."""

import numpy as np
import pandas as pd

from dpbandits.reproduction.plots.curves import curves
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.style import MARKERS, METHODS

POWER = Plot(
    "runs", "refuted", curve="name", log="x", x_label="runs on each data set",
    y_label="share of audits that refute the claim",
)  # fmt: skip


@figure(
    "hu/audit_runs",
    reads=("audit_power",),
    title="How many runs refute a false claim of privacy",
    alt="Share of audits that refute the claim against the number of runs: "
    "lines for a Gaussian sum, a noisy maximum and a Laplace sum on floats, grey and dashed where "
    "the claim is true.",
    width="half",
    plot=POWER,
)
def audit_runs(tables) -> Drawing:
    data = tables("audit_power")
    suffix = data["claim_is_false"].map({True: "", False: " (the claim is true)"})
    data = data.assign(name=data["mechanism"] + suffix)
    looks, needed = {}, {}
    for i, (name, part) in enumerate(data.groupby("name", sort=False)):
        false = part["claim_is_false"].iloc[0]
        color, dash = (METHODS[i], "-") if false else ("0.55", "--")
        looks[name] = {"marker": MARKERS[i], "linestyle": dash, "color": color}
        enough = part[part["refuted"] >= 0.9]["runs"]
        if false:
            needed[name] = enough.min() if len(enough) else np.inf
    canvas, _ = curves(data, POWER, width="half", height=4, looks=looks)
    alarms = data[~data["claim_is_false"]]
    wrong = int((alarms["refuted"] * alarms["trials"]).sum().round())
    found = [runs for runs in needed.values() if np.isfinite(runs)]
    texts = {n: f"{r:,.0f}" if r in found else "not found" for n, r in needed.items()}
    table = pd.DataFrame(texts.items(), columns=["false claim of", "runs for nine of ten audits"])
    return Drawing(
        canvas, data,
        f"{len(found)} of {len(needed)} false claims are refuted in nine of ten audits, with "
        f"{min(found, default=0):,.0f} to {max(found, default=0):,.0f} runs; {wrong} of "
        f"{int(alarms['trials'].sum())} audits refute a true one.",
        f"{data['trials'].max()} audits at each point", table,
    )  # fmt: skip
