"""HU's regret bounds of RNM-FTNL: Theorem 9, its corollaries, the naive FTNL, the abstract."""

import math

import numpy as np
import pandas as pd

from dpbandits.audit.rnm import pure_loss, worst_counts
from dpbandits.core.claims import Finding
from dpbandits.core.points import curves, points
from dpbandits.stochastic import optimal_rate, theory
from dpbandits.stochastic.readings import Z_CLAIM, ratio
from dpbandits.stochastic.studies.conjecture import conjecture_gaps

PRINTED, NAIVE = "rnm-ftnl", "ftnl"  # the series that the statements of Section 5 are about
AXES = {"arms": "K", "gap": "gap", "epsilon": "ε", "horizon": "T"}


def sweeps(tables, series: str, bound, keep=lambda row: True) -> pd.DataFrame:
    """One series over the swept instances, with what is allowed at each row's coordinates."""
    table = tables("full_information")
    rows = [row for _, row in table[table["algorithm"] == series].iterrows() if keep(row)]
    allowed = [bound(r["arms"], r["gap"], r["epsilon"], r["horizon"]) for r in rows]
    return pd.DataFrame(rows).assign(bound=allowed)


def worst(rows: pd.DataFrame) -> float:
    """Largest (mean - z sem)/bound."""
    return float(((rows["mean"] - Z_CLAIM * rows["sem"]) / rows["bound"]).max())


def sweep_points(rows: pd.DataFrame):
    for vary, own in rows.groupby("vary", sort=False):
        look = {"panel": f"over {AXES[vary]}", "axes": (AXES[vary], "regret"), "log": "xy"}
        look |= {"series": "best action {best}", "at_most": "bound"}
        yield curves(own, "value", z=Z_CLAIM, **look)


def equal_gaps(arms: int, gap: float) -> np.ndarray:
    return np.array([0.0] + [gap] * (int(arms) - 1))


def beside_runs(rows: pd.DataFrame, plots=(), **numbers) -> Finding:
    """A proved bound; untestable if runs contradict it: then the proof or the engine is wrong."""
    share = worst(rows)
    numbers |= {"share": share, "slack": 1 / share, "instances": len(rows)}
    plots = tuple(plots or sweep_points(rows))
    return Finding("holds" if share <= 1 else "untestable", numbers, plots)


def rnm_ftnl_regret(tables) -> dict[str, Finding]:
    return {"printed": second_form(tables), "first form": first_form(tables)}


def second_form(tables) -> Finding:
    """Lower bound over printed expression, at equal gaps, as eps falls: no constant is enough."""
    arms, gap = 10, 0.1
    scan = np.geomspace(0.1, 1e-6, 21)
    expression = np.log(arms) / gap  # the printed logarithm is ln 1 = 0
    low = [optimal_rate.private_lower_bound(arms, gap, 2 * e) / expression for e in scan]
    true = [theory.rnm_ftnl_bound(equal_gaps(arms, gap), e, 1e12) / expression for e in scan]
    sweep = tables("full_information")
    sweep = sweep[(sweep["vary"] == "epsilon") & (sweep["algorithm"] == PRINTED)]
    sweep = sweep[sweep["best"] == "last"].set_index("value")
    smallest, largest = sweep.index.min(), sweep.index.max()
    numbers = {"arms": arms, "gap": gap, "excess": low[-1], "at": scan[-1]} | {
        "growth": ratio(sweep.loc[smallest], sweep.loc[largest], Z_CLAIM),
        "from": largest,
        "to": smallest,
        "runs_arms": sweep["arms"].iloc[0],
        "runs_gap": sweep["gap"].iloc[0],
    }
    drawn = points(
        scan, low, at_most=100.0, repaired=true,  # by the first form, which has the constants
        panel="lower bound / printed expression, equal gaps",
        axes=("ε", "ratio (a constant, if the claim held)"), log="xy",
    )  # fmt: skip
    return Finding(numbers=numbers, points=drawn)


def first_form(tables) -> Finding:
    bound = lambda k, gap, e, t: theory.rnm_ftnl_bound(equal_gaps(k, gap), e, t)  # noqa: E731
    rows = sweeps(tables, PRINTED, bound)
    doubling = tables("conjecture")
    doubling = doubling[doubling["algorithm"] == PRINTED]
    doubling = doubling.assign(bound=doubling["theorem9"])
    doubled = curves(
        doubling, "arms", z=Z_CLAIM, at_most="bound", log="xy",
        series="{instance}, ε = {epsilon_over_gap:g} gap",
        panel="over K (equal and doubling gaps)", axes=("K", "ε × regret"),
    )  # fmt: skip
    return beside_runs(pd.concat([rows, doubling]), (*sweep_points(rows), doubled))


def corollary_10a(tables) -> Finding:
    bound = lambda k, gap, e, t: 512 * (1 + np.log(k - 1)) / gap + 1  # noqa: E731
    return beside_runs(sweeps(tables, PRINTED, bound, lambda row: row["gap"] <= row["epsilon"]))


def corollary_10b(tables) -> Finding:
    return beside_runs(sweeps(tables, PRINTED, one_bracket))


def one_bracket(arms, gap, epsilon, horizon):
    return 512 * (1 + np.log(arms - 1)) / min(gap, epsilon) + 1


def corollary_11(tables) -> Finding:
    bound = lambda k, gap, e, t: theory.corollary_11_bound(k, e, t)  # noqa: E731
    rate = lambda k, gap, e, t: theory.corollary_11_rate(k, e, t)  # noqa: E731
    of_rate = worst(sweeps(tables, PRINTED, rate))
    return beside_runs(sweeps(tables, PRINTED, bound), of_rate=of_rate)


def naive_ftnl(tables) -> Finding:
    bound = lambda k, gap, e, t: one_bracket(k, gap, e / k, t)  # noqa: E731
    return beside_runs(sweeps(tables, NAIVE, bound))


def abstract(tables) -> Finding:
    epsilon, rounds = 0.5, 64
    loss, mended = (
        float(pure_loss(scale / epsilon, 2, rounds, "replace").lower()) for scale in (1, 2)
    )
    before, after = map(tuple, worst_counts(2, rounds, "replace"))
    data = tables("constants")
    phase = data[data["algorithm"] == "rnm-ftnl-phase"]
    numbers = {"epsilon": epsilon, "rounds": rounds, "loss": loss, "share": loss / epsilon}
    numbers |= {"before": before, "after": after}
    numbers |= {"nearest": float((phase["mean"] / phase["upper"]).max())}
    drawn = points(
        ["noise 1/ε, as printed", "noise 2/ε, as corrected"], [loss, mended],
        at_most=[epsilon, math.nan], repaired=[math.nan, epsilon],
        axes=("", "certified privacy loss at least, ε = 0.5"),
    )  # fmt: skip
    return Finding("violated" if loss > epsilon else "untestable", numbers, drawn)


def doubling_bound(tables) -> Finding:
    """Theorem 9's first form over the printed order, at the shortest T that matters."""
    arms, share = np.arange(4, 53, 4), []
    for k in arms:
        gaps = conjecture_gaps("doubling", int(k))
        epsilon, horizon = gaps[1], gaps[1] ** -2.0
        printed = np.log(k) / gaps[1] + np.log(k) * np.log(horizon) / epsilon
        share.append(theory.rnm_ftnl_bound(gaps, epsilon, horizon) / 256 / printed)
    numbers = {"least_arms": arms[0], "most_arms": arms[-1], "first": share[0], "last": share[-1]}
    axes = ("K", "Theorem 9's bound / 256 / printed order")
    drawn = points(arms, share, at_most=1, axes=axes, log="x")
    return Finding("holds" if max(share) <= 1 else "untestable", numbers, drawn)
