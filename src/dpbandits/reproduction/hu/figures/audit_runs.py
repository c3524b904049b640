"""Power of the black-box auditor against the number of runs."""

from dpbandits.reproduction.plots.figures import Drawing, figure
from dpbandits.reproduction.plots.style import DASHES, MARKERS, look, panels


@figure(
    "hu/audit_runs",
    reads=("audit_power",),
    title="How many runs refute a false claim of privacy",
    alt="Share of audits that refute the claim against the number of runs: lines for a Gaussian "
    "sum, a noisy maximum and a Laplace sum on floats, each right and wrong.",
)
def audit_runs(tables) -> Drawing:
    data = tables("audit_power")
    canvas, axes = panels(1, 1, width=5.4, height=3.2)
    ax, needed = axes[0, 0], []
    for i, (name, rows) in enumerate(data.groupby("mechanism", sort=False)):
        false = rows["claim_is_false"].iloc[0]
        color = look(name)["color"] if false else "grey"
        line = {"marker": MARKERS[i], "ls": DASHES[0 if false else 1], "color": color}
        label = name if false else f"{name} (the claim is true)"
        ax.plot(rows["runs"], rows["refuted"], label=label, **line)
        enough = rows[rows["refuted"] >= 0.9]["runs"]
        if false:
            most = f"more than {rows['runs'].max():,}"
            needed.append(f"{name}: {f'{enough.min():,}' if len(enough) else most}")
    alarms = data[~data["claim_is_false"]]
    ax.set(xscale="log", xlabel="runs on each data set", ylabel="share of audits that refute")
    wrong = int((alarms["refuted"] * alarms["trials"]).sum().round())
    sentence = (
        f"Runs that refute the false claim in nine of ten audits: {'; '.join(needed)}. False "
        f"alarms: {wrong} in {int(alarms['trials'].sum())} audits of those whose claim is true."
    )
    return Drawing(canvas, data, sentence, finding="; ".join(needed))
