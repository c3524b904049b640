"""HU's figures of full information: the sweeps, the conjecture, the lower bound."""

import numpy as np
import pandas as pd

from dpbandits.core.statistics import ratio
from dpbandits.reproduction.hu.summaries import growth_in_k, ratios_over
from dpbandits.reproduction.plots.curves import curves, ticks_at
from dpbandits.reproduction.plots.figures import Drawing, Plot, figure
from dpbandits.reproduction.plots.style import look

AXES = {"arms": "number of actions K", "gap": "gap Δ", "epsilon": "ε", "horizon": "rounds T"}
SIGNS = {"arms": "K", "gap": "Δ", "epsilon": "ε", "horizon": "T"}
INSTANCES = (
    "best mean 3/4, best action last; the smallest gap is 2^(1-K); doubling gaps: each twice the "
    "last, up to 1/2; equal gaps: all the smallest"
)
ENDS = {"low": "low", "high": "high"}
CORRECTED = "rnm-ftnl-corrected"
SWEEPS = Plot(
    "value", "mean", **ENDS, curve="algorithm", panel="vary", log="xy",
    y_label="regret / that of the corrected",
)  # fmt: skip


@figure(
    "hu/full_information",
    title="Full information: regret over K, gap, ε and T",
    paper_says="RNM-FTNL has regret ln K/min(gap, ε), naive FTNL K ln K/ε where ε matters "
    "(Section 5).",
    alt="Regret divided by that of the corrected RNM-FTNL, a panel each against K, gap, ε and T, "
    "a line with a 95% band per algorithm.",
    plot=SWEEPS,
)
def full_information(tables) -> Drawing:
    data = tables("full_information")
    data = data[data["best"] == "last"]
    multiples = ratios_over(data, CORRECTED, ["vary", "value"])
    canvas, axes = curves(
        multiples, SWEEPS, columns=4, height=3.4, sharex=False,
        titles=lambda vary: _fixed(data[data["vary"] == vary], vary),
    )  # fmt: skip
    for vary, ax in axes.items():
        ax.axhline(1, color="black", lw=0.8)
        ax.set(xlabel=AXES[vary], ylim=(0.02, None))
    last = data[(data["vary"] == "arms") & (data["value"] == data["arms"].max())]
    last = last.set_index("algorithm")
    price = {n: ratio(last.loc[n], last.loc[CORRECTED]) for n in last.index if n != CORRECTED}
    arms = f"K = {last['value'].iloc[0]:g}"
    table = pd.DataFrame(price.items(), columns=[f"at {arms}", f"regret / that of {CORRECTED}"])
    return Drawing(
        canvas, multiples,
        f"With {arms} actions naive FTNL has {price['ftnl'].value:.3g} times the regret of the "
        "corrected RNM-FTNL.",
        "best mean 1/2 + Δ, the others 1/2; the best action comes last; the printed RNM-FTNL is "
        "only 2 ε-private",
        table,
    )  # fmt: skip


def _fixed(rows: pd.DataFrame, vary: str) -> str:
    fixed = [f"{sign} = {rows[key].iloc[0]:g}" for key, sign in SIGNS.items() if key != vary]
    return ", ".join(fixed)


OVER_K = Plot(
    "arms", "mean", **ENDS, curve="curve", panel="instance", log="x",
    x_label="number of actions K", y_label="ε × regret",
)  # fmt: skip


@figure(
    "hu/conjecture",
    title="Section 7: does regret grow like K or like ln K?",
    paper_says="The upper bound of the doubling-gap instance grows like K over ε; the conjecture "
    "is that the true rate is ln K/min(gap, ε) (Section 7).",
    alt="ε times regret against K on a logarithmic axis, for doubling gaps and equal gaps, at "
    "two values of ε, beside growth like K and like ln K.",
    plot=OVER_K,
)
def conjecture(tables) -> Drawing:
    data = tables("conjecture")
    data = data[data["algorithm"] == CORRECTED]  # the variants: open_problem
    data = data.assign(curve=[f"ε = {share:g} Δmin" for share in data["epsilon_over_gap"]])
    fits = []
    for (kind, curve), line in data.groupby(["instance", "curve"], sort=False):
        fit = growth_in_k(line)
        fits.append({"gaps": kind, "ε": curve, "power of K": str(fit.exponent),
                     "misfit of a + b ln K": fit.log_misfit,
                     "misfit of a + b K": fit.line_misfit})  # fmt: skip
    names = list(data["curve"].unique())
    style = look(CORRECTED)
    looks = {names[0]: style, names[-1]: style | {"mfc": "white", "linestyle": (0, (4, 1.5))}}
    canvas, axes = curves(data, OVER_K, height=3.4, looks=looks, series=CORRECTED,
                          titles=lambda kind: f"{kind} gaps")  # fmt: skip
    for kind, ax in axes.items():
        _plot_growth(ax, data[data["instance"] == kind])
        ax.set_ylim(0, 1.15 * data["high"].max())
        label_arms(ax, data["arms"].max())
    table = pd.DataFrame(fits)
    better = (table["misfit of a + b ln K"] < table["misfit of a + b K"]).sum()
    return Drawing(
        canvas, data,
        f"Growth like ln K fits better than growth like K for {better} of {len(table)} curves.",
        f"corrected RNM-FTNL; {INSTANCES}; misfit: weighted mean of squared residuals",
        table,
    )  # fmt: skip


def _plot_growth(ax, rows: pd.DataFrame) -> None:
    """What growth like K and like ln K would look like, from the first point on."""
    first = rows.sort_values("arms").iloc[0]
    arms = np.geomspace(first["arms"], rows["arms"].max())
    for growth, name, dash in ((arms, "K", "-."), (np.log(arms), "ln K", ":")):
        label = f"growth like {name} from the first point"
        ax.plot(arms, first["mean"] * growth / growth[0], color="grey", ls=dash, label=label)


def label_arms(ax, most: int) -> None:
    """Ticks of a logarithmic axis of K."""
    ticks_at(ax, [k for k in (3, 5, 10, 20) if k <= most])


LEAST = Plot(
    "arms", "mean", **ENDS, curve="epsilon", log="xy", x_label="number of actions K",
    y_label="regret / Theorem 12's bound",
)  # fmt: skip


@figure(
    "hu/lower_bound",
    title="Theorem 12's lower bound beside the largest regret over its packing class",
    paper_says="Any ε-private learner has regret at least a constant times max(ln K/gap, "
    "ln K/ε) on some instance (Theorem 12).",
    alt="Largest regret over the class divided by the private lower bound 0.0098 ln K/ε, against "
    "K: a line per ε for the smallest over gaps and learners, shaded up to the largest.",
    width="half",
    plot=LEAST,
)
def lower_bound(tables) -> Drawing:
    data = tables("lower_bound")
    over = data.assign(times=data["mean"] / data["private_bound"])
    cases = over.groupby(["epsilon", "arms"])["times"]
    scaled = cases.agg(mean="min", low="min", high="max").reset_index()
    beside = 1.05 ** scaled["epsilon"].rank(method="dense")  # two of the lines coincide
    canvas, axes = curves(
        scaled.assign(arms=scaled["arms"] * beside),
        LEAST,
        width="half",
        height=3.2,
        series=CORRECTED,
    )
    axes[""].axhline(1, color="black", lw=0.9, label="equality")
    axes[""].set_ylim(0.6, None)
    ticks_at(axes[""], data["arms"].unique())
    learners = over.groupby(["arms", "gap", "epsilon"])["times"]
    difference = (learners.max() / learners.min()).max() - 1
    return Drawing(
        canvas, scaled,
        f"The regret is at least {scaled['mean'].min():.3g} times the bound, and the "
        f"{data['algorithm'].nunique()} learners differ by at most {difference:.0%}.",
        "line: the smallest over gaps and learners, shaded: up to the largest; best mean "
        "1/2 + gap, the others 1/2; T is the smallest that the theorem allows",
    )  # fmt: skip
