"""US's figures of the quantities behind the theorems."""

import numpy as np
import pandas as pd

from dpbandits.core.statistics import fit_power
from dpbandits.reproduction.plots.curves import curves
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.style import BLACK, MARKERS, METHODS, panels
from dpbandits.reproduction.us.figures.look import KERNEL, kernel_name, style
from dpbandits.reproduction.us.summaries import where

ENDS = {"low": "low", "high": "high"}
PRINTED = {"color": BLACK, "ls": ":", "lw": 1.3, "label": "printed bound"}
CORRECTED = {"color": BLACK, "ls": "--", "lw": 1.3, "label": "corrected bound, proved"}
VARIANCE = Plot("t", "mean", **ENDS, panel="setting", log="xy", x_label="rounds T",
                y_label="largest variance sup σ̄²")  # fmt: skip
GAIN = Plot("t", "gamma", "gamma", "gamma_high", panel="setting", log="xy", x_label="rounds T",
            y_label="information gain γ (nats)")  # fmt: skip


@figure(
    "us/gamma",
    title="Lemma 7.1, γ_T and sup σ̄² against T",
    paper_says="sup σ̄² ≤ 81 F² γ_T/(13 T) with high probability (Lemma 7.1).",
    alt="Against T, a panel per kernel: the largest surrogate variance with its printed and its "
    "corrected bound, and the information gain.",
    plot=(VARIANCE, GAIN),
)
def gamma(tables) -> Drawing:
    data = tables("gamma")
    settings = list(data["setting"].unique())
    canvas, axes = panels(1, len(settings), height=3.4, sharey=True, x="rounds T", y="value")
    axes = dict(zip(settings, axes[0], strict=True))
    for setting, ax in axes.items():
        rows = data[data["setting"] == setting]
        for plot, name, slot in ((GAIN, "information gain γ", 4), (VARIANCE, "sup σ̄²", 0)):
            curves(rows, plot, axes=axes, looks={"": style(slot)}, names=lambda _, n=name: n,
                   titles=KERNEL)  # fmt: skip
        ax.plot(rows["t"], rows["bound"], **PRINTED)
        ax.plot(rows["t"], rows["repaired"], **CORRECTED)
    last = data[data["t"] == data["t"].max()]
    near = (last["repaired"] / last["mean"]).to_numpy()
    slack = (data["bound"] / data["mean"]).groupby(data["setting"], sort=False).min()
    ends = ((data["gamma_high"] / data["gamma"] - 1) * 100).max()
    table = pd.DataFrame({"kernel": [KERNEL[s] for s in slack.index],
                          "printed bound / measured, at least": slack.to_numpy(),
                          "corrected bound / measured, largest T": near})  # fmt: skip
    return Drawing(
        canvas, data,
        f"The printed bound is at least {slack.min():.0f} times the measured variance, the "
        f"corrected one at the largest T at most {near.max():.3g} times.",
        f"γ is that of greedy selection, shaded up to a certified upper bound at most {ends:.1f}% "
        "above it; the variance is a mean over runs with its 95% band",
        table,
    )  # fmt: skip


NAMES = {"mubar - f": "|μ̄ − f|", "mu_T - f": "|μ − f|", "mubar - mu_T": "|μ̄ − μ|"}
ERRORS = Plot("t", "mean", **ENDS, curve="quantity", panel="setting", log="xy",
              x_label="rounds T", y_label="largest error / √(γ/T)")  # fmt: skip


@figure(
    "us/estimation_error",
    title="Estimation errors against T",
    paper_says="μ̄ is as close to f as the posterior mean: both O(√(γ_T/T)) (Lemma 4.3).",
    alt="Largest estimation error over √(γ/T) against T, a panel per kernel, for μ̄ and the "
    "posterior mean, with the printed and the corrected bound.",
    plot=ERRORS,
)
def estimation_error(tables) -> Drawing:
    data = tables("estimation_error")
    rate = np.sqrt(data["gamma"] / data["t"])
    slopes = [
        [KERNEL[setting], *(f"{_exponent(rows, quantity, rate)}" for quantity in
                            ("mubar - f", "mu_T - f", ""))]
        for setting, rows in data.groupby("setting", sort=False)
    ]  # fmt: skip
    ends = ["mean", "low", "high", "bound", "repaired", "largest"]
    data = data.assign(**data[ends].div(rate, axis=0))
    looks = {name: style(slot) for slot, name in enumerate(NAMES)}
    canvas, axes = curves(data, ERRORS, columns=4, height=3.6, names=NAMES, looks=looks,
                          titles=KERNEL)  # fmt: skip
    for setting, ax in axes.items():
        ours = where(data, setting=setting, quantity="mubar - f")
        ax.plot(ours["t"], ours["bound"], **PRINTED)
        ax.plot(ours["t"], ours["repaired"], **CORRECTED)
    means = data[data["t"] == data["t"].max()].pivot(
        index="setting", columns="quantity", values="mean"
    )
    ratio = means["mubar - f"] / means["mu_T - f"]
    names = ["exponent of T", "|μ̄ − f|", "|μ − f|", "√(γ/T)"]
    return Drawing(
        canvas, data,
        f"At the largest T the error of μ̄ is {ratio.min():.2g} to {ratio.max():.2g} times that of "
        "the posterior mean μ.",
        "means over runs of the largest error over all cells, in multiples of √(γ/T), with 95% "
        "bands",
        pd.DataFrame(slopes, columns=names),
    )  # fmt: skip


def _exponent(rows: pd.DataFrame, quantity: str, rate: pd.Series) -> str:
    """The fitted exponent of T of an error, or of the rate."""
    own = where(rows, quantity=quantity or "mu_T - f")
    values = own["mean"] if quantity else rate[own.index]
    return f"{fit_power(own['t'], values)[0]:.2f}"


DENSITY = Plot("x", "density", curve="epsilon", log="y", x_label="action x", y_label="density")


@figure(
    "us/output_density",
    title="USCA's output density at one context",
    paper_says="The output has density proportional to exp(ε μ̄/(4 B sup σ̄²)).",
    alt="Density of the released action per ε, below it f and its estimate.",
    width="half",
    plot=DENSITY,
)
def output_density(tables) -> Drawing:
    data = tables("output_density")
    canvas, axes = panels(2, 1, width="half", height=2.3, sharex=True)
    curves(data, DENSITY, axes={"": axes[0, 0]}, series="usca")
    rows = data[data["epsilon"] == data["epsilon"].iloc[0]]
    axes[1, 0].plot(rows["x"], rows["f"], color=BLACK, label="reward f")
    axes[1, 0].plot(rows["x"], rows["mubar"], color="0.5", ls=":", label="its estimate μ̄")
    axes[0, 0].set(ylabel="density of USCA's output", ylim=(1e-3, 1e3))
    axes[1, 0].set(xlabel="action x", ylabel="reward")
    table = pd.DataFrame([
        {"ε": epsilon, "largest density": part["density"].max(), "expected loss": float(
            np.average(part["f"].max() - part["f"], weights=part["density"]))}
        for epsilon, part in data.groupby("epsilon")
    ])  # fmt: skip
    first, last = table.iloc[0], table.iloc[-1]
    return Drawing(
        canvas, data,
        f"The expected loss falls from {first.iloc[2]:.3g} at ε = {first['ε']:g} to "
        f"{last.iloc[2]:.3g} at ε = {last['ε']:g}.",
        "one data set and one draw of Z for all ε; the density is cut off below", table,
    )  # fmt: skip


NORMS = Plot("t", "mean", **ENDS, curve="norm", panel="setting", log="xy", x_label="rounds T",
             y_label="distance from the identity")  # fmt: skip


@figure(
    "us/spectral",
    title="Lemma 4.4, operator norm and spectrum",
    paper_says="|Z̃⁻¹ Z - Id|₂ ≤ (28/17) √(γ_T ln(1/δ)/(T τ)) with probability 1 - δ.",
    alt="Operator norm, largest eigenvalue deviation and relative norm against T, "
    "a panel per spectrum, with the printed and the corrected bound.",
    plot=NORMS,
)
def spectral(tables) -> Drawing:
    data = tables("spectral")
    looks = {name: style(slot) for slot, name in enumerate(
        ("relative norm", "spectrum", "operator norm"))}  # fmt: skip
    canvas, axes = curves(
        data, NORMS, columns=4, height=3.4, looks=looks,
        titles=lambda s: s.replace("decay-", "eigenvalue decay ").replace("-", " "),
    )  # fmt: skip
    for setting, ax in axes.items():
        relative = where(data, setting=setting, norm="relative norm")
        ax.plot(relative["t"], relative["bound"], **CORRECTED)
        norm = where(data, setting=setting, norm="operator norm")
        ax.plot(norm["t"], norm["bound"], **PRINTED)
    counts = data.groupby("norm", sort=False)[["exceed", "runs"]].sum().reset_index()
    norm = counts.set_index("norm").loc["operator norm"]
    relative = data[data["norm"] == "relative norm"]
    return Drawing(
        canvas, data,
        f"The operator norm exceeds the printed bound in {norm['exceed']} of {norm['runs']} runs.",
        f"means over runs with 95% bands; δ = {data['delta'].iloc[0]:g}; the corrected bound is on "
        "the relative norm |Z^(-1/2) Z̃ Z^(-1/2) - Id|, of which the largest value seen is "
        f"{(relative['largest'] / relative['bound']).max():.2f}",
        counts.rename(columns={"exceed": "runs above the bound", "runs": "of"}),
    )  # fmt: skip


LOSS = Plot("t", "worst", curve="setting", log="x", x_label="rounds T", y_label="worst loss / ε")


@figure(
    "us/privacy",
    title="Exact privacy loss of USCA's output over ε",
    paper_says="The output is ε-DP (Lemma 7.2).",
    alt="Worst loss over ε against T, one line per setting, and a line at 1.",
    width="half",
    plot=LOSS,
)
def privacy(tables) -> Drawing:
    table = tables("privacy")
    data = table.groupby(["setting", "t"], sort=False)["loss_over_epsilon"].max()
    data = data.rename("worst").reset_index()
    looks, names = {}, {}
    for slot, setting in enumerate(data["setting"].unique()):
        tau = setting.partition("-tau-")[2]
        names[setting] = kernel_name(setting) + (f", τ = {tau}" if tau else "")
        looks[setting] = {"color": METHODS[slot], "marker": MARKERS[slot], "mfc": "none"}
    canvas, axes = curves(data, LOSS, width="half", height=3.8, names=names, looks=looks)
    axes[""].axhline(1.0, color=BLACK, lw=1, label="claimed")
    axes[""].set_ylim(0, 1.05)
    draws, loss = table["run"].nunique(), table["loss_over_epsilon"]
    return Drawing(
        canvas, data,
        f"The printed noise uses {loss.min():.0%} to {loss.max():.0%} of the claimed ε.",
        f"supremum over data sets and neighbours, largest of {draws} draws of Z; "
        f"ε = {table['epsilon'].iloc[0]:g}; the smallest private noise (usca-exact) uses all of it",
    )  # fmt: skip
