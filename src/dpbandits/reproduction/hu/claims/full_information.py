"""HU's regret bounds of RNM-FTNL: Theorem 9, its corollaries, the naive FTNL, the abstract."""

import math

import numpy as np
import pandas as pd

from dpbandits.audit.rnm import pure_loss, worst_counts
from dpbandits.reproduction.hu import theory
from dpbandits.reproduction.hu.studies.conjecture import conjecture_gaps
from dpbandits.reproduction.hu.summaries import Z_CLAIM
from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import curves, points
from dpbandits.reproduction.proofs import require_proof
from dpbandits.reproduction.statistics import ratio

PRINTED, NAIVE = "rnm-ftnl", "ftnl"  # the series that the statements of Section 5 are about
AXES = {"arms": "K", "gap": "gap", "epsilon": "ε", "horizon": "T"}


def swept(tables, series: str, bound) -> pd.DataFrame:
    """The rows of one series in the sweeps, with `bound(K, gap, epsilon, T)` of each."""
    table = tables("full_information")
    rows = table[table["algorithm"] == series]
    columns = [rows[name] for name in AXES]
    return rows.assign(bound=[bound(*values) for values in zip(*columns, strict=True)])


def largest_share(rows: pd.DataFrame) -> float:
    """Largest (mean - z sem)/bound."""
    return float(((rows["mean"] - Z_CLAIM * rows["sem"]) / rows["bound"]).max())


def sweep_points(rows: pd.DataFrame) -> list[pd.DataFrame]:
    """A panel per quantity that varies."""
    return [
        curves(
            group, "value", z=Z_CLAIM, at_most="bound", log="xy", series="best action {best}",
            panel=f"over {AXES[vary]}", axes=(AXES[vary], "regret"),
        )
        for vary, group in rows.groupby("vary", sort=False)
    ]  # fmt: skip


def equal_gaps(arms: int, gap: float) -> np.ndarray:
    return np.array([0.0] + [gap] * (int(arms) - 1))


def beside_runs(rows: pd.DataFrame, proof: str, plots=(), **numbers) -> Finding:
    """A bound that docs/proofs/HU.md proves, beside runs."""
    share = largest_share(rows)
    require_proof(share <= 1, f"{proof}: simulated regret is {share:.4g} of its bound")
    numbers |= {"share": share, "slack": 1 / share, "instances": len(rows)}
    return Finding("holds", numbers, plots or sweep_points(rows))


def rnm_ftnl_regret(tables) -> dict[str, Finding]:
    return {"printed": second_form(tables), "first form": first_form(tables)}


def second_form(tables) -> Finding:
    """Lower bound over printed expression, at equal gaps, as eps falls: no constant is enough."""
    arms, gap = 10, 0.1
    epsilons = np.geomspace(0.1, 1e-6, 21)
    expression = np.log(arms) / gap  # the printed logarithm is ln 1 = 0
    lower = [theory.theorem_l_bound(arms, gap, 2 * e) / expression for e in epsilons]
    upper = [theory.rnm_ftnl_bound(equal_gaps(arms, gap), e, 1e12) / expression for e in epsilons]
    sweep = tables("full_information")
    sweep = sweep[(sweep["vary"] == "epsilon") & (sweep["algorithm"] == PRINTED)]
    sweep = sweep[sweep["best"] == "last"].set_index("value")
    smallest, largest = sweep.index.min(), sweep.index.max()
    numbers = {"arms": arms, "gap": gap, "excess": lower[-1], "at": epsilons[-1]} | {
        "growth": ratio(sweep.loc[smallest], sweep.loc[largest], Z_CLAIM),
        "from": largest,
        "to": smallest,
        "runs_arms": sweep["arms"].iloc[0],
        "runs_gap": sweep["gap"].iloc[0],
    }
    drawn = points(
        epsilons, lower, at_most=100.0, repaired=upper,  # by the first form, which has constants
        panel="lower bound / printed expression, equal gaps",
        axes=("ε", "ratio (a constant, if the claim held)"), log="xy",
    )  # fmt: skip
    return Finding(numbers=numbers, points=drawn)


def first_form(tables) -> Finding:
    rows = swept(
        tables, PRINTED, lambda k, gap, e, t: theory.rnm_ftnl_bound(equal_gaps(k, gap), e, t)
    )
    doubling = tables("conjecture")
    doubling = doubling[doubling["algorithm"] == PRINTED]
    doubling = doubling.assign(bound=doubling["theorem9"])
    drawn = curves(
        doubling, "arms", z=Z_CLAIM, at_most="bound", log="xy",
        series="{instance}, ε = {epsilon_over_gap:g} gap",
        panel="over K (equal and doubling gaps)", axes=("K", "ε × regret"),
    )  # fmt: skip
    plots = [*sweep_points(rows), drawn]
    return beside_runs(pd.concat([rows, doubling]), "Theorem 9, first form", plots)


def corollary_10a(tables) -> Finding:
    rows = swept(tables, PRINTED, lambda k, gap, e, t: 512 * (1 + np.log(k - 1)) / gap + 1)
    return beside_runs(rows[rows["gap"] <= rows["epsilon"]], "Corollary 10(a)")


def corollary_10b(tables) -> Finding:
    return beside_runs(swept(tables, PRINTED, two_brackets), "Corollary 10(b)")


def two_brackets(arms, gap, epsilon, horizon):
    return 512 * (1 + np.log(arms - 1)) / min(gap, epsilon) + 1


def corollary_11(tables) -> Finding:
    rows = swept(tables, PRINTED, lambda k, gap, e, t: theory.corollary_11_bound(k, e, t))
    rate = swept(tables, PRINTED, lambda k, gap, e, t: theory.corollary_11_rate(k, e, t))
    return beside_runs(rows, "Corollary 11", of_rate=largest_share(rate))


def naive_ftnl(tables) -> Finding:
    rows = swept(tables, NAIVE, lambda k, gap, e, t: two_brackets(k, gap, e / k, t))
    return beside_runs(rows, "Corollary 10(b) with ε/K")


def follow_the_leader(tables) -> Finding:
    rows = swept(tables, "ftl", lambda k, gap, e, t: 1 + 4 * (1 + math.log(k)) / gap)
    return beside_runs(rows, "HU-S1-FTL")


def abstract(tables) -> Finding:
    epsilon, rounds = 0.5, 64
    loss, corrected_loss = (
        float(pure_loss(scale / epsilon, 2, rounds, "replace").lower()) for scale in (1, 2)
    )
    before, after = map(tuple, worst_counts(2, rounds, "replace"))
    data = tables("constants")
    phase = data[data["algorithm"] == "rnm-ftnl-phase"]
    numbers = {"epsilon": epsilon, "rounds": rounds, "loss": loss, "share": loss / epsilon}
    numbers |= {"before": before, "after": after}
    numbers |= {"nearest": float((phase["mean"] / phase["upper"]).max())}
    drawn = points(
        ["noise 1/ε, as printed", "noise 2/ε, as corrected"],
        [loss, corrected_loss],
        at_most=[epsilon, math.nan],
        repaired=[math.nan, epsilon],
        axes=("", "certified privacy loss at least, ε = 0.5"),
    )
    require_proof(loss > epsilon, "the counterexample to Theorem 8")
    return Finding("violated", numbers, drawn)


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
    axes = ("K", "Theorem 9's bound / 256 / printed order")
    drawn = points(arms, shares, at_most=1, axes=axes, log="x")
    require_proof(max(shares) <= 1, "HU-S7-bound: the first form exceeds the printed order")
    return Finding("holds", numbers, drawn)


def witness(tables) -> dict[str, Finding]:
    """Theorem 9 over ln K/eps at eps = Delta_min: the second form by the largest gap; the first by
    copies per level, and for K fixed."""

    def discrepancy(counts, arms):  # of actions per level, but for the lowest
        return 1 + sum(1 + math.log(n) for n in counts) / math.log(arms)

    levels, copies = 8, 2 ** np.arange(9)
    curve = [discrepancy([c] * (levels - 1), levels * c + 1) for c in copies]
    axes = ("actions per level", "upper bound / lower bound, up to constants")
    free = points(copies, curve, at_most=curve[0], repaired=levels, axes=axes, log="x")
    arms = 9
    divisions = {
        n: max(discrepancy(c, arms) for c in compositions(arms - 2, n)) for n in range(1, 8)
    }
    most = discrepancy([1] * (arms - 2), arms)
    require_proof(max(divisions.values()) <= most, "HU-S7-witness, K fixed: copies add more")
    axes = ("levels above the lowest", "largest upper bound / lower bound")
    fixed = points(list(divisions), list(divisions.values()), at_most=most, axes=axes)
    largest = 2.0 ** np.arange(-levels, 1)  # gaps, of which the least is 2^-levels
    second = 1 + np.log(largest / largest[0])
    axes = ("largest gap", "upper bound / lower bound")
    drawn = points(largest, second, at_most=second[-1], axes=axes, log="x")
    numbers = {"levels": levels, "largest": second[-1]}
    return {
        "printed": Finding(numbers=numbers, points=drawn),
        "first form": Finding(points=free),
        "K fixed": Finding("holds", {"most": most}, fixed),
    }


def compositions(total: int, parts: int):
    """The ways to write `total` as a sum of at most so many parts, each at least 1, in order."""
    yield (total,)
    if parts > 1:
        for first in range(1, total):
            for rest in compositions(total - first, parts - 1):
                yield (first, *rest)
