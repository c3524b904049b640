"""FL's figures of people who come with a list of numbers: beyond the paper."""

import numpy as np
import pandas as pd

from dpbandits.reproduction.plots.curves import curves, ticks_at
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure

HALF = 0.5  # of a random arm's regret
NAMES = {
    "leaky-linear": "leaky-linear (ours)",
    "dense-dp-linear": "dp-linear (ours)",
    "dense-na-imed": "na-imed, without contexts (ours)",
    "dense-linucb": "LinUCB, not private",
}
LAWS = {
    "normal": "normal contexts",
    "sparse": "five coordinates matter",
    "clusters": "three kinds of people",
    "skewed": "skewed contexts",
    "worthless": "contexts say nothing",
}


@figure(
    "fl/contexts",
    title="Private bandits with a context for each person, by number of people",
    alt="Regret as a share of a random arm's against people, a panel for each kind of contexts and "
    "each d: leaky-linear, dp-linear, na-imed without contexts, and LinUCB without privacy.",
)
def contexts(tables) -> Drawing:
    data = tables("contexts")
    data = data[data["metric"] == "share"]
    finite = np.isfinite(data["epsilon"])
    middle = data.loc[finite, "epsilon"].median()
    data = data[~finite | (data["epsilon"] == middle)]
    named = data["setting"].map(LAWS) + ", d = " + data["d"].astype(str)
    data = data.assign(panel=named).sort_values("d", kind="stable")
    plot = Plot("t", curve="algorithm", panel="panel", log="xy", x_label="people",
                y_label="regret / random arm's")  # fmt: skip
    canvas, axes = curves(data, plot, columns=len(data["setting"].unique()), height=2.6,
                          names=NAMES)  # fmt: skip
    for ax in axes.values():
        ax.axhline(1, color="0.5", lw=0.8, ls=":")
        ticks_at(ax, data["t"].unique()[::2], text=lambda t: f"{t:,.0f}")
        ticks_at(ax, (0.01, 0.03, 0.1, 0.3, 1), "y")
    return Drawing(canvas, data, f"five arms, ε = {middle:g}, δ = 10^-6; dotted: a random arm")


def people_needed(data: pd.DataFrame) -> pd.DataFrame:
    """Per arm, until the mean regret is half of a random arm's: between the two checkpoints, by a
    straight line in the logarithms."""
    keys = ["algorithm", "setting", "d", "epsilon"]
    rows = []
    for key, run in data.sort_values("t").groupby(keys):
        share, t = run["mean"].to_numpy(), run["t"].to_numpy()
        low = np.flatnonzero((share <= HALF) & (t >= t[0]))
        people = np.nan
        if len(low) and low[0] > 0:
            ends = slice(low[0] - 1, low[0] + 1)
            people = np.exp(np.interp(-HALF, -share[ends], np.log(t[ends])))
        rows.append({**dict(zip(keys, key, strict=True)), "people": people})
    table = pd.DataFrame(rows)
    return table.assign(people=table["people"] / table["setting"].map({"two": 2, "five": 5}))


@figure(
    "fl/people",
    title="People per arm until the regret is half of a random arm's",
    alt="People per arm against ε, a panel for two and for five arms and each d, for leaky-linear "
    "and dp-linear.",
)
def people(tables) -> Drawing:
    data = people_needed(tables("people"))
    arms = data["setting"].map({"two": "two arms", "five": "five arms"})
    data = data.assign(panel=arms + ", d = " + data["d"].astype(str))
    data = data.sort_values(["setting", "d"], ascending=[False, True], kind="stable")
    plot = Plot("epsilon", "people", curve="algorithm", panel="panel", log="xy", x_label="ε",
                y_label="people per arm")  # fmt: skip
    canvas, axes = curves(data, plot, columns=4, height=2.8, names=NAMES)
    for ax in axes.values():
        ticks_at(ax, data["epsilon"].unique())
    return Drawing(canvas, data, "normal contexts, δ = 10^-6")
