"""FL's figures over the dimension, beyond the paper's range and beside an ordinary bandit."""

from dpbandits.reproduction.fl.figures.layout import REFERENCE, SERIES, epsilon_bands
from dpbandits.reproduction.plots.figures import Drawing, figure
from dpbandits.reproduction.plots.style import band, not_private, panels


@figure(
    "fl/large_d",
    reads=("large_d", "horizon"),
    title="Regret with the released constants for large d",
    paper_says="The cost of privacy grows like ln d (checked there up to d = 4000).",
    alt="Regret against d on a logarithmic axis, a panel per horizon, a line with a band per "
    "ε and a level for a random arm.",
)
def large_d(tables) -> Drawing:
    data, idle = tables("large_d"), tables("horizon")
    idle = idle[(idle["algorithm"] == "random-arm") & (idle["metric"] == "regret")].iloc[-1]
    rate = idle["mean"] / idle["t"]
    horizons = sorted(data["t"].unique())
    canvas, axes = panels(1, len(horizons), sharey=True, x="dimension d", y="regret")
    texts, ratios = [], []
    for ax, t in zip(axes[0], horizons, strict=True):
        rows = data[data["t"] == t]
        epsilon_bands(ax, rows, "d", preset="released")
        ax.axhline(rate * t, label="random-arm, for any d", **REFERENCE["random-arm"])
        ax.set(title=f"after {t:,} rounds", xscale="log")
        for epsilon, line in rows.groupby("epsilon"):
            ratios.append(line["mean"].iloc[-1] / line["mean"].iloc[0])
            texts.append(f"{ratios[-1]:.2f} at t = {t}, ε = {epsilon:g}")
    low, high = data["d"].min(), data["d"].max()
    text = f"Regret at d = {high:,} over that at d = {low:,}: {'; '.join(texts)}."
    finding = f"from d = {low:,} to {high:,} it grows {min(ratios):.2g} to {max(ratios):.2g} times"
    return Drawing(canvas, data, text, finding=finding)


@figure(
    "fl/dimension_vs_linucb",
    reads=("linucb",),
    title="Against a private linear bandit without sparsity",
    paper_says="Regret of the earlier JDP bandit grows like a power of d, FLIPHAT's like ln d.",
    alt="Regret as a share of the random arm's against d at two horizons: FLIPHAT with the "
    "released and the zcdp noise, dp-signs and JDP-LinUCB.",
)
def dimension_vs_linucb(tables) -> Drawing:
    data = tables("linucb")
    horizons = sorted(data["t"].unique())
    labels = {"x": "dimension d", "y": "regret / random arm's"}
    canvas, axes = panels(1, len(horizons), sharey=True, **labels)
    texts, last = [], {}
    for ax, t in zip(axes[0], horizons, strict=True):
        rows = data[data["t"] == t]
        idle = rows[rows["algorithm"] == "random-arm"].set_index("d")["mean"]
        for name, line in rows[rows["algorithm"] != "random-arm"].groupby("algorithm", sort=False):
            regret = line[["mean", "low", "high"]]
            line = line.assign(**regret.div(line["d"].map(idle), axis=0))
            band(ax, line, "d", SERIES.get(name, name), series=name)
            last[name] = line["mean"].iloc[-1]
            texts.append(f"{name} at t = {t}: {', '.join(f'{m:.2f}' for m in line['mean'])}")
        ax.axhline(1, label="random-arm", **REFERENCE["random-arm"])
        title = f"after {t} rounds, ε = {line['epsilon'].iloc[0]:g}"
        ax.set(title=title, xscale="log", yscale="log")
        ax.set_xticks(line["d"], line["d"].astype(str))
        ax.minorticks_off()
    d = sorted(data["d"].unique())
    sparse = [last[name] for name in last if name in SERIES and name not in not_private()]
    return Drawing(
        canvas,
        data,
        f"Shares of the random arm's regret for d = {', '.join(map(str, d))}: {'; '.join(texts)}.",
        finding=f"at d = {d[-1]} it has {last['jdp-linucb']:.0%} of the random arm's regret, the "
        f"private sparse ones {min(sparse):.1%} to {max(sparse):.1%}",
    )
