"""Figures of the auditors themselves: power on the zoo, and the range of Lemma A.2."""

import numpy as np

from dpbandits.reproduction.plots.figures import Drawing, figure
from dpbandits.reproduction.plots.style import GREEN, MARKERS, METHODS, RED, panels
from dpbandits.reproduction.plots.words import readable


@figure(
    "hu/audit_power",
    reads=("audit_zoo",),
    title="The auditors on mechanisms broken on purpose",
    alt="For each mechanism of the zoo: the claimed and the true privacy loss, and the median "
    "black-box lower bound at three sample sizes; filled if the claim is refuted.",
)
def audit_power(tables) -> Drawing:
    data = tables("audit_zoo")
    data["specimen"] = data["mechanism"] + ": " + data["defect"].replace("none", "sound")
    names = list(dict.fromkeys(data["specimen"]))
    canvas, axes = panels(1, 1, width=6.5, height=4)
    ax, y = axes[0, 0], -np.arange(len(names))
    true = data.groupby("specimen")["true_epsilon"].first()[names]
    x = np.minimum(true, data["median_bound"].max() * 1.08)
    ax.plot(x, y, "|", color="black", markersize=12, label="true loss (exact audit)")
    for i, (samples, part) in enumerate(data.groupby("samples")):
        part = part.set_index("specimen").loc[names]
        refuted = part["refuted"].to_numpy() > 0.5
        bound = part["median_bound"].to_numpy()
        look = {"color": METHODS[i], "marker": MARKERS[i], "ls": ""}
        ax.plot(bound, y, mfc="none", label=f"black box, {samples:,} runs", **look)
        ax.plot(bound[refuted], y[refuted], **look)
    ax.plot([], [], "o", color="grey", label="filled: refuted in most trials")
    claimed = data["claimed_epsilon"].iloc[0]
    ax.axvline(claimed, color="black", lw=0.8, ls="--", label="claimed")
    infinite = np.isinf(true.to_numpy())
    for point in zip(x[infinite], y[infinite], strict=True):
        ax.annotate("∞", point, xytext=(5, -3), textcoords="offset points")
    ax.set_yticks(y, [readable(name) for name in names])
    ax.set(xlabel="privacy loss ε", xlim=(0, None))
    broken = data[data["defect"] != "none"].groupby(["mechanism", "defect"])
    finding = f"exact audits refute {broken['exact_audit_refutes'].first().sum()} of {len(broken)}"
    return Drawing(canvas, data.drop(columns="specimen"), _power_sentence(data), finding=finding)


def _power_sentence(data) -> str:
    sound = data["defect"] == "none"
    broken = data[~sound].groupby(["mechanism", "defect"])
    exact = broken["exact_audit_refutes"].first()
    alarms = int((data["refuted"] * data["trials"])[sound].sum().round())
    by_size = data[~sound].groupby("samples")["refuted"].mean()
    power = ", ".join(f"{p:.0%} with {n:,} runs" for n, p in by_size.items())
    return (
        f"Exact audits refute {exact.sum()} of {len(exact)} broken mechanisms and "
        f"{int(data['exact_audit_refutes'][sound].sum())} sound ones. The black-box auditor, at "
        f"confidence 1 - {1 - data['confidence'].iloc[0]:.0e}, refutes {power} of the broken ones "
        f"and gave {alarms} false alarms in {int(data['trials'][sound].sum())} audits of sound "
        "ones. Filled: refuted in most trials."
    )


@figure(
    "fl/lemma_a2",
    title="Lemma A.2, Peeling with its printed noise",
    paper_says="Lemma A.2 states it for all s, ε and δ.",
    alt="A grid over sparsity s and ε: each cell says whether the lemma is proved, violated "
    "or open there.",
)
def lemma_a2(tables) -> Drawing:
    data = tables("lemma_a2")
    looks = {"proved": ("o", GREEN), "open": ("_", "grey"), "violated": ("X", RED)}
    deltas = sorted(data["delta"].unique())
    canvas, axes = panels(1, len(deltas), width=4.6, height=3)
    for ax, delta in zip(axes[0], deltas, strict=True):
        part = data[data["delta"] == delta]
        sizes = sorted(part["s"].unique())
        for verdict, (marker, colour) in looks.items():
            cells = part[part["verdict"] == verdict]
            rows = [sizes.index(s) for s in cells["s"]]
            ax.plot(cells["epsilon"], rows, marker, color=colour, ls="", ms=7, label=verdict)
        limit = 4 / 3 * np.log(1 / delta)
        edge = sum(s <= limit for s in sizes) - 0.5
        ax.axhline(edge, color="black", lw=0.8, ls="--", label="s = (4/3) ln(1/δ)")
        ax.set_yticks(range(len(sizes)), sizes)
        ax.set(
            xscale="log", xlabel="ε", ylabel="s", title=f"δ = {delta:g}, d = {part['d'].iloc[0]}"
        )
    counts = data["verdict"].value_counts()
    finding = f"{counts.get('proved', 0)} cells proved, {counts.get('violated', 0)} violated"
    return Drawing(canvas, data, _range_sentence(data), finding=finding)


def _range_sentence(data) -> str:
    violated = data[data["verdict"] == "violated"]
    proved = data[data["verdict"] == "proved"]
    lines = [
        f"δ = {delta:g}: proved in {len(proved[proved['delta'] == delta])} of {len(part)} cells, "
        f"violated in {len(violated[violated['delta'] == delta])}"
        for delta, part in data.groupby("delta")
    ]
    if len(violated):
        first = violated.sort_values("epsilon").iloc[0]
        lines.append(
            f"smallest ε violated on this grid: {first['epsilon']:g} at s = {first['s']}, where δ "
            f"is at least {first['delta_at_least']:.3g}"
        )
    return "; ".join(lines) + ". All verdicts are certified; open: the two bounds do not meet."
