"""HU's figures of full information: the sweeps, the conjecture, the lower bound."""

import numpy as np

from dpbandits.reproduction.hu.claims.regret import BOUNDS, PRINTED, largest_share, swept
from dpbandits.reproduction.hu.summaries import PRIVATE
from dpbandits.reproduction.plots.curves import curves, ticks_at, write_beside
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.style import SKY, epsilon_look, look, named, privacy_of
from dpbandits.reproduction.statistics import ratios_over, span

AXES = {"arms": "number of actions K", "gap": "gap Δ", "epsilon": "ε", "horizon": "rounds T"}
SIGNS = {"arms": "K", "gap": "Δ", "epsilon": "ε", "horizon": "T"}
INSTANCES = (
    "T is 1/(Δmin min(Δmin, ε)) times the number `beyond`; best mean 3/4, best action last; the "
    "smallest gap is 2^(1-K); doubling gaps: each twice the last, up to 1/2; equal gaps: all the "
    "smallest"
)
CORRECTED = "rnm-ftnl-corrected"
NAMES = {"ftnl": "ftnl, naive", PRINTED: "rnm-ftnl as printed"}
DRAWN = ["ftnl", "rnm-ftnl", "ftl"]  # the variants, all near 1, as one band


@figure(
    "hu/full_information",
    claims=("HU-S5-FTNL",),
    title="Full information: regret over K, gap, ε and T",
    alt="Regret divided by that of the corrected RNM-FTNL, a panel each against K, gap, ε and T: "
    "a line for naive FTNL, the printed RNM-FTNL and FTL, a grey band for the private variants, "
    "and dotted the proved bound of naive FTNL.",
)
def full_information(tables) -> Drawing:
    data = tables("full_information")
    data = data[data["best"] == "last"]
    multiples = ratios_over(data, CORRECTED, ["vary", "value"])
    variants = multiples[~multiples["algorithm"].isin(DRAWN)]
    naive, printed = (multiples[multiples["algorithm"] == name] for name in ("ftnl", PRINTED))
    proved = swept(lambda _: data, CORRECTED, BOUNDS["Corollary 10(b) with ε/K"])
    most = naive.loc[naive["mean"].idxmax()]
    titles = {
        vary: ", ".join(f"{sign} = {rows[k].iloc[0]:g}" for k, sign in SIGNS.items() if k != vary)
        for vary, rows in data.groupby("vary")
    }
    canvas, axes = curves(
        multiples.drop(variants.index),
        Plot("value", curve="algorithm", panel="vary", log="xy",
             y_label="regret / corrected RNM-FTNL's"),
        columns=4, height=3.4, sharex=False, names=NAMES, titles=titles,
    )  # fmt: skip
    for vary, ax in axes.items():
        values = variants[variants["vary"] == vary].groupby("value")["mean"].agg(["min", "max"])
        ax.fill_between(values.index, *values.to_numpy().T, color="0.75", zorder=1,
                        label="RNM-FTNL's four other private variants: least to most")  # fmt: skip
        style = look(CORRECTED) | {"marker": None, "lw": 1.1}
        ax.axhline(1, label="corrected RNM-FTNL = 1", gid=CORRECTED, zorder=1.5, **style)
        own = proved[proved["vary"] == vary].sort_values("value")
        ax.plot(own["value"], own["bound"] / own["mean"], color=look("ftnl")["color"], ls=":",
                lw=1.8, label="proved bound of ftnl, naive")  # fmt: skip
        ax.set_xlabel(AXES[vary])
    ticks_at(axes["arms"], data.loc[data["vary"] == "arms", "value"].unique()[::2])
    rows = swept(lambda _: data, "ftnl", BOUNDS["Corollary 10(b) with ε/K"])
    at = rows.loc[(rows["mean"] / rows["bound"]).idxmax()]  # where it comes nearest to the bound
    own = multiples[(multiples["algorithm"] == "ftnl") & (multiples["vary"] == at["vary"])]
    low = own.loc[own["value"] == at["value"], "mean"].iloc[0]
    ends = low, low * at["bound"] / at["mean"]
    axes[at["vary"]].vlines(at["value"], *ends, color="0.3", lw=1)
    write_beside(axes[at["vary"]], f"{largest_share(rows):.1g} of the bound", at["value"],
                 np.sqrt(np.prod(ends)))  # fmt: skip
    return Drawing(
        canvas, multiples,
        "best mean 1/2 + Δ, the others 1/2; the best action comes last; the printed RNM-FTNL is "
        "private at 2 ε, not at ε; what an axis does not move has the value that follows",
        seen=f"Naive FTNL has up to {most['mean']:.0f} times the regret of the corrected RNM-FTNL "
        f"({SIGNS[most['vary']]} = {most['value']:g}); RNM-FTNL as printed, with half the noise, "
        f"{span(printed['mean'], '.2f')} times.",
    )  # fmt: skip


@figure(
    "hu/conjecture",
    claims=("HU-S7 (ours: by RNM-FTNL itself)",),
    title="Section 7: does Algorithm 4's regret grow like K or like ln K?",
    alt="ε times regret of RNM-FTNL as printed against K, divided by its value at the smallest K, "
    "for doubling gaps and equal gaps, at two values of ε, beside growth like K and like ln K.",
)
def conjecture(tables) -> Drawing:
    """Every curve is divided by its first value, so that its growth can be compared with that of K
    and of ln K."""
    data = tables("conjecture")
    data = data[data["algorithm"] == PRINTED].sort_values("arms")  # the variants: open_problem
    data = data.assign(curve=[f"ε = {share:g} Δmin" for share in data["epsilon_over_gap"]])
    by = data.groupby(["instance", "curve"], sort=False)
    first = by["mean"].transform("first")
    data[["times", "times_low", "times_high"]] = data[["mean", "low", "high"]].div(first, axis=0)
    names, style = list(data["curve"].unique()), look(PRINTED)
    looks = {names[0]: style, names[-1]: style | {"mfc": "white"}}
    plot = Plot(
        "arms", "times", "times_low", "times_high", curve="curve", panel="instance", log="xy",
        x_label="number of actions K", y_label="ε × regret, over that at the smallest K",
    )  # fmt: skip
    titles = f"{{}} gaps: {named(PRINTED)} as printed ({privacy_of(PRINTED)})".format
    canvas, axes = curves(data, plot, height=3.4, looks=looks, series=PRINTED, titles=titles)
    arms = np.unique(data["arms"])
    growth = {"K": arms / arms[0], "ln K": np.log(arms) / np.log(arms[0])}
    for ax in axes.values():
        for (name, y), dash in zip(growth.items(), ("-.", ":"), strict=True):
            ax.plot(arms, y, color="grey", ls=dash, lw=1.6, label=f"growth like {name}")
        label_arms(ax, arms[-1])
        ticks_at(ax, (1, 2, 3, 4, 5, 6), "y")
    return Drawing(canvas, data, f"its private variants are in hu/open_problem; {INSTANCES}")


def label_arms(ax, most: int) -> None:
    """Ticks of a logarithmic axis of K."""
    ticks_at(ax, [k for k in (3, 5, 10, 20) if k <= most])


@figure(
    "hu/lower_bound",
    claims=("HU-T12 (printed)",),
    title="Theorem 12's lower bound beside the largest regret over its packing class",
    alt="Largest regret over the class divided by the lower bound max(ln K/gap, ln K/ε)/40, "
    "against K: a panel per gap, a line per ε, all above the line at 1.",
)
def lower_bound(tables) -> Drawing:
    """At the smallest T that the theorem admits, the largest regret over the class of instances of
    D.3, divided by the lower bound, max(ln K/gap, ln K/ε)/40."""
    data = tables("lower_bound")
    data = data[data["algorithm"].isin(PRIVATE)]
    rate = np.maximum(1 / data["gap"], 1 / data["epsilon"])
    over = data[["mean", "low", "high"]].div(np.log(data["arms"]) * rate / 40, axis=0)
    cases = data.assign(**over).groupby(["gap", "epsilon", "arms"])
    least = cases[["mean", "low", "high"]].min().reset_index()  # of the two learners
    rings = {"color": SKY, "mfc": "none", "ms": 8}
    rings = {e: epsilon_look(e) | rings for e in least["epsilon"].unique()[1::2]}
    plot = Plot("arms", curve="epsilon", panel="gap", log="x", x_label="number of actions K",
                y_label="regret / lower bound")  # fmt: skip
    canvas, axes = curves(least, plot, height=3, series=CORRECTED, looks=rings,
                          titles="gap {:g}".format)  # fmt: skip
    for ax in axes.values():
        ax.axhline(1, color="black", lw=1.2, ls="--", label="the lower bound = 1")
        ax.set_ylim(0, None)
        ticks_at(ax, data["arms"].unique())
    return Drawing(
        canvas, least,
        "lower bound: max(ln K/gap, ln K/ε)/40, the constant of docs/proofs/HU.md; a line is the "
        "lower of two private learners, corrected RNM-FTNL and naive FTNL; "
        "best mean 1/2 + gap, the others 1/2; T is the "
        f"smallest that the theorem allows, {data['horizon'].min()} to {data['horizon'].max():,}",
    )  # fmt: skip
