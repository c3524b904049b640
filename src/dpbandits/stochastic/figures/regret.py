"""HU's Figures 1 and 2, as published and to 10^9 rounds."""

import pandas as pd

from dpbandits.core.figures import Drawing, figure
from dpbandits.plots.style import band, epsilon_name, look, panels
from dpbandits.stochastic.problem import AdapSetting
from dpbandits.stochastic.readings import ratio_of, ratios_over

SECTION_6 = "Lazy-DP-TS is similar to AdaP-KLUCB, and always better than DP-SE and Anytime-Lazy-UCB"
OVER, RIVALS = "lazy-dp-ts", ("dp-se", "anytime-lazy-ucb")
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
    multiples = ratios_over(data, OVER, ["epsilon", "t"])
    labels = {"sharex": True, "sharey": "row", "x": "rounds t", "height_ratios": [3, 2]}
    figure, axes = panels(2, len(epsilons), height=2.1, **labels)
    for row, part in zip(axes, (data, multiples), strict=True):
        for ax, epsilon in zip(row, epsilons, strict=True):
            for name, rows in part[part["epsilon"] == epsilon].groupby("algorithm", sort=False):
                band(ax, rows, "t", name)
            ax.set(xscale="log", yscale="log")
    for above, below, epsilon in zip(*axes, epsilons, strict=True):
        above.set(
            title=epsilon_name(epsilon), ylim=(data["mean"][data["mean"] > 0].min() / 2, None)
        )
        below.axhline(1, color=look(OVER)["color"], lw=1, gid=OVER)
    axes[0, 0].set_ylabel("regret")
    axes[1, 0].set_ylabel(f"over that of {OVER}")
    last = multiples[multiples["t"] == multiples["t"].max()]
    lowest = (last.groupby("epsilon")["mean"].min() > 1).sum()
    ends = ", ".join(f"{last['mean'].agg(end):.3g}" for end in ("min", "max")).replace(",", " to")
    note = f"AdaP with {ALPHA}; arms in this order, the best first: early regret of AdaP-KLUCB "
    note += "depends on the order"
    found = f"at t = {data['t'].max():g} {OVER} has the lowest regret at {lowest} of "
    found += f"{len(epsilons)} values of ε, the others have {ends} times as much"
    return Drawing(figure, data, _section_6_reading(data), note, finding=found)


def _section_6_reading(data: pd.DataFrame) -> str:
    said = []
    for epsilon in data["epsilon"].unique():
        near = ratio_of(data, "lazy-dp-ts", "adap-klucb", epsilon=epsilon)
        worse = {name: ratio_of(data, name, "lazy-dp-ts", epsilon=epsilon) for name in RIVALS}
        others = ", ".join(f"{name} {interval}" for name, interval in worse.items())
        said.append(
            f"ε = {epsilon:g}: lazy-dp-ts has {near} times the regret of adap-klucb ({ALPHA}); "
            f"in multiples of lazy-dp-ts: {others}."
        )
    horizon, runs = data["t"].max(), data["runs"].max()
    return f"At T = {horizon:g} ({runs} runs, 95% intervals): " + " ".join(said)
