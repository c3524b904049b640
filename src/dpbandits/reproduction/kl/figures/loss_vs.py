"""The exact loss against n, eta, beta0, coverage, d and B, beside what the theorems allow."""

import pandas as pd

from dpbandits.core.statistics import fit_power
from dpbandits.reproduction.plots.figures import Drawing, figure
from dpbandits.reproduction.plots.style import BLUE, GREEN, GREY, ORANGE, PURPLE, RED, SKY, panels

LOOKS = {  # label, colour, marker, line
    "exact loss": ("exact loss, worst neighbour", BLUE, "o", "-"),
    "exact label loss": ("exact loss, a label flipped", SKY, "s", "-"),
    "theorem": ("theorem, printed", RED, "^", "--"),
    "appendix": ("end of Appendix C, printed", PURPLE, "v", ":"),
    "label theorem": ("Theorem 3 (a label flipped), printed", ORANGE, "P", "--"),
    "repaired": ("theorem, corrected", GREEN, "D", "-."),
    "label repaired": ("Theorem 3, corrected", GREY, "x", "-."),
}
TITLES = {
    "bandit": "bandit (8), Theorem 1",
    "linear": "linear (10), Theorem 2",
    "rlhf": "RLHF (11), Theorems 4 and 3",
}
AXES = {
    "n": "records n",
    "eta": "regularisation η (reward units)",
    "beta0": "pessimism β₀ (reward units)",
    "coverage": "coverage (fewest / most records)",
    "dimension": "dimension d",
    "B": "radius B of the MLE's ball",
}
SYMBOLS = {"eta": "η", "beta0": "β₀"}


def _loss_vs(tables, varied: str) -> Drawing:
    data = tables("loss_vs").query("varied == @varied")
    problems = list(dict.fromkeys(data["problem"]))
    labels = {"x": AXES[varied], "y": "pure loss ε (nats)"}
    canvas, axes = panels(1, len(problems), height=2.8, **labels)
    for ax, problem in zip(axes[0], problems, strict=True):
        part = data[data["problem"] == problem]
        for quantity, (label, colour, marker, line) in LOOKS.items():
            series = part[part["quantity"] == quantity].sort_values("value")
            if len(series):
                style = {"color": colour, "marker": marker, "markersize": 3.5, "linestyle": line}
                ax.plot(series["value"], series["epsilon"], label=label, **style)
                ends = series["low"], series["high"]
                ax.fill_between(series["value"], *ends, color=colour, alpha=0.15)
        ax.set(xscale="log", yscale="log", title=TITLES[problem])
        values = sorted(part["value"].unique())
        ax.set_xticks(values, [f"{value:g}".replace("e+0", "e") for value in values])
        ax.set_xticks([], minor=True)
    note = "lines: means over data sets; shaded: smallest to largest; records added in linear and "
    note += "RLHF: the worst that a search found, a lower bound of the loss"
    we_see, finding = _in_words(data, varied)
    return Drawing(canvas, data, we_see, note, finding=finding)


def _in_words(data: pd.DataFrame, varied: str) -> tuple[str, str]:
    """(what is seen, the finding)"""
    parts, largest = [], []
    for problem, part in data.groupby("problem", sort=False):
        table = part.pivot_table(index="value", columns="quantity", values="epsilon")
        slope, error = fit_power(table.index.to_numpy(float), table["exact loss"].to_numpy())
        share = (table["exact loss"] / table["theorem"]).dropna()
        symbol = SYMBOLS.get(varied, varied)
        parts.append(
            f"{problem}: the exact loss scales as {symbol}^({slope:.2f}) (±{error:.2f}) and is "
            f"{share.min():.2g} to {share.max():.2g} of the printed theorem's ε"
        )
        largest.append(f"{problem} {share.max():.2g}")
        true = (table["exact loss"] / table["repaired"]).dropna()
        parts.append(f"{true.min():.2g} to {true.max():.2g} of the corrected theorem's ε")
        if "label theorem" in table:
            label = (table["exact label loss"] / table["label theorem"]).dropna()
            parts.append(f"label loss {label.min():.2g} to {label.max():.2g} of Theorem 3's")
    we_see = "; ".join(parts) + ". A ratio above 1 means that the printed bound is exceeded."
    return we_see, f"the largest exact loss over the printed bound: {', '.join(largest)}"


def _register(varied: str, says: str) -> None:
    @figure(
        f"kl/loss_vs_{varied}",
        reads=("loss_vs",),
        title=f"Privacy loss against {AXES[varied]}",
        paper_says=says,
        alt=f"Exact pure loss and the theorems' ε against {AXES[varied]}, log-log, one panel "
        "per problem; shaded: smallest to largest over the data sets drawn",
    )
    def make(tables) -> Drawing:
        return _loss_vs(tables, varied)


_register("n", "ε falls as 1/n at fixed coverage (Theorem 1, Corollaries 2 and 3)")
_register("eta", "ε is proportional to 1/η (all theorems)")
_register("beta0", "pessimism adds a term β₀/N^1.5 to ε (Theorems 1, 2, 4)")
_register("coverage", "ε is governed by the least covered arm or direction")
_register("dimension", "ε grows with d through √(nd/λₘᵢₙ) (Theorem 2)")
_register("B", "ε grows as e^(2B) (Theorems 3 and 4)")
