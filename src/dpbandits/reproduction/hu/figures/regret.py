"""HU's Figures 1 and 2, as published and to 10^9 rounds."""

import pandas as pd

from dpbandits.reproduction.hu.summaries import ratio_of, ratios_over
from dpbandits.reproduction.plots.figures import Drawing, figure
from dpbandits.reproduction.plots.style import band, epsilon_name, look, panels
from dpbandits.stochastic.problem import AdapSetting

SECTION_6 = "Lazy-DP-TS is similar to AdaP-KLUCB, and always better than DP-SE and Anytime-Lazy-UCB"
OURS, RIVALS = "lazy-dp-ts", ("dp-se", "anytime-lazy-ucb")
ALPHA = f"α = {AdapSetting.model_fields['alpha'].default:g}"  # no experiment here changes it


def _register(name: str, title: str) -> None:
    @figure(
        f"hu/{name}",
        title=title,
        paper_says=SECTION_6,
        alt="Above, regret against rounds on two logarithmic axes, a panel per ε, a line "
        "with a 95% band per algorithm; below, the same divided by the regret of Lazy-DP-TS.",
    )
    def make(tables) -> Drawing:
        return _regret_panels(tables(name))


_register("fig1", "Figure 1, five arms with different gaps")
_register("fig2", "Figure 2, five arms with equal gaps")
_register("fig1_long", "Figure 1 continued, five arms with different gaps")
_register("fig2_long", "Figure 2 continued, five arms with equal gaps")


def _regret_panels(data: pd.DataFrame) -> Drawing:
    """A column per epsilon: regret, below it in multiples of that of Lazy-DP-TS."""
    data = data[data["t"] >= 10]
    epsilons = list(data["epsilon"].unique())
    multiples = ratios_over(data, OURS, ["epsilon", "t"])
    labels = {"sharex": True, "sharey": "row", "x": "rounds t", "height_ratios": [3, 2]}
    figure, axes = panels(2, len(epsilons), height=2.1, **labels)
    for row, table in zip(axes, (data, multiples), strict=True):
        for ax, epsilon in zip(row, epsilons, strict=True):
            rows = table[table["epsilon"] == epsilon]
            for name, curve in rows.groupby("algorithm", sort=False):
                band(ax, curve, "t", name)
            ax.set(xscale="log", yscale="log")
    lowest = data["mean"][data["mean"] > 0].min() / 2
    for above, below, epsilon in zip(*axes, epsilons, strict=True):
        above.set(title=epsilon_name(epsilon), ylim=(lowest, None))
        below.axhline(1, color=look(OURS)["color"], lw=1, gid=OURS)
    axes[0, 0].set_ylabel("regret")
    axes[1, 0].set_ylabel(f"over that of {OURS}")
    last = multiples[multiples["t"] == multiples["t"].max()]
    wins = (last.groupby("epsilon")["mean"].min() > 1).sum()
    return Drawing(
        figure,
        data,
        _section_6_reading(data),
        f"AdaP with {ALPHA}; arms in this order, the best first: early regret of AdaP-KLUCB "
        "depends on the order",
        finding=f"at t = {data['t'].max():g} {OURS} has the lowest regret at {wins} of "
        f"{len(epsilons)} values of ε, the others have {last['mean'].min():.3g} to "
        f"{last['mean'].max():.3g} times as much",
    )


def _section_6_reading(data: pd.DataFrame) -> str:
    sentences = []
    for epsilon in data["epsilon"].unique():
        near = ratio_of(data, OURS, "adap-klucb", epsilon=epsilon)
        rivals = ", ".join(f"{r} {ratio_of(data, r, OURS, epsilon=epsilon)}" for r in RIVALS)
        sentences.append(
            f"ε = {epsilon:g}: {OURS} has {near} times the regret of adap-klucb ({ALPHA}); "
            f"in multiples of {OURS}: {rivals}."
        )
    horizon, runs = data["t"].max(), data["runs"].max()
    return f"At T = {horizon:g} ({runs} runs, 95% intervals): " + " ".join(sentences)
