"""KL's figures. The paper has none: each sets the exact loss beside what a theorem allows."""

import numpy as np
import pandas as pd

from dpbandits.core.figures import Drawing, figure
from dpbandits.core.statistics import fit_power
from dpbandits.core.style import panels

BLUE, RED, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "#555555"
PINK, SKY = "#CC79A7", "#56B4E9"
LOOKS = {
    "exact loss": {"color": BLUE, "marker": "o", "linestyle": "-"},
    "proved at most": {"color": BLUE, "marker": "_", "linestyle": ":"},
    "exact label loss": {"color": SKY, "marker": "s", "linestyle": "-"},
    "theorem": {"color": RED, "marker": "^", "linestyle": "--"},
    "appendix": {"color": PINK, "marker": "v", "linestyle": ":"},
    "label theorem": {"color": PINK, "marker": "v", "linestyle": "--"},
    "ours": {"color": GREEN, "marker": "D", "linestyle": "-."},
    "label ours": {"color": GREY, "marker": "x", "linestyle": "-."},
}
TITLES = {
    "bandit": "bandit (8), Theorem 1",
    "linear": "linear (10), Theorem 2",
    "rlhf": "RLHF (11)",
}
AXES = {
    "n": "records n",
    "eta": r"regularisation $\eta$ (reward units)",
    "beta0": r"pessimism $\beta_0$ (reward units)",
    "coverage": "coverage (rarest / commonest)",
    "dimension": "dimension d",
    "B": r"radius B of the MLE's ball",
}


def _loss_vs(tables, varied: str) -> Drawing:
    data = tables("loss_vs").query("varied == @varied")
    problems = list(dict.fromkeys(data["problem"]))
    canvas, axes = panels(1, len(problems), height=2.8)
    for ax, problem in zip(axes[0], problems, strict=True):
        part = data[data["problem"] == problem]
        for quantity, look in LOOKS.items():
            series = part[part["quantity"] == quantity].sort_values("value")
            if len(series):
                ax.plot(series["value"], series["epsilon"], label=quantity, markersize=3.5, **look)
                ax.fill_between(
                    series["value"], series["low"], series["high"], color=look["color"], alpha=0.15
                )
        ax.set(xscale="log", yscale="log", title=TITLES[problem], xlabel=AXES[varied])
        shown = sorted(part["value"].unique())
        ax.set_xticks(shown, [f"{value:g}".replace("e+0", "e") for value in shown])
        ax.set_xticks([], minor=True)
        ax.legend(fontsize=6)
    axes[0, 0].set_ylabel(r"pure loss $\varepsilon$ (nats)")
    return Drawing(canvas, data, _seen(data, varied))


def _seen(data: pd.DataFrame, varied: str) -> str:
    parts = []
    for problem, part in data.groupby("problem", sort=False):
        table = part.pivot_table(index="value", columns="quantity", values="epsilon")
        slope, error = fit_power(table.index.to_numpy(float), table["exact loss"].to_numpy())
        share = (table["exact loss"] / table["theorem"]).dropna()
        parts.append(
            f"{problem}: the exact loss goes as {varied}^{slope:.2f} (+-{error:.2f}) and is "
            f"{share.min():.2g} to {share.max():.2g} of the theorem's eps"
        )
        if "proved at most" in table:
            above = (table["proved at most"] / table["exact loss"]).max() - 1
            parts.append(f"no neighbour is worse than {above:.1%} above what is drawn")
        if "label theorem" in table:
            label = (table["exact label loss"] / table["label theorem"]).dropna()
            parts.append(f"label loss {label.min():.2g} to {label.max():.2g} of Theorem 3's")
    return "; ".join(parts) + ". Above 1 the printed bound is crossed."


def _register(varied: str, says: str) -> None:
    @figure(
        f"kl/loss_vs_{varied}",
        notebook="exact_loss",
        reads=("loss_vs",),
        title=f"Exact privacy loss against {AXES[varied]}",
        paper_says=says,
        alt=f"Exact pure loss and the theorems' epsilon against {AXES[varied]}, log-log, one panel "
        "per problem; shaded: smallest to largest over the data sets drawn",
    )
    def make(tables) -> Drawing:
        return _loss_vs(tables, varied)


_register("n", "eps falls as 1/n at fixed coverage (Theorem 1, Corollaries 2 and 3)")
_register("eta", "eps is proportional to 1/eta (all theorems)")
_register("beta0", "pessimism adds a term beta0/N^1.5 to eps (Theorems 1, 2, 4)")
_register("coverage", "eps is governed by the least covered arm or direction")
_register("dimension", "eps grows with d through sqrt(nd/lambda_min) (Theorem 2)")
_register("B", "eps grows as e^(2B) (Theorems 3 and 4)")


@figure(
    "kl/delta_curves",
    notebook="bounds",
    reads=("delta_curves",),
    title="Exact delta(eps) and the pairs that the theorems promise",
    paper_says="for every N0 (lambda0) the policy is (eps, delta)-DP, whatever the coverage",
    alt="delta against epsilon in four panels: the exact curve and the theorems' curve over N0 or "
    "lambda0; in three panels the exact curve lies far above the theorem's",
)
def delta_curves(tables) -> Drawing:
    data = tables("delta_curves")
    cases = list(dict.fromkeys(data["case"]))
    canvas, axes = panels(2, 2, height=2.4)
    seen = []
    for ax, case in zip(axes.flat, cases, strict=True):
        part = data[data["case"] == case]
        exact = part[part["quantity"] == "exact"]
        theorem = part[part["quantity"] == "theorem"]
        ax.plot(exact["epsilon"], exact["delta"].clip(lower=1e-12), color=BLUE, label="exact")
        ax.plot(
            theorem["epsilon"],
            theorem["delta"],
            color=RED,
            linestyle="--",
            label="theorem, printed",
        )
        ax.set(
            yscale="log", ylim=(1e-10, 3), title=case, xlabel=r"$\varepsilon$", ylabel=r"$\delta$"
        )
        at = np.interp(theorem["epsilon"], exact["epsilon"], exact["delta"])
        worst = float((at / theorem["delta"]).max()) if len(theorem) else 0.0
        seen.append(f"{case}: exact delta up to {worst:.2g} times the printed one")
    axes[0, 0].legend()
    return Drawing(canvas, data, "; ".join(seen) + ".")


@figure(
    "kl/tightness",
    notebook="bounds",
    reads=("tightness",),
    title="Exact loss over bound: designed data sets and the worst found by search",
    paper_says="each bound holds for every data set: all ratios are at most 1",
    alt="One line per bound, from the median to the worst ratio of exact loss to bound, on a log "
    "axis with a line at 1; bounds that are crossed are drawn in red",
)
def tightness(tables) -> Drawing:
    data = tables("tightness")
    worst = data.groupby("claim", sort=False).agg(
        worst=("worst", "max"), median=("median", "first"), crossed=("crossed", "sum"),
        data_sets=("data_sets", "sum"),
    )  # fmt: skip
    canvas, axes = panels(1, 1, height=4.2, width=5.2)
    ax = axes[0, 0]
    cap, floor = 1e4, 1e-3
    for y, (_claim, row) in enumerate(worst.iterrows()):
        colour = RED if row["crossed"] else BLUE
        end = float(np.clip(row["worst"], floor, cap))
        ax.plot([max(row["median"], floor), end], [y, y], color=colour, linewidth=1)
        ax.plot(max(row["median"], floor), y, "|", color=colour, markersize=7)
        ax.plot(end, y, ">" if row["worst"] > cap else "o", color=colour, markersize=5)
    ax.axvline(1.0, color="black", linewidth=0.8)
    ax.set(
        xscale="log", yticks=range(len(worst)), xlabel="exact / bound (bar: median, dot: worst)",
        xlim=(floor / 1.5, cap * 1.5),
    )  # fmt: skip
    ax.set_yticklabels(worst.index, fontsize=7)
    ax.invert_yaxis()
    crossed = [
        f"{claim} ({int(row['crossed'])} of {int(row['data_sets'])})"
        for claim, row in worst.iterrows()
        if row["crossed"]
    ]
    kept = worst[worst["crossed"] == 0]["worst"]
    close = ", ".join(f"{claim} {value:.2f}" for claim, value in kept.items())
    we_see = f"Crossed: {', '.join(crossed)}. Never crossed, with the closest ratio: {close}."
    return Drawing(canvas, data, we_see)


@figure(
    "kl/utility_vs_privacy",
    notebook="use",
    reads=("utility_vs_privacy",),
    title="Reward at equal exact privacy: regularisation beside injected noise",
    paper_says="noise must be added to existing algorithms, which therefore perform worse",
    alt="Expected true reward (above) and the regularised objective J (below) against the exact "
    "pure loss, bandit and RLHF panels, one line per mechanism with 95% bands over data sets",
)
def utility_vs_privacy(tables) -> Drawing:
    data = tables("utility_vs_privacy")
    canvas, axes = panels(2, 2, height=2.6)
    names = sorted(data["mechanism"].unique())
    colours = dict(zip(names, (BLUE, RED, GREEN, PINK, GREY, SKY), strict=False))
    seen = []
    for row, (measure, label) in enumerate((("reward", "expected true reward"), ("J", "J(pi)"))):
        for ax, problem in zip(axes[row], ("bandit", "RLHF"), strict=True):
            part = data.query("measure == @measure and problem == @problem")
            _utility_panel(ax, part, colours)
            ax.set(title=f"{problem}: {label}")
            middle = part[np.isclose(part["epsilon"], 0.1)].sort_values("mean", ascending=False)
            ranks = ", ".join(f"{r.mechanism} {r.mean:.3f}" for r in middle.itertuples())
            seen.append(f"{problem}, {measure} at eps 0.1: {ranks}")
    for ax in axes[1]:
        ax.set_xlabel(r"exact pure loss at most $\varepsilon$ (nats)")
    note = (
        "The loss is that of each data set: where no record changes the leader, playing it "
        "greedily loses nothing there, which a guarantee over all data sets could not say."
    )
    return Drawing(canvas, data, "; ".join(seen) + f". {note}")


def _utility_panel(ax, part, colours) -> None:
    for i, (name, series) in enumerate(part.groupby("mechanism")):
        colour, dash, marker = colours[name], ("-", "--", "-.", ":")[i % 4], "os^D"[i % 4]
        ax.plot(
            series["epsilon"], series["mean"], label=name, color=colour, linestyle=dash,
            marker=marker, markersize=3.5,
        )  # fmt: skip
        ax.fill_between(series["epsilon"], series["low"], series["high"], color=colour, alpha=0.1)
    ax.set_xscale("log")
    ax.legend(fontsize=6)


@figure(
    "kl/repeated_sampling",
    notebook="use",
    reads=("repeated_sampling",),
    title="T draws from one regularised policy",
    paper_says="T draws cost T eps0, or about sqrt(T) eps0 at a delta' (Section 4.4)",
    alt="epsilon of T draws against T, log-log: exact, basic and advanced composition of the exact "
    "single-draw loss, and T times Theorem 1's epsilon",
)
def repeated_sampling(tables) -> Drawing:
    data = tables("repeated_sampling")
    canvas, axes = panels(1, 1, width=4.2, height=2.9)
    ax = axes[0, 0]
    names = (
        ("exact", "exact, worst neighbour", BLUE, "-", "o"),
        ("advanced", "advanced composition (k read as T)", GREEN, "-.", "D"),
        ("basic", "basic composition", GREY, "--", "s"),
        ("theorem", "T x Theorem 1", RED, ":", "^"),
    )
    for key, label, colour, dash, marker in names:
        ax.plot(
            data["T"], data[key], label=label, color=colour, linestyle=dash, marker=marker,
            markersize=3.5,
        )  # fmt: skip
    delta = data["delta"].iloc[0]
    ax.set(
        xscale="log", yscale="log", xlabel="draws T", ylabel=rf"$\varepsilon$ at $\delta$={delta:g}"
    )
    ax.legend()
    last = data.iloc[-1]
    slope, _ = fit_power(data["T"], data["exact"])
    we_see = (
        f"At T={int(last['T'])} the exact eps is {last['exact']:.3g}, basic composition says "
        f"{last['basic']:.3g}, advanced {last['advanced']:.3g}, Theorem 1 {last['theorem']:.3g}; "
        f"the exact one grows as T^{slope:.2f}."
    )
    return Drawing(canvas, data, we_see)


@figure(
    "kl/counterexamples",
    notebook="bounds",
    reads=("counterexamples",),
    title="Certified counterexamples: what the mechanism does and what the statement allows",
    paper_says="every statement holds for every data set",
    alt="Two panels, delta and pure loss: per refuted claim a dot for the measured value right "
    "of a tick for the allowed one, on log axes",
)
def counterexamples(tables) -> Drawing:
    data = tables("counterexamples")
    canvas, axes = panels(1, 2, height=2.9)
    for ax, quantity in zip(axes[0], ("delta", "pure loss"), strict=True):
        part = data[data["quantity"] == quantity].reset_index(drop=True)
        ax.hlines(part.index, part["allowed"], part["measured"], color=GREY, linewidth=1)
        ax.plot(part["allowed"], part.index, "|", color=RED, markersize=9, label="allowed")
        ax.plot(part["measured"], part.index, "o", color=BLUE, markersize=5, label="measured")
        ax.set(xscale="log", title=quantity, yticks=part.index)
        ax.set_yticklabels(part["claim"], fontsize=7)
        ax.invert_yaxis()
    axes[0, 0].set_xlabel(r"$\delta$ at the statement's $\varepsilon$")
    axes[0, 1].set_xlabel(r"$\varepsilon$ (nats)")
    axes[0, 1].set_xticks([3, 5, 10, 20], ["3", "5", "10", "20"])
    axes[0, 1].set_xticks([], minor=True)
    axes[0, 0].legend()
    proved = int(data["certified"].sum())
    we_see = f"{proved} of {len(data)} counterexamples are proved in ball arithmetic. "
    we_see += " ".join(f"{row.claim}: {row.data_set}." for row in data.itertuples())
    return Drawing(canvas, data, we_see)
