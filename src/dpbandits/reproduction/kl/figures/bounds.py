"""Are the bounds true, and how tight: (eps, delta) curves, ratios, attacks, counterexamples."""

import numpy as np

from dpbandits.reproduction.kl.summaries import most_exceeded
from dpbandits.reproduction.ledger.claims import claims
from dpbandits.reproduction.ledger.rows import rows_of
from dpbandits.reproduction.ledger.verdicts import FAILS
from dpbandits.reproduction.plots.claims import rows_of_ratios
from dpbandits.reproduction.plots.curves import (
    curves,
    named_rows,
    power_text,
    ticks_at,
    write_beside,
)
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.plaintext import plain
from dpbandits.reproduction.plots.style import BLACK, BLUE, GREEN, GREY, RED, panels
from dpbandits.reproduction.statistics import span

DELTA = Plot("epsilon", "delta", curve="quantity", panel="case", log="y", x_label="ε", y_label="δ")
FLOOR = 1e-10  # of a delta that is drawn
QUANTITIES = {"exact": "exact", "theorem": "theorem, printed", "repaired": "theorem, corrected"}
LOOKS = {
    "exact": {"color": BLUE, "linestyle": "-", "zorder": 4},
    "theorem": {"color": RED, "linestyle": "--", "zorder": 3},
    "repaired": {"color": GREEN, "linestyle": "-", "lw": 6, "alpha": 0.35},
}


@figure(
    "kl/delta_curves",
    claims=tuple(f"KL-T{number}-approx (printed)" for number in (1, 2, 3)),
    title="Exact δ(ε) beside the theorems' pairs",
    alt="δ against ε, a panel per case: the exact curve, the theorem's and the corrected one; "
    "shaded: what the printed theorem allows.",
)
def delta_curves(tables) -> Drawing:
    """The exact δ(ε) of single data sets beside the theorems."""
    data = tables("delta_curves")
    data = data[(data["quantity"] != "repaired") | (data["delta"] < 1)]  # 1 promises nothing
    data = data.assign(delta=data["delta"].clip(lower=FLOOR / 100))
    canvas, axes = curves(
        data, DELTA, columns=4, height=2.9, names=QUANTITIES, looks=LOOKS, sharex=False,
        titles=lambda case: case.partition(";")[0],
    )  # fmt: skip
    for case, ax in axes.items():
        own = data[data["case"] == case]
        theorem = own[own["quantity"] == "theorem"]
        allowed = {"color": RED, "alpha": 0.09, "lw": 0, "label": "allowed by the printed theorem"}
        ax.fill_between(theorem["epsilon"], FLOOR, theorem["delta"], **allowed)
        if most := most_exceeded(own):
            at, true, printed = most
            ax.vlines(at, printed, true, color=BLACK, lw=1.2, zorder=5, label="largest excess")
            for value in (true, printed):
                write_beside(ax, f"{value:.2g}", at, value, (4, 6))
        end = max(3, own[own["quantity"].ne("theorem") & (own["delta"] > FLOOR)]["epsilon"].max())
        ax.set(ylim=(FLOOR, 3), xlim=(-0.02 * end, 1.25 * end), xlabel=DELTA.x_label)
    return Drawing(
        canvas, data,
        "bandit: Theorem 1, R = 1; linear: Theorem 2, φ = 1 and the null action; RLHF: Theorem 3, "
        "d = 1; a corrected δ of 1, which promises nothing, is not drawn",
    )  # fmt: skip


READINGS = {"unit-differences": "record\ndifferences at most 1"}
LEDGER = {  # the study's names as the rows of the ledger
    "KL-C2": "KL-C2.pure-part",
    "KL-C2-approx": "KL-C2",
    "KL-C3-approx": "KL-C3.approximate-part",
}


def in_words(row: str) -> str:
    """A row of the ledger by the place of its statement in the paper."""
    id, _, reading = (row, "", "") if row in claims() else row.rpartition(".")
    kind = {"pure": "pure", "approx": "(ε, δ)"}.get(id.rsplit("-", 1)[-1], "")
    details = filter(None, (kind, READINGS.get(reading, reading.replace("-", " "))))
    place = plain(claims()[id].where).replace(" = label part of Theorem 4", "")
    return ", ".join([place, *details])


@figure(
    "kl/tightness",
    reads=("tightness", "verdicts"),
    title="Printed bounds on random data sets and the worst found by search",
    alt="A row per bound, by the largest ratio of exact loss to bound: from a line at 1 to a dot, "
    "red where the ledger says that the bound is false, with the ratio as a number.",
)
def tightness(tables) -> Drawing:
    data = tables("tightness").replace({"claim": LEDGER})
    worst = data.groupby("claim", sort=False)["worst"].max()
    worst = worst.sort_values(ascending=False, kind="stable")
    names = [in_words(claim) for claim in worst.index]
    canvas, axes = panels(1, 1, height=4.4, x="exact loss / bound")
    rows = {row.key: row for row in rows_of(tables("verdicts"))}
    verdicts = [rows[claim]["verdict"] for claim in worst.index]
    unbounded = ["unbounded" in rows[claim]["supremum"] for claim in worst.index]
    grows = [more and ratio < np.inf for more, ratio in zip(unbounded, worst, strict=True)]
    rows_of_ratios(
        axes[0, 0], names, worst, [RED if verdict in FAILS else BLUE for verdict in verdicts],
        [f"in the ledger: {verdict}" for verdict in verdicts],
        [f"{ratio:.3g}".replace("inf", "∞") for ratio in worst], grows, least=0.3,
    )  # fmt: skip
    over = int((worst > 1).sum())
    return Drawing(
        canvas, data,
        "each dot is the largest ratio over data sets drawn at random and over those of a climb "
        f"from the worst of them ({span(data['data_sets'], ',')} of either, in each dimension); "
        "the proved examples in kl/refuted have smaller ratios; "
        "∞: the printed δ is below the smallest number of the computer",
        seen=f"The data sets found exceed {over} of {len(worst)} printed bounds.",
    )  # fmt: skip


THEOREMS = {"L1 partition": "Lemma 1, partition", "T draws": "Section 4.4, T draws",
            "inexact": "Section 4.4, inexact policies",
            "T3 unit pure": "Theorem 3, pure, record differences ≤ 1"}  # fmt: skip


@figure(
    "kl/attacks",
    title="Search against the corrected bounds",
    alt="A row per corrected bound and dimension: a dot at the largest ratio of true loss to bound "
    "found, a ring at that where the bound gives a small δ, none right of the line at 1.",
)
def attacks(tables) -> Drawing:
    """Random instances and hill-climbing on true loss over bound; the proofs stand in
    `docs/proofs/KL.md`."""
    data = tables("attacks")
    bound = data["bound"].str.removesuffix(" (small delta)")
    theorem = bound.replace({"T(.*?) (.*)": r"Theorem \1, \2", "approx": "(ε, δ)"}, regex=True)
    data = data.assign(statement=bound.map(THEOREMS).fillna(theorem))
    one = data.groupby("statement")["dimension"].transform("nunique") == 1
    row = data["statement"] + (", d = " + data["dimension"].astype(str)).mask(one, "")
    names = [name for _, own in row.groupby(data["statement"], sort=False) for name in own.unique()]
    canvas, axes = panels(1, 1, height=4.6, x="largest ratio found, true loss / corrected bound")
    ax = axes[0, 0]
    for small, ring, label in ((False, {"ms": 5}, "worst of a search"),
                               (True, {"ms": 10, "mfc": "none"}, "worst of a search where the "
                                "bound's δ is 1e-6 to 0.1")):  # fmt: skip
        own = data["bound"].ne(bound) == small
        y = [names.index(name) for name in row[own]]
        ax.plot(data["ratio"][own], y, "o", color=GREEN, label=label, **ring)
    ax.axvline(1.0, color=BLACK, lw=1.4, label="equality")
    ax.axvspan(1, 1.08, color=RED, alpha=0.09, lw=0, label="here a bound would be false")
    ax.set_xlim(0, 1.08)
    named_rows(ax, names)
    return Drawing(
        canvas, data,
        "each dot and each ring is the worst of a search of its own, over "
        f"{span(data['instances'], ',')} instances; on the line an "
        "instance attains the bound, so that no smaller one is true; the corrected bounds are ours "
        "(docs/proofs/KL.md)",
        seen=f"{data['crossed'].sum()} of {data['instances'].sum():,} instances lie above a "
        f"corrected bound; the largest ratio is {data['ratio'].max():.4g}.",
    )  # fmt: skip


TINY = 1e-6  # smaller values are drawn there


@figure(
    "kl/counterexamples",
    title="Counterexamples: what the mechanism does and what the statement allows",
    alt="Two panels, δ and pure loss: per refuted statement a dot for the true value right of a "
    "tick for the allowed one, with both numbers.",
)
def counterexamples(tables) -> Drawing:
    """The smallest clean data sets at which a statement fails, computed in interval arithmetic."""
    data = tables("counterexamples")
    data = data.assign(statement=[in_words(claim) for claim in data["claim"]])
    data = data.loc[(data["allowed"] - data["measured"]).sort_values(kind="stable").index]
    canvas, axes = panels(1, 2, height=3.8, width_ratios=(5, 4))
    labels = {"delta": "δ at the statement's ε", "pure loss": "privacy loss ε"}
    for ax, (quantity, label) in zip(axes[0], labels.items(), strict=True):
        part = data[data["quantity"] == quantity]
        y, most = range(len(part)), part["measured"].max()
        allowed, tiny = part["allowed"].clip(lower=TINY), part["allowed"] < TINY
        ax.hlines(y, allowed, part["measured"], color=GREY, linewidth=1.2)
        ax.plot(part["measured"], y, "o", color=BLUE, markersize=6, label="true value")
        y = np.array(y)
        ax.plot(allowed[~tiny], y[~tiny], "|", color=RED, ms=11, mew=2, label="allowed")
        if tiny.any():
            beyond = {"ms": 6, "mfc": "white", "label": "allowed, beyond the axis: see the value"}
            ax.plot(allowed[tiny], y[tiny], "<", color=RED, **beyond)
        for row, place in zip(part.itertuples(), y, strict=True):
            text = f"{row.measured:.3g}, allowed {row.allowed:.3g}"
            write_beside(ax, text, row.measured, place)
        low = allowed.min() / 1.5
        ax.set(xlabel=label, xscale="log", xlim=(low, most * (most / low) ** 0.7))
        named_rows(ax, part["statement"])
    ticks_at(axes[0, 0], 10.0 ** np.arange(-6, 1), text=power_text)
    times = (data["measured"] / data["allowed"]).groupby(data["quantity"]).min()
    return Drawing(
        canvas, data,
        "`dpbandits refute` writes out the data sets of each; in `record differences at most 1` "
        "the features of two actions of the policy still differ by 2",
        seen=f"Each of {len(data)} statements fails at its data sets: δ is at least "
        f"{times['delta']:.3g} times, the pure loss at least {times['pure loss']:.3g} times what "
        "is allowed.",
    )  # fmt: skip
