"""The exact loss against n, eta, beta0, coverage, d and B, beside what the theorems allow."""

import numpy as np
import pandas as pd

from dpbandits.core.statistics import fit_power
from dpbandits.reproduction.plots.curves import curves, power_text, ticks_at
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.style import BLACK, BLUE, GREEN, GREY, PURPLE, RED

LOOKS = {
    "exact loss": {"color": BLUE, "marker": "o", "linestyle": "-"},
    "printed bound": {"color": RED, "marker": "^", "linestyle": "--"},
    "end of Appendix C, printed": {"color": PURPLE, "marker": "v", "linestyle": ":"},
    "corrected bound": {"color": GREEN, "marker": "D", "linestyle": "-."},
}
PRINTED = {"end of Appendix C, printed": "the end of Appendix C", "printed bound": "the theorem"}
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
        titles[panel] = f"{panel}\nmean loss below the theorem"
        for name in [name for name in PRINTED if name in share and share[name].max() > 1]:
            above = f"{(share[name] > 1).sum()} of {len(share)} points"
            titles[panel] = f"{panel}\nabove {PRINTED[name]} at {above}"
            if name != "printed bound":
                titles[panel] = f"{panel}: not exceeded\n{PRINTED[name]} exceeded at {above}"
            where = panel.partition(", against")[0].rpartition(", ")[2]
            place = where if name == "printed bound" else PRINTED[name]
            exceeded[place] = max(share[name].max(), exceeded.get(place, 0.0))
    canvas, axes = curves(data, LOSS, columns=4 if len(means) < 5 else 3, height=3.2, looks=LOOKS,
                          sharex=False, sharey=varied != ("n",), titles=titles)  # fmt: skip
    for panel, ax in axes.items():
        exact, share = means[panel]["exact loss"], shares[panel]
        beyond = exact[(share.filter(PRINTED) > 1).any(axis=1)]
        ax.plot(beyond.index, beyond, "o", ms=10, mfc="none", color=BLACK,
                label="above a printed bound")  # fmt: skip
        over = data["varied"][data["panel"] == panel].iloc[0]
        _guide(ax, over, exact, means[panel]["printed bound"])
        ax.set_xlabel(AXES[over])
        ticks_at(ax, exact.index, text=power_text)
        ax.title.set_color(RED if share["printed bound"].max() > 1 else BLACK)
    powers = {panel: fit_power(table.index.to_numpy(float), table["exact loss"].to_numpy())
              for panel, table in means.items()}  # fmt: skip
    several = len(varied) > 1
    grown = {panel: _growth(panel.endswith(" B"), means[panel]) for panel in means if several}
    table = pd.DataFrame([
        {"panel": panel}
        | (grown[panel] if several else
           {"power of the exact loss": "{:.2f} ± {:.2f}".format(*powers[panel])})
        | {f"exact loss / {name}, at most": share.get(name, pd.Series(dtype=float)).max()
           for name in [*LOOKS][1:]}
        for panel, share in shares.items()
    ])  # fmt: skip
    words = ", ".join(f"{place} (up to {share:.2g} times)" for place, share in exceeded.items())
    words = f"exceeds the printed bound of {words}" if words else "is below the printed bounds"
    low, *_, high = sorted(power for power, _ in powers.values())
    of = AXES[varied[0]].split(" (")[0]
    we_see = f"The exact loss varies as the power {low:.2f} to {high:.2f} of {of}"
    if varied == ("beta0",):
        rising = [panel.split(",")[0] for panel, (power, error) in powers.items()
                  if power > 2 * error]  # fmt: skip
        we_see = (
            f"The printed term in β₀ is seen in {len(rising)} of {len(powers)} panels"
            f"{' (' + ', '.join(rising) + ')' if rising else ''}: the exact loss varies as the "
            f"power {low:.2f} to {high:.2f} of β₀"
        )
    we_see += f"; in the mean over data sets it {words}."
    return Drawing(
        canvas, data,
        _growths(grown) if several else we_see,
        "lines are means over data sets, shaded from the smallest to the largest; the exact loss "
        "is that of the worst neighbour, of records added in linear and RLHF the worst that a "
        "search found",
        table,
    )  # fmt: skip


def _guide(ax, over: str, exact: pd.Series, printed: pd.Series) -> None:
    """A dotted line of the growth that the paper says."""
    values = exact.index.to_numpy(float)
    shapes = {
        "n": ("like 1/n", 0.5 * exact.iloc[0] * values[0] / values),
        "B": ("like e^(2B)", exact.iloc[-1] * np.exp(2 * (values - values[-1]))),
        "dimension": (
            "growth of the printed bound in d",
            exact.iloc[0] * printed / printed.iloc[0],
        ),
    }
    if over in shapes:
        label, line = shapes[over]
        dashes = (0, (4, 2)) if over == "dimension" else ":"
        ax.plot(values, line, ls=dashes, lw=1.4, color=GREY, label=label, zorder=1.5)


def _growth(radius: bool, means: pd.DataFrame) -> dict:
    """From the smallest to the largest d; from B = 1 on, where e^(2B) is most of the bounds."""
    rows = means[means.index >= 1] if radius and (means.index >= 1).sum() > 1 else means
    first, last = rows.iloc[0], rows.iloc[-1]
    ends = f"{'B' if radius else 'd'} = {rows.index[0]:g} to {rows.index[-1]:g}"
    grown = {
        f"{name} grows by": last[name] / first[name] for name in ("exact loss", "printed bound")
    }
    said = np.exp(2 * (rows.index[-1] - rows.index[0]))
    return {"from": ends, **grown, "e^(2B) by": f"{said:.3g}" if radius else ""}


def _growths(grown: dict[str, dict]) -> str:
    """A sentence per range of d or B."""
    sentences = []
    for ends, own in pd.DataFrame(grown.values()).groupby("from", sort=False):
        exact, printed = (
            _range(own[f"{name} grows by"]) for name in ("exact loss", "printed bound")
        )
        said = own["e^(2B) by"].iloc[0]
        other = f"e^(2B) {said}" if said else f"the printed bound {printed}"
        sentences.append(f"From {ends} the exact loss grows {exact} times, {other} times.")
    return " ".join(sentences)


def _range(values: pd.Series) -> str:
    low, high = f"{values.min():.3g}", f"{values.max():.3g}"
    return low if low == high else f"{low} to {high}"


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
