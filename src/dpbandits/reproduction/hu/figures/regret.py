"""HU's Figures 1 and 2 as published, beside their rivals, and to 10^9 rounds."""

import pandas as pd

from dpbandits.reproduction.hu.summaries import ratio_of, ratios_over
from dpbandits.reproduction.plots.curves import curves, label_ends, ticks_at
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.style import look, named
from dpbandits.stochastic.problem import AdapSetting

SECTION_6 = "Lazy-DP-TS is similar to AdaP-KLUCB, and always better than DP-SE and Anytime-Lazy-UCB"
OURS = "lazy-dp-ts"
PUBLISHED = ["anytime-lazy-ucb", OURS, "dp-se", "adap-klucb"]
NOTE = (
    f"AdaP with α = {AdapSetting.model_fields['alpha'].default:g}; the best arm comes first, which "
    "lowers the regret of AdaP-KLUCB in the first thousand rounds"
)
ARMS = {"1": "five arms with different gaps", "2": "five arms with equal gaps"}
COLUMNS = {"low": "low", "high": "high", "curve": "algorithm", "panel": "epsilon"}
REGRET = Plot("t", "mean", **COLUMNS, x_label="rounds t", y_label="regret")
LONG = Plot("t", "mean", **COLUMNS, log="xy", x_label="rounds t", y_label="regret")
OVER = f"regret / regret of {OURS}"
RATIO = Plot("t", "mean", **COLUMNS, log="xy", x_label="rounds t", y_label=OVER)
FROM = 1000  # rounds; before, the order of the arms decides for AdaP-KLUCB


def _register(number: str) -> None:
    about = {"title": f"Figure {number}, {ARMS[number]}", "paper_says": SECTION_6}

    @figure(
        f"hu/fig{number}",
        **about,
        plot=REGRET,
        alt="Regret against rounds, a panel per ε, a line with a 95% band for each of the four "
        "algorithms that the paper draws.",
    )
    def published(tables) -> Drawing:
        data = tables(f"fig{number}")
        data = data[data["algorithm"].isin(PUBLISHED)]
        canvas, axes = curves(data, REGRET, columns=3, height=3.2)
        for ax in axes.values():
            ax.ticklabel_format(axis="x", style="sci", scilimits=(0, 0), useMathText=True)
            ax.set(xlim=(0, None), ylim=(0, None))
            for line in ax.lines:
                line.set_markevery(0.15)
        runs = data["runs"].max()
        note = f"{NOTE}; {runs} runs, the paper has 20"
        return Drawing(canvas, data, _as_published(data), note, table=_table(data))

    @figure(
        f"hu/fig{number}_rivals",
        reads=(f"fig{number}",),
        title=f"{about['title']}: all private rivals",
        paper_says=SECTION_6,
        plot=RATIO,
        alt=f"Regret divided by that of {named(OURS)} against rounds, a panel per ε, a line with a "
        "95% band for each of six rivals, named at its end.",
    )
    def rivals(tables) -> Drawing:
        return _rivals(tables(f"fig{number}"))

    @figure(
        f"hu/fig{number}_long",
        title=f"{about['title']}, a thousand times longer",
        paper_says="Nothing: its horizon is a million rounds.",
        plot=LONG,
        alt="Regret against up to 10⁹ rounds on two logarithmic axes, a panel per ε, a line with a "
        "95% band per algorithm, named at its end.",
    )
    def long(tables) -> Drawing:
        data = tables(f"fig{number}_long")
        data = data[data["t"] >= 10 * FROM]
        canvas, axes = curves(data, LONG, columns=3, height=4)
        for ax in axes.values():
            label_ends(ax)
        we_see = _least(ratios_over(data, OURS, ["epsilon", "t"]), data["t"].max())
        return Drawing(canvas, data, we_see, NOTE, table=_table(data), legend=False)


def _rivals(data: pd.DataFrame) -> Drawing:
    """Regret in multiples of that of Lazy-DP-TS."""
    multiples = ratios_over(data[data["t"] >= data["t"].max() / 300], OURS, ["epsilon", "t"])
    canvas, axes = curves(multiples, RATIO, columns=3, height=4)
    ends = [multiples["t"].min(), multiples["t"].max()]
    for ax in axes.values():
        ax.plot(ends, [1, 1], label=OURS, gid=OURS, **look(OURS) | {"marker": None, "lw": 1})
        ticks_at(ax, (0.5, 1, 2, 5, 10), "y")
        label_ends(ax)
    late, early = (_least(multiples, t).removesuffix(".") for t in reversed(ends))
    we_see = f"{late}; {early.replace('At', 'at').replace('the least regret is ', '')}."
    note = f"below 1: less regret than {OURS}; {NOTE}"
    return Drawing(canvas, multiples, we_see, note, table=_table(data), legend=False)


def _least(multiples: pd.DataFrame, horizon: float) -> str:
    """Who has the least regret at the horizon, by epsilon."""
    last = multiples[multiples["t"] == horizon].set_index("algorithm")
    best = last.groupby("epsilon")["mean"].agg(["min", "idxmin"])
    names = best["idxmin"].where(best["min"] <= 1, OURS)
    if names.nunique() == 1:
        return f"At t = {horizon:g} the least regret is that of {names.iloc[0]}, at every ε."
    each = ", ".join(f"of {name} at ε = {e:g}" for e, name in names.items())
    return f"At t = {horizon:g} the least regret is that {each}."


def _as_published(data: pd.DataFrame) -> str:
    epsilons = data["epsilon"].unique()
    near = [ratio_of(data, OURS, "adap-klucb", epsilon=e).value for e in epsilons]
    rivals = ("dp-se", "anytime-lazy-ucb")
    far = [ratio_of(data, r, OURS, epsilon=e).value for e in epsilons for r in rivals]
    better = "at every ε" if min(far) > 1 else "not at every ε"
    return (
        f"{OURS} has less regret than DP-SE and Anytime-Lazy-UCB {better}, and {min(near):.2f} to "
        f"{max(near):.2f} times the regret of AdaP-KLUCB."
    )


def _table(data: pd.DataFrame) -> pd.DataFrame:
    """Regret at the horizon in multiples of that of Lazy-DP-TS, with 95% intervals."""
    names = [name for name in data["algorithm"].unique() if name != OURS]
    rows = [
        {"ε": epsilon} | {n: str(ratio_of(data, n, OURS, epsilon=epsilon)) for n in names}
        for epsilon in data["epsilon"].unique()
    ]
    return pd.DataFrame(rows).rename(columns={"ε": f"regret / that of {OURS} at ε"})


for _number in ARMS:
    _register(_number)
