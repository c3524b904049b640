"""kl/delta_curves: exact delta(eps) beside the theorems' pairs."""

import numpy as np
import pandas as pd
from pydantic import Field

from dpbandits.core.algorithms import study
from dpbandits.core.models import Model
from dpbandits.offline import theory
from dpbandits.offline.bandit.loss import exact_loss
from dpbandits.offline.engine.worst import Worst
from dpbandits.offline.linear.loss import LinearAudit
from dpbandits.offline.preference.loss import PreferenceAudit
from dpbandits.offline.problem import (
    BanditData,
    Preferences,
)


class DeltaCurves(Model):
    eta: float = Field(0.01, gt=0)
    points: int = Field(60, ge=2)


@study("kl/delta_curves", params=DeltaCurves)
def delta_curves(params: DeltaCurves) -> pd.DataFrame:
    """Exact delta(eps) beside the theorems' pairs, on the data sets of the counterexamples."""
    cases = (_covered_leader, _rare_leader, _linear_tie, _even_labels)
    return pd.concat([case(params) for case in cases], ignore_index=True)


def _table(case, levels, exact, bounds) -> pd.DataFrame:
    theorem = pd.DataFrame([{"epsilon": b.epsilon, "delta": min(1.0, b.delta)} for b in bounds])
    theorem = theorem[(theorem["epsilon"] <= levels.max()) & (theorem["delta"] < 1)]
    both = [
        pd.DataFrame({"epsilon": levels, "delta": exact}).assign(quantity="exact"),
        theorem.sort_values("epsilon").assign(quantity="theorem"),
    ]
    return pd.concat(both).assign(case=case)[["case", "quantity", "epsilon", "delta"]]


def _bandit_case(case, counts, wins, beta0, params) -> pd.DataFrame:
    wins = np.array(wins, float)
    counts = np.array(counts)
    data = BanditData(counts, wins, (wins == counts) * 1.0, (wins > 0) * 1.0)
    levels = np.linspace(0, 12, params.points)
    exact = exact_loss(data, params.eta, beta0, at_epsilon=levels).delta
    bounds = [
        theory.theorem1_approx(len(counts), counts.max(), params.eta, beta0, n0)
        for n0 in np.geomspace(1, counts.max(), 200)
    ]
    return _table(case, levels, list(exact.values()), bounds)


def _covered_leader(params) -> pd.DataFrame:
    """The best-looking arm is the best covered one."""
    return _bandit_case("bandit, covered leader", [10000, 300], [5000, 165], 1.2, params)


def _rare_leader(params) -> pd.DataFrame:
    """KL-T1-approx's counterexample."""
    return _bandit_case("bandit, rare leader", [2, 10000], [2, 0], 1.2, params)


def _linear_tie(params) -> pd.DataFrame:
    """KL-T2-approx's counterexample."""
    eta = params.eta / 10
    features, rewards = np.ones((99, 1)), (np.arange(99) < 10) * 1.0
    actions = np.array([[1.0], [0.0]])
    audit = LinearAudit(features, rewards, actions, eta=eta, beta0=1.0, penalty=1.0)
    levels = np.linspace(0, 12, params.points)
    worst = Worst(levels)
    audit.removals(worst)
    bounds = [
        theory.theorem2_approx(2, 99, 1, 100.0, 0.0, eta, 1.0, lambda0)
        for lambda0 in np.geomspace(100, 1e5, 200)
    ]
    return _table("linear, tie with the null action", levels, list(worst.delta.values()), bounds)


def _even_labels(params) -> pd.DataFrame:
    """KL-T3-approx's counterexample."""
    signed = np.repeat([[2.0], [-2.0]], 10, axis=0)
    actions = np.array([[1.0], [-1.0]])
    audit = PreferenceAudit(
        Preferences(signed), actions, eta=params.eta, beta0=4.0, penalty=1.0, radius=0.2
    )
    levels = np.linspace(0, 20, params.points)
    worst = Worst(levels)
    audit.flips(worst)
    bounds = [
        theory.theorem3_approx(2, 81.0, 1.0, 1 / 9, params.eta, 4.0, 0.2, lambda0)
        for lambda0 in np.geomspace(1.01, 81, 200)
    ]
    return _table("RLHF, even labels (flips)", levels, list(worst.delta.values()), bounds)
