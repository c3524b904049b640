"""FL's figures over the dimension, beyond the paper's range and beside an ordinary bandit."""

from dataclasses import replace

import numpy as np

from dpbandits.reproduction.fl.figures.layout import (
    OVER_RANDOM,
    REFERENCE,
    RELEASED,
    SERIES,
    SHARES_OF_1,
    ceiling,
    privacy_label,
)
from dpbandits.reproduction.fl.summaries import jdp_linucb, power_of_ln_d
from dpbandits.reproduction.plots.curves import curves, ticks_at, write_beside
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.style import epsilon_look
from dpbandits.reproduction.plots.widths import drawn_widths


@figure(
    "fl/large_d",
    reads=("large_d", "horizon"),
    claims=("FL-TAB1 (printed)",),
    title="Regret with the released constants for large d",
    alt="Regret against d on two logarithmic axes, a panel per horizon, a line with a band per "
    "ε and a level for a random arm, beside growth like ln d and like its square.",
)
def large_d(tables) -> Drawing:
    data = tables("large_d")
    said = f"released constants ({privacy_label(RELEASED)})"
    plot = Plot("d", curve="epsilon", panel="t", log="xy", x_label="dimension d", y_label="regret")
    titles = {t: f"{said}, {t:,} rounds" for t in data["t"]}
    canvas, axes = curves(data, plot, height=3.4, series=RELEASED, titles=titles)
    for t, ax in axes.items():
        ceiling(ax, tables("horizon"), t)
    line, (power, _) = power_of_ln_d(data)
    for t, ax in axes.items():
        own = data[(data["t"] == t) & (data["epsilon"] == line["epsilon"].iloc[0])].sort_values("d")
        logs = np.log(own["d"]) / np.log(own["d"].iloc[0])
        for name, growth in {"ln d": logs, "(ln d)²": logs**2}.items():
            guide = own["mean"].iloc[0] * growth
            ax.plot(own["d"], guide, color="0.4", lw=1, ls="-.", label="growth as written")
            far = 8 if name != "ln d" else -8
            write_beside(ax, name, own["d"].iloc[-1], guide.iloc[-1], (0, far), ha="right")
        ax.set_ylim(data["mean"].min() / 1.5, 1.5 * data["mean"].max())
    at, colour = line.iloc[-1], epsilon_look(line["epsilon"].iloc[0])["color"]
    write_beside(axes[at["t"]], f"like (ln d)^{power:.2f}", at["d"], at["mean"], (0, -16),
                 color=colour, ha="right")  # fmt: skip
    ends = line.iloc[[0, -1]]
    times, wider = (ends[name].iloc[1] / ends[name].iloc[0] for name in ("mean", "d"))
    logs = np.log(ends["d"].iloc[1]) / np.log(ends["d"].iloc[0])
    return Drawing(
        canvas, data,
        "of the three powers only that of ln d is drawn here; Õ allows more logarithms, such as "
        "(ln d)²; where a curve comes near the random arm's level it can rise "
        "no further",
        seen=f"At ε = {line['epsilon'].iloc[0]:g} regret rises {times:.1f} times while d rises "
        f"{wider:,.0f} times, ln d {logs:.1f} times and √d {np.sqrt(wider):,.0f} times.",
    )  # fmt: skip


@figure(
    "fl/dimension_vs_linucb",
    reads=("linucb", "linucb_low"),
    claims=("FL-TAB1 (ours: beside JDP-LinUCB)",),
    title="Against a private linear bandit without sparsity",
    alt="Regret as a share of the random arm's against d at two horizons: FLIPHAT with the "
    "released and the zcdp noise, dp-signs and JDP-LinUCB.",
)
def dimension_vs_linucb(tables) -> Drawing:
    """Beside a private linear bandit that does not use sparsity."""
    data = jdp_linucb(tables)
    idle = data[data["algorithm"] == "random-arm"].set_index(["d", "t"])["mean"]
    data = data[data["algorithm"] != "random-arm"]
    each = idle.loc[list(zip(data["d"], data["t"], strict=True))].to_numpy()
    data = data.assign(**data[["mean", "low", "high", "sem"]].div(each, axis=0))
    epsilon = f"ε = {data['epsilon'].iloc[0]:g}"
    titles = {t: f"{t:,} rounds, {epsilon}" for t in data["t"]}
    plot = replace(OVER_RANDOM, x="d", panel="t", x_label="dimension d")
    canvas, axes = curves(data, plot, height=3.6, names=SERIES, titles=titles)
    for ax in axes.values():
        ax.axhline(1, label="random-arm", **REFERENCE["random-arm"])
        ticks_at(ax, data["d"].unique())
    last = data[data["t"] == data["t"].max()].set_index(["algorithm", "d"])["mean"]
    above = last["dp-signs"][last["dp-signs"] > last["jdp-linucb-best"]]
    note = (
        "at d = 5 and 10 the mean of dp-signs is decided by the few runs in which its estimate "
        "misses the signal; a band is for one point, and the row compares all points at once with "
        "an error of 10^-6, so that a lead can be undecided where bands are apart"
    )
    seen = "" if above.empty else (
        f"DP-Signs, our own, has a larger mean than JDP-LinUCB at its best width at d = "
        f"{' and '.join(map(str, above.index))}."
    )  # fmt: skip
    return Drawing(canvas, data, note, seen=seen)


@figure(
    "fl/dense",
    claims=("FL-TAB1 (ours: dp-linear beside JDP-LinUCB)",),
    title="dp-linear where five or all coordinates matter",
    alt="Regret as a share of the random arm's against rounds, a panel per dimension with five and "
    "with all coordinates that matter: FLIPHAT with the zcdp noise, dp-signs, JDP-LinUCB and "
    "dp-linear.",
)
def dense(tables) -> Drawing:
    """Where all coordinates may matter: `dp-linear`, ours, makes no use of sparsity."""
    data = tables("dense")
    count = data["problem"].replace("few", "five")
    data = data.assign(panel="d = " + data["d"].astype(str) + ", " + count + " coordinates matter")
    plot = replace(OVER_RANDOM, x="t", panel="panel", x_label="rounds t")
    canvas, axes = curves(data, plot, columns=4, height=3.6, names=SERIES)
    for ax in axes.values():
        ax.axhline(1, label="random-arm", **REFERENCE["random-arm"])
        ticks_at(ax, data["t"].unique(), text=lambda t: f"{t / 1000:g}k")
        ticks_at(ax, SHARES_OF_1[1:], "y")
    note = f"three arms, ε = {data['epsilon'].iloc[0]:g}, rewards clipped for FLIPHAT and dp-linear"
    return Drawing(canvas, data, note)


@figure(
    "fl/widths",
    title="JDP-LinUCB with less optimism than its theorem asks for",
    alt="Regret over that with the width of the theorem, against the share of this width, a panel "
    "per dimension, a line with a 95% band per ε.",
)
def widths(tables) -> Drawing:
    """Rivals at their best: the width of JDP-LinUCB is chosen on signals of its own."""
    return drawn_widths(tables("widths"), "regret", lambda setting: f"d = {setting[1:]}")
