"""The exact loss against n, eta, beta0, coverage, d and B, beside what the theorems allow."""

import pandas as pd

from dpbandits.core.statistics import fit_power
from dpbandits.reproduction.plots.curves import curves, power_text, ticks_at
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.style import BLACK, BLUE, GREEN, PURPLE, RED

LOOKS = {
    "exact loss": {"color": BLUE, "marker": "o", "linestyle": "-"},
    "printed bound": {"color": RED, "marker": "^", "linestyle": "--"},
    "end of Appendix C, printed": {"color": PURPLE, "marker": "v", "linestyle": ":"},
    "corrected bound": {"color": GREEN, "marker": "D", "linestyle": "-."},
}
PRINTED = {"end of Appendix C, printed": "the end of Appendix C", "printed bound": "it"}
QUANTITIES = dict(zip(("exact loss", "theorem", "appendix", "repaired"), LOOKS, strict=True))
THEOREMS = {  # problem, what changes between neighbours -> name of the panel
    ("bandit", ""): "bandit, Theorem 1",
    ("linear", ""): "linear, Theorem 2",
    ("rlhf", ""): "RLHF, Theorem 4",
    ("rlhf", "label "): "RLHF, a label flipped, Theorem 3",
}
AXES = {
    "n": "records n", "eta": "regularisation η (reward units)",
    "beta0": "pessimism β₀ (reward units)", "coverage": "coverage (fewest / most records)",
    "dimension": "dimension d", "B": "radius B of the MLE's ball",
}  # fmt: skip
LOSS = Plot("value", "epsilon", "low", "high", curve="quantity", panel="panel", log="xy",
            y_label="pure loss ε")  # fmt: skip


def _loss_vs(tables, varied: tuple[str, ...]) -> Drawing:
    data = tables("loss_vs")
    data = pd.concat([data[data["varied"] == name] for name in varied])
    kind = data["quantity"].str.extract("(label )")[0].fillna("")
    data["quantity"] = data["quantity"].str.replace("label ", "").map(QUANTITIES)
    data["theorem"] = [THEOREMS[key] for key in zip(data["problem"], kind, strict=True)]
    data = pd.concat([data[data["theorem"] == name] for name in THEOREMS.values()])
    against = ", against " + data["varied"] if len(varied) > 1 else ""
    data["panel"] = data["theorem"] + against
    means = {panel: own.pivot_table(index="value", columns="quantity", values="epsilon")
             for panel, own in data.groupby("panel", sort=False)}  # fmt: skip
    shares = {panel: table.rdiv(table["exact loss"], axis=0) for panel, table in means.items()}
    titles, exceeded = {}, {}
    for panel, share in shares.items():
        titles[panel] = f"{panel}\nmean loss below it"
        for name in [name for name in PRINTED if name in share and share[name].max() > 1]:
            above = f"{(share[name] > 1).sum()} of {len(share)} points"
            titles[panel] = f"{panel}\nmean loss above {PRINTED[name]} at {above}"
            where = panel.partition(", against")[0].rpartition(", ")[2]
            place = where if name == "printed bound" else PRINTED[name]
            exceeded[place] = max(share[name].max(), exceeded.get(place, 0.0))
    canvas, axes = curves(data, LOSS, columns=4 if len(means) < 5 else 3, height=3.2, looks=LOOKS,
                          sharex=False, titles=titles)  # fmt: skip
    for panel, ax in axes.items():
        exact, share = means[panel]["exact loss"], shares[panel]
        beyond = exact[(share.filter(PRINTED) > 1).any(axis=1)]
        ax.plot(beyond.index, beyond, "o", ms=10, mfc="none", color=BLACK,
                label="above a printed bound")  # fmt: skip
        ax.set_xlabel(AXES[data["varied"][data["panel"] == panel].iloc[0]])
        ticks_at(ax, exact.index, text=power_text)
        ax.title.set_color(RED if len(beyond) else BLACK)
    powers = {panel: fit_power(table.index.to_numpy(float), table["exact loss"].to_numpy())
              for panel, table in means.items()}  # fmt: skip
    table = pd.DataFrame([
        {"panel": panel, "power of the exact loss": "{:.2f} ± {:.2f}".format(*powers[panel])}
        | {f"exact loss / {name}, at most": share.get(name, pd.Series(dtype=float)).max()
           for name in [*LOOKS][1:]}
        for panel, share in shares.items()
    ])  # fmt: skip
    words = ", ".join(f"{place} (up to {share:.2g} times)" for place, share in exceeded.items())
    words = f"exceeds the printed bound of {words}" if words else "is below the printed bounds"
    low, *_, high = sorted(power for power, _ in powers.values())
    of = " and ".join(AXES[name].split(" (")[0] for name in varied)
    return Drawing(
        canvas, data,
        f"The exact loss varies as the power {low:.2f} to {high:.2f} of {of}; in the mean over "
        f"data sets it {words}.",
        "lines are means over data sets, shaded from the smallest to the largest; the exact loss "
        "is that of the worst neighbour, of records added in linear and RLHF the worst that a "
        "search found",
        table,
    )  # fmt: skip


def _register(file: str, varied: tuple[str, ...], says: str) -> None:
    over = " and ".join(AXES[name] for name in varied)

    @figure(
        f"kl/loss_vs_{file}",
        reads=("loss_vs",),
        title=f"Privacy loss against {over}",
        paper_says=says,
        alt=f"Exact pure loss and the bounds against {over}, log-log, a panel per theorem; rings "
        "mark where the mean loss lies above a printed bound.",
        plot=LOSS,
    )
    def make(tables) -> Drawing:
        return _loss_vs(tables, varied)


_register("n", ("n",), "ε falls as 1/n at fixed coverage (Theorem 1, Corollaries 2 and 3).")
_register("eta", ("eta",), "ε is proportional to 1/η (all theorems).")
_register("beta0", ("beta0",), "Pessimism adds a term β₀/N^1.5 to ε (Theorems 1, 2, 4).")
_register("coverage", ("coverage",), "ε is governed by the least covered arm or direction.")
_register(
    "dimension_and_B", ("dimension", "B"),
    "ε grows with d through √(nd/λₘᵢₙ) (Theorem 2), and as e^(2B) (Theorems 3 and 4).",
)  # fmt: skip
