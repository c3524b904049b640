"""FL's figures: do they come out, under the printed and under the released constants?

A reading is judged by numbers that can go against it. `ambiguous` means: it comes out under the
released constants and not under the printed ones (or the other way round); both are given.
"""

import numpy as np

from dpbandits.core.ledger import Verdict, claim

RELEASED, PRINTED = "fliphat-released", "fliphat-printed"
FRESH, CORRECTED = "fliphat-fresh", "fliphat-corrected"


def judge(released: bool, printed: bool) -> str:
    if released and printed:
        return "consistent"
    return "ambiguous" if released or printed else "rejected"


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


def _over_time(tables, setting: str, evidence: str, also: str = "") -> Verdict:
    table = tables("horizon")
    table = table[(table["metric"] == "regret") & (table["setting"] == setting)]
    epsilons = sorted(table.loc[table["algorithm"] == RELEASED, "epsilon"].unique())
    end = table[table["t"] == table["t"].max()].set_index(["algorithm", "epsilon"])["mean"]
    idle, lasso = end["random-arm"].iloc[0], end["sa-lasso"].iloc[0]
    parts, comes_out = [], {}
    for series in (RELEASED, PRINTED, CORRECTED):
        bends = {e: bend(table, series, e) for e in epsilons}
        shares = {e: end[series, e] / idle for e in epsilons}
        sublinear = all(ratio + 4 * error < 1 for ratio, error in bends.values())
        near = shares[max(epsilons)] < 0.5
        comes_out[series] = sublinear and near
        text = ", ".join(
            f"{e:g}: {bends[e][0]:.2f} ± {bends[e][1]:.2f} and {shares[e]:.2f}" for e in epsilons
        )
        parts.append(f"{series} {text}")
    return Verdict(
        verdict=judge(comes_out[RELEASED], comes_out[PRINTED]),
        method="statistical",
        scope=f"d = 400, s* = 5, K = 3, T = {int(table['t'].max())}, "
        f"{int(table['runs'].iloc[0])} runs; eps: regret of the second half of the rounds over "
        "that of the first, and regret over the random arm's",
        measured="; ".join(parts) + f"; sa-lasso ends at {lasso / idle:.2f}{also}",
        bound="the published picture: every eps bends (ratio below 1), large eps comes down "
        "towards sa-lasso (we ask: below half of random at the largest eps)",
        confidence="ratios at 4 standard errors (1 - 3e-5 each)",
        evidence=(f"figures/fl/{evidence}.csv",),
        corrected="comes out with the released constants ("
        + ("yes" if comes_out[RELEASED] else "no")
        + "), with the printed ones ("
        + ("yes" if comes_out[PRINTED] else "no")
        + "), with really private noise ("
        + ("yes)" if comes_out[CORRECTED] else "no)"),
    )


@claim(
    "FL-F1L",
    where="Figure 1 left, Figure 2 left",
    statement="regret is sublinear for eps from 0.5 and approaches the sparsity-agnostic "
    "bandit's for larger eps",
    kind="figure",
    reads=("horizon",),
)
def figure_1_left(tables) -> Verdict:
    return _over_time(tables, "gaussian", "fig1_left")


@claim(
    "FL-F2R",
    where="Figure 2 right",
    statement="with uniform reward noise the behaviour is very similar",
    kind="figure",
    reads=("horizon",),
)
def figure_2_right(tables) -> Verdict:
    table = tables("horizon")
    last = table[(table["t"] == table["t"].max()) & (table["metric"] == "regret")]
    last = last[last["algorithm"] == RELEASED].set_index(["setting", "epsilon"])
    ratio = last.loc["uniform", "mean"] / last.loc["gaussian", "mean"]
    shown = ", ".join(f"{e:g}: {r:.2f}" for e, r in ratio.items())
    return _over_time(tables, "uniform", "fig2_right", f"; uniform over Gaussian regret {shown}")


@claim(
    "FL-F1R",
    where="Figure 1 right",
    statement="R(10,000) is nearly linear in ln d for d from 400 to 4000, for each eps",
    kind="figure",
    reads=("dimension",),
)
def figure_1_right(tables) -> Verdict:
    from dpbandits.sparse._drawing import slope

    table = tables("dimension")
    parts, fine = [], {}
    for series in (RELEASED, PRINTED, CORRECTED):
        own = table[table["algorithm"] == series]
        rises = []
        for epsilon, rows in own.groupby("epsilon"):
            x = np.log(rows["d"].to_numpy())
            b, sem = slope(x, rows["mean"].to_numpy() / 100, rows["sem"].to_numpy() / 100)
            line = rows["mean"].mean() + 100 * b * (x - x.mean())
            misfit = float(np.sum(((rows["mean"] - line) / rows["sem"]) ** 2))
            rises.append(b > 4 * sem)
            parts.append(
                f"{series} eps {epsilon:g}: {b:.1f} ± {sem:.1f}, "
                f"misfit {misfit:.1f} on {len(rows) - 2} degrees"
            )
        fine[series] = all(rises)
    return Verdict(
        verdict=judge(fine[RELEASED], fine[PRINTED]),
        method="statistical",
        scope="ten values of d from 400 to 4000, "
        f"{int(table['runs'].iloc[0])} runs; slope of R/100 on ln d and chi-square of the line",
        measured="; ".join(parts),
        bound="a line in ln d with a clearly positive slope for every eps",
        confidence="slopes at 4 standard errors; with misfits as given, curvature of a few "
        "percent of R would have been seen",
        evidence=("figures/fl/fig1_right.csv",),
        corrected="under the printed constants regret is close to the random arm's for every d, "
        "so that d has little left to cost" if not fine[PRINTED] else "",
    )  # fmt: skip


@claim(
    "FL-F3L",
    where="Figure 3 left",
    statement="ln R(10,000) against ln s is worst below s*, best near s*, then rises with slopes "
    "0.04, 0.14, 0.29, 0.37 for eps = 0.5, 1, 2, 5",
    kind="figure",
    reads=("sparsity", "sparsity_others"),
)
def figure_3_left(tables) -> Verdict:
    from dpbandits.sparse._published import published
    from dpbandits.sparse.figures import in_logarithms, log_slopes

    ours = {
        RELEASED: log_slopes(in_logarithms(tables("sparsity"))),
        PRINTED: log_slopes(in_logarithms(tables("sparsity_others"))),
    }
    parts, near = [], {}
    for series, slopes in ours.items():
        both = slopes[slopes["algorithm"] == series].merge(
            published("fig3_left"), on="epsilon", suffixes=("", "_published")
        )
        # the published slopes come from 50 runs and two decimals; ours from `runs`
        runs = tables("sparsity" if series == RELEASED else "sparsity_others")["runs"].iloc[0]
        error = np.sqrt(both["sem"] ** 2 * (1 + runs / 50) + 0.01**2 / 12)
        z = (both["slope"] - both["slope_published"]) / error
        near[series] = bool((np.abs(z) < 4).all())
        parts += [
            f"{series} eps {r.epsilon:g}: {r.slope:.3f} ± {r.sem:.3f} (z = {score:.1f})"
            for r, score in zip(both.itertuples(), z, strict=True)
        ]
    dips = dip(tables("sparsity"))
    parts.append("released R at the lowest s over R at s*: " + dips)
    return Verdict(
        verdict=judge(near[RELEASED], near[PRINTED]),
        method="statistical",
        scope="T = 10,000, d = 400, s* = 10, least squares over s >= s*; z against the published "
        "slope, its own error taken from 50 runs",
        measured="; ".join(parts),
        bound="0.04, 0.14, 0.29, 0.37",
        confidence="each slope at 4 standard errors (1 - 6e-5)",
        evidence=("figures/fl/fig3_left.csv", "src/dpbandits/sparse/published/fig3_left.csv"),
        corrected="the verdict is on the slopes; s below s* costs regret at eps = 5 only, at "
        "small eps fewer coordinates mean less noise",
    )


def dip(table) -> str:
    """Regret at the smallest s over that at s* = 10, per eps, with standard errors."""
    own = table[table["algorithm"] == RELEASED].set_index(["epsilon", "sparsity"])
    least = own.index.get_level_values("sparsity").min()
    texts = []
    for epsilon in own.index.get_level_values("epsilon").unique():
        low, at = own.loc[(epsilon, least)], own.loc[(epsilon, 10)]
        ratio = low["mean"] / at["mean"]
        sem = ratio * np.hypot(low["sem"] / low["mean"], at["sem"] / at["mean"])
        texts.append(f"{ratio:.2f} ± {sem:.2f} (eps {epsilon:g})")
    return ", ".join(texts)


@claim(
    "FL-F3R",
    where="Figure 3 right",
    statement="R(10,000) grows sublinearly with K; the 48 published means",
    kind="figure",
    reads=("arms", "arms_others"),
)
def figure_3_right(tables) -> Verdict:
    from dpbandits.sparse._drawing import chi_square
    from dpbandits.sparse._published import published

    points, parts, met = published("fig3_right"), [], {}
    for series, name in (
        (RELEASED, "arms"), (FRESH, "arms"), (PRINTED, "arms_others"), (CORRECTED, "arms_others"),
    ):  # fmt: skip
        table = tables(name)
        total, count, p = chi_square(points, table[table["algorithm"] == series], "arms")
        met[series] = p > 0.01
        parts.append(f"{series}: chi-square {total:.1f} over {count} points, p = {p:.2g}")
    return Verdict(
        verdict=judge(met[RELEASED], met[PRINTED]),
        method="statistical",
        scope="d = 400, s* = 5, s = 10, T = 10,000, K = 2..24, eps = 0.5..5; "
        f"{int(tables('arms')['runs'].iloc[0])} runs per point beside the published 36",
        measured="; ".join(parts),
        bound="chi-square not rejected at 1%",
        confidence="the p-values given",
        evidence=("figures/fl/fig3_right.csv", "src/dpbandits/sparse/published/fig3_right.csv"),
        corrected="the published points need M = 0.16 ln(1 + N b^2) steps and selection noise "
        "reused across episodes; fresh noise alone already misses them",
    )
