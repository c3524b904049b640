"""US's figures of the quantities behind the theorems."""

import numpy as np
import pandas as pd

from dpbandits.core.statistics import fit_power
from dpbandits.reproduction.plots.figures import Drawing, figure
from dpbandits.reproduction.plots.style import (
    BLACK,
    MARKERS,
    METHODS,
    band,
    epsilon_look,
    epsilon_name,
    panels,
)
from dpbandits.reproduction.us.figures.look import KERNEL, kernel_name, style
from dpbandits.reproduction.us.summaries import where


@figure(
    "us/gamma",
    title="Lemma 7.1, γ_T and sup σ̄² against T",
    paper_says="sup σ̄² ≤ 81 F² γ_T/(13 T) with high probability (Lemma 7.1).",
    alt="Against T: information gain, and the largest surrogate variance with its bound.",
)
def gamma(tables) -> Drawing:
    data = tables("gamma")
    canvas, axes = panels(1, 2, width=3.0, x="rounds T")
    for setting, rows in data.groupby("setting", sort=False):
        slot = list(KERNEL).index(setting)
        label = KERNEL[setting]
        axes[0, 0].fill_between(
            rows["t"], rows["gamma"], rows["gamma_high"], color=METHODS[slot], alpha=0.3, lw=0
        )
        axes[0, 0].plot(rows["t"], rows["gamma"], ms=3, label=label, **style(slot))
        band(axes[0, 1], rows, "t", label, style(slot))
        axes[0, 1].plot(rows["t"], rows["bound"], color=METHODS[slot], lw=0.8, ls=":")
        axes[0, 1].plot(rows["t"], rows["repaired"], color=METHODS[slot], lw=0.8, ls="--")
    axes[0, 0].set(ylabel="γ (nats)", xscale="log", yscale="log")
    axes[0, 1].set(ylabel="sup σ̄²", xscale="log", yscale="log")
    axes[0, 0].plot([], [], label="printed bound", color="0.3", lw=0.8, ls=":")
    axes[0, 0].plot([], [], label="corrected bound", color="0.3", lw=0.8, ls="--")
    ends = ((data["gamma_high"] / data["gamma"] - 1.0) * 100.0).groupby(data["t"]).max()
    last = data[data["t"] == data["t"].max()].set_index("setting")
    near = last["repaired"] / last["mean"]
    slack = (data["bound"] / data["mean"]).groupby(data["setting"], sort=False).min()
    sentence = (
        "Left: γ_T from greedy selection; shaded: up to a certified upper bound, at most "
        f"{ends.iloc[0]:.1f}% above it at T = {ends.index[0]}, {ends.iloc[-1]:.2f}% at "
        f"T = {ends.index[-1]}. Right: mean over runs with 95% band; dotted: Lemma 7.1's bound, "
        "larger by a factor of at least "
        + ", ".join(f"{v:.1f} ({k})" for k, v in slack.items())
        + "; dashed: the corrected bound L/(1 - b), "
        + ", ".join(f"{v:.2f} ({k})" for k, v in near.items())
        + " at the largest T."
    )
    finding = (
        f"the printed bound is at least {slack.min():.3g} times the measured value, the corrected "
        f"one {near.min():.3g} to {near.max():.3g} times"
    )
    note = (
        "γ: from greedy selection, shaded: up to a certified upper bound; right: means over runs, "
        "95% bands"
    )
    return Drawing(canvas, data, sentence, note, finding=finding)


@figure(
    "us/estimation_error",
    title="Estimation errors against T",
    paper_says="μ̄ is as close to f as the posterior mean: both O(√(γ_T/T)) (Lemma 4.3).",
    alt="Largest estimation error against T per kernel, for μ̄ and the posterior mean.",
)
def estimation_error(tables) -> Drawing:
    data = tables("estimation_error")
    settings = list(data["setting"].unique())
    names = {"mubar - mu_T": "|μ̄ − μ|", "mubar - f": "|μ̄ − f|", "mu_T - f": "|μ − f|"}
    labels = {"x": "rounds T", "y": "sup over cells"}
    canvas, axes = panels(1, len(settings), width=2.6, sharey=True, **labels)
    slopes = []
    for ax, setting in zip(axes[0], settings, strict=True):
        for slot, (quantity, label) in enumerate(names.items()):
            rows = where(data, setting=setting, quantity=quantity)
            band(ax, rows, "t", label, style(slot))
            error = (rows["high"] - rows["mean"]) / 2.13
            slopes.append((setting, quantity, *fit_power(rows["t"], rows["mean"], error)))
        ours = where(data, setting=setting, quantity="mubar - f")
        ax.plot(ours["t"], ours["bound"], color="0.2", lw=0.8, ls=":", label="printed bound")
        ax.plot(ours["t"], ours["repaired"], color="0.2", lw=0.8, ls="--", label="corrected bound")
        rate = np.sqrt(rows["gamma"] / rows["t"])
        ax.plot(rows["t"], rate, color="0.5", lw=1, label="√(γ/T)")
        slopes.append((setting, "printed", *fit_power(rows["t"], rate)))
        ax.set(title=KERNEL[setting], xscale="log", yscale="log")
    table = pd.DataFrame(slopes, columns=["setting", "quantity", "slope", "se"])
    fitted = table[table["quantity"] == "mubar - f"].set_index("setting")["slope"]
    printed = table[table["quantity"] == "printed"].set_index("setting")["slope"]
    last = data[data["t"] == data["t"].max()]
    means = last.pivot(index="setting", columns="quantity", values="mean")
    ratio = means["mubar - f"] / means["mu_T - f"]
    top = last[last["quantity"] == "mubar - f"]
    printed_slack, corrected_slack = (top[b] / top["largest"] for b in ("bound", "repaired"))
    sentence = (
        "Bands 95%. Slopes of |μ̄ - f| (of √(γ_T/T)): "
        + ", ".join(f"{s} {fitted[s]:.2f} ({printed[s]:.2f})" for s in settings)
        + f". At the largest T μ̄'s error is {ratio.min():.1f} to {ratio.max():.1f} times the "
        "posterior mean's. Bounds on |μ̄ - f| there, over the largest value seen: printed "
        f"{printed_slack.min():.0f} or more (not proved), corrected (proved) "
        f"{corrected_slack.min():.1f} to {corrected_slack.max():.1f}."
    )
    finding = f"μ̄ errs {ratio.min():.2g} to {ratio.max():.2g} times as much as the posterior mean"
    note = "mean over runs of the largest error, 95% bands"
    return Drawing(canvas, data, sentence, note, finding=finding)


@figure(
    "us/output_density",
    title="USCA's output density at one context",
    paper_says="The output has density proportional to exp(ε μ̄/(4 B sup σ̄²)).",
    alt="Density of the released action per ε, below it f and its estimate.",
)
def output_density(tables) -> Drawing:
    data = tables("output_density")
    canvas, axes = panels(2, 1, width=4.2, height=1.9, sharex=True)
    for epsilon, rows in data.groupby("epsilon", sort=False):
        line = epsilon_look(epsilon) | {"ms": 3.5, "markevery": 8, "gid": "usca"}
        label = f"usca, {epsilon_name(epsilon)}"
        axes[0, 0].plot(rows["x"], rows["density"], label=label, **line)
    axes[1, 0].plot(rows["x"], rows["f"], color=BLACK, label="reward f")
    axes[1, 0].plot(rows["x"], rows["mubar"], color="0.5", ls=":", label="its estimate μ̄")
    axes[0, 0].set(ylabel="density", yscale="log")
    axes[0, 0].set_ylim(1e-3, 1e3)
    axes[1, 0].set(xlabel="action x", ylabel="reward")
    peaks = data.groupby("epsilon")["density"].max()
    best = rows["f"].max()
    lost = [
        float(np.average(best - part["f"], weights=part["density"]))
        for _, part in data.groupby("epsilon")
    ]
    sentence = (
        "One data set and one Z for all ε. Peak density and expected loss: "
        + ", ".join(
            f"{e:g}: {p:.2f}, {x:.3f}" for (e, p), x in zip(peaks.items(), lost, strict=True)
        )
        + "."
    )
    first, last = peaks.index[[0, -1]]
    finding = f"expected loss {lost[0]:.3g} at ε = {first:g}, {lost[-1]:.3g} at {last:g}"
    note = "one data set, one draw of Z; density cut off below"
    return Drawing(canvas, data, sentence, note, finding=finding)


@figure(
    "us/spectral",
    title="Lemma 4.4, operator norm and spectrum",
    paper_says="|Z̃⁻¹ Z - Id|₂ ≤ (28/17) √(γ_T ln(1/δ)/(T τ)) with probability 1 - δ.",
    alt="Operator norm, largest eigenvalue deviation and relative norm against T, "
    "a panel per spectrum, with the printed and the corrected bound.",
)
def spectral(tables) -> Drawing:
    data = tables("spectral")
    settings = list(data["setting"].unique())
    labels = {"x": "rounds T", "y": "distance from the identity"}
    canvas, axes = panels(1, len(settings), width=2.6, sharey=True, **labels)
    for ax, setting in zip(axes[0], settings, strict=True):
        for slot, kind in enumerate(("relative norm", "spectrum", "operator norm")):
            rows = where(data, setting=setting, norm=kind)
            band(ax, rows, "t", kind, style(slot))
        relative = where(data, setting=setting, norm="relative norm")
        corrected = {"color": BLACK, "ls": "--", "lw": 0.8, "label": "corrected bound"}
        ax.plot(relative["t"], relative["bound"], **corrected)
        ax.plot(rows["t"], rows["bound"], color=BLACK, ls=":", label="printed bound")
        title = setting.replace("decay-", "eigenvalue decay ").replace("-", " ")
        ax.set(title=title, xscale="log", yscale="log")
    norm = data[data["norm"] == "operator norm"]
    parts = [
        f"{r.setting}, T = {r.t}: {r.exceed} of {r.runs}" for r in norm.itertuples() if r.exceed
    ]
    spectrum = data[data["norm"] == "spectrum"]
    relative = data[data["norm"] == "relative norm"]
    sentence = (
        f"δ = {norm['delta'].iloc[0]:g}. Runs whose operator norm is above the bound: "
        f"{'; '.join(parts) or 'none'}. Runs in which the eigenvalues exceed the bound: "
        f"{spectrum['exceed'].sum()} of {spectrum['runs'].sum()}. Dashed: the corrected bound on "
        "the relative norm |Z^(-1/2) Z̃ Z^(-1/2) - Id|, which is proved; the largest value seen is "
        f"{(relative['largest'] / relative['bound']).max():.2f} of it."
    )
    finding = (
        f"the printed bound is exceeded in {norm['exceed'].sum()} of {norm['runs'].sum()} runs"
    )
    return Drawing(canvas, data, sentence, "mean over runs, 95% bands", finding=finding)


@figure(
    "us/privacy",
    title="Exact privacy loss of USCA's output over ε",
    paper_says="The output is ε-DP (Lemma 7.2).",
    alt="Worst loss over ε against T, one line per setting, and a line at 1.",
)
def privacy(tables) -> Drawing:
    data = tables("privacy")
    canvas, axes = panels(1, 1, width=4.2)
    ax = axes[0, 0]
    for slot, (setting, rows) in enumerate(data.groupby("setting", sort=False)):
        worst = rows.groupby("t")["loss_over_epsilon"].max()
        look = {"color": METHODS[slot], "marker": MARKERS[slot]}
        tau = setting.partition("-tau-")[2]
        name = kernel_name(setting) + (f", τ = {tau}" if tau else "")
        ax.plot(worst.index, worst, ms=4, mfc="none", label=name, **look)
    ax.axhline(1.0, color=BLACK, lw=0.8, label="claimed")
    ax.set(xlabel="rounds T", ylabel="worst loss / ε", xscale="log", ylim=(0, 1.05))
    longest = data[data["t"] == data["t"].max()]
    draws, loss = data["run"].nunique(), data["loss_over_epsilon"]
    sentence = (
        "Privacy loss divided by the claimed ε, supremum over all data sets and neighbours, "
        f"largest of {draws} draws of Z: {loss.min():.3f} to {loss.max():.3f}. With the smallest "
        "private noise (usca-exact) the "
        f"ratio is 1; one pair of data sets with {longest['t'].iloc[0]} records attains at least "
        f"{longest['attained'].min():.6f} of it."
    )
    note = (
        f"supremum over data sets and neighbours, largest of {draws} draws of Z; "
        f"ε = {data['epsilon'].iloc[0]:g}"
    )
    return Drawing(canvas, data, sentence, note, finding=f"at most {loss.max():.2g}")
