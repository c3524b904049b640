"""HU's figures of Section 7's open problem: regret between the bounds, and each variant's
constant."""

import numpy as np
import pandas as pd

from dpbandits.reproduction.hu.figures.full_information import ENDS, INSTANCES, label_arms
from dpbandits.reproduction.plots.curves import curves
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.style import look, panels
from dpbandits.reproduction.plots.words import readable
from dpbandits.stochastic import theory

OPEN = "It is open whether ln K/min(gap, ε) can be reached on every instance (Section 7)."
OVER_K = Plot(
    "arms", "mean", **ENDS, curve="algorithm", panel="instance", log="xy",
    x_label="number of actions K", y_label="ε × regret",
)  # fmt: skip


@figure(
    "hu/open_problem",
    reads=("conjecture",),
    title="Section 7's open problem: the rate ln K/min(gap, ε) is reached",
    paper_says=OPEN,
    alt="ε times regret against K for doubling and equal gaps, a line per variant of RNM-FTNL, "
    "with the bound of Theorem 9, the proved bound of the optimal rate and the lower bound.",
    plot=OVER_K,
)
def open_problem(tables) -> Drawing:
    data = tables("conjecture")
    share = data["epsilon_over_gap"].min()
    data = data[data["epsilon_over_gap"] == share]
    canvas, axes = curves(data, OVER_K, height=3.8, titles=lambda kind: f"{kind} gaps")
    for kind, ax in axes.items():
        line = data[data["instance"] == kind].drop_duplicates("arms").sort_values("arms")
        arms = line["arms"].to_numpy(float)
        lower = np.log(arms) - 1 + 1 / arms  # Theorem L as eps falls
        for y, dash, label in (
            (line["theorem9"], ":", "Theorem 9's bound"),
            (line["optimal"], "-.", "proved upper bound of phase"),
            (lower, "-", "proved lower bound (Theorem L)"),
        ):
            ax.plot(arms, y, color="black", lw=1.2, ls=dash, label=label, zorder=5)
        label_arms(ax, arms.max())
    most = (data["mean"] / data["optimal"])[data["algorithm"] == "rnm-ftnl-phase"].max()
    return Drawing(
        canvas, data,
        f"The variant phase reaches the conjectured rate: its regret is at most {most:.2g} of its "
        "proved bound, which grows like ln K.",
        f"ε = {share:g} Δmin; {INSTANCES}; the printed RNM-FTNL is only 2 ε-private",
    )  # fmt: skip


@figure(
    "hu/open_problem_constants",
    reads=("constants",),
    title="Section 7's open problem: the constant of each variant",
    paper_says=OPEN,
    alt="Regret in units of ln K/ε + ln K/gap of each ε-private variant, one 95% interval per "
    "instance, a ring at the worst instance of each variant.",
)
def open_problem_constants(tables) -> Drawing:
    data = tables("constants")
    canvas, axes = panels(1, 1, height=3.8, y="regret / (ln K/ε + ln K/Δmin)")
    worst = _plot_intervals(axes[0, 0], data)
    best, last = min(worst, key=worst.get), max(worst, key=worst.get)
    table = pd.DataFrame(worst.items(), columns=["variant", "largest constant, run again"])
    limits = " and ".join(f"{2 * weight:.3g} ({s})" for s, weight in theory.WEIGHT.items())
    ratios = ", ".join(f"{ratio:g}" for ratio in data["epsilon_over_gap"].unique())
    return Drawing(
        canvas, data,
        f"{_short(best)} has the smallest constant, {worst[best]:.2f}, and {_short(last)} the "
        f"largest, {worst[last]:.2f}.",
        f"one interval per instance, sorted, in three groups per variant: ε/Δmin = {ratios}; "
        f"instances with equal, doubling (at most 0.75) and sparse gaps, K = {data['arms'].min()} "
        f"to {data['arms'].max()}; the worst instance of each variant was run again with new "
        f"seeds, because a maximum of noisy means is biased upwards; the proved upper bounds tend "
        f"to {limits} as ε/gap tends to 0, and a point at larger ε/gap may exceed these limits",
        table,
    )  # fmt: skip


def _short(name: str) -> str:
    return name.removeprefix("rnm-ftnl-")


def _plot_intervals(ax, data: pd.DataFrame) -> dict[str, float]:
    """One interval per instance, in groups by variant and eps/gap, sorted; a ring at each worst.

    Returns the regret of each variant's worst instance, simulated again with new seeds.
    """
    ratios, names = list(data["epsilon_over_gap"].unique()), list(data["algorithm"].unique())
    worst = {}
    for (ratio, name), rows in data.groupby(["epsilon_over_gap", "algorithm"], sort=False):
        rows = rows.sort_values("mean")
        left = names.index(name) + ratios.index(ratio) / len(ratios)
        x = left + np.linspace(0, 0.8 / len(ratios), len(rows))
        style = {"color": look(name)["color"], "elinewidth": 0.8, "ls": "", "marker": ".", "ms": 3}
        error = rows["mean"] - rows["low"], rows["high"] - rows["mean"]
        ax.errorbar(x, rows["mean"], error, **style)[0].set_gid(name)
        again = rows["afresh"].to_numpy()
        for i in np.flatnonzero(np.isfinite(again)):  # of one instance per variant
            worst[name] = again[i], x[i]
    values, places = zip(*worst.values(), strict=True)
    ring = {"mfc": "none", "color": "black", "ls": "", "marker": "o", "ms": 7}
    ax.plot(places, values, label="worst instance, run again with new seeds", **ring)
    for (schedule, weight), dash in zip(theory.WEIGHT.items(), (":", "--"), strict=True):
        label = f"limit of the bound of {schedule} as ε/gap → 0: {2 * weight:.3g}"
        ax.axhline(2 * weight, color="black", lw=0.9, ls=dash, label=label)
    labels = [readable(f"{_short(name)}: {worst[name][0]:.2f}") for name in names]
    ax.set_xticks(np.arange(len(names)) + 0.45, labels)
    ax.set(xlim=(-0.1, len(names)), ylim=(0, 1.05 * data["high"].max()))
    return {name: worst[name][0] for name in names}
