"""US's figures of the quantities behind the theorems."""

import numpy as np
import pandas as pd

from dpbandits.reproduction.plots.curves import curves, named_rows, write_beside
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.style import BLACK, BLUE, GREEN, ORANGE, RED, panels
from dpbandits.reproduction.us.summaries import KERNEL, kernel_name, where

VARIANCE = Plot("t", "mean", "low", "high", panel="setting", log="xy", x_label="rounds T",
                y_label="largest variance sup σ̄²")  # fmt: skip
GAIN = Plot("t", "gamma", "gamma", "gamma_high", panel="setting", log="xy", x_label="rounds T",
            y_label="information gain γ (nats)")  # fmt: skip


def _bounds(ax, rows: pd.DataFrame, of: str, colour: str = RED) -> None:
    ax.plot(rows["t"], rows["bound"], color=colour, ls=":", lw=1.6, label=f"printed bound on {of}")
    label = f"our bound on {of}, proved"
    ax.plot(rows["t"], rows["repaired"], color=BLACK, ls="--", lw=1.3, label=label)


@figure(
    "us/gamma",
    claims=("US-L7.1 (printed)",),
    title="Lemma 7.1, sup σ̄² and γ_T against T",
    alt="Against T, a column per kernel: above, the largest surrogate variance with its printed "
    "and its corrected bound; below, the information gain.",
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
    ends = ((data["gamma_high"] / data["gamma"] - 1) * 100).max()
    return Drawing(
        canvas, data,
        f"γ is that of greedy selection, shaded up to a certified upper bound at most {ends:.1f}% "
        "above it; the variance is a mean over runs with its 95% band; F bounds the eigenfunctions",
    )  # fmt: skip


NAMES = {"mubar - f": "|μ̄ − f|", "mu_T - f": "|μ − f|", "mubar - mu_T": "|μ̄ − μ|"}
LOOKS = {name: {"color": colour, "marker": mark, "linestyle": line} for name, colour, mark, line
         in zip(NAMES, (BLUE, RED, GREEN), "os^", ("-", "--", "-."), strict=True)}  # fmt: skip
ERRORS = Plot("t", "mean", "low", "high", curve="quantity", panel="setting", log="xy",
              x_label="rounds T", y_label="largest error / √(γ/T)")  # fmt: skip


@figure(
    "us/estimation_error",
    claims=("US-L4.3 (beta-above-4/3)", "US-S4-same (printed)"),
    title="Estimation errors against T",
    alt="Largest estimation error over √(γ/T) against T, a panel per kernel, for μ̄ and the "
    "posterior mean, with the printed and the corrected bound.",
)
def estimation_error(tables) -> Drawing:
    """In multiples of √(γ/T): a horizontal curve has the printed rate."""
    data = tables("estimation_error")
    rate = np.sqrt(data["gamma"] / data["t"])
    ends = ["mean", "low", "high", "bound", "repaired", "largest"]
    data = data.assign(**data[ends].div(rate, axis=0))
    canvas, axes = curves(data, ERRORS, columns=4, height=3.6, names=NAMES, looks=LOOKS,
                          titles=KERNEL)  # fmt: skip
    ours, plain = (where(data, quantity=name).set_index(["setting", "t"])["mean"]
                   for name in ("mubar - f", "mu_T - f"))  # fmt: skip
    setting, t = (ours / plain).idxmax()
    low, high = plain[setting, t], ours[setting, t]
    axes[setting].vlines(t, low, high, color=BLACK, lw=1.2, zorder=5)
    write_beside(axes[setting], f"{high / low:.1f} times", t, low, (0, -10), ha="center")
    for setting, ax in axes.items():
        _bounds(ax, where(data, setting=setting, quantity="mubar - f"), "|μ̄ − f|", BLUE)
    note = (
        "μ̄: USCA's estimate, the posterior mean with a sampled covariance in place of the true "
        "one; means over runs of the largest error over all cells, in multiples of √(γ/T), with "
        "95% bands; the printed bound is the appendix's explicit form; the number: where |μ̄ − f| "
        "is most times |μ − f|; “the same” is read as an order: by a constant factor, whatever T"
    )
    return Drawing(canvas, data, note)


NORMS = Plot("t", "mean", "low", "high", curve="norm", panel="setting", log="xy",
             x_label="rounds T", y_label="distance from the identity")  # fmt: skip
SPECTRAL = {"operator norm": {"color": RED, "marker": "^"},
            "relative norm": {"color": BLUE, "marker": "o"}}  # fmt: skip


@figure(
    "us/spectral",
    claims=("US-L4.4 (printed)",),
    title="Lemma 4.4, operator norm and relative norm",
    alt="Operator norm and relative norm against T, a panel per spectrum that the lemma covers, "
    "each with its bound in its own colour; at the operator norm, in how many runs it is above.",
)
def spectral(tables) -> Drawing:
    """The operator is not self-adjoint, so its norm and its spectrum are two things."""
    table = tables("spectral")
    data = table[table["norm"].isin(SPECTRAL)]
    inside = data["setting"].isin(data.loc[data["t"] > data["n1bar"], "setting"])
    data = data[inside] if inside.any() else data  # a spectrum that the lemma covers at some T
    canvas, axes = curves(data, NORMS, height=3.4, looks=SPECTRAL,
                          titles=lambda s: f"{s}: eigenvalues ~ 1/j^{s[6:]}")  # fmt: skip
    for setting, own in data.groupby("setting"):  # the lemma is for T > N̄₁
        ax, least = axes[setting], own["n1bar"].iloc[0]
        start, end = ax.get_xlim()
        ax.axvspan(start, min(least, end), color="0.93", zorder=0, label="T ≤ N̄₁: not in the lemma")
        ax.set_xlim(start, end)
    for (setting, norm), own in data.groupby(["setting", "norm"]):
        kind = "printed" if norm == "operator norm" else "corrected and proved"
        axes[setting].plot(own["t"], own["bound"], color=SPECTRAL[norm]["color"], ls="--",
                           label=f"bound on the {norm}, {kind}")  # fmt: skip
        if norm == "operator norm":
            for row in own[own["t"] > own["n1bar"]].itertuples():
                side = "left" if row.t == own["t"].min() else "right"
                write_beside(axes[setting], f"{row.exceed} of {row.runs}", row.t, row.mean, (0, 10),
                             ha=side, color=RED)  # fmt: skip
    delta, judged = table["delta"].iloc[0], data[data["t"] > data["n1bar"]]
    judged = judged[judged["norm"] == "operator norm"]
    return Drawing(
        canvas, data,
        "means over runs with 95% bands, single runs are not drawn; written: in how many runs the "
        "operator norm is above its printed bound; a spectrum that the lemma covers at no T here "
        f"is not drawn; δ = {delta:g}; the relative norm is |Z^(-1/2) Z̃ Z^(-1/2) - Id|; "
        "the spectrum, max |eigenvalue of Z̃⁻¹ Z - 1|, is not drawn, as its curve lies on that of "
        "the relative norm",
        seen=f"The lemma lets at most {delta:.0%} of the runs be above its bound where T is above "
        f"N̄₁; there {judged['exceed'].sum()} of {judged['runs'].sum()} are.",
    )  # fmt: skip


@figure(
    "us/privacy",
    claims=("US-L7.2 (printed)",),
    title="Exact privacy loss of USCA's output over ε",
    alt="A row per kernel: the worst loss over ε at each T as dots, near a half, and a line at 1.",
    width="half",
)
def privacy(tables) -> Drawing:
    """The loss that the calibration leaves unused; `calibration: exact` uses it."""
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
    worst = data["worst"].idxmax()
    y = data["setting"].unique().tolist().index(data["setting"][worst])
    write_beside(ax, f"{data['worst'][worst]:.3f}", data["worst"][worst], y)
    ax.axvline(1.0, color=BLACK, lw=1.4, label="the claim, ε")
    ax.set_xlim(0, 1.05)
    named_rows(ax, names)
    return Drawing(
        canvas, data,
        "supremum over data sets and neighbours, largest of the draws of Z; the smallest private "
        f"noise (usca-exact) uses all of ε = {table['epsilon'].iloc[0]:g}",
    )  # fmt: skip
