"""HU's figures of Section 7's open problem: regret between the bounds, and each variant's
constant."""

import numpy as np

from dpbandits.reproduction.hu import theory
from dpbandits.reproduction.hu.figures.full_information import INSTANCES, label_arms
from dpbandits.reproduction.plots.curves import curves, label_ends, named_rows
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.style import look, panels
from dpbandits.reproduction.statistics import span

OPEN = ("HU-S7 (printed)",)
VARIANTS = (
    "corrected: Laplace noise of scale 2/ε; permute-and-flip and gumbel: exponential and Gumbel "
    "noise of scale 2/ε; prefix: Gumbel noise, and only a random number of "
    "the first rewards of an epoch; phase: exponential noise, and epochs that grow by the factor e "
    "from a random first length"
)
BEST = "rnm-ftnl-phase"


@figure(
    "hu/open_problem",
    reads=("conjecture",),
    claims=OPEN,
    title="Section 7's open problem: the rate ln K/min(gap, ε) is reached",
    alt="ε times regret over ln K against K for doubling and equal gaps, a line per variant of "
    "RNM-FTNL, named at its end, with the proved upper bound of phase and the proved lower bound.",
)
def open_problem(tables) -> Drawing:
    """Four more variants of RNM-FTNL are ε-private (`docs/proofs/HU.md`); two of them provably have
    the conjectured rate on every instance. The one to use is `phase`."""
    data = tables("conjecture")
    share = data["epsilon_over_gap"].min()
    data = data[data["epsilon_over_gap"] == share]
    rate = np.log(data["arms"])
    data[["over", "over_low", "over_high"]] = data[["mean", "low", "high"]].div(rate, axis=0)
    plot = Plot(
        "arms", "over", "over_low", "over_high", curve="algorithm", panel="instance", log="x",
        x_label="number of actions K", y_label="ε × regret / ln K",
    )  # fmt: skip
    canvas, axes = curves(data, plot, height=3.8, titles="{} gaps".format)
    for kind, ax in axes.items():
        line = data[data["instance"] == kind].drop_duplicates("arms").sort_values("arms")
        arms, style = line["arms"].to_numpy(float), {"lw": 1.4, "zorder": 5}
        ax.plot(arms, line["optimal"] / np.log(arms), color=look(BEST)["color"], ls="-.",
                label="upper bound of phase", **style)  # fmt: skip
        lower = np.log(arms) - 1 + 1 / arms  # Theorem L as eps falls
        ax.plot(arms, lower / np.log(arms), color="black", ls=":", label="lower bound", **style)
        label_arms(ax, arms.max())
        ax.set_ylim(0, None)
        label_ends(ax, lambda name: name.removeprefix("RNM-FTNL-").replace("RNM-FTNL", "printed"))
    best = data[data["algorithm"] == BEST]
    bound = best["optimal"] / np.log(best["arms"])
    return Drawing(
        canvas, data,
        f"printed: Laplace noise of scale 1/ε; {VARIANTS}; ε = {share:g} Δmin; {INSTANCES}; "
        "dash-dotted in the colour of phase: its "
        f"proved bound for these gaps (Theorem O), {bound.max():.2g} ln K/ε, where the general one "
        "lies beyond the axis; black, dotted: the proved lower bound of every private "
        "learner (Theorem L); "
        "Theorem 9's bound lies beyond the axis "
        f"({span(best['theorem9'] / best['mean'], '.0f')} times phase's regret)",
        legend=False,
    )  # fmt: skip


@figure(
    "hu/open_problem_constants",
    reads=("constants",),
    claims=OPEN,
    title="Section 7's open problem: the constant of each variant",
    alt="A panel per ratio of ε to the smallest gap and in it a row per private variant: a dot per "
    "instance at its regret in units of ln K/ε + ln K/gap, a ring at each variant's worst "
    "instance, run again, and a bar at the limit of a proved bound.",
)
def open_problem_constants(tables) -> Drawing:
    """The constant that each variant really has."""
    data = tables("constants")
    names, ratios = list(data["algorithm"].unique()), sorted(data["epsilon_over_gap"].unique())
    data = data.drop(columns="sem").assign(row=data["algorithm"].map(names.index))
    again = data.dropna(subset="afresh")  # one instance per variant
    canvas, (axes,) = panels(1, len(ratios), height=3, sharey=True, sharex=True,
                             x="regret / (ln K/ε + ln K/Δmin)")  # fmt: skip
    for share, ax in zip(ratios, axes, strict=True):
        own = data[data["epsilon_over_gap"] == share]
        for name, rows in own.groupby("algorithm", sort=False):
            ax.plot(rows["mean"], rows["row"], ls="", marker="o", ms=5, alpha=0.4, mew=0,
                    color=look(name)["color"], gid=name)  # fmt: skip
        rings = again[again["epsilon_over_gap"] == share]
        ax.plot(rings["afresh"], rings["row"], "o", mfc="none", color="black", ms=9,
                label="worst instance, run again with new seeds")  # fmt: skip
        if share == ratios[0]:
            place = [names.index(f"rnm-ftnl-{schedule}") for schedule in theory.WEIGHT]
            ax.plot([2 * w for w in theory.WEIGHT.values()], place, "|", color="black", ms=20,
                    mew=2, label="its proved upper bound as ε/Δmin → 0")  # fmt: skip
        named_rows(ax, [name.removeprefix("rnm-ftnl-") for name in names])
        ax.set(title=f"ε = {share:g} Δmin", xlim=(0, None))
    own = data[data["algorithm"] == BEST].reset_index(drop=True)
    epsilon = own["gap"] * own["epsilon_over_gap"]
    log = np.log(own["arms"])
    general = theory.FIRST["phase"] + 4 * np.e * (1 + log) / np.minimum(own["gap"], epsilon)
    general /= log / epsilon + log / own["gap"]
    run_again = ", ".join(
        f"{row.algorithm.removeprefix('rnm-ftnl-')} {row.afresh:.2f}" for row in again.itertuples()
    )
    return Drawing(
        canvas, data,
        f"{VARIANTS}; a dot per instance: equal, doubling (at most 0.75) and sparse gaps, K = "
        f"{span(data['arms'])}; T is 1/(Δmin min(Δmin, ε)) times the "
        "number `beyond`; the "
        "worst instance of each variant (a ring) was run again with new seeds, because a maximum "
        "of noisy means is biased upwards and may exceed a proved bound; all rings are at ε = "
        f"{', '.join(f'{e:g}' for e in again['epsilon_over_gap'].unique())} Δmin; bars: as ε/Δmin "
        f"→ 0 Theorem O's proof gives prefix {2 * theory.WEIGHT['prefix']:g} and phase 2e = "
        f"{2 * np.e:.2f} (dots beyond a bar are noise of {data['runs'].max():,} runs)",
        seen=f"In units of ln K/ε + ln K/Δmin the worst instances, run again, have {run_again}; "
        f"the general bound of phase is {span(general, '.3g')} here, mostly beyond the axes.",
    )  # fmt: skip
