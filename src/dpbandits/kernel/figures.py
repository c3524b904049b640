"""US's figures. The paper has none: each title says what is drawn, each sentence is computed."""

import numpy as np
import pandas as pd

from dpbandits.core.drawing import DASHES, OKABE_ITO, Drawing, band, figure, fit_power, look, panels

COLOUR = {name: OKABE_ITO[i] for i, name in enumerate(("se", "matern52", "matern32", "cosine"))}
KERNEL = {"se": "SE", "matern52": "Matérn 5/2", "matern32": "Matérn 3/2", "cosine": "cosine Mercer"}
EPSILONS = {0.1: 4, 0.5: 1, 1.0: 2, 5.0: 3, np.inf: 0}
RATES = "The rate is sqrt(gamma_T/T) + gamma_T/(T epsilon) (Theorem 4.1)."


def style(slot: int) -> dict:
    return {
        "color": OKABE_ITO[slot],
        "linestyle": DASHES[slot % len(DASHES)],
        "marker": "os^DvP"[slot],
    }


def kernel_name(setting: str) -> str:
    kernel, _, two = setting.partition("-")
    return KERNEL[kernel] + (", d = 2" if two == "2d" else ", d = 1")


def epsilon_name(epsilon: float) -> str:
    return "ε = ∞" if np.isinf(epsilon) else f"ε = {epsilon:g}"


def where(data: pd.DataFrame, **values) -> pd.DataFrame:
    """Rows with these values, in the order of t."""
    for column, value in values.items():
        data = data[data[column] == value]
    return data.sort_values("t") if "t" in data else data


@figure(
    "us/error_vs_T",
    notebook="error",
    reads=("error_vs_T",),
    title="Error rate against T, per kernel and dimension",
    paper_says=RATES,
    alt="Error rate against T on log axes; a panel per kernel and dimension, a line per epsilon.",
)
def error_vs_t(tables) -> Drawing:
    data = tables("error_vs_T")
    settings = list(data["setting"].unique())
    canvas, axes = panels(2, 4, width=2.6, height=2.4, sharex=True, sharey=True)
    for ax, setting in zip(axes.flat, settings, strict=True):
        here = where(data, setting=setting, metric="regret")
        for epsilon, slot in EPSILONS.items():
            rows = where(here, algorithm="usca", epsilon=epsilon)
            band(ax, rows, "t", epsilon_name(epsilon), style(slot))
        twin = where(here, algorithm="posterior-mean")
        twin = twin.assign(low=twin["low"].clip(lower=twin["mean"] / 10.0))
        band(ax, twin, "t", "posterior mean, ε = ∞", style(5) | {"linestyle": "--"})
        gain = where(data, setting=setting, metric="information_gain", epsilon=np.inf)
        ratio = np.sqrt(gain["mean"] / gain["t"])
        anchor = where(here, algorithm="usca", epsilon=np.inf)["mean"].iloc[0]
        ax.plot(gain["t"], anchor * ratio / ratio.iloc[0], color="0.6", lw=1, ls=":")
        chance = where(here, algorithm="random-action")["mean"].iloc[0]
        ax.axhline(chance, color="0.3", lw=0.8, ls="--")
        ax.set(title=kernel_name(setting), xscale="log", yscale="log")
    for ax in axes[1]:
        ax.set_xlabel("rounds T")
    for ax in axes[:, 0]:
        ax.set_ylabel("error rate")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    canvas.legend(handles, labels, loc="outside lower center", ncols=6)
    drawn = data[data["metric"].isin(["regret", "information_gain"])]
    return Drawing(canvas, drawn, _error_sentence(fitted_rates(data)))


def _error_sentence(rates: pd.DataFrame) -> str:
    without = rates[np.isinf(rates["epsilon"])]
    private = rates[rates["epsilon"] == 5.0]
    return (
        "USCA, mean over runs with 95% bands; dashed: a random action; dotted: sqrt(gamma_T/T) "
        "through the first point of epsilon = inf. Slopes in T of the last five points: "
        f"epsilon = inf {without['slope'].min():.2f} to {without['slope'].max():.2f}, where "
        f"sqrt(gamma_T/T) has {without['printed'].min():.2f} to {without['printed'].max():.2f}; "
        f"epsilon = 5 {private['slope'].min():.2f} to {private['slope'].max():.2f}."
    )


def fitted_rates(data: pd.DataFrame, last: int = 5) -> pd.DataFrame:
    """Slope of ln error on ln T over the last points, with a 95% interval, beside both terms'."""
    lines = []
    usca = data[(data["algorithm"] == "usca") & (data["metric"] == "regret")]
    for (setting, epsilon), rows in usca.groupby(["setting", "epsilon"], sort=False):
        rows = rows.sort_values("t").tail(last)
        gain = where(data, setting=setting, metric="information_gain", epsilon=epsilon)
        gain = gain.tail(last)["mean"].to_numpy() / rows["t"].to_numpy()
        chance = where(data, setting=setting, algorithm="random-action", metric="regret")
        term1, term2 = fit_power(rows["t"], np.sqrt(gain))[0], fit_power(rows["t"], gain)[0]
        positive = rows["mean"] > 0
        slope, error = fit_power(
            rows["t"][positive], rows["mean"][positive], rows["sem"][positive].clip(lower=1e-12)
        )
        lines.append(
            {"setting": setting, "epsilon": epsilon, "slope": slope}
            | {"low": slope - 1.96 * error, "high": slope + 1.96 * error}
            | {"printed": term1, "printed_private": term2}
            | {"of_chance": rows["mean"].iloc[-1] / chance["mean"].iloc[-1]}
        )
    return pd.DataFrame(lines)


@figure(
    "us/rates",
    notebook="error",
    reads=("error_vs_T",),
    title="Fitted exponents of the error rate beside the printed ones",
    paper_says=RATES,
    alt="Fitted exponents with intervals per kernel, dimension and epsilon, beside two printed.",
)
def rates(tables) -> Drawing:
    data = tables("error_vs_T")
    fits = fitted_rates(data)
    settings = list(fits["setting"].unique())
    canvas, axes = panels(1, 1, width=6.2, height=2.9)
    ax = axes[0, 0]
    for column, (epsilon, slot) in enumerate(EPSILONS.items()):
        rows = fits[fits["epsilon"] == epsilon]
        x = np.arange(len(settings)) + 0.14 * (column - 2)
        wide = np.abs(rows[["low", "high"]].to_numpy().T - rows["slope"].to_numpy())
        look_of = {k: v for k, v in style(slot).items() if k != "linestyle"}
        ax.errorbar(
            x,
            rows["slope"],
            wide,
            ls="",
            ms=3.5,
            capsize=1.5,
            label=epsilon_name(epsilon),
            **look_of,
        )
    printed = fits.groupby("setting", sort=False)[["printed", "printed_private"]].mean()
    for at, (one, two) in enumerate(printed.to_numpy()):
        ax.hlines([one, two], at - 0.42, at + 0.42, colors=["0.2", "0.6"], lw=1)
    ax.hlines([], 0, 0, color="0.2", label="√(γ/T)")
    ax.hlines([], 0, 0, color="0.6", label="γ/(Tε)")
    ax.set_xticks(
        range(len(settings)),
        [kernel_name(s).replace(", ", "\n").replace(" Mercer", "") for s in settings],
    )
    lowest = min(fits["low"].min(), fits["printed_private"].min())
    ax.set(ylabel="exponent of T, last five points", ylim=(max(lowest, -2.0) - 0.1, 0.1))
    ax.legend(
        ncols=7, loc="lower center", bbox_to_anchor=(0.5, 1.0), columnspacing=0.8, handletextpad=0.3
    )
    slower = fits[fits["low"] > fits["printed"]]
    rest = fits.drop(slower.index)
    sentence = (
        f"Bars: 95% intervals. {len(rest)} of {len(fits)} exponents reach sqrt(gamma_T/T) or "
        f"cannot be told from it. The {len(slower)} slower ones (epsilon "
        f"{slower['epsilon'].min():g} to {slower['epsilon'].max():g}) have errors that at the "
        f"largest T are still {slower['of_chance'].min():.0%} to {slower['of_chance'].max():.0%} "
        f"of a random action's (the others {rest['of_chance'].min():.0%} to "
        f"{rest['of_chance'].max():.0%}): T is too short there."
    )
    return Drawing(canvas, fits, sentence)


@figure(
    "us/error_vs_epsilon",
    notebook="error",
    reads=("error_vs_epsilon", "error_vs_T"),
    title="Error rate against epsilon, and the crossing of the two terms",
    paper_says="The terms sqrt(gamma_T/T) and gamma_T/(T epsilon) are equal at epsilon = "
    "sqrt(gamma_T/T).",
    alt="Error rate against epsilon for three lengths, USCA and an exponential mechanism.",
)
def error_vs_epsilon(tables) -> Drawing:
    data = tables("error_vs_epsilon")
    settings = list(data["setting"].unique())
    canvas, axes = panels(1, len(settings), width=3.2, sharey=True)
    found = crossings(data, tables("error_vs_T"))
    for ax, setting in zip(axes[0], settings, strict=True):
        for slot, (t, rows) in enumerate(data[data["setting"] == setting].groupby("t")):
            for name, dash in (("usca", "-"), ("exponential-gp", ":")):
                mine = where(rows[np.isfinite(rows["epsilon"])], algorithm=name)
                label = f"T = {t}" if name == "usca" else f"exponential-gp, T = {t}"
                look_of = style(slot) | {"linestyle": dash}
                band(ax, mine, "epsilon", label, look_of)
            floor = where(rows, algorithm="usca", epsilon=np.inf)["mean"].iloc[0]
            ax.axhline(floor, color=OKABE_ITO[slot], lw=0.7, alpha=0.6)
            crossing = where(found, setting=setting, t=t)["crossing"].iloc[0]
            ax.plot(
                [crossing], [2 * floor], marker="*", ms=9, color=OKABE_ITO[slot], mec="k", mew=0.4
            )
        ax.set(title=kernel_name(setting), xlabel="ε", xscale="log", yscale="log")
    axes[0, 0].set_ylabel("error rate")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    canvas.legend(handles, labels, loc="outside lower center", ncols=3)
    text = "; ".join(
        f"{r.setting}, T = {r.t}: {r.crossing:.3g} (printed {r.printed:.3g})"
        for r in found.itertuples()
    )
    sentence = (
        "Bands 95%; thin lines: epsilon = inf; stars: the epsilon where privacy doubles the error, "
        f"the measured crossing of the two terms, beside sqrt(gamma_T/T): {text}."
    )
    return Drawing(canvas, data.merge(found, on=["setting", "t"], how="left"), sentence)


def crossings(data: pd.DataFrame, curves: pd.DataFrame) -> pd.DataFrame:
    """epsilon where USCA's error is twice that of epsilon = inf, by log-log interpolation."""
    lines = []
    usca = data[data["algorithm"] == "usca"]
    for (setting, t), rows in usca.groupby(["setting", "t"], sort=False):
        finite = rows[np.isfinite(rows["epsilon"])].sort_values("epsilon")
        floor = rows[np.isinf(rows["epsilon"])]["mean"].iloc[0]
        excess = np.log(finite["mean"].to_numpy() / (2.0 * floor))
        crossing = np.nan
        if excess[0] > 0 > excess[-1]:
            falling = -np.maximum.accumulate(excess[::-1])[::-1]  # ascending: for np.interp
            crossing = np.exp(np.interp(0.0, falling, np.log(finite["epsilon"])))
        gain = where(curves, metric="information_gain", setting=setting, t=t)["mean"]
        printed = np.sqrt(gain.iloc[0] / t) if len(gain) else np.nan
        lines.append({"setting": setting, "t": t, "crossing": crossing, "printed": printed})
    return pd.DataFrame(lines)


@figure(
    "us/rivals",
    notebook="error",
    reads=("rivals",),
    title="USCA beside its rivals, SE kernel",
    paper_says="USCA improves on the private GP-UCB of Dubey (2021), the other private method.",
    alt="Error rate against T, one panel per epsilon, one line per algorithm.",
)
def rivals(tables) -> Drawing:
    data = where(tables("rivals"), metric="regret")
    epsilons = sorted(e for e in data["epsilon"].unique() if np.isfinite(e))
    names = list(data["algorithm"].unique())
    canvas, axes = panels(1, len(epsilons), width=2.7, sharey=True)
    for ax, epsilon in zip(axes[0], epsilons, strict=True):
        for name in names:
            rows = data[(data["algorithm"] == name) & data["epsilon"].isin([epsilon, np.inf])]
            band(ax, rows.assign(low=rows["low"].clip(lower=1e-4)), "t", name, look(name))
        ax.set(title=epsilon_name(epsilon), xlabel="rounds T", xscale="log", yscale="log")
        ax.set_ylim(bottom=3e-4)
    axes[0, 0].set_ylabel("error rate")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    canvas.legend(handles, labels, loc="outside lower center", ncols=6)
    last = data[data["t"] == data["t"].max()].set_index(["algorithm", "epsilon"])["mean"]
    parts = [
        f"at epsilon = {e:g}: "
        + ", ".join(f"{n} {last[n, e]:.3g}" for n in names if (n, e) in last.index)
        for e in epsilons
    ]
    free = ", ".join(f"{n} {last[n, np.inf]:.3g}" for n in names if (n, np.inf) in last.index)
    sentence = (
        f"Error rates at T = {data['t'].max()} {'; '.join(parts)}; without privacy: {free}. "
        "private-gp-ucb has delta = 0.01, the others are pure."
    )
    return Drawing(canvas, data, sentence)


@figure(
    "us/gamma",
    notebook="theory",
    reads=("gamma",),
    title="gamma_T and sup sigmabar^2 against T",
    paper_says="sup sigmabar^2 <= 81 F^2 gamma_T/(13 T) with high probability (Lemma 7.1).",
    alt="Against T: information gain, and the largest surrogate variance with its bound.",
)
def gamma(tables) -> Drawing:
    data = tables("gamma")
    canvas, axes = panels(1, 2, width=3.0)
    for setting, rows in data.groupby("setting", sort=False):
        slot = list(COLOUR).index(setting)
        label = KERNEL[setting]
        axes[0, 0].fill_between(
            rows["t"], rows["gamma"], rows["gamma_high"], color=OKABE_ITO[slot], alpha=0.3, lw=0
        )
        axes[0, 0].plot(rows["t"], rows["gamma"], ms=3, label=label, **style(slot))
        band(axes[0, 1], rows, "t", label, style(slot))
        axes[0, 1].plot(rows["t"], rows["bound"], color=OKABE_ITO[slot], lw=0.8, ls=":")
    axes[0, 0].set(xlabel="rounds T", ylabel="γ (nats)", xscale="log", yscale="log")
    axes[0, 1].set(xlabel="rounds T", ylabel="sup σ̄²", xscale="log", yscale="log")
    axes[0, 0].legend()
    ends = ((data["gamma_high"] / data["gamma"] - 1.0) * 100.0).groupby(data["t"]).max()
    slack = (data["bound"] / data["mean"]).groupby(data["setting"], sort=False).min()
    sentence = (
        "Left: greedy's value, and (shaded) up to the certified upper end, at most "
        f"{ends.iloc[0]:.1f}% above it at T = {ends.index[0]}, {ends.iloc[-1]:.2f}% at "
        f"T = {ends.index[-1]}. Right: mean over runs with 95% band; dotted: Lemma 7.1's bound, "
        "larger by a factor of at least "
        + ", ".join(f"{v:.1f} ({k})" for k, v in slack.items())
        + "."
    )
    return Drawing(canvas, data, sentence)


@figure(
    "us/estimation_error",
    notebook="theory",
    reads=("estimation_error",),
    title="Estimation errors against T",
    paper_says="mubar is as close to f as the posterior mean: both O(sqrt(gamma_T/T)) (Lemma 4.3).",
    alt="Largest estimation error against T per kernel, for mubar and the posterior mean.",
)
def estimation_error(tables) -> Drawing:
    data = tables("estimation_error")
    settings = list(data["setting"].unique())
    names = {"mubar - mu_T": "|μ̄ − μ|", "mubar - f": "|μ̄ − f|", "mu_T - f": "|μ − f|"}
    canvas, axes = panels(1, len(settings), width=2.6, sharey=True)
    slopes = []
    for ax, setting in zip(axes[0], settings, strict=True):
        for slot, (quantity, label) in enumerate(names.items()):
            rows = where(data, setting=setting, quantity=quantity)
            band(ax, rows, "t", label, style(slot))
            error = (rows["high"] - rows["mean"]) / 2.13
            slopes.append((setting, quantity, *fit_power(rows["t"], rows["mean"], error)))
        rate = np.sqrt(rows["gamma"] / rows["t"])
        ax.plot(rows["t"], rate, color="0.5", lw=1, ls=":", label="√(γ/T)")
        slopes.append((setting, "printed", *fit_power(rows["t"], rate)))
        ax.set(title=KERNEL[setting], xlabel="rounds T", xscale="log", yscale="log")
    axes[0, 0].set_ylabel("sup over cells")
    axes[0, 0].legend()
    table = pd.DataFrame(slopes, columns=["setting", "quantity", "slope", "se"])
    mine = table[table["quantity"] == "mubar - f"].set_index("setting")["slope"]
    rate = table[table["quantity"] == "printed"].set_index("setting")["slope"]
    gap = _ratio(data)
    sentence = (
        "Bands 95%. Slopes of |mubar - f| (of sqrt(gamma_T/T)): "
        + ", ".join(f"{s} {mine[s]:.2f} ({rate[s]:.2f})" for s in settings)
        + f". At the largest T mubar's error is {gap.min():.1f} to {gap.max():.1f} times the "
        "posterior mean's."
    )
    return Drawing(canvas, data, sentence)


def _ratio(data: pd.DataFrame) -> pd.Series:
    last = data[data["t"] == data["t"].max()].pivot(
        index="setting", columns="quantity", values="mean"
    )
    return last["mubar - f"] / last["mu_T - f"]


@figure(
    "us/output_density",
    notebook="theory",
    reads=("output_density",),
    title="USCA's output density at one context",
    paper_says="The output has density proportional to exp(epsilon mubar/(4 B sup sigmabar^2)).",
    alt="Density of the released action per epsilon, below it f and its estimate.",
)
def output_density(tables) -> Drawing:
    data = tables("output_density")
    canvas, axes = panels(2, 1, width=3.4, height=1.8, sharex=True)
    epsilons = list(data["epsilon"].unique())
    for slot, epsilon in enumerate(epsilons):
        rows = data[data["epsilon"] == epsilon]
        axes[0, 0].plot(
            rows["x"],
            rows["density"],
            color=OKABE_ITO[slot],
            ls=DASHES[slot],
            label=f"ε = {epsilon:g}",
        )
    axes[1, 0].plot(rows["x"], rows["f"], color="k", label="f")
    axes[1, 0].plot(rows["x"], rows["mubar"], color="0.5", ls="--", label="μ̄")
    axes[0, 0].set(ylabel="density", yscale="log")
    axes[0, 0].set_ylim(1e-3, 1e3)
    axes[1, 0].set(xlabel="action x", ylabel="reward")
    axes[0, 0].legend(ncols=3, loc="upper left")
    axes[1, 0].legend()
    peaks = data.groupby("epsilon")["density"].max()
    best = rows["f"].max()
    lost = [
        float(np.average(best - part["f"], weights=part["density"]))
        for _, part in data.groupby("epsilon")
    ]
    sentence = (
        "One data set and one Z for all epsilon. Peak density and expected loss: "
        + ", ".join(
            f"{e:g}: {p:.2f}, {x:.3f}" for (e, p), x in zip(peaks.items(), lost, strict=True)
        )
        + "."
    )
    return Drawing(canvas, data, sentence)


@figure(
    "us/spectral",
    notebook="theory",
    reads=("spectral",),
    title="Lemma 4.4: operator norm and spectrum beside the bound",
    paper_says="|Z~^-1 Z - Id|_2 <= (28/17) sqrt(gamma_T ln(1/δ)/(T tau)) with probability 1 - δ.",
    alt="Operator norm and largest eigenvalue deviation against T, with the printed bound.",
)
def spectral(tables) -> Drawing:
    data = tables("spectral")
    settings = list(data["setting"].unique())
    canvas, axes = panels(1, len(settings), width=2.6, sharey=True)
    for ax, setting in zip(axes[0], settings, strict=True):
        for slot, kind in enumerate(("operator norm", "spectrum")):
            rows = where(data, setting=setting, norm=kind)
            band(ax, rows, "t", kind, style(slot))
        ax.plot(rows["t"], rows["bound"], color="k", ls=":", label="printed bound")
        ax.set(title=setting.replace("-", " "), xlabel="rounds T", xscale="log", yscale="log")
    axes[0, 0].set_ylabel("distance from Id")
    axes[0, 0].legend()
    norm = data[data["norm"] == "operator norm"]
    parts = [
        f"{r.setting}, T = {r.t}: {r.exceed} of {r.runs}" for r in norm.itertuples() if r.exceed
    ]
    other = data[data["norm"] == "spectrum"]
    sentence = (
        f"δ = {norm['delta'].iloc[0]:g}. Runs whose operator norm is above the bound: "
        f"{'; '.join(parts) or 'none'}. Runs whose spectrum is: {other['exceed'].sum()} of "
        f"{other['runs'].sum()}."
    )
    return Drawing(canvas, data, sentence)


@figure(
    "us/privacy",
    notebook="theory",
    reads=("privacy",),
    title="Exact worst privacy loss of USCA's output, as a fraction of epsilon",
    paper_says="The output is epsilon-DP (Lemma 7.2).",
    alt="Worst loss over epsilon against T, one line per setting, below the line at 1.",
)
def privacy(tables) -> Drawing:
    data = tables("privacy")
    canvas, axes = panels(1, 1, width=4.2)
    ax = axes[0, 0]
    for slot, (setting, rows) in enumerate(data.groupby("setting", sort=False)):
        worst = rows.groupby("t")["loss_over_epsilon"].max()
        look_of = {"color": OKABE_ITO[slot], "marker": "os^DvPX"[slot], "ls": DASHES[slot % 5]}
        ax.plot(worst.index, worst, ms=3, label=setting, **look_of)
    ax.axhline(1.0, color="k", lw=0.8)
    ax.set(xlabel="rounds T", ylabel="worst loss / ε", xscale="log", ylim=(0, 1.05))
    ax.legend(ncols=2)
    sentence = (
        "Supremum over all data sets and neighbours, the worst of "
        f"{data['run'].nunique()} draws of Z: between {data['loss_over_epsilon'].min():.3f} and "
        f"{data['loss_over_epsilon'].max():.3f} of the promise, which is the line at 1."
    )
    return Drawing(canvas, data, sentence)
