"""HU's Figures 1 and 2, as published and to 10^9 rounds."""

import pandas as pd

from dpbandits.core.figures import Drawing, figure
from dpbandits.plots.style import band, panels
from dpbandits.stochastic.readings import ratio_of

SECTION_6 = "Lazy-DP-TS is similar to AdaP-KLUCB, and always better than DP-SE and Anytime-Lazy-UCB"
RIVALS = ("dp-se", "anytime-lazy-ucb")


def _register(name: str, title: str, scale: str = "linear") -> None:
    @figure(
        f"hu/{name}",
        title=title,
        paper_says=SECTION_6,
        alt="Regret against rounds, one panel per epsilon, one line with a 95% band per algorithm.",
    )
    def make(tables) -> Drawing:
        return _regret_panels(tables(name), scale)


_register("fig1", "Figure 1: regret to a million rounds, five arms with different gaps")
_register("fig2", "Figure 2: regret to a million rounds, five arms with equal gaps")
_register("fig1_long", "Figure 1 continued to 10^9 rounds, five arms with different gaps", "log")
_register("fig2_long", "Figure 2 continued to 10^9 rounds, five arms with equal gaps", "log")


def _regret_panels(data: pd.DataFrame, scale: str) -> Drawing:
    """One panel per epsilon; on a linear axis straight lines are the claimed growth in ln T."""
    epsilons = list(data["epsilon"].unique())
    figure, axes = panels(1, len(epsilons), sharey=True, x="rounds t", y="regret")
    for ax, epsilon in zip(axes[0], epsilons, strict=True):
        for name, rows in data[data["epsilon"] == epsilon].groupby("algorithm", sort=False):
            band(ax, rows, "t", name)
        ax.set(title=f"ε = {epsilon:g}", xscale="log", yscale=scale)
        ax.set_xlim(10, None)
    return Drawing(
        figure,
        data,
        _section_6_reading(data),
        "arms in this order, the best first: early regret of AdaP-KLUCB depends on the order",
    )


def _section_6_reading(data: pd.DataFrame) -> str:
    said = []
    for epsilon in data["epsilon"].unique():
        near = ratio_of(data, "lazy-dp-ts", "adap-klucb", epsilon=epsilon)
        worse = {name: ratio_of(data, name, "lazy-dp-ts", epsilon=epsilon) for name in RIVALS}
        others = ", ".join(f"{name} {interval}" for name, interval in worse.items())
        said.append(
            f"eps = {epsilon:g}: lazy-dp-ts has {near} times the regret of adap-klucb; "
            f"in multiples of lazy-dp-ts: {others}."
        )
    horizon, runs = data["t"].max(), data["runs"].max()
    return f"At T = {horizon:g} ({runs} runs, 95% intervals): " + " ".join(said)
