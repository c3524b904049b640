"""FL's figures: do they come out, under the printed and under the released constants?

Each is judged once per set of constants, by numbers that can go against it: one row each.
"""

import numpy as np

from dpbandits.core.ledger import Verdict, claim
from dpbandits.core.points import curves, points
from dpbandits.core.statistics import LEVEL, quantile
from dpbandits.sparse.figures.layout import slope

RELEASED, PRINTED = "fliphat-released", "fliphat-printed"
FRESH, CORRECTED, SIGNS = "fliphat-fresh", "fliphat-corrected", "dp-signs"

# How we read that regret bends, or rises: by a tenth. Whether a number is above 1 or 0 at all is
# but a question of how many seeds there are: a ratio of 0.98 was rejected with 60 and not with 600.
TENTH = 0.1

OPEN = {
    "repaired": "open: at these sizes the measured numbers are all there is",
    "repaired_verdict": "open",
    "tightness": "as measured",
}


def instances(table) -> str:
    """The scope that a table says itself."""
    names, horizon, runs = table["setting"].unique(), table["t"].max(), table["runs"].iloc[0]
    return f"setting {', '.join(names)} of config/fl.yaml, $T = {int(horizon)}$, {int(runs)} runs"


def judged(series: str, plots: list, ours: str = "", **fields) -> Verdict:
    """The row of a series: rejected if a point lies beyond what the figure says.

    `ours`: how a certified-private algorithm fares, said where the printed constants fail.
    """
    failed = any(part["beyond"].any() for part in plots)
    if series == RELEASED:
        fields["reading"] = "released"
        fields["statement"] = f"{fields.pop('what')}, with the constants of the published curves"
    else:
        fields.pop("what")
    if failed and series == PRINTED:
        fields |= {
            "proof_step": r"no proof: the text's constants ($M = 1.6\ln N$ above all) are not "
            "those that made the curves",
            "repaired": "it comes out with the released constants (the next row), which are not "
            f"private; {ours}",
            "repaired_verdict": "consistent",
            "repaired_method": "statistical",
            "tightness": "as measured in the next row",
        }
    elif failed:
        fields |= OPEN
    plots = sorted(plots, key=lambda part: part["panel"].iloc[0])
    return Verdict.sampled(not failed, points=plots, **fields)


def bend(table, series: str, epsilon: float) -> tuple[float, float]:
    """Regret of the second half over that of the first, and its standard error (sublinear: < 1).

    The error treats the two ends as independent, which overstates it.
    """
    own = table[(table["algorithm"] == series) & (table["epsilon"] == epsilon)].set_index("t")
    end = own.index.max()
    half, full = own.loc[end // 2], own.loc[end]
    ratio = full["mean"] / half["mean"] - 1
    error = (ratio + 1) * np.hypot(full["sem"] / full["mean"], half["sem"] / half["mean"])
    return float(ratio), float(error)


def _over_time(tables, setting: str, what: str, evidence: str, also: str = "") -> list[Verdict]:
    table = tables("horizon")
    table = table[(table["metric"] == "regret") & (table["setting"] == setting)]
    epsilons = sorted(table.loc[table["algorithm"] == RELEASED, "epsilon"].unique())
    end = table[table["t"] == table["t"].max()].set_index(["algorithm", "epsilon"])["mean"]
    idle, lasso = end["random-arm"].iloc[0], end["sa-lasso"].iloc[0]
    shares = {e: end[SIGNS, e] / idle for e in epsilons}
    private = ", ".join(f"{shares[e]:.3f} ($\\varepsilon = {e:g}$)" for e in epsilons)
    rows = []
    for series in (PRINTED, RELEASED):
        bends = {e: bend(table, series, e) for e in epsilons}
        shares = {e: end[series, e] / idle for e in epsilons}
        measured = ", ".join(
            f"{e:g}: {bends[e][0]:.2f} ± {bends[e][1]:.2f} and {shares[e]:.2f}" for e in epsilons
        )
        rows.append(
            judged(
                series,
                list(_bend_points(bends, shares)),
                f"the certified-private dp-signs ends at these shares of random: {private}",
                what=what,
                scope=instances(table),
                measured=r"$\varepsilon$: regret of the second half of the rounds over that of the "
                f"first, and regret over the random arm's: {measured}; sa-lasso ends at "
                f"{lasso / idle:.2f}{also}",
                bound=r"every $\varepsilon$ bends (we ask: the second half costs a tenth less than "
                r"the first), large $\varepsilon$ comes down towards sa-lasso (we ask: below half "
                r"of random at the largest $\varepsilon$)",
                confidence=f"1 - {LEVEL:g} over the ratios",
                evidence=(f"figures/fl/{evidence}.csv",),
            )
        )
    return rows


def _bend_points(bends: dict, shares: dict):
    """What is asked: the second half costs a tenth less, large eps comes down."""
    ratios, errors = np.transpose([*bends.values()])
    yield points(
        list(bends),
        ratios,
        spread=quantile(len(bends)) * errors,
        at_most=1 - TENTH,
        panel="does regret bend?",
        axes=("ε", "regret, second half / first half"),
        log="x",
    )
    yield points(
        list(shares),
        list(shares.values()),
        at_most=[0.5 if e == max(shares) else np.nan for e in shares],
        panel="does the largest ε come down?",
        axes=("ε", "regret / random arm's"),
        log="xy",
    )


OVER_TIME = (
    r"regret is sublinear for $\varepsilon$ from 0.5 and approaches the sparsity-agnostic bandit's "
    r"for larger $\varepsilon$"
)


@claim(
    "FL-F1L",
    where="Figure 1 left, Figure 2 left",
    statement=OVER_TIME,
    kind="figure",
    reads=("horizon",),
)
def figure_1_left(tables) -> list[Verdict]:
    return _over_time(tables, "gaussian", OVER_TIME, "fig1_left")


UNIFORM = "with uniform reward noise the behaviour is very similar"


@claim("FL-F2R", where="Figure 2 right", statement=UNIFORM, kind="figure", reads=("horizon",))
def figure_2_right(tables) -> list[Verdict]:
    table = tables("horizon")
    last = table[(table["t"] == table["t"].max()) & (table["metric"] == "regret")]
    last = last[last["algorithm"] == RELEASED].set_index(["setting", "epsilon"])
    ratio = last.loc["uniform", "mean"] / last.loc["gaussian", "mean"]
    shown = ", ".join(f"{e:g}: {r:.2f}" for e, r in ratio.items())
    also = f"; released, uniform over Gaussian regret {shown}"
    return _over_time(tables, "uniform", UNIFORM, "fig2_right", also)


IN_DIMENSION = r"$R(T)$ is nearly linear in $\ln d$, rising for each $\varepsilon$"


@claim(
    "FL-F1R",
    where="Figure 1 right",
    statement=IN_DIMENSION,
    kind="figure",
    reads=("dimension", "dimension_private"),
)
def figure_1_right(tables) -> list[Verdict]:
    table, private = tables("dimension"), tables("dimension_private")
    ends = private[private["algorithm"] == SIGNS].groupby("epsilon")["mean"].agg(["min", "max"])
    ours = ", ".join(
        f"{r['min']:.0f} to {r['max']:.0f} ($\\varepsilon = {e:g}$)" for e, r in ends.iterrows()
    )
    rows = []
    for series in (PRINTED, RELEASED):
        own = table[table["algorithm"] == series]
        measured, plots = _lines(own)
        rows.append(
            judged(
                series,
                plots,
                f"the certified-private dp-signs has regret {ours}",
                what=IN_DIMENSION,
                scope=f"{instances(own)}, {own['d'].nunique()} values of $d$ from "
                f"{own['d'].min()} to {own['d'].max()}",
                measured=f"slope of $R/100$ on $\\ln d$ and chi-square of the line: {measured}",
                bound="a line that rises for every $\\varepsilon$ (we ask: by a tenth from the "
                "smallest $d$ to the largest)",
                confidence=f"1 - {LEVEL:g} over the slopes; with misfits as given, "
                "curvature of a few percent of $R$ would have been seen",
                evidence=("figures/fl/fig1_right.csv",),
            )
        )
    return rows


def _lines(own) -> tuple[str, list]:
    """Slope and misfit of each line in ln d, and their plots."""
    parts, rises = [], {}
    for epsilon, rows in own.groupby("epsilon"):
        x = np.log(rows["d"].to_numpy())
        b, sem = slope(x, rows["mean"].to_numpy() / 100, rows["sem"].to_numpy() / 100)
        line = rows["mean"].mean() + 100 * b * (x - x.mean())
        misfit = float(np.sum(((rows["mean"] - line) / rows["sem"]) ** 2))
        rises[epsilon] = 100 * np.array([b, sem]) * np.ptp(x) / line[x.argmin()]
        parts.append(f"{b:.1f} ± {sem:.1f}, {misfit:.1f} on {len(rows) - 2} ({epsilon:g})")
    lines = curves(
        own.sort_values("epsilon", kind="stable"),
        "d",
        z=quantile(len(own)),
        series="ε = {epsilon:g}",
        panel="straight in ln d?",
        axes=("d", "R(T)"),
        log="x",
    )
    shares, errors = np.transpose([*rises.values()])
    rise = points(
        list(rises),
        shares,
        spread=quantile(len(rises)) * errors,
        at_least=TENTH,
        panel="does it rise?",
        axes=("ε", "how much R(T) rises over all d, as a share of where it starts"),
        log="x",
    )
    return "; ".join(parts), [lines, rise]
