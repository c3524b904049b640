"""HU's Figures 1 and 2 as published, beside their rivals, and to 10^9 rounds; and
private bandits on random instances."""

from collections import Counter
from dataclasses import replace

import pandas as pd

from dpbandits.reproduction.hu.claims.figures import PUBLISHED
from dpbandits.reproduction.hu.summaries import standing
from dpbandits.reproduction.plots.curves import curves, label_ends, ticks_at
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.style import BLACK, GREEN, RED, look, named
from dpbandits.reproduction.statistics import bands, ratios_over
from dpbandits.stochastic.problem import AdapSetting

OURS = "lazy-dp-ts"
NEAREST = "adap-klucb-1.5"  # the alpha that is nearest to the published curves: HU-S6
SHOWN = ["anytime-lazy-ucb", OURS, "dp-se", NEAREST]
AUTHORS = f"α = {AdapSetting.model_fields['alpha'].default:g}"
FIRST = (
    "the best arm comes first, which lowers the regret of AdaP-KLUCB in the first thousand rounds"
)
NOTE = f"AdaP with {AUTHORS}; {FIRST}"
BAD_RUNS = (
    "where a band is wide the mean rests on the few runs in which noise hides the best arm for long"
)
TUNED = "DP-KLUCB and DP-IMED with the growth of hu/rivals_tuning"
ARMS = {"1": "five arms with different gaps", "2": "five arms with equal gaps"}
REGRET = Plot("t", curve="algorithm", panel="epsilon", x_label="rounds t", y_label="regret")
LONG = replace(REGRET, log="xy")
RATIO = replace(LONG, y_label=f"regret / regret of {OURS}")
OWN = {"na-imed": "NA-IMED (ours)"}


def _register(number: str) -> None:
    title = f"Figure {number}, {ARMS[number]}"

    @figure(
        f"hu/fig{number}",
        claims=("HU-S6",),
        title=title,
        alt="Regret against rounds, a panel per ε, a line with a 95% band for each of the four "
        "algorithms that the paper draws.",
    )
    def published(tables) -> Drawing:
        data = tables(f"fig{number}")
        data = data[data["algorithm"].isin(SHOWN)]
        names = {NEAREST: "AdaP-KLUCB, α = 1.5"}
        canvas, axes = curves(data, REGRET, columns=3, height=3.2, names=names)
        for epsilon, ax in axes.items():
            panel = PUBLISHED.get((data["setting"].iloc[0], epsilon), "")
            ax.set_title(f"{panel[-3:]} {ax.get_title()}".strip())
            ax.ticklabel_format(axis="x", style="sci", scilimits=(0, 0), useMathText=True)
            ax.set(xlim=(0, None), ylim=(0, None))
            for line in ax.lines:
                line.set_markevery(0.15)
        note = f"the paper does not say which α: hu/adap_alpha; that of AdaP's authors, {AUTHORS}, "
        note += f"is in hu/fig{number}_rivals; {FIRST}; the paper has 20 runs "
        note += "and prints no number of its curves"
        return Drawing(canvas, data, note)

    @figure(
        f"hu/fig{number}_rivals",
        reads=(f"fig{number}",),
        claims=("HU-S6 (better than the others)",),
        title=f"{title}: all private rivals",
        alt=f"Regret divided by that of {named(OURS)} against rounds, a panel per ε, a line with a "
        "95% band for each of six rivals and for our NA-IMED, named at its end.",
    )
    def rivals(tables) -> Drawing:
        data = tables(f"fig{number}")
        data = data[(data["algorithm"] != NEAREST) & (data["t"] >= data["t"].max() / 300)]
        data = data[data["mean"] > 0]  # in short runs a first batch of the best arm has none
        data = ratios_over(data, OURS, ["epsilon", "t"])
        canvas, axes = curves(data, RATIO, columns=3, height=4, names=OWN)
        ends = [data["t"].min(), data["t"].max()]
        for ax in axes.values():
            ax.plot(ends, [1, 1], label=OURS, gid=OURS, **look(OURS) | {"marker": None, "lw": 1})
            ticks_at(ax, (0.1, 0.2, 0.5, 1, 2, 5, 10), "y")
            label_ends(ax)
        note = f"below 1: less regret than {OURS}; {NOTE}; {TUNED}; {BAD_RUNS}"
        seen = _at_the_end(data, "na-imed", "dp-imed")
        return Drawing(canvas, data, note, legend=False, seen=seen)

    @figure(
        f"hu/fig{number}_long",
        title=f"{title}, a thousand times longer",
        alt="Regret against up to 10⁹ rounds on two logarithmic axes, a panel per ε, a line with a "
        "95% band per algorithm, named at its end.",
    )
    def long(tables) -> Drawing:
        data = tables(f"fig{number}_long")
        data = data[data["t"] >= 10_000]  # before, the order of the arms decides for AdaP-KLUCB
        canvas, axes = curves(data, LONG, columns=3, height=4, names=OWN)
        for ax in axes.values():
            label_ends(ax)
        over = ratios_over(data, OURS, ["epsilon", "t"])
        seen = _at_the_end(over, "na-imed", "dp-klucb", "dp-imed")
        told = f"DP-SE is told T, so that its curve is another one than in hu/fig{number}"
        note = f"{NOTE}; {TUNED}; {told}; {BAD_RUNS}"
        return Drawing(canvas, data, note, legend=False, seen=seen)


def _at_the_end(ratios: pd.DataFrame, *names: str) -> str:
    """The regrets of some algorithms over Lazy-DP-TS's in the last round, over epsilon."""
    last = ratios[ratios["t"] == ratios["t"].max()]
    by = last.groupby("algorithm")["mean"].agg(["min", "max"]).map(_rounded)
    texts = [f"{name} {by['min'][name]} to {by['max'][name]}" for name in names]
    return f"At the end regret is, as a multiple of {OURS}'s: {', '.join(texts)}."


def _rounded(number: float) -> str:
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


for _number in ARMS:
    _register(_number)

FAMILIES = {"five": "5 arms", "twenty": "20 arms", "rates": "5 arms, means 0.01 to 0.05"}
ADAP = "adap-klucb-0.25"
MARKS = {"lower": ("more regret", GREEN), "higher": ("less regret", RED),
         "level": ("level", "0.85"), "open": ("not decided", "white"),
         "little learned": ("nobody learns much", "0.6")}  # fmt: skip
DRAWN = ("dp-imed", "dp-klucb", ADAP, OURS)


@figure(
    "hu/which",
    title="Private bandits on random instances",
    alt="Regret over NA-IMED's against rounds, a panel per number of arms and ε: four rivals with "
    "bands, a line at 1, and a dot at the best rival: green if it has more regret beyond "
    "doubt, red if it has less, white if that is not decided, grey if nobody learns much.",
)
def which(tables) -> Drawing:
    """Private bandits at the sizes that people have, on random instances: what `dpbandits choose`
    simulates, and docs/which.md tables."""
    data = tables("which")
    epsilon = data["epsilon"].map("{:g}".format)
    data = data.assign(panel=data["family"].map(FAMILIES) + ", ε = " + epsilon)
    data["low"], data["high"] = bands(data["mean"], data["sem"], data["runs"], 0)
    plot = Plot("t", "ratio", "ratio_low", "ratio_high", curve="algorithm", panel="panel",
                log="xy", x_label="rounds t", y_label="regret / NA-IMED's")  # fmt: skip
    drawn = data[data["algorithm"].isin(DRAWN) & data["family"].isin(FAMILIES)]
    looks, names = {ADAP: look("adap-klucb")}, {ADAP: "AdaP-KLUCB, α = 0.25"}
    canvas, axes = curves(drawn, plot, columns=4, height=2.6, looks=looks, names=names)
    sizes = data[data["family"].isin(FAMILIES)].groupby(["panel", "t"], sort=False)
    found = Counter()
    for (panel, t), size in sizes:
        verdict, rival = standing(size)
        found[verdict] += 1
        label, fill = MARKS[verdict]
        style = {"color": BLACK, "mfc": fill, "ms": 8, "zorder": 6, "label": f"best rival: {label}"}
        axes[panel].plot(t, size["ratio"][size["algorithm"] == rival], "o", **style)
    for ax in axes.values():
        ax.axhline(1, color=look("na-imed")["color"], lw=1.2, label="na-imed (ours) = 1")
        ax.set_title(ax.get_title(), fontsize="small")
        ticks_at(ax, (0.5, 1, 2, 5, 10, 20, 50), "y")
    note = (
        "bands: 95% intervals of the ratio of means; each point has runs of its own, which end "
        f"there; {BAD_RUNS}; means are uniform from 0 to 1 where no range is said; "
        "the best arm is any; docs/which.md has the numbers and 95th percentiles, the table all "
        "private learners, and four more families"
    )
    seen = (
        f"Beside the best other private algorithm NA-IMED's mean is lower beyond doubt at "
        f"{found['lower']} of {len(sizes)} sizes, level (within 5%) at {found['level']}, and "
        f"higher at {found['higher']}; {found['open']} are not decided, and at "
        f"{found['little learned']} nobody learns much."
    )
    return Drawing(canvas, data.drop(columns="panel"), note, seen=seen)
