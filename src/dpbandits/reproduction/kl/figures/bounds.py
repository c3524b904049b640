"""Are the bounds true, and how tight: (eps, delta) curves, ratios, counterexamples."""

import numpy as np

from dpbandits.reproduction.plots.figures import Drawing, figure
from dpbandits.reproduction.plots.style import BLUE, GREEN, GREY, RED, panels


@figure(
    "kl/delta_curves",
    title="Exact δ(ε) beside the theorems' pairs",
    paper_says="for every N0 (λ₀) the policy is (ε, δ)-DP, whatever the coverage",
    alt="δ against ε, a row per problem, a panel per case, the same axes in all: the "
    "exact curve, the theorems' over N0 or λ₀ and the corrected ones; where the exact curve "
    "lies above the printed one, the printed theorem is false",
)
def delta_curves(tables) -> Drawing:
    data = tables("delta_curves")
    problems = {}
    for case in data["case"].unique():
        problems.setdefault(case.split(",")[0], []).append(case)
    most = max(map(len, problems.values()))
    labels = {"sharex": True, "sharey": True, "y": "δ"}
    canvas, axes = panels(len(problems), most, height=2.1, **labels)
    ratios = {}
    for row, cases in zip(axes, problems.values(), strict=True):
        for ax in row[len(cases) :]:
            ax.set_visible(False)
        for ax, case in zip(row, cases, strict=False):
            ratios[case] = _delta_panel(ax, data[data["case"] == case])
    for column in axes.T:
        lowest = [ax for ax in column if ax.get_visible()][-1]
        lowest.tick_params(labelbottom=True)
        lowest.set_xlabel("ε")
    we_see = "; ".join(
        f"{case.split(';')[0]}: exact δ up to {ratio:.2g} times the printed one"
        for case, ratio in ratios.items()
    )
    note = "bandit: Theorem 1, R = 1, N: records per arm; linear: Theorem 2, φ = 1 and the null "
    note += "action; RLHF: Theorem 3, d = 1; cut off below δ = 1e-10"
    crossed = sum(ratio > 1 for ratio in ratios.values())
    finding = f"the exact δ exceeds that of the printed theorem in {crossed} of {len(ratios)} cases"
    return Drawing(canvas, data, f"{we_see}.", note, finding=finding)


def _delta_panel(ax, data) -> float:
    """Draw one case; the largest ratio of the exact delta to the printed one."""
    exact, theorem, corrected = (
        data[data["quantity"] == quantity] for quantity in ("exact", "theorem", "repaired")
    )
    wide = {"color": GREEN, "linewidth": 6, "alpha": 0.35, "label": "theorem, corrected"}
    ax.plot(corrected["epsilon"], corrected["delta"], **wide)
    ax.plot(exact["epsilon"], exact["delta"].clip(lower=1e-12), color=BLUE, label="exact")
    dashed = {"color": RED, "linestyle": "--", "label": "theorem, printed"}
    ax.plot(theorem["epsilon"], theorem["delta"], **dashed)
    ax.set(yscale="log", ylim=(1e-10, 3))
    title = exact["case"].iloc[0].replace("; ", "\n")
    title += f", β₀ = {exact['beta0'].iloc[0]:g}, η = {exact['eta'].iloc[0]:g}"
    ax.set_title(title, fontsize=7.5)
    exact_there = np.interp(theorem["epsilon"], exact["epsilon"], exact["delta"])
    return float((exact_there / theorem["delta"]).max()) if len(theorem) else 0.0


LEDGER = {  # the study's names as the rows of the ledger
    "KL-C2": "KL-C2.pure-part",
    "KL-C2-approx": "KL-C2",
    "KL-C3-approx": "KL-C3.approximate-part",
}


@figure(
    "kl/tightness",
    title="Printed and corrected bounds on designed data sets and the worst found by search",
    paper_says="each bound holds for every data set: all ratios are at most 1",
    alt="One line per bound, from the median to the worst ratio of exact loss to bound, on a log "
    "axis with a line at 1; bounds that are exceeded are drawn in red",
)
def tightness(tables) -> Drawing:
    data = tables("tightness").replace({"claim": LEDGER})
    worst = data.groupby("claim", sort=False).agg(
        worst=("worst", "max"), median=("median", "first"), crossed=("crossed", "sum"),
        data_sets=("data_sets", "sum"),
    )  # fmt: skip
    canvas, axes = panels(1, 1, height=4.2, width=5.2)
    ax = axes[0, 0]
    cap, floor = 1e4, 1e-3
    for y, row in enumerate(worst.itertuples()):
        colour = RED if row.crossed else BLUE
        start, end = max(row.median, floor), float(np.clip(row.worst, floor, cap))
        ax.plot([start, end], [y, y], color=colour, linewidth=1)
        ax.plot(start, y, "|", color=colour, markersize=7)
        ax.plot(end, y, ">" if row.worst > cap else "o", color=colour, markersize=5)
    _legend(ax, (BLUE, "o", "holds"), (RED, "o", "exceeded"), (RED, ">", "exceeded, off the axis"))
    ax.axvline(1.0, color="black", linewidth=0.8, label="equality")
    ax.set(
        xscale="log", yticks=range(len(worst)), xlabel="exact / bound (bar: median, dot: worst)",
        xlim=(floor / 1.5, cap * 1.5),
    )  # fmt: skip
    ax.set_yticklabels(worst.index, fontsize=7)
    ax.invert_yaxis()
    rows = list(worst.itertuples())
    crossed = [
        f"{row.Index} ({row.crossed} of {row.data_sets} data sets)" for row in rows if row.crossed
    ]
    close = ", ".join(f"{row.Index} {row.worst:.2f}" for row in rows if not row.crossed)
    we_see = (
        f"The exact loss exceeds the printed bound of: {', '.join(crossed)}. On these data sets it "
        f"does not exceed that of (largest ratio): {close}."
    )
    note = f"over data sets; medians below {floor:g} are drawn at {floor:g}"
    finding = f"{len(crossed)} of {len(worst)} are exceeded"
    return Drawing(canvas, data, we_see, note, finding=finding)


def _legend(ax, *marks: tuple[str, str, str]) -> None:
    for colour, marker, label in marks:
        ax.plot([], [], marker, color=colour, ms=5, label=label)


@figure(
    "kl/attacks",
    title="Search against the corrected bounds",
    paper_says="nothing: these bounds are ours (docs/proofs/KL.md)",
    alt="One line per corrected bound, a dot per dimension at the largest ratio of true loss to "
    "bound, hollow where only small δ count, and a line at 1",
)
def attacks(tables) -> Drawing:
    data = tables("attacks")
    theorems = data["bound"].str.removesuffix(" (small delta)")
    names = list(theorems.unique())
    canvas, axes = panels(1, 1, height=2.9, width=4.6)
    ax = axes[0, 0]
    for row, theorem in zip(data.itertuples(), theorems, strict=True):
        y = names.index(theorem) + 0.15 * (row.dimension - 1)
        look = {} if row.bound == theorem else {"markerfacecolor": "white"}
        ax.plot(row.ratio, y, "o", color=GREEN, markersize=5, **look)
    _legend(ax, (GREEN, "o", "worst found, by dimension"))
    hollow = {"mfc": "white", "label": "the same where the bound gives a δ from 1e-6 to 0.1"}
    ax.plot([], [], "o", color=GREEN, **hollow)
    ax.axvline(1.0, color="black", linewidth=0.8, label="equality")
    ax.set(yticks=range(len(names)), xlim=(0, 1.03), xlabel="true / corrected bound, worst found")
    ax.set_yticklabels(names, fontsize=7)
    ax.invert_yaxis()
    best = data.groupby("bound", sort=False)["ratio"].max()
    ratios = ", ".join(f"{bound} {ratio:.3f}" for bound, ratio in best.items())
    crossed, count = int(data["crossed"].sum()), int(data["instances"].sum())
    we_see = (
        f"{crossed} of {count:,} instances exceed the corrected bound. Largest ratios: {ratios}. "
        "Hollow markers: only instances whose bound gives a δ from 1e-6 to 0.1."
    )
    note = (
        "a row is a theorem of the paper as corrected; dots of one row: d = 1, below it 2 and more"
    )
    finding = f"no instance exceeds its bound, the largest ratio is {best.max():.3f}"
    if crossed:
        finding = f"{crossed} of {count:,} instances exceed theirs"
    return Drawing(canvas, data, we_see, note, finding=finding)


@figure(
    "kl/counterexamples",
    title="Counterexamples: what the mechanism does and what the statement allows",
    paper_says="every statement holds for every data set",
    alt="Two panels, δ and pure loss: per refuted claim a dot for the measured value right "
    "of a tick for the allowed one, on log axes",
)
def counterexamples(tables) -> Drawing:
    data = tables("counterexamples")
    canvas, axes = panels(1, 2, height=2.9)
    for ax, quantity, title in zip(
        axes[0], ("delta", "pure loss"), ("δ", "pure loss"), strict=True
    ):
        part = data[data["quantity"] == quantity].reset_index(drop=True)
        ax.hlines(part.index, part["allowed"], part["measured"], color=GREY, linewidth=1)
        ax.plot(part["allowed"], part.index, "|", color=RED, markersize=9, label="allowed")
        ax.plot(part["measured"], part.index, "o", color=BLUE, markersize=5, label="measured")
        ax.set(xscale="log", title=title, yticks=part.index)
        ax.set_yticklabels(part["claim"], fontsize=7)
        ax.invert_yaxis()
    axes[0, 0].set_xlabel("δ at the statement's ε")
    axes[0, 1].set_xlabel("ε (nats)")
    axes[0, 1].set_xticks([3, 5, 10, 20], ["3", "5", "10", "20"])
    axes[0, 1].set_xticks([], minor=True)
    proved = int(data["certified"].sum())
    we_see = (
        f"Of the {len(data)} counterexamples drawn here {proved} are proved, in interval "
        "arithmetic."
    )
    note = "each at a pair of data sets of its own, written out below its claim's plot"
    finding = f"{proved} of the {len(data)} drawn here are proved"
    return Drawing(canvas, data, we_see, note, finding=finding)
