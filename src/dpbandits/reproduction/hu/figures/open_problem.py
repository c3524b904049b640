"""HU's figure of Section 7's open problem: bounds, regret, and the constant of each variant."""

import numpy as np
import pandas as pd

from dpbandits.reproduction.hu.figures.full_information import INSTANCES, label_arms
from dpbandits.reproduction.plots.figures import Drawing, figure
from dpbandits.reproduction.plots.style import band, look, panels
from dpbandits.reproduction.plots.words import readable
from dpbandits.stochastic import theory

TITLES = {"doubling": "doubling gaps", "equal": "equal gaps"}


@figure(
    "hu/open_problem",
    reads=("conjecture", "constants"),
    title="Section 7's open problem: the rate ln K/min(gap, ε) is reached",
    paper_says="It is open whether ln K/min(gap, ε) can be reached on every instance (Section 7).",
    alt="Above: ε times regret against K for doubling and equal gaps, with the bound of Theorem "
    "9, the proved bound of the optimal rate and the lower bound. Below: regret in units of "
    "ln K/ε + ln K/gap of each ε-private variant, one 95% interval per instance, a ring at the "
    "worst instance of each variant.",
)
def open_problem(tables) -> Drawing:
    runs, data = tables("conjecture"), tables("constants")
    share = runs["epsilon_over_gap"].min()
    runs = runs[runs["epsilon_over_gap"] == share]
    canvas, axes = panels(2, 2, height=2.8, width=5.1, y="ε × regret")
    for ax, (kind, title) in zip(axes[0], TITLES.items(), strict=True):
        _plot_over_k(ax, runs[runs["instance"] == kind])
        ax.set_title(f"{title}, ε = {share:g} Δₘᵢₙ, best action last")
    for ax in axes[1]:
        ax.remove()
    worst = _plot_intervals(canvas.add_subplot(axes[1, 0].get_gridspec()[1, :]), data)
    best, last = min(worst, key=worst.get), max(worst, key=worst.get)
    gaps = f"Δₘᵢₙ = {data['gap'].min():g} to {data['gap'].max():g}"
    constants = ", ".join(f"{_short(name)} {c:.3g}" for name, c in worst.items())
    limits = " and ".join(f"{2 * weight:.3g} ({s})" for s, weight in theory.WEIGHT.items())
    return Drawing(
        canvas,
        pd.concat([runs, data]),
        f"Largest regret in units of ln K/ε + ln K/gap ({data['instance'].nunique()} kinds of "
        f"instances, {data['gap'].nunique()} gaps, K = {data['arms'].min()} to "
        f"{data['arms'].max()}): {constants}. The worst instance of each algorithm was simulated "
        "again with new seeds, because a maximum of noisy means is biased upwards. The proved "
        f"upper bounds tend to {limits} as ε/gap tends to 0; at larger ε/gap a point may exceed "
        "these limits. As K grows, every ε-private learner needs at least 1 on some instance. "
        "The printed RNM-FTNL is only 2 ε-private.",
        f"above: {INSTANCES}. Below: equal, doubling (at most 0.75) and sparse gaps (other means "
        f"0), {gaps}; beside the names: the largest regret, simulated again with new "
        "seeds",
        finding=f"{_short(best)} has the smallest constant, {worst[best]:.2f}; "
        f"{_short(last)} the largest, {worst[last]:.2f}",
    )


def _short(name: str) -> str:
    return name.removeprefix("rnm-ftnl-")


def _plot_over_k(ax, rows: pd.DataFrame) -> None:
    for name, line in rows.groupby("algorithm", sort=False):
        band(ax, line, "arms", name)
    line = rows.drop_duplicates("arms").sort_values("arms")
    arms = line["arms"].to_numpy(float)
    ax.plot(arms, line["theorem9"], color="grey", ls=":", label="Theorem 9's bound")
    ax.plot(arms, line["optimal"], color="black", ls="-.", label="proved bound (phase)")
    lower = np.log(arms) - 1 + 1 / arms  # Theorem L as eps falls
    ax.plot(arms, lower, color="black", lw=0.8, label="lower bound (Theorem L)")
    ax.set(xscale="log", yscale="log", xlabel="number of actions K")
    label_arms(ax, arms.max())


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
        style = {"color": look(name)["color"], "elinewidth": 0.6, "ls": "", "marker": ".", "ms": 2}
        error = rows["mean"] - rows["low"], rows["high"] - rows["mean"]
        ax.errorbar(x, rows["mean"], error, **style)[0].set_gid(name)
        again = rows["afresh"].to_numpy()
        for i in np.flatnonzero(np.isfinite(again)):  # of one instance per variant
            worst[name] = again[i], x[i]
    values, places = zip(*worst.values(), strict=True)
    ring = {"mfc": "none", "color": "black", "ls": "", "marker": "o", "ms": 6}
    ax.plot(places, values, label="worst instance, run again with new seeds", **ring)
    for (schedule, weight), dash in zip(theory.WEIGHT.items(), (":", "--"), strict=True):
        label = f"limit of the bound of {schedule} as ε/gap → 0: {2 * weight:.3g}"
        ax.axhline(2 * weight, color="black", lw=0.6, ls=dash, label=label)
    labels = [readable(f"{_short(name)}: {worst[name][0]:.2f}") for name in names]
    ax.set_xticks(np.arange(len(names)) + 0.45, labels)
    ax.set(xlim=(-0.1, len(names)), ylim=(0, 1.05 * data["high"].max()))
    ax.set_ylabel("regret / (ln K/ε + ln K/Δₘᵢₙ)")
    groups = ", ".join(f"{ratio:g}" for ratio in ratios)
    ax.set_title(f"one interval per instance, sorted; groups from the left: ε/Δₘᵢₙ = {groups}")
    return {name: worst[name][0] for name in names}
