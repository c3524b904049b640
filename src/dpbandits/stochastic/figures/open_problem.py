"""HU's figure of Section 7's open problem: bounds, regret, and the constant of each variant."""

import numpy as np
import pandas as pd

from dpbandits.core.figures import Drawing, figure
from dpbandits.plots.style import band, look, panels
from dpbandits.plots.words import readable
from dpbandits.stochastic import optimal_rate
from dpbandits.stochastic.figures.full_information import INSTANCES

TITLES = {"doubling": "doubling gaps", "equal": "equal gaps"}


@figure(
    "hu/open_problem",
    reads=("conjecture", "constants"),
    title="Section 7's open problem: the rate is ln K/min(gap, eps); which constant, and which "
    "variant?",
    paper_says="It is open whether ln K/min(gap, eps) can be reached on every instance (Section "
    "7).",
    alt="Left and middle: eps times regret against K for doubling and equal gaps, with the bound "
    "of Theorem 9, the proved bound of the optimal rate and the lower bound. Right: regret in "
    "units of ln K/eps + ln K/gap of each eps-private variant, one dot per instance.",
)
def open_problem(tables) -> Drawing:
    runs, data = tables("conjecture"), tables("constants")
    share = runs["epsilon_over_gap"].min()
    runs = runs[runs["epsilon_over_gap"] == share]
    canvas, axes = panels(1, 3, height=3.2, y="ε × regret")
    for ax, (kind, title) in zip(axes[0], TITLES.items(), strict=False):
        _over_k(ax, runs[runs["instance"] == kind])
        ax.set_title(f"{title}, ε = {share:g} Δ_min, best action last")
    worst = _dots(axes[0, 2], data)
    gaps = f"Δ_min = {data['gap'].min():g} to {data['gap'].max():g}"
    said = ", ".join(f"{_short(n)} {c:.3g}" for n, c in worst.items())
    return Drawing(
        canvas,
        pd.concat([runs, data]),
        f"Largest regret in units of ln K/eps + ln K/gap ({data['instance'].nunique()} kinds of "
        f"instances, {data['gap'].nunique()} gaps, K = {data['arms'].min()} to "
        f"{data['arms'].max()}): {said}; each worst instance was run again with new seeds, as a "
        "maximum of noisy means is biased upwards. As eps/gap tends to 0 the proved bounds tend to "
        f"2e = {2 * np.e:.3g} (phase) and 8 (prefix) in these units; they are limits, and a dot at "
        "a larger eps/gap, or within its sampling error, may lie above them. Every eps-private "
        "learner has at least 1 on some instance as K grows. The printed RNM-FTNL is only "
        "2 eps-private.",
        f"left: {INSTANCES}. Right: equal, doubling (at most 0.75) and sparse gaps (other means "
        f"0), {gaps}; below the names, and ring: the worst instance, run again with new seeds "
        "(a maximum of noisy means is biased upwards)",
    )


def _short(name: str) -> str:
    return name.removeprefix("rnm-ftnl-")


def _over_k(ax, rows: pd.DataFrame) -> None:
    for name, line in rows.groupby("algorithm", sort=False):
        band(ax, line, "arms", name)
    line = rows.drop_duplicates("arms").sort_values("arms")
    arms = line["arms"].to_numpy(float)
    ax.plot(arms, line["theorem9"], color="grey", ls=":", label="Theorem 9's bound")
    ax.plot(arms, line["optimal"], color="black", ls="-.", label="proved bound (phase)")
    lower = np.log(arms) - 1 + 1 / arms  # Theorem L as eps falls
    ax.plot(arms, lower, color="black", lw=0.8, label="lower bound (Theorem L)")
    ax.set(xscale="log", yscale="log", xlabel="number of actions K")
    ticks = [k for k in (3, 5, 10, 20) if k <= arms.max()]
    ax.set_xticks(ticks, ticks)
    ax.minorticks_off()


def _dots(ax, data: pd.DataFrame) -> dict[str, float]:
    """One dot per instance, in columns by eps/gap; the largest with its number."""
    ratios = np.sort(data["epsilon_over_gap"].unique())
    names = list(data["algorithm"].unique())
    worst = {}
    for i, name in enumerate(names):
        own = data[data["algorithm"] == name]
        place = i + 0.5 * (np.searchsorted(ratios, own["epsilon_over_gap"]) / len(ratios) - 0.3)
        ax.plot(place, own["mean"], ".", color=look(name)["color"], markersize=4, gid=name)
        again = own.loc[own["mean"].idxmax()]
        worst[name] = again["afresh"]
        ax.plot(place[own["mean"].argmax()], again["afresh"], "o", mfc="none", color="black", ms=5)
    for (schedule, weight), dash in zip(optimal_rate.WEIGHT.items(), (":", "--"), strict=True):
        label = f"limit of the bound of {schedule} as ε/gap → 0: {2 * weight:.3g}"
        ax.axhline(2 * weight, color="black", lw=0.6, ls=dash, label=label)
    labels = [f"{readable(_short(n))}\n{worst[n]:.2f}" for n in names]
    ax.set_xticks(range(len(names)), labels, rotation=30, fontsize=6)
    ax.set_ylim(0, 1.25 * max(data["mean"].max(), 2 * optimal_rate.WEIGHT["prefix"]))
    ax.set_xlim(-0.6, len(names) - 0.3)
    ax.set_ylabel("regret / (ln K/ε + ln K/Δ_min)")
    ax.set_title(f"one dot per instance; ε/Δ_min = {', '.join(f'{r:g}' for r in ratios)}")
    return worst
