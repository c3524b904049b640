"""The exact loss against n, eta, beta0, coverage, d and B, beside what the theorems allow."""

import pandas as pd

from dpbandits.core.statistics import fit_power
from dpbandits.reproduction.plots.curves import curves, ticks_at
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.style import BLUE, GREEN, GREY, ORANGE, PURPLE, RED, SKY

LOOKS = {  # label, colour, marker, line
    "exact loss": ("exact loss, worst neighbour", BLUE, "o", "-"),
    "exact label loss": ("exact loss, a label flipped", SKY, "s", "-"),
    "theorem": ("theorem, printed", RED, "^", "--"),
    "appendix": ("end of Appendix C, printed", PURPLE, "v", ":"),
    "label theorem": ("Theorem 3 (a label flipped), printed", ORANGE, "P", "--"),
    "repaired": ("theorem, corrected", GREEN, "D", "-."),
    "label repaired": ("Theorem 3, corrected", GREY, "x", "-."),
}
NAMES = {key: look[0] for key, look in LOOKS.items()}
STYLES = {
    key: dict(zip(("color", "marker", "linestyle"), look[1:], strict=True))
    for key, look in LOOKS.items()
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
LOSS = Plot("value", "epsilon", "low", "high", curve="quantity", panel="panel", log="xy",
            y_label="pure loss ε")  # fmt: skip


def _loss_vs(tables, varied: tuple[str, ...]) -> Drawing:
    data = tables("loss_vs")
    data = pd.concat([data[data["varied"] == name] for name in varied])
    several = len(varied) > 1
    data["panel"] = [TITLES[r.problem] + (f", against {r.varied}" if several else "")
                     for r in data.itertuples()]  # fmt: skip
    canvas, axes = curves(data, LOSS, height=3.6, names=NAMES, looks=STYLES, sharex=False)
    rows = []
    for panel, ax in axes.items():
        own = data[data["panel"] == panel]
        ax.set_xlabel(AXES[own["varied"].iloc[0]])
        ticks_at(ax, sorted(own["value"].unique()), text=_short)
        rows.append([panel, *_numbers(own)])
    names = ["problem", "power of the exact loss", "largest exact loss / printed bound",
             "/ corrected bound"]  # fmt: skip
    table = pd.DataFrame(rows, columns=names)
    above = table[table.iloc[:, 2] > 1]
    problems = " and ".join(above["problem"].str.split(" ").str[0].drop_duplicates())
    exceeds = f"exceeds the printed bound in {problems}, up to {above.iloc[:, 2].max():.2g} times"
    return Drawing(
        canvas, data,
        f"The exact loss {exceeds if problems else 'stays below the printed bounds'}.",
        "lines are means over data sets, shaded from the smallest to the largest; records added in "
        "linear and RLHF: the worst that a search found, a lower bound of the loss",
        table,
    )  # fmt: skip


def _short(value: float) -> str:
    return f"{value:g}".replace("e+0", "e")


def _numbers(data: pd.DataFrame) -> tuple[str, float, float]:
    """The fitted power of the exact loss, and its largest shares of the two bounds."""
    table = data.pivot_table(index="value", columns="quantity", values="epsilon")
    power, error = fit_power(table.index.to_numpy(float), table["exact loss"].to_numpy())
    pairs = [("exact loss", "theorem"), ("exact label loss", "label theorem")]
    shares = [(table[a] / table[b]).max() for a, b in pairs if {a, b} <= set(table)]
    return (
        f"{power:.2f} ± {error:.2f}",
        max(shares),
        (table["exact loss"] / table["repaired"]).max(),
    )


def _register(file: str, varied: tuple[str, ...], says: str) -> None:
    over = " and ".join(AXES[name] for name in varied)

    @figure(
        f"kl/loss_vs_{file}",
        reads=("loss_vs",),
        title=f"Privacy loss against {over}",
        paper_says=says,
        alt=f"Exact pure loss and the theorems' ε against {over}, log-log, one panel "
        "per problem; shaded: smallest to largest over the data sets drawn.",
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
