"""FL's figures over the dimension, beyond the paper's range and beside an ordinary bandit."""

import numpy as np

from dpbandits.reproduction.fl.figures.layout import (
    ENDS,
    REFERENCE,
    RELEASED,
    SERIES,
    ceiling,
    named_presets,
    privacy_label,
)
from dpbandits.reproduction.plots.curves import curves, ticks_at
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure

LARGE = Plot("d", "mean", **ENDS, curve="epsilon", panel="t", log="x", x_label="dimension d",
             y_label="regret")  # fmt: skip


@figure(
    "fl/large_d",
    reads=("large_d", "horizon"),
    title="Regret with the released constants for large d",
    paper_says="The cost of privacy grows like ln d (checked there up to d = 4000).",
    alt="Regret against d on a logarithmic axis, a panel per horizon, a line with a band per "
    "ε and a level for a random arm, and growth like ln d.",
    plot=LARGE,
)
def large_d(tables) -> Drawing:
    data = tables("large_d")
    said = f"released constants ({privacy_label(RELEASED)})"
    canvas, axes = curves(
        data, LARGE, height=3.4, series=RELEASED, titles=lambda t: f"{said}, {t:,} rounds"
    )
    levels = {}
    for t, ax in axes.items():
        levels[t] = ceiling(ax, tables("horizon"), t)
        for _, line in data[data["t"] == t].sort_values("d").groupby("epsilon"):
            growth = np.log(line["d"]) / np.log(line["d"].iloc[0])
            ax.plot(line["d"], line["mean"].iloc[0] * growth, color="0.4", ls="-.", lw=1,
                    label="growth like ln d")  # fmt: skip
    times = np.log(data["d"].max()) / np.log(data["d"].min())
    means = data.pivot_table(index="d", columns=["t", "epsilon"], values="mean")
    growth = (means.iloc[-1] / means.iloc[0]).unstack("epsilon")
    low, high = growth.min().min(), growth.max().max()
    t, epsilon = growth.stack().idxmin()
    top = data[(data["t"] == t) & (data["epsilon"] == epsilon)].sort_values("d").iloc[-1]
    cut = f"; the {low:.2g}, at ε = {epsilon:g} and {t:,} rounds, is cut short by the random arm's "
    cut = f"{cut}regret, its ceiling" if top["high"] >= levels[t] else ""
    growth.columns = [f"ε = {column:g}" for column in growth.columns]
    return Drawing(
        canvas, data,
        f"From d = {data['d'].min():,} to {data['d'].max():,} the regret grows {low:.2g} to "
        f"{high:.2g} times, {'' if low > times else 'not always '}faster than ln d, which grows "
        f"{times:.2g} times{cut}.",
        table=growth.rename_axis("growth by rounds").reset_index(),
    )  # fmt: skip


SHARES = Plot("d", "mean", **ENDS, curve="algorithm", panel="t", log="xy", x_label="dimension d",
              y_label="regret / random arm's")  # fmt: skip


@figure(
    "fl/dimension_vs_linucb",
    reads=("linucb",),
    title="Against a private linear bandit without sparsity",
    paper_says="Regret of the earlier JDP bandit grows like a power of d, FLIPHAT's like ln d.",
    alt="Regret as a share of the random arm's against d at two horizons: FLIPHAT with the "
    "released and the zcdp noise, dp-signs and JDP-LinUCB.",
    plot=SHARES,
)
def dimension_vs_linucb(tables) -> Drawing:
    data = tables("linucb")
    idle = data[data["algorithm"] == "random-arm"].set_index(["d", "t"])["mean"]
    data = data[data["algorithm"] != "random-arm"]
    each = idle.loc[list(zip(data["d"], data["t"], strict=True))].to_numpy()
    data = data.assign(**data[["mean", "low", "high", "sem"]].div(each, axis=0))
    epsilon = f"ε = {data['epsilon'].iloc[0]:g}"
    canvas, axes = curves(data, SHARES, height=3.6, names=SERIES,
                          titles=lambda t: f"{t:,} rounds, {epsilon}")  # fmt: skip
    for ax in axes.values():
        ax.axhline(1, label="random-arm", **REFERENCE["random-arm"])
        ticks_at(ax, data["d"].unique())
    rounds = sorted(data["t"].unique(), reverse=True)
    means = data.pivot_table(index="algorithm", columns=["t", "d"], values="mean")
    shares = [means[t][data["d"].max()] for t in rounds]
    full = " and ".join(f"{at['jdp-linucb']:.0%}" for at in shares)
    sparse = [at.drop("jdp-linucb") for at in shares]
    sparse = " and ".join(f"{at.min():.1%} to {at.max():.1%}" for at in sparse)
    worst = " and ".join(f"{means[t].loc['dp-signs'].max():.0%}" for t in rounds)
    table = data[data["t"] == rounds[0]].pivot(index="algorithm", columns="d", values="mean")
    names = named_presets(table, f"share after {rounds[0]:,} rounds, by d")
    names.loc[len(names)] = ["jdp-linucb", *table.loc["jdp-linucb"]]
    few = data["runs"].max()
    return Drawing(
        canvas, data,
        f"At d = {data['d'].max()}, after {' and '.join(f'{t:,}' for t in rounds)} rounds, "
        f"jdp-linucb has {full} of the random arm's regret, the sparse ones {sparse}; for small d "
        f"dp-signs has up to {worst}, as it misses the signal in some runs.",
        f"{few} runs; with the random arm's regret as a ceiling no power of d can be read off; at "
        "d = 5 and 10 the mean of dp-signs rests on the few runs in which its "
        "estimate misses the signal, so that its intervals are wide there",
        names,
    )  # fmt: skip
