"""US's figures of the quantities behind the theorems."""

import numpy as np
import pandas as pd

from dpbandits.core.statistics import fit_power
from dpbandits.reproduction.plots.curves import curves, named_rows
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.style import BLACK, BLUE, GREEN, ORANGE, RED, panels
from dpbandits.reproduction.us.figures.look import KERNEL, kernel_name
from dpbandits.reproduction.us.summaries import where

VARIANCE = Plot("t", "mean", "low", "high", panel="setting", log="xy", x_label="rounds T",
                y_label="largest variance sup σ̄²")  # fmt: skip
GAIN = Plot("t", "gamma", "gamma", "gamma_high", panel="setting", log="xy", x_label="rounds T",
            y_label="information gain γ (nats)")  # fmt: skip


def _bounds(ax, rows: pd.DataFrame, of: str, colour: str = RED) -> None:
    ax.plot(rows["t"], rows["bound"], color=colour, ls=":", lw=1.6, label=f"printed bound on {of}")
    label = f"corrected bound on {of}, proved"
    ax.plot(rows["t"], rows["repaired"], color=BLACK, ls="--", lw=1.3, label=label)


@figure(
    "us/gamma",
    title="Lemma 7.1, sup σ̄² and γ_T against T",
    paper_says="sup σ̄² ≤ 81 F² γ_T/(13 T) with high probability (Lemma 7.1).",
    alt="Against T, a column per kernel: above, the largest surrogate variance with its printed "
    "and its corrected bound; below, the information gain.",
    plot=(VARIANCE, GAIN),
)
def gamma(tables) -> Drawing:
    data = tables("gamma")
    settings = list(data["setting"].unique())
    canvas, axes = panels(2, len(settings), height=2.5, sharex=True, sharey="row", x="rounds T")
    kinds = (VARIANCE, "sup σ̄², measured", BLUE, KERNEL), (GAIN, "information gain γ", ORANGE, str)
    for row, (plot, name, colour, titles) in zip(axes, kinds, strict=True):
        row[0].set_ylabel(plot.y_label)
        curves(data, plot, axes=dict(zip(settings, row, strict=True)), names={"": name},
               looks={"": {"color": colour, "marker": "o"}}, titles=titles)  # fmt: skip
    for setting, ax, below in zip(settings, *axes, strict=True):
        _bounds(ax, where(data, setting=setting), "sup σ̄²")
        below.set_title("")
    last = data[data["t"] == data["t"].max()]
    near = (last["repaired"] / last["mean"]).to_numpy()
    slack = (data["bound"] / data["mean"]).groupby(data["setting"], sort=False).min()
    ends = ((data["gamma_high"] / data["gamma"] - 1) * 100).max()
    table = pd.DataFrame({"kernel": [KERNEL[s] for s in slack.index],
                          "printed bound / measured, at least": slack.to_numpy(),
                          "corrected bound / measured, largest T": near})  # fmt: skip
    return Drawing(
        canvas, data,
        f"The printed bound is at least {slack.min():.3g} times the measured variance, the "
        f"corrected one at the largest T at most {near.max():.3g} times.",
        f"γ is that of greedy selection, shaded up to a certified upper bound at most {ends:.1f}% "
        "above it; the variance is a mean over runs with its 95% band",
        table,
    )  # fmt: skip


NAMES = {"mubar - f": "|μ̄ − f|", "mu_T - f": "|μ − f|", "mubar - mu_T": "|μ̄ − μ|"}
LOOKS = {name: {"color": colour, "marker": mark, "linestyle": line} for name, colour, mark, line
         in zip(NAMES, (BLUE, RED, GREEN), "os^", ("-", "--", "-."), strict=True)}  # fmt: skip
ERRORS = Plot("t", "mean", "low", "high", curve="quantity", panel="setting", log="xy",
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
    means = data.pivot_table(index=["setting", "t"], columns="quantity", values="mean", sort=False)
    means["rate"] = rate.groupby([data["setting"], data["t"]]).first()
    shown = means[["mubar - f", "mu_T - f", "rate"]].groupby(level="setting", sort=False)
    slopes = [[KERNEL[setting], *(f"{fit_power(own.index.get_level_values('t'), own[name])[0]:.2f}"
                                  for name in own)] for setting, own in shown]  # fmt: skip
    ends = ["mean", "low", "high", "bound", "repaired", "largest"]
    data = data.assign(**data[ends].div(rate, axis=0))
    canvas, axes = curves(data, ERRORS, columns=4, height=3.6, names=NAMES, looks=LOOKS,
                          titles=KERNEL)  # fmt: skip
    for setting, ax in axes.items():
        _bounds(ax, where(data, setting=setting, quantity="mubar - f"), "|μ̄ − f|", BLUE)
    last = where(data, quantity="mubar - f", t=data["t"].max())
    far = [(last[bound] / last["mean"]).min() for bound in ("bound", "repaired")]
    ratio = (means["mubar - f"] / means["mu_T - f"]).xs(data["t"].max(), level="t")
    names = ["exponent of T", "|μ̄ − f|", "|μ − f|", "√(γ/T)"]
    return Drawing(
        canvas, data,
        f"At the largest T the error of μ̄ is {ratio.min():.2g} to {ratio.max():.2g} times that of "
        f"the posterior mean μ; its printed bound is {far[0]:.0f} times as large or more, the "
        f"corrected one {far[1]:.0f} times.",
        "means over runs of the largest error over all cells, in multiples of √(γ/T), with 95% "
        "bands",
        pd.DataFrame(slopes, columns=names),
    )  # fmt: skip


DENSITY = Plot("x", "density", panel="epsilon", x_label="action x", y_label="density of the output")


@figure(
    "us/output_density",
    title="USCA's output density at one context",
    paper_says="The output has density proportional to exp(ε μ̄/(4 B sup σ̄²)).",
    alt="The reward f and its estimate, and a panel per ε with the density of the released action, "
    "flat for small ε and a peak at the best action for large ones.",
    plot=DENSITY,
)
def output_density(tables) -> Drawing:
    data = tables("output_density")
    epsilons = sorted(data["epsilon"].unique())
    canvas, axes = panels(1, 1 + len(epsilons), height=2.8, sharex=True)
    first, *rest = axes[0]
    rows = data[data["epsilon"] == epsilons[0]]
    first.plot(rows["x"], rows["f"], color=GREEN, label="reward f")
    first.plot(rows["x"], rows["mubar"], color=BLACK, ls=":", label="its estimate μ̄")
    first.set(title="reward", xlabel="action x", ylabel="reward")
    curves(data, DENSITY, axes=dict(zip(epsilons, rest, strict=True)), looks={"": {"color": BLUE}},
           series="usca", names=lambda _: "density of USCA's output")  # fmt: skip
    for ax in rest:
        ax.fill_between(data["x"].unique(), ax.lines[0].get_ydata(), color=BLUE, alpha=0.15, lw=0)
        ax.set(ylim=(0, 1.05 * data["density"].max()), xlabel="action x", xticks=[0, 0.5, 1])
        ax.axvline(rows["x"].loc[rows["f"].idxmax()], color=GREEN, ls="--", label="best action")
        ax.tick_params(labelleft=ax is rest[0])
    rest[0].set_ylabel("density")
    table = pd.DataFrame([
        {"ε": epsilon, "largest density": part["density"].max(), "expected loss": float(
            np.average(part["f"].max() - part["f"], weights=part["density"]))}
        for epsilon, part in data.groupby("epsilon")
    ])  # fmt: skip
    few, many = table.iloc[0], table.iloc[-1]
    return Drawing(
        canvas, data,
        f"The larger ε, the nearer the output is to the best action: the expected loss falls from "
        f"{few.iloc[2]:.3g} at ε = {few['ε']:g} to {many.iloc[2]:.3g} at ε = {many['ε']:g}.",
        "one data set and one draw of Z for all ε", table,
    )  # fmt: skip


NORMS = Plot("t", "mean", "low", "high", curve="norm", panel="setting", log="xy",
             x_label="rounds T", y_label="distance from the identity")  # fmt: skip
SPECTRAL = {"operator norm": {"color": RED, "marker": "^"},
            "relative norm": {"color": BLUE, "marker": "o"}}  # fmt: skip


@figure(
    "us/spectral",
    title="Lemma 4.4, operator norm and relative norm",
    paper_says="|Z̃⁻¹ Z - Id|₂ ≤ (28/17) √(γ_T ln(1/δ)/(T τ)) with probability 1 - δ.",
    alt="Operator norm and relative norm against T, a panel per spectrum, each with its bound in "
    "its own colour: the operator norm lies above the printed one.",
    plot=NORMS,
)
def spectral(tables) -> Drawing:
    table = tables("spectral")
    data = table[table["norm"].isin(SPECTRAL)]
    canvas, axes = curves(data, NORMS, height=3.4, looks=SPECTRAL,
                          titles=lambda s: s.replace("decay-", "eigenvalues ~ 1/j^"))  # fmt: skip
    for (setting, norm), own in data.groupby(["setting", "norm"]):
        kind = "printed" if norm == "operator norm" else "corrected and proved"
        axes[setting].plot(own["t"], own["bound"], color=SPECTRAL[norm]["color"], ls="--",
                           label=f"bound on the {norm}, {kind}")  # fmt: skip
    counts = table.groupby("norm", sort=False)[["exceed", "runs"]].sum()
    above, runs = counts.loc["operator norm"]
    share = (table["largest"] / table["bound"])[table["norm"] == "relative norm"].max()
    return Drawing(
        canvas, data,
        f"The operator norm exceeds its printed bound in {above} of {runs} runs; the relative norm "
        f"is in no single run above {share:.0%} of the corrected bound.",
        "means over runs with 95% bands, single runs are not drawn; "
        f"δ = {table['delta'].iloc[0]:g}; the relative norm is |Z^(-1/2) Z̃ Z^(-1/2) - Id|; "
        "the spectrum, max |eigenvalue of Z̃⁻¹ Z - 1|, is not drawn, as its curve lies on that of "
        "the relative norm",
        counts.rename(columns={"exceed": "runs above its bound", "runs": "of"}),
    )  # fmt: skip


LOSS = Plot("t", "worst", curve="setting", log="x", x_label="rounds T", y_label="worst loss / ε")


@figure(
    "us/privacy",
    title="Exact privacy loss of USCA's output over ε",
    paper_says="The output is ε-DP (Lemma 7.2).",
    alt="A row per kernel: the worst loss over ε at each T as dots, near a half, and a line at 1.",
    width="half",
    plot=LOSS,
)
def privacy(tables) -> Drawing:
    table = tables("privacy")
    data = table.groupby(["setting", "t"], sort=False)["loss_over_epsilon"].max()
    data = data.rename("worst").reset_index()
    canvas, axes = panels(1, 1, width="half", height=2.6, x="exact privacy loss / claimed ε")
    ax, names = axes[0, 0], []
    for y, (setting, rows) in enumerate(data.groupby("setting", sort=False)):
        tau = setting.partition("-tau-")[2]
        names.append(kernel_name(setting) + (f", τ = {tau}" if tau else ""))
        ax.hlines(y, 0, rows["worst"].max(), color=BLUE, lw=1.4)
        ax.plot(rows["worst"], [y] * len(rows), "o", color=BLUE, label="worst loss at one T")
    ax.axvline(1.0, color=BLACK, lw=1.4, label="the claim, ε")
    ax.set_xlim(0, 1.05)
    named_rows(ax, names)
    return Drawing(
        canvas, data,
        f"The claim {'holds' if data['worst'].max() <= 1 else 'fails'} here: the worst loss is "
        f"{data['worst'].min():.0%} to {data['worst'].max():.0%} of the claimed ε.",
        "supremum over data sets and neighbours, largest of the draws of Z; the smallest private "
        f"noise (usca-exact) uses all of ε = {table['epsilon'].iloc[0]:g}",
    )  # fmt: skip
