"""HU's figures of rivals at their best: their tuning, and the experiments of DP-KLUCB's authors."""

from dataclasses import replace

import numpy as np
import pandas as pd

from dpbandits.reproduction.hu.figures.regret import AUTHORS, OWN
from dpbandits.reproduction.hu.published import slide
from dpbandits.reproduction.hu.summaries import FIRST, final
from dpbandits.reproduction.plots.curves import curves, label_ends
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.style import METHODS, SHAPES, look
from dpbandits.reproduction.statistics import span

ONE = "a first batch of one play"
OVER = Plot("epsilon", panel="algorithm", curve="setting", log="xy", x_label="ε")


@figure(
    "hu/rivals_tuning",
    title="The settings that rivals' authors leave open",
    alt="Regret over the least of all settings at that ε, against ε: for DP-KLUCB and DP-IMED a "
    "line per growth of the batches, for AdaP a line per α.",
)
def rivals_tuning(tables) -> Drawing:
    """Rivals at their best: what their authors leave open is chosen on instances that are used for
    nothing else."""
    data = over_the_best(tables("rivals_tuning"))
    best = data.groupby(["algorithm", "setting", "epsilon"])["times"].idxmin()
    plot = replace(OVER, y="times", y_label="regret / the least at that ε")
    before = data.query("growth == 1.1 and first_batch == 0")
    drawn = pd.concat([data.loc[best], before.assign(setting=f"growth 1.1 from {ONE}")])
    drawn = drawn.sort_values(["algorithm", "alpha", "growth", "epsilon"], kind="stable")
    names = drawn["setting"].unique()
    looks = {name: {"color": METHODS[i], "marker": SHAPES[i]} for i, name in enumerate(names)}
    canvas, _ = curves(drawn, plot, columns=4, height=3, looks=looks,
                       names={AUTHORS: f"{AUTHORS} (authors')"})  # fmt: skip
    said, adap = (
        " and ".join(f"{n} {span(x, '.2f')} times" for n, x in own.groupby("algorithm")["times"])
        for own in (before, data[data["setting"] == AUTHORS])
    )
    note = (
        "geometric means over seven families of instances and over horizons from 10³ to 10⁶; each "
        "growth with its best first batch, unless said; these instances are used for nothing else"
    )
    seen = f"With a growth of 1.1 from {ONE} regret is, over the least: {said}"
    seen += f"; with its authors' {AUTHORS}: {adap}." if adap else "."
    return Drawing(canvas, data, note, seen=seen)


def over_the_best(data: pd.DataFrame) -> pd.DataFrame:
    """Of each combination of settings, its regret over the least at that epsilon."""
    settings = [c for c in ("growth", "first_batch", "alpha") if c in data]
    keys = ["algorithm", *settings, "epsilon"]
    logs = data.assign(mean=np.log(data["mean"]), p95=np.log(data["p95"]))
    found = logs.groupby(keys, dropna=False)[["mean", "error", "p95"]].mean().reset_index()
    runs = data["t"].nunique()
    own = found.groupby(["algorithm", "epsilon"])
    times = np.exp(found["mean"] - own["mean"].transform("min"))
    tails = np.exp(found["p95"] - own["p95"].transform("min"))
    named = [name_of(row) for row in found.to_dict("records")]
    found = found.assign(setting=named, times=times, p95_times=tails)
    return found.assign(error=found["error"] / np.sqrt(runs)).drop(columns=["mean", "p95"])


def name_of(row) -> str:
    alpha = row.get("alpha", np.nan)
    return f"α = {alpha:g}" if np.isfinite(alpha) else f"growth {row['growth']:g}"


REGRET = Plot("epsilon", curve="algorithm", panel="setting", log="xy", x_label="ε",
              y_label="regret after a million rounds")  # fmt: skip
THEIRS = ("dp-klucb", "dp-imed")
MEANS = {  # as in config/hu.yaml
    "mu1": "means 0.75, 0.7, 0.7, 0.7, 0.7", "mu2": "means 0.75, 0.625, 0.5, 0.375, 0.25",
    "mu3": "means 0.75, 0.53, 0.38, 0.28, 0.25", "mu4": "means 0.75, 0.72, 0.63, 0.47, 0.25",
}  # fmt: skip
UNTUNED = tuple(f"{name}-1.1" for name in THEIRS)


@figure(
    "hu/azize",
    reads=("azize", "azize_lazy"),
    title="The experiments of DP-KLUCB and DP-IMED",
    alt="Regret after a million rounds against ε on two logarithmic axes, a panel for each of four "
    "vectors of means, a line with a 95% band per algorithm.",
)
def azize(tables) -> Drawing:
    """The experiments of DP-KLUCB and DP-IMED (arXiv 2505.05613), as their authors set them."""
    data = final(pd.concat([tables("azize"), tables("azize_lazy")], ignore_index=True))
    canvas, _ = curves(data, REGRET, columns=4, height=3.6, titles=MEANS, names=OWN | {
        "dp-klucb-1.1": "DP-KLUCB, growth 1.1", "dp-imed-1.1": "DP-IMED, growth 1.1",
        "adap-klucb": f"AdaP-KLUCB, {AUTHORS}",
    })  # fmt: skip
    means = data.pivot_table("mean", ["setting", "epsilon"], "algorithm")
    published = means.drop(columns=["na-imed", *UNTUNED])
    old = means.drop(columns=["na-imed", *THEIRS])
    own = means["na-imed"] / published.min(axis=1)
    first = (published.idxmin(axis=1).isin(THEIRS).sum(), old.idxmin(axis=1).isin(UNTUNED).sum())
    note = (
        "arms, ε, horizon and runs (of Lazy-DP-TS fewer) are those of arXiv 2505.05613, of which "
        "we read the abstract, a summary and slides with one picture (hu/azize_slide); growth and "
        "first batches are ours "
        "(hu/rivals_tuning), and of their 20 arms "
        f"of a clinical trial we found no means; {FIRST}"
    )
    seen = (
        f"One of the two is the lowest published algorithm at {first[0]} of {len(means)} places as "
        f"tuned (the lines without a suffix), and at {first[1]} with growth 1.1; "
        f"NA-IMED has {span(own, '.2f')} times the least regret of these."
    )
    return Drawing(canvas, data, note, seen=seen)


PUBLISHED = "published"


@figure(
    "hu/azize_slide",
    title="A picture by DP-KLUCB's authors, beside ours",
    alt="Regret against rounds on two logarithmic axes, a line with a 95% band for each of six "
    "algorithms, named at its end, and hollow markers of the same colours where the published "
    "curves are.",
    width="half",
)
def azize_slide(tables) -> Drawing:
    """The one picture of DP-KLUCB's and DP-IMED's authors that we could see, beside ours."""
    data = tables("azize_slide").query("metric == 'regret'")
    plot = Plot("t", curve="algorithm", log="xy", x_label="rounds t", y_label="regret R(t)")
    canvas, axes = curves(data, plot, width="half", height=4.6, names=OWN)
    theirs = slide().rename(columns={"regret": PUBLISHED})
    both = data.merge(theirs, on=["algorithm", "t"], how="left")
    for name, line in both.dropna(subset=PUBLISHED).groupby("algorithm", sort=False):
        style = {"color": look(str(name))["color"], "marker": look(str(name))["marker"]}
        style |= {"ls": "", "mfc": "white", "ms": 9, "zorder": 7, "label": "_"}
        axes[""].plot(line["t"], line[PUBLISHED], **style)
    label_ends(axes[""])
    both["times"] = both["mean"] / both[PUBLISHED]
    last = both[both["t"] == both["t"].max()].set_index("algorithm")["times"].dropna()
    note = (
        "hollow: read off slides of their first author, where a row of pixels is 5% of regret; "
        "these name neither means nor ε, which are those at which Lazy-DP-TS, which leaves nothing "
        "open, is as there; growth and first batches of DP-KLUCB and DP-IMED are ours "
        f"(hu/rivals_tuning), AdaP-KLUCB has {AUTHORS}; {FIRST}"
    )
    named = {"dp-klucb": "DP-KLUCB", "dp-imed": "DP-IMED", "lazy-dp-ts": "Lazy-DP-TS",
             "adap-klucb": "AdaP-KLUCB", "dp-se": "DP-SE"}  # fmt: skip
    said = ", ".join(f"{text} {last[name]:.2f}" for name, text in named.items() if name in last)
    seen = f"After {both['t'].max():,} rounds our regret over theirs (hollow) is: {said}."
    seen = seen if said else ""
    return Drawing(canvas, both, note, legend=False, seen=seen)
