"""Studies over families of instances: full information, Section 7's conjecture, all bounds."""

from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from dpbandits.core.algorithms import run, study
from dpbandits.core.models import Model
from dpbandits.stochastic import theory

Counts = tuple[Annotated[int, Field(ge=2)], ...]
Positives = tuple[Annotated[float, Field(gt=0)], ...]
Seeds = Annotated[int, Field(ge=2)]

FULL_INFORMATION = {
    "rnm-ftnl": ("rnm-ftnl", {"variant": "printed"}),
    "rnm-ftnl-corrected": ("rnm-ftnl", {"variant": "corrected"}),
    "ftnl": ("ftnl", {}),
    "ftl": ("ftl", {}),
}


def mean_with_band(values: np.ndarray) -> dict[str, float]:
    """Mean over seeds with its standard error and 95% t band, as in tables of experiments."""
    from scipy.special import stdtrit

    n = len(values)
    mean, sem = float(values.mean()), float(values.std(ddof=1) / np.sqrt(n))
    half = sem * float(stdtrit(n - 1, 0.975))
    return {"runs": n, "mean": mean, "sem": sem, "low": mean - half, "high": mean + half}


def regret_at_horizon(series: str, means, epsilon: float, horizon: int, seeds: int) -> np.ndarray:
    """Regret at the horizon per seed of one of the full-information algorithms."""
    name, extra = FULL_INFORMATION[series]
    epsilon = epsilon if name != "ftl" else np.inf
    setting = {"means": list(means), **extra}
    return run(name, setting, epsilon, horizon, range(seeds), [horizon]).regret[:, 0]


class FullInformation(Model):
    """One quantity varies at a time, the others stay at the base values."""

    arms: Counts
    gap: Positives
    epsilon: Positives
    horizon: Counts
    base: dict[str, float]
    seeds: Seeds


@study("hu/full_information", params=FullInformation)
def full_information(params: FullInformation) -> pd.DataFrame:
    """Equal gaps: one action with mean 0.5 + gap (first or last), the others 0.5."""
    rows = []
    for vary in ("arms", "gap", "epsilon", "horizon"):
        for value in getattr(params, vary):
            point = {**params.base, vary: value}
            arms, horizon = int(point["arms"]), int(point["horizon"])
            for series in FULL_INFORMATION:
                for best, place in (("first", 0), ("last", arms - 1)):
                    means = theory.packing_instance(arms, point["gap"], place)
                    regret = regret_at_horizon(
                        series, means, point["epsilon"], horizon, params.seeds
                    )
                    labels = {"vary": vary, "value": value, "algorithm": series, "best": best}
                    rows.append({**labels, **mean_with_band(regret)})
    return pd.DataFrame(rows)


class Conjecture(Model):
    """Instances of Section 7 with Delta_min = 2^-(K-1), so that the largest gap is 1/2."""

    arms: Counts
    epsilon_over_gap: Positives  # eps = this times Delta_min
    beyond: Annotated[float, Field(ge=1)]  # the horizon is this times 1/(eps Delta_min)
    seeds: Seeds


def conjecture_gaps(kind: str, arms: int) -> np.ndarray:
    """Delta_j = Delta_min 2^(j-2) for j = 2..K (doubling), or all Delta_min (equal)."""
    smallest = 2.0 ** -(arms - 1)
    powers = np.arange(arms - 1) if kind == "doubling" else np.zeros(arms - 1)
    return np.concatenate([[0.0], smallest * 2.0**powers])


@study("hu/conjecture", params=Conjecture)
def conjecture(params: Conjecture) -> pd.DataFrame:
    """eps x regret of RNM-FTNL over K, best action last, best mean 3/4."""
    rows = []
    for kind in ("doubling", "equal"):
        for arms in params.arms:
            gaps = conjecture_gaps(kind, arms)
            means = (0.75 - gaps)[::-1]
            for ratio in params.epsilon_over_gap:
                epsilon = ratio * gaps[1]
                horizon = int(min(2.0**52, params.beyond / (epsilon * gaps[1])))
                for series in ("rnm-ftnl", "rnm-ftnl-corrected"):
                    regret = regret_at_horizon(series, means, epsilon, horizon, params.seeds)
                    labels = {"instance": kind, "arms": arms, "epsilon_over_gap": ratio}
                    labels |= {"algorithm": series, "horizon": horizon}
                    labels["theorem9"] = epsilon * theory.rnm_ftnl_bound(gaps, epsilon, horizon)
                    rows.append({**labels, **mean_with_band(epsilon * regret)})
    return pd.DataFrame(rows)


class LowerBound(Model):
    """The packing class of Theorem 12."""

    arms: Counts
    gap: Positives
    epsilon: Positives
    seeds: Seeds


@study("hu/lower_bound", params=LowerBound)
def lower_bound(params: LowerBound) -> pd.DataFrame:
    """The largest regret over the K packing instances at the smallest T of Theorem 12.

    RNM-FTNL treats its actions alike after round 1, so all instances with the best action not first
    have one law of regret: the class has two members to simulate, the largest mean is the maximum.
    """
    rows = []
    for arms in params.arms:
        for gap in params.gap:
            for epsilon in params.epsilon:
                needed = max(
                    theory.lower_bound_rounds(arms, gap, epsilon), np.log(arms) / (16 * gap**2)
                )
                horizon = int(np.ceil(needed))
                for series in ("rnm-ftnl-corrected", "ftnl", "rnm-ftnl"):
                    regrets = [
                        regret_at_horizon(
                            *(series, theory.packing_instance(arms, gap, best)),
                            *(epsilon, horizon, params.seeds),
                        )
                        for best in (0, arms - 1)
                    ]
                    worst = max(regrets, key=np.mean)
                    labels = {"arms": arms, "gap": gap, "epsilon": epsilon, "algorithm": series}
                    labels |= {
                        "horizon": horizon,
                        "best": "last" if worst is regrets[1] else "first",
                    }
                    labels["private_bound"] = theory.private_lower_bound(arms, epsilon)
                    labels["sampling_bound"] = theory.sampling_lower_bound(arms, gap)
                    rows.append({**labels, **mean_with_band(worst)})
    return pd.DataFrame(rows)


class Bounds(Model):
    """Theorems 3 and 5 over the horizon."""

    settings: dict[str, tuple[float, ...]]
    epsilon: Positives
    horizon: Annotated[int, Field(ge=100)]
    points: Annotated[int, Field(ge=2)] = 40


@study("hu/bounds", params=Bounds)
def bounds(params: Bounds) -> pd.DataFrame:
    """The explicit bounds of Theorems 3 and 5 at log-spaced horizons."""
    rows = []
    for setting, means in params.settings.items():
        gaps = max(means) - np.array(means)
        for epsilon in params.epsilon:
            for t in np.unique(np.geomspace(10, params.horizon, params.points).round()):
                labels = {"setting": setting, "epsilon": epsilon, "t": int(t)}
                ucb = theory.lazy_ucb_bound(gaps, epsilon, t)
                ts = theory.lazy_ts_bound(means, epsilon, t)
                rows.append({**labels, "algorithm": "anytime-lazy-ucb", "bound": ucb})
                rows.append({**labels, "algorithm": "lazy-dp-ts", "bound": ts})
    return pd.DataFrame(rows)
