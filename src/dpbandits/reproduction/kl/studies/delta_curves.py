"""kl/delta_curves: exact delta(eps) beside the theorems' pairs."""

import numpy as np
import pandas as pd
from pydantic import Field

from dpbandits.core.models import Model
from dpbandits.offline import theory
from dpbandits.offline.losses.bandit import exact_loss
from dpbandits.offline.losses.linear import LinearAudit
from dpbandits.offline.losses.preference import PreferenceAudit
from dpbandits.offline.problem import Preferences
from dpbandits.reproduction.kl import corollaries
from dpbandits.reproduction.kl import theory as claimed
from dpbandits.reproduction.kl.draws import data_of_wins
from dpbandits.reproduction.studies import study


class DeltaCurves(Model):
    eta: float = Field(0.01, gt=0)
    points: int = Field(60, ge=2)


@study("kl/delta_curves", params=DeltaCurves)
def delta_curves(params: DeltaCurves) -> pd.DataFrame:
    """Weak pessimism, where the printed pairs fail, and strong, where the repaired ones speak."""
    eta, points = params.eta, params.points
    return pd.concat(
        [
            _bandit("covered leader", [10000, 300], [5000, 165], 1.2, eta, points),
            _bandit("rare leader", [2, 10000], [2, 0], 1.2, eta, points),
            _bandit("strong pessimism", [6, 10000], [6, 0], 5.0, 5 * eta, points),
            _linear("tie with the null action", 10, 1.0, eta / 10, points),
            _linear("strong pessimism", 99, 11.0, eta, points),
            _preferences("even labels (flips)", 10, [[1.0], [-1.0]], 4.0, eta, points),
            _preferences("strong pessimism (flips)", 12, [[1.0], [0.0]], 2.2, eta, points),
        ],
        ignore_index=True,
    )


def _bandit(case, counts, wins, beta0, eta, points) -> pd.DataFrame:
    """Arms with that many records of rewards 0 and 1, and that many rewards 1 among them."""
    data = data_of_wins(np.array(counts), np.array(wins))
    most, levels = max(counts), np.linspace(0, 12, points)
    exact = exact_loss(data, eta, beta0, at_epsilon=levels).delta
    thresholds = np.geomspace(1, most, 200)
    printed = [claimed.theorem1_approx(len(counts), most, eta, beta0, n0) for n0 in thresholds]
    allowed = levels[levels >= corollaries.bandit_step(most, eta, beta0)]
    corrected = [corollaries.corrected_theorem1_approx(most, eta, beta0, e) for e in allowed]
    case = f"bandit, {case}; N = {', '.join(map(str, counts))}"
    return _table(exact, printed, corrected, case=case, beta0=beta0, eta=eta)


def _linear(case, wins, beta0, eta, points) -> pd.DataFrame:
    """99 records of phi = 1; actions phi = 1 and the null action."""
    features, rewards = np.ones((99, 1)), (np.arange(99) < wins) * 1.0
    actions = np.array([[1.0], [0.0]])
    audit = LinearAudit(features, rewards, actions, eta=eta, beta0=beta0, penalty=1.0)
    exact = audit.worst(("remove",), np.linspace(0, 12, points)).delta
    printed = [
        claimed.theorem2_approx(claimed.Coverage(2, 0.0, lambda0), 99, 1, 100.0, eta, beta0)
        for lambda0 in np.geomspace(100, 1e5, 200)
    ]
    sets = theory.linear_sets(actions, audit.inverse, audit.log_reference)
    corrected = [
        theory.corrected_theorem2_approx(chosen, 99, 100.0, 1.0, eta, beta0) for chosen in sets
    ]
    case = f"linear, {case}; {wins} of 99 rewards 1, λ = 1"
    return _table(exact, printed, corrected, case=case, beta0=beta0, eta=eta)


def _preferences(case, won, actions, beta0, eta, points) -> pd.DataFrame:
    """20 records of difference 2, some won; B = 1/5."""
    data = Preferences(np.repeat([[2.0], [-2.0]], [won, 20 - won], axis=0))
    configuration = {"eta": eta, "beta0": beta0, "penalty": 1.0, "radius": 0.2}
    audit = PreferenceAudit(data, np.array(actions), **configuration)
    exact = audit.worst(("flip",), np.linspace(0, 20, points)).delta
    narrow = float(np.sqrt(audit.squares.min()))
    printed = [
        claimed.theorem3_approx(claimed.Coverage(2, narrow, lambda0), 81.0, 1.0, eta, beta0, 0.2)
        for lambda0 in np.geomspace(1.01, 2000, 200)
    ]
    forms = audit.inverse, np.array([[1 / 80]])
    sets = theory.preference_sets(audit.actions, *forms, audit.log_reference)
    corrected = [
        theory.corrected_theorem3_approx(chosen, 81.0, 1.0, eta, beta0, 0.2) for chosen in sets
    ]
    case = f"RLHF, {case}; {won} of 20 labels 1, B = 0.2, λ = 1"
    return _table(exact, printed, corrected, case=case, beta0=beta0, eta=eta)


def _table(exact: dict, printed, corrected, **case) -> pd.DataFrame:
    """Of the corrected bounds (theory.py) the least delta up to each eps."""
    levels = np.array(list(exact))
    theorem, steps = _pairs(printed, levels[-1]), _pairs(corrected, levels[-1])
    least = [steps["delta"][steps["epsilon"] <= e].min() for e in levels]
    parts = [
        pd.DataFrame({"epsilon": levels, "delta": list(exact.values())}).assign(quantity="exact"),
        theorem[theorem["delta"] < 1].assign(quantity="theorem"),
        pd.DataFrame({"epsilon": levels, "delta": least}).dropna().assign(quantity="repaired"),
    ]
    return pd.concat(parts).assign(**case)[[*case, "quantity", "epsilon", "delta"]]


def _pairs(bounds, most: float) -> pd.DataFrame:
    """(eps, delta) of bounds whose eps is at most this, in the order of eps."""
    pairs = [{"epsilon": float(b.epsilon), "delta": min(1.0, float(b.delta))} for b in bounds]
    table = pd.DataFrame(pairs, columns=["epsilon", "delta"]).sort_values("epsilon")
    return table[table["epsilon"] <= most]
