"""The exact loss against n, eta, beta0, coverage, d and B, beside what the theorems allow."""

from functools import partial

import numpy as np
import pandas as pd

from dpbandits.reproduction.plots.curves import curves, power_text, ticks_at
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.style import BLUE, GREEN, GREY, PURPLE, RED
from dpbandits.reproduction.statistics import fit_power

LOOKS = {
    "exact loss": {"color": BLUE, "marker": "o", "linestyle": "-"},
    "printed bound": {"color": RED, "marker": "^", "linestyle": "--"},
    "end of Appendix C, printed": {"color": PURPLE, "marker": "v", "linestyle": ":"},
    "corrected bound": {"color": GREEN, "marker": "D", "linestyle": "-."},
}
QUANTITIES = dict(zip(("exact loss", "theorem", "appendix", "repaired"), LOOKS, strict=True))
THEOREMS = {  # problem, what changes between neighbours -> name of the panel, its row
    ("bandit", ""): ("bandit, Theorem 1", "KL-T1-pure"),
    ("linear", ""): ("linear, Theorem 2", "KL-T2-pure"),
    ("rlhf", ""): ("RLHF, Theorem 4", "KL-T4-pure"),
    ("rlhf", "label "): ("RLHF, a label flipped, Theorem 3", "KL-T3-pure"),
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
    data["theorem"] = [THEOREMS[key][0] for key in zip(data["problem"], kind, strict=True)]
    data = pd.concat([data[data["theorem"] == name] for name, _ in THEOREMS.values()])
    data["panel"] = data["theorem"] + ("\nagainst " + data["varied"] if len(varied) > 1 else "")
    panels = data["panel"].nunique()
    bounds = data[data["quantity"] == "printed bound"]
    canvas, axes = curves(data, LOSS, columns=4 if panels < 5 else 3, height=3.4, looks=LOOKS,
                          sharex=False, sharey=varied != ("n",))  # fmt: skip
    for panel, ax in axes.items():
        own = data[data["panel"] == panel]
        over = own["varied"].iloc[0]
        means = own.pivot_table(index="value", columns="quantity", values="epsilon")
        exact, printed = means["exact loss"], means["printed bound"]
        most = bounds.loc[bounds["panel"] == panel, "exact_over"].max()
        seen = f"at most {most:.2f} of the printed bound"
        if over == "n":
            seen = f"like n^{fit_power(exact.index.to_numpy(float), exact.to_numpy())[0]:.2f}"
        ax.set_title(f"{panel}\nexact {seen}")
        _guide(ax, over, exact, printed)
        ax.set_xlabel(AXES[over])
        ticks_at(ax, means.index, text=partial(power_text, far=means.index.max() > 2e4))
    most = bounds.groupby("theorem", sort=False)["exact_over"].max()
    named = ", ".join(f"{ratio:.2f} ({theorem})" for theorem, ratio in most.items())
    return Drawing(
        canvas, data,
        "lines are means over data sets, shaded from the smallest to the largest; `at most` is of "
        "all data sets; the loss is over all neighbours, and for a record added in linear and RLHF "
        "the largest that a search found; what an axis does not move has the value that follows",
        seen=f"Of the printed bound, a data set drawn here has at most {named}.",
    )  # fmt: skip


def _guide(ax, over: str, exact: pd.Series, printed: pd.Series) -> None:
    """A dotted line of the growth that the paper says."""
    values = exact.index.to_numpy(float)
    shapes = {
        "n": ("like 1/n", 0.5 * exact.iloc[0] * values[0] / values),
        "B": ("like e^(2B)", exact.iloc[-1] * np.exp(2 * (values - values[-1]))),
        "dimension": (
            "printed bound, shifted to the first point",
            exact.iloc[0] * printed / printed.iloc[0],
        ),
    }
    if over in shapes:
        label, line = shapes[over]
        dashes = (0, (4, 2)) if over == "dimension" else ":"
        ax.plot(values, line, ls=dashes, lw=1.4, color=GREY, label=label, zorder=1.5)


def _register(file: str, varied: tuple[str, ...], rows: tuple[str, ...]) -> None:
    over = " and ".join(AXES[name] for name in varied)

    @figure(
        f"kl/loss_vs_{file}",
        reads=("loss_vs",),
        claims=tuple(f"{row} (printed)" for row in rows),
        title=f"Privacy loss against {over}",
        alt=f"Exact pure loss and the bounds against {over}, log-log, a panel per theorem.",
    )
    def make(tables) -> Drawing:
        return _loss_vs(tables, varied)


ALL = tuple(row for _, row in THEOREMS.values())
_register("n", ("n",), ALL)
_register("eta", ("eta",), ALL)
_register("beta0", ("beta0",), ALL)
_register("coverage", ("coverage",), ALL)
_register("dimension_and_B", ("dimension", "B"), ALL[1:])
