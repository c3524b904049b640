"""HU's regret bounds beside runs: of the lazy bandits, of RNM-FTNL and of the naive FTNL."""

import math
from dataclasses import replace
from itertools import combinations_with_replacement

import numpy as np
import pandas as pd

from dpbandits.reproduction.hu import theory
from dpbandits.reproduction.hu.studies.conjecture import conjecture_gaps
from dpbandits.reproduction.hu.summaries import Z_CLAIM
from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import of_means, points_of
from dpbandits.reproduction.proofs import require_proof
from dpbandits.reproduction.statistics import ratio, span

PRINTED = "rnm-ftnl"  # the series that the statements of Section 5 are about


def swept(tables, series: str, bound) -> pd.DataFrame:
    """The rows of one series in the sweeps, with `bound(K, gap, epsilon, T)` of each."""
    table = tables("full_information")
    rows = table[table["algorithm"] == series]
    columns = [rows[name] for name in ("arms", "gap", "epsilon", "horizon")]
    bounds = [bound(*values) for values in zip(*columns, strict=True)]
    return rows.assign(bound=bounds).dropna(subset="bound")


def largest_share(rows: pd.DataFrame) -> float:
    """Largest (mean - z sem)/bound."""
    return float(((rows["mean"] - Z_CLAIM * rows["sem"]) / rows["bound"]).max())


def beside_runs(rows: pd.DataFrame, **numbers) -> Finding:
    """A bound that docs/proofs/HU.md proves, beside runs."""
    share = largest_share(rows)
    numbers |= {"share": share, "slack": 1 / share, "instances": len(rows)}
    return Finding("holds", numbers, of_means(rows, Z_CLAIM, at_most=rows["bound"]))


BOUNDS = {  # of regret, by K, gap, epsilon, T; nothing is bounded where it is NaN
    "Theorem 9, first form": lambda k, gap, e, t: theory.rnm_ftnl_bound([gap] * (k - 1), e, t),
    "Corollary 10(a)": lambda k, gap, e, t: two_brackets(k, gap) if gap <= e else math.nan,
    "Corollary 10(b)": lambda k, gap, e, t: two_brackets(k, min(gap, e)),
    "Corollary 10(b) with ε/K": lambda k, gap, e, t: two_brackets(k, min(gap, e / k)),
    "Corollary 11": lambda k, gap, e, t: theory.corollary_11_bound(k, e, t),
    "Follow-the-Leader": lambda k, gap, e, t: 1 + 4 * (1 + math.log(k)) / gap,
}


def two_brackets(arms: int, rate: float) -> float:
    return 512 * (1 + np.log(arms - 1)) / rate + 1


def beside_bound(tables, series: str, bound: str) -> Finding:
    """One of these bounds beside the runs of a series."""
    rate = swept(tables, series, lambda k, gap, e, t: theory.corollary_11_rate(k, e, t))
    return beside_runs(swept(tables, series, BOUNDS[bound]), of_rate=largest_share(rate))


def second_form(tables) -> Finding:
    """Lower bound over printed expression, at equal gaps, as eps falls: no constant is enough."""
    arms, gap = 10, 0.1
    epsilons = np.geomspace(0.1, 1e-6, 21)
    expression = np.log(arms) / gap  # the printed logarithm is ln 1 = 0
    lower = [theory.theorem_l_bound(arms, gap, 2 * e) / expression for e in epsilons]
    upper = [theory.rnm_ftnl_bound([gap] * (arms - 1), e, 1e12) / expression for e in epsilons]
    sweep = tables("full_information")
    sweep = sweep[(sweep["vary"] == "epsilon") & (sweep["algorithm"] == PRINTED)]
    sweep = sweep[sweep["best"] == "last"].set_index("value")
    smallest, largest = sweep.index.min(), sweep.index.max()
    numbers = {"arms": arms, "gap": gap, "excess": lower[-1], "at": epsilons[-1]}
    numbers |= {"growth": ratio(sweep.loc[smallest], sweep.loc[largest], Z_CLAIM)}
    numbers |= {"from": largest, "to": smallest}
    numbers |= {"runs_arms": sweep["arms"].iloc[0], "runs_gap": sweep["gap"].iloc[0]}
    what = "ratio (a constant, if the claim held); lower bound / printed expression, equal gaps"
    limits = {"at_most": 100.0, "repaired": upper}  # by the first form, which has constants
    return Finding(
        numbers=numbers, points=points_of(lower, what=what, x="ε", at=epsilons, **limits)
    )


def first_form(tables) -> Finding:
    rows = swept(tables, PRINTED, BOUNDS["Theorem 9, first form"])
    doubling = tables("conjecture")
    doubling = doubling[doubling["algorithm"] == PRINTED]
    return beside_runs(pd.concat([rows, doubling.assign(bound=doubling["theorem9"])]))


def doubling_bound(tables) -> Finding:
    """Theorem 9's first form over the printed order, at the shortest T that matters."""
    arms, shares = np.arange(4, 53, 4), []
    for k in arms:
        gaps = conjecture_gaps("doubling", int(k))
        epsilon, horizon = gaps[1], gaps[1] ** -2.0
        printed = np.log(k) / gaps[1] + np.log(k) * np.log(horizon) / epsilon
        shares.append(theory.rnm_ftnl_bound(gaps, epsilon, horizon) / 256 / printed)
    numbers = {"least_arms": arms[0], "most_arms": arms[-1], "first": shares[0]}
    numbers |= {"last": shares[-1]}
    return Finding("holds", numbers, points_of(shares, at_most=1))


def witness(tables) -> dict[str, Finding]:
    """Theorem 9 over ln K/eps at eps = Delta_min: the second form by the largest gap; the first for
    K fixed."""

    def discrepancy(counts, arms):  # of actions per level, but for the lowest
        return 1 + sum(1 + math.log(n) for n in counts) / math.log(arms)

    arms, divided = 9, []
    for n in range(1, 8):  # all ways to put K - 2 actions on n levels or fewer
        ways = combinations_with_replacement(range(arms - 1), n)
        counts = [filter(None, way) for way in ways if sum(way) == arms - 2]
        divided.append(max(discrepancy(way, arms) for way in counts))
    most = discrepancy([1] * (arms - 2), arms)
    levels = 8
    largest = 2.0 ** np.arange(-levels, 1)  # gaps, of which the least is 2^-levels
    second = 1 + np.log(largest / largest[0])
    numbers = {"levels": levels, "largest": second[-1]}
    return {
        "printed": Finding(numbers=numbers, points=points_of(second, at_most=second[-1])),
        "K fixed": Finding("holds", {"most": most}, points_of(divided, at_most=most)),
    }


# Theorems 3 and 5

LAZY_BOUNDS = {  # bound(means, epsilon, t) of an instance, bound(arms, epsilon, t) of all
    "anytime-lazy-ucb": (theory.lazy_ucb_bound, theory.lazy_ucb_worst_case),
    "lazy-dp-ts": (theory.lazy_ts_bound, theory.lazy_ts_worst_case),
}


def beside_bounds(tables, algorithm: str) -> Finding:
    """The theorem is proved; a mean significantly above a bound contradicts the proof."""
    instance_bound, worst_case = LAZY_BOUNDS[algorithm]
    texts = tables("bounds").groupby("setting")["means"].first()
    means = {name: np.array(text.split(), dtype=float) for name, text in texts.items()}
    rows = pd.concat([tables("fig1_long"), tables("fig2_long")])
    rows = rows[(rows["algorithm"] == algorithm) & (rows["metric"] == "regret")]
    rows = rows[rows["t"] >= 10]
    cases = [(means[row["setting"]], row["epsilon"], row["t"]) for _, row in rows.iterrows()]
    bounds = [worst_case(len(arms), epsilon, t) for arms, epsilon, t in cases]
    share_any = largest_share(rows.assign(bound=bounds))
    require_proof(share_any <= 1, f"simulated regret is {share_any:.4g} of its bound")
    rows = rows.assign(bound=[instance_bound(*case) for case in cases])
    found = beside_runs(rows, share_any=share_any, growth=growth(rows, means))
    last = rows[rows["t"] == rows["t"].max()]
    epsilons = ", ".join(f"{e:g}" for e in rows["epsilon"].unique())
    sizes = {"horizon": rows["t"].max(), "runs": rows["runs"].max(), "instances": len(means)}
    sizes["at end"] = (last["mean"] / last["bound"]).max()
    return replace(found, numbers=found.numbers | sizes | {"epsilons": epsilons})


def growth(rows: pd.DataFrame, means: dict) -> str:
    """Range over panels of regret/(sum of ln t/min(gap, eps)) at three times."""
    texts = []
    times = np.unique(rows["t"])
    for time in (1e3, 1e6, 1e9):
        t = times[np.argmin(np.abs(np.log(times / time)))]
        ratios = []
        for _, row in rows[rows["t"] == t].iterrows():
            gaps = theory.gaps_of(means[row["setting"]])
            ratios.append(row["mean"] / (np.log(t) / np.minimum(gaps, row["epsilon"])).sum())
        texts.append(f"{span(ratios, '.3g')} at t = {t:.3g}")
    return ", ".join(texts)
