"""Are the bounds true, and how tight: (eps, delta) curves, ratios, counterexamples."""

import numpy as np
import pandas as pd

from dpbandits.reproduction.ledger.claims import claims
from dpbandits.reproduction.plots.curves import curves, named_rows
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.plaintext import plain
from dpbandits.reproduction.plots.style import BLUE, GREEN, GREY, RED, panels

DELTA = Plot("epsilon", "delta", curve="quantity", panel="case", log="y", x_label="ε", y_label="δ")
QUANTITIES = {"exact": "exact", "theorem": "theorem, printed", "repaired": "theorem, corrected"}
LOOKS = {
    "exact": {"color": BLUE, "linestyle": "-", "zorder": 4},
    "theorem": {"color": RED, "linestyle": "--", "zorder": 3},
    "repaired": {"color": GREEN, "linestyle": "-", "lw": 6, "alpha": 0.35},
}


@figure(
    "kl/delta_curves",
    title="Exact δ(ε) beside the theorems' pairs",
    paper_says="For every N0 (λ₀) the policy is (ε, δ)-DP, whatever the coverage.",
    alt="δ against ε, a panel per case, the same axes in all: the exact curve, the theorems' over "
    "N0 or λ₀ and the corrected ones; shaded: what the printed theorem allows.",
    plot=DELTA,
)
def delta_curves(tables) -> Drawing:
    data = tables("delta_curves")
    data = data.assign(delta=data["delta"].clip(lower=1e-12))
    canvas, axes = curves(
        data, DELTA, columns=4, height=3, names=QUANTITIES, looks=LOOKS,
        titles=lambda case: _title(data[data["case"] == case].iloc[0]),
    )  # fmt: skip
    rows = []
    for case, ax in axes.items():
        own = data[data["case"] == case]
        exact, theorem = (own[own["quantity"] == q] for q in ("exact", "theorem"))
        allowed = {"color": RED, "alpha": 0.09, "lw": 0, "label": "allowed by the printed theorem"}
        ax.fill_between(theorem["epsilon"], 1e-10, theorem["delta"], **allowed)
        ax.set_ylim(1e-10, 3)
        there = np.interp(theorem["epsilon"], exact["epsilon"], exact["delta"])
        ratio = float((there / theorem["delta"]).max()) if len(theorem) else 0.0
        rows.append([case, ratio])
    table = pd.DataFrame(rows, columns=["case", "exact δ / printed δ, at most"])
    crossed = (table.iloc[:, 1] > 1).sum()
    return Drawing(
        canvas, data,
        f"The exact δ exceeds that of the printed theorem in {crossed} of {len(table)} cases.",
        "bandit: Theorem 1, R = 1, N: records per arm; linear: Theorem 2, φ = 1 and the null "
        "action; RLHF: Theorem 3, d = 1; cut off below δ = 1e-10",
        table,
    )  # fmt: skip


def _title(row: pd.Series) -> str:
    return f"{row['case'].replace('; ', chr(10))}\nβ₀ = {row['beta0']:g}, η = {row['eta']:g}"


LEDGER = {  # the study's names as the rows of the ledger
    "KL-C2": "KL-C2.pure-part",
    "KL-C2-approx": "KL-C2",
    "KL-C3-approx": "KL-C3.approximate-part",
}


def in_words(row: str) -> str:
    """A row of the ledger by the place of its statement in the paper."""
    id, _, reading = (row, "", "") if row in claims() else row.rpartition(".")
    kind = {"pure": "pure", "approx": "(ε, δ)"}.get(id.rsplit("-", 1)[-1], "")
    details = filter(None, (kind, reading.replace("-", " ")))
    place = plain(claims()[id].where).replace(" = label part of Theorem 4", "")
    return ", ".join([place, *details])


SHARE = Plot("worst", "statement", panel="group", log="x", x_label="exact loss / bound")


@figure(
    "kl/tightness",
    title="Printed bounds on random data sets and the worst found by search",
    paper_says="Each bound holds for every data set: all ratios are at most 1.",
    alt="One line per bound, from the median to the worst ratio of exact loss to bound, on a log "
    "axis with a line at 1; bounds that are exceeded are drawn in red.",
)
def tightness(tables) -> Drawing:
    data = tables("tightness").replace({"claim": LEDGER})
    worst = data.groupby("claim", sort=False).agg(
        worst=("worst", "max"), median=("median", "first"), crossed=("crossed", "sum"),
        data_sets=("data_sets", "sum"),
    )  # fmt: skip
    worst = worst.sort_values("crossed", key=lambda crossed: crossed == 0, kind="stable")
    names = [in_words(claim) for claim in worst.index]
    canvas, axes = panels(1, 1, height=4.6)
    ax, cap, floor = axes[0, 0], 1e4, 1e-3
    for y, row in enumerate(worst.itertuples()):
        colour = RED if row.crossed else BLUE
        start, end = max(row.median, floor), float(np.clip(row.worst, floor, cap))
        ax.plot([start, end], [y, y], color=colour, linewidth=1.4)
        ax.plot(start, y, "|", color=colour, markersize=9)
        ax.plot(end, y, ">" if row.worst > cap else "o", color=colour, markersize=6)
    _legend(ax, (BLUE, "o", "worst, within the bound"), (RED, "o", "worst, exceeds it"),
            (RED, ">", "worst, beyond the axis"), (GREY, "|", "median"))  # fmt: skip
    ax.axvline(1.0, color="black", linewidth=1, label="equality")
    ax.set(xscale="log", xlabel="exact loss / bound", xlim=(floor / 1.5, cap * 1.5))
    named_rows(ax, names)
    table = worst[["worst", "crossed", "data_sets"]].set_axis(names)
    table.columns = ["largest ratio", "data sets that exceed it", "of"]
    crossed = (worst["crossed"] > 0).sum()
    return Drawing(
        canvas, data,
        f"On these data sets the exact loss exceeds {crossed} of the {len(worst)} printed bounds.",
        f"medians below {floor:g} are drawn at {floor:g}",
        table.rename_axis("statement").reset_index(),
    )  # fmt: skip


def _legend(ax, *marks: tuple[str, str, str]) -> None:
    for colour, marker, label in marks:
        ax.plot([], [], marker, color=colour, ms=6, label=label)


THEOREMS = {
    "L1 partition": "Lemma 1, partition", "T draws": "Section 4.4, T draws",
    "inexact": "Section 4.4, inexact policies",
}  # fmt: skip


def _theorem(bound: str) -> str:
    if bound in THEOREMS:
        return THEOREMS[bound]
    number, *kind = bound.split()
    return f"Theorem {number[1:]}, {' '.join(kind).replace('approx', '(ε, δ)')}"


@figure(
    "kl/attacks",
    title="Search against the corrected bounds",
    paper_says="Nothing: these bounds are ours (docs/proofs/KL.md).",
    alt="One line per corrected bound, a dot per dimension at the largest ratio of true loss to "
    "bound, hollow where only small δ count, and a line at 1.",
)
def attacks(tables) -> Drawing:
    data = tables("attacks")
    theorems = data["bound"].str.removesuffix(" (small delta)")
    names = list(theorems.unique())
    canvas, axes = panels(1, 1, height=3.8)
    ax = axes[0, 0]
    for row, theorem in zip(data.itertuples(), theorems, strict=True):
        y = names.index(theorem) + 0.2 * (row.dimension - 1)
        look = {} if row.bound == theorem else {"markerfacecolor": "white"}
        ax.plot(row.ratio, y, "o", color=GREEN, markersize=6, **look)
    _legend(ax, (GREEN, "o", "worst found, by dimension"))
    hollow = {"mfc": "white", "ms": 6, "label": "worst where the bound gives a δ of 1e-6 to 0.1"}
    ax.plot([], [], "o", color=GREEN, **hollow)
    ax.axvline(1.0, color="black", linewidth=1, label="equality")
    ax.set(xlim=(0, 1.03), xlabel="true loss / corrected bound")
    named_rows(ax, map(_theorem, names))
    best = data.groupby(theorems, sort=False)["ratio"].max()
    crossed, count = int(data["crossed"].sum()), int(data["instances"].sum())
    none = "None" if not crossed else f"{crossed:,}"
    ratios = best.to_numpy()
    table = pd.DataFrame({"corrected bound": map(_theorem, best.index), "largest ratio": ratios})
    return Drawing(
        canvas, data.assign(statement=[_theorem(name) for name in theorems]),
        f"{none} of {count:,} instances exceeds its corrected bound.",
        "a row is a theorem of the paper as corrected; dots of one row: d = 1, below it 2 and more",
        table,
    )  # fmt: skip


@figure(
    "kl/counterexamples",
    title="Counterexamples: what the mechanism does and what the statement allows",
    paper_says="Every statement holds for every data set.",
    alt="Two panels, δ and pure loss: per refuted statement a dot for the true value right of a "
    "tick for the allowed one, on log axes.",
)
def counterexamples(tables) -> Drawing:
    data = tables("counterexamples")
    data = data.assign(statement=[in_words(claim) for claim in data["claim"]])
    parts = [data[data["quantity"] == quantity] for quantity in ("delta", "pure loss")]
    canvas, axes = panels(1, 2, height=3.6)
    labels = ("δ at the statement's ε", "privacy loss ε")
    for ax, part, label in zip(axes[0], parts, labels, strict=True):
        y = range(len(part))
        ax.hlines(y, part["allowed"], part["measured"], color=GREY, linewidth=1.2)
        ax.plot(part["allowed"], y, "|", color=RED, markersize=11, mew=2, label="allowed")
        ax.plot(part["measured"], y, "o", color=BLUE, markersize=6, label="true")
        ax.set(xscale="log", xlabel=label)
        named_rows(ax, part["statement"])
    axes[0, 1].set_xticks([3, 5, 10, 20, 40], ["3", "5", "10", "20", "40"])
    axes[0, 1].set_xticks([], minor=True)
    proved = int(data["certified"].sum())
    columns = {"statement": "statement", "quantity": "quantity", "epsilon": "at ε",
               "measured": "true", "allowed": "allowed"}  # fmt: skip
    return Drawing(
        canvas, data,
        f"{proved} of the {len(data)} counterexamples drawn here are proved, in interval "
        "arithmetic.",
        "each has a pair of data sets of its own, which `dpbandits refute` writes out",
        data[[*columns]].rename(columns=columns),
    )  # fmt: skip
