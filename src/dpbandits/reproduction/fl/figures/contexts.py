"""FL's figures of people who come with a list of numbers: beyond the paper."""

import numpy as np
import pandas as pd

from dpbandits.core.algorithms import get_algorithm
from dpbandits.reproduction.plots.curves import curves, ticks_at
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.style import look
from dpbandits.reproduction.statistics import crossing

HALF = 0.5  # of a random arm's regret
OURS = "leaky-linear"
ALL = "contexts", "contexts_sparse", "contexts_not_private"
PEOPLE = "people_few", "people", "people_many"  # by numbers a person
BANDS = (OURS, "dense-dp-linear", "dense-na-imed")  # of the others they would hide all
SHADED = "bands of leaky-linear, dp-linear, na-imed"
SHADED += "; number: leaky-linear's regret at the end over that of another"
NOTE = f"dotted: a random arm; dashed: not private; {SHADED}"
NAMES = {
    "leaky-linear": "leaky-linear (ours)",
    "dense-dp-linear": "dp-linear (ours)",
    "dense-adaprivate-ts": "AdaPrivate-TS, rebuilt from its abstract",
    "dense-na-imed": "na-imed, without contexts (ours)",
    "dense-na-imed-cells": "na-imed in public cells (ours)",
    "dense-dp-signs": "dp-signs (ours)",
    "dense-fliphat": "FLIPHAT",
    "dense-linucb": "LinUCB, not private",
    "dense-lints": "Thompson sampling, not private",
}
LAWS = {  # contexts
    "normal": "normal",
    "sparse": "five matter",
    "clusters": "three kinds",
    "skewed": "skewed",
    "worthless": "say nothing",
    "cancer": "cancer",
    "digits": "digits",
    "wine": "wine",
    "thornton": "money for a result",
}


def of_share(data: pd.DataFrame, said: str) -> pd.DataFrame:
    """The shares, with a panel for each setting and each value of the columns that are `said`."""
    data = data[data["metric"] == "share"]
    panel = data["setting"].map(LAWS)
    for column in said.split():
        panel += f", {'ε' if column == 'epsilon' else column} = " + data[column].map("{:g}".format)
    return data.assign(panel=panel).sort_values(said.split(), kind="stable")


def shares(data: pd.DataFrame, columns: int, ticks: slice, x: str, least: float):
    """x: label of the axis. least: where the axis of shares ends."""
    plot = Plot("t", curve="algorithm", panel="panel", log="xy", x_label=x,
                y_label="regret / random arm's")  # fmt: skip
    looks = {name: look(name) | {"linestyle": "--"} for name in NAMES
             if not get_algorithm(name).private}  # fmt: skip
    drawn = data.copy()
    drawn.loc[~data["algorithm"].isin(BANDS), ["low", "high"]] = np.nan
    canvas, axes = curves(drawn, plot, columns=columns, height=2.6, names=NAMES, looks=looks)
    for ax in axes.values():
        ax.axhline(1, color="0.5", lw=0.8, ls=":")
        ticks_at(ax, data["t"].unique()[ticks], text=lambda t: f"{t:,.0f}")
        ticks_at(ax, (0.001, 0.01, 0.1, 1), "y")
        ax.set_ylim(bottom=least)
    others = np.where(data["setting"] == "worthless", "na-imed", "dp-linear")
    for other, rows in data.groupby(others):
        for panel, ratio in ratios(rows, OURS, f"dense-{other}").items():
            text = f"{ratio:.2f} × {other}"
            axes[panel].text(0.04, 0.06, text, transform=axes[panel].transAxes)
    return canvas


def ratios(data: pd.DataFrame, own: str, other: str) -> pd.Series:
    """The share of one over that of another in the end, by panel."""
    last = data[data["t"] == data["t"].max()].pivot(index="panel", columns="algorithm")
    return last["mean"][own] / last["mean"][other]


def times(data: pd.DataFrame, own: str, other: str) -> str:
    ratio = ratios(data, own, other)
    return f"{ratio.min():.2f} to {ratio.max():.2f} times"


def overlaps(data: pd.DataFrame, own: str, other: str) -> str:
    """In how many panels the two intervals overlap in the end."""
    last = data[data["t"] == data["t"].max()].pivot(index="panel", columns="algorithm")
    low, high = last["low"], last["high"]
    over = (low[own] < high[other]) & (low[other] < high[own])
    runs = " to ".join(f"{n:.0f}" for n in sorted({*last["runs"][own].agg(["min", "max"])}))
    return f"their 95% intervals, of {runs} runs, overlap in {over.sum()} of {len(over)} panels"


def in_the_end(data: pd.DataFrame) -> str:
    blank = data["setting"] == "worthless"
    people, than = f"After {data['t'].max():,} people", times(data[~blank], OURS, "dense-dp-linear")
    worse = (ratios(data[~blank], OURS, "dense-dp-linear") > 1).sum()
    seen = f"{people} leaky-linear has {than} the regret of dp-linear where contexts decide"
    seen += f", more in {worse} panels" if worse else ""
    seen += f" ({overlaps(data[~blank], OURS, 'dense-dp-linear')})"
    if blank.any():
        more = times(data[blank], OURS, "dense-na-imed")
        seen += f", and where they say nothing {more} that of na-imed"
    return f"{seen}."


def on_each_epsilon(data: pd.DataFrame) -> tuple[pd.DataFrame, np.ndarray]:
    """(the rows, with what is not private at each epsilon; the values of epsilon)."""
    finite = np.isfinite(data["epsilon"])
    values = np.unique(data.loc[finite, "epsilon"])
    free = [data[~finite].assign(epsilon=value) for value in values]
    return pd.concat([data[finite], *free], ignore_index=True), values


def by_people(tables, which: int) -> Drawing:
    """At the least epsilon (0), the middle (1) or the largest."""
    data, values = on_each_epsilon(pd.concat(map(tables, ALL)))
    epsilon = values[which * (len(values) - 1) // 2]
    data = of_share(data[data["epsilon"] == epsilon], "d")
    canvas = shares(data, len(data["setting"].unique()), slice(0, None, 3), "people", 0.0006)
    note = f"five arms, ε = {epsilon:g}, δ = 10^-6; {NOTE}; dp-signs and FLIPHAT where five "
    note += "numbers matter"
    return Drawing(canvas, data, note, seen=in_the_end(data))


@figure(
    "fl/contexts",
    title="Private bandits with a context for each person, by number of people",
    alt="Regret as a share of a random arm's against people, a panel for each kind of contexts and "
    "each d: leaky-linear, dp-linear, AdaPrivate-TS, na-imed without contexts and in public cells, "
    "and LinUCB and Thompson sampling without privacy; where few coordinates matter dp-signs and "
    "FLIPHAT, too.",
    reads=ALL,
)
def contexts(tables) -> Drawing:
    return by_people(tables, 1)


@figure(
    "fl/contexts_strict",
    title="Private bandits with a context for each person: a strict promise",
    alt="The same as fl/contexts with the least ε.",
    reads=ALL,
)
def contexts_strict(tables) -> Drawing:
    return by_people(tables, 0)


@figure(
    "fl/contexts_loose",
    title="Private bandits with a context for each person: a loose promise",
    alt="The same as fl/contexts with the largest ε.",
    reads=ALL,
)
def contexts_loose(tables) -> Drawing:
    return by_people(tables, 2)


def more_than(data: pd.DataFrame, other: str):
    """For each table in which leaky-linear has more in the end than another: how much, and at
    which epsilon."""
    found = ratios(data, OURS, other).rename_axis("panel").reset_index(name="times")
    found = found[found["times"] > 1]
    for law, rows in found.groupby(found["panel"].str.split(", ε = ").str[0]):
        values = rows["panel"].str.split(" = ").str[1]
        least, most = (f"{x:.2f}" for x in (rows["times"].min(), rows["times"].max()))
        span = least if least == most else f"{least} to {most}"
        than = NAMES[other].partition(" (")[0].partition(",")[0]
        yield f" {law} (ε = {', '.join(values)}): {span} times that of {than}"


@figure(
    "fl/contexts_tables",
    title="Private bandits on public tables",
    alt="Regret as a share of a random arm's against rounds, a panel for each ε and each of "
    "cancer, digits, wine and sums of money: leaky-linear, dp-linear, AdaPrivate-TS, na-imed "
    "without contexts and in public cells, and LinUCB and Thompson sampling without privacy.",
    reads=("contexts_tables", "contexts_money"),
)
def public_tables(tables) -> Drawing:
    both = pd.concat(map(tables, ("contexts_tables", "contexts_money")))
    data = of_share(on_each_epsilon(both)[0], "epsilon")
    canvas = shares(data, len(data["setting"].unique()), slice(0, None, 2), "rounds", 0.003)
    note = f"δ = 10^-6; a round is a visit: everybody once, then again; {NOTE}; cells: eight, of "
    note += "money for a result four"
    than = times(data, OURS, "dense-dp-linear")
    seen = f"After {data['t'].max():,} rounds leaky-linear has {than} the regret of dp-linear "
    seen += f"({overlaps(data, OURS, 'dense-dp-linear')}). It has more than another private one in"
    others = ("dense-na-imed", "dense-na-imed-cells", "dense-adaprivate-ts")
    seen += ";".join(text for name in others for text in more_than(data, name)) or " no panel"
    seen += ". Public cells may be far ahead with fewer people."
    return Drawing(canvas, data, note, seen=seen)


def people_needed(data: pd.DataFrame) -> pd.DataFrame:
    """Per arm, until the mean regret is half of a random arm's."""
    keys = ["algorithm", "setting", "d", "epsilon"]
    found = [(*key, np.exp(crossing(run, HALF)[0])) for key, run in data.groupby(keys)]
    table = pd.DataFrame(found, columns=[*keys, "people"])
    return table.assign(people=table["people"] / table["setting"].map({"two": 2, "five": 5}))


@figure(
    "fl/people",
    title="People per arm until the regret is half of a random arm's",
    alt="People per arm against ε, a panel for two and for five arms and each d, for leaky-linear "
    "and dp-linear.",
    reads=PEOPLE,
)
def people(tables) -> Drawing:
    table = pd.concat(map(tables, PEOPLE), ignore_index=True)
    ends = {end: people_needed(table.assign(mean=table[end]))["people"] for end in ("low", "high")}
    data = people_needed(table).assign(**ends)
    arms = data["setting"].map({"two": "two arms", "five": "five arms"})
    data = data.assign(panel=arms + ", d = " + data["d"].astype(str))
    data = data.sort_values(["setting", "d"], ascending=[False, True], kind="stable")
    plot = Plot("epsilon", "people", curve="algorithm", panel="panel", log="xy", x_label="ε",
                y_label="people per arm")  # fmt: skip
    canvas, axes = curves(data, plot, columns=len(data["d"].unique()), height=2.8, names=NAMES)
    for ax in axes.values():
        ticks_at(ax, data["epsilon"].unique())
        ticks_at(ax, (100, 300, 1000, 3000, 10_000), "y", "{:,}".format)
    needed = data.pivot(index=["panel", "epsilon"], columns="algorithm", values="people")
    times = needed["dense-dp-linear"] / needed["leaky-linear"]
    times = f"{times.min():.2f} to {times.max():.2f} times as many people as leaky-linear"
    note = "normal contexts, δ = 10^-6; bands: where the 95% interval of the regret reaches half"
    return Drawing(canvas, data, note, seen=f"dp-linear needs {times}.")
