"""kl/utility_vs_privacy: reward and J at equal exact privacy, beside injected noise."""

import numpy as np
import pandas as pd
from pydantic import Field

from dpbandits.core.divergences import log_normalise
from dpbandits.core.models import Model
from dpbandits.core.streams import Streams, key_of
from dpbandits.offline.losses.preference import PreferenceAudit
from dpbandits.offline.problem import bandit_policy, objective, uniform_reference
from dpbandits.reproduction.kl import rivals
from dpbandits.reproduction.kl.draws import circle, draw_bandit, draw_preferences
from dpbandits.reproduction.kl.preference_perturbation import ObjectivePerturbation
from dpbandits.reproduction.statistics import NORMAL_95
from dpbandits.reproduction.studies import study


class UtilityVsPrivacy(Model):
    n: int = Field(200, gt=1)
    actions: int = Field(5, ge=2)
    coverage: float = Field(0.5, gt=0, le=1)
    gap: float = Field(0.1, gt=0, lt=1)  # of the best arm's mean above all others
    beta0: float = Field(1.0, ge=0)
    preferences: int = Field(200, gt=1)
    epsilon: tuple[float, ...] = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
    objective_eta: float = Field(0.05, gt=0)  # the eta of J(pi), the same for all mechanisms
    levels: int = Field(40, ge=5)  # noise levels tried per mechanism
    draws: int = Field(20, ge=1)


@study("kl/utility_vs_privacy", params=UtilityVsPrivacy)
def utility_vs_privacy(params: UtilityVsPrivacy) -> pd.DataFrame:
    """Expected true reward of the sampled action at the same exact pure loss.
    Each mechanism takes its best noise level whose exact loss on the data set meets the target.
    `paired`: the standard error of its difference from the problem's first mechanism, on the same
    data sets."""
    rows = []
    for problem, mechanisms in (("bandit", _bandit), ("RLHF", _preferences)):
        for draw in range(params.draws):
            generator = Streams(key_of("kl/utility", problem), (draw,)).generator(0)
            means, levels = mechanisms(params, generator)
            gains = {name: _gains(level, means, params) for name, level in levels.items()}
            first = next(iter(gains.values()))
            rows += [
                (problem, name, *key, gain, gain - first.get(key, np.nan))
                for name, own in gains.items()
                for key, gain in own.items()
            ]
    columns = ["problem", "mechanism", "measure", "epsilon", "utility", "less"]
    keys = ["problem", "measure", "mechanism", "epsilon"]
    grouped = pd.DataFrame(rows, columns=columns).groupby(keys)
    table = grouped.agg(
        mean=("utility", "mean"), sem=("utility", "sem"), data_sets=("utility", "count"),
        paired=("less", "sem"),
    ).reset_index()  # fmt: skip
    table["low"] = table["mean"] - NORMAL_95 * table["sem"]
    table["high"] = table["mean"] + NORMAL_95 * table["sem"]
    return table


def _gains(levels, means, params) -> dict[tuple[str, float], float]:
    """The largest expected reward and J of one mechanism on one data set over its levels whose
    exact loss is at most each epsilon asked for, where there are any."""
    losses, policies = map(np.array, zip(*levels, strict=True))
    reference = uniform_reference(len(means))
    measures = {
        "reward": np.exp(policies) @ means,
        "J": objective(policies, means, reference, params.objective_eta),
    }
    return {
        (measure, epsilon): values[losses <= epsilon].max()
        for measure, values in measures.items()
        for epsilon in params.epsilon
        if (losses <= epsilon).any()
    }


def contest(actions: int, gap: float) -> np.ndarray:
    """The means of a bandit whose middle arm leads."""
    means = np.full(actions, 0.5 - gap / 2)
    means[actions // 2] += gap
    return means


def _bandit(params, generator):
    """(true means, mechanism -> (loss, policy) at each of its levels)"""
    means = contest(params.actions, params.gap)
    data = draw_bandit(params.n, means, params.coverage, generator)
    etas = np.geomspace(1e-3, 30, params.levels) * 0.3
    levels = {}
    for beta0, name in ((params.beta0, "KL, pessimistic"), (0.0, "KL, β₀ = 0 (exponential)")):
        losses = rivals.exact_losses(data, etas, beta0)
        levels[name] = zip(losses, bandit_policy(data, etas[:, None], beta0), strict=True)
    noises = np.geomspace(0.05, 200, params.levels)
    noisy = [rivals.bandit_loss(data, rivals.laplace_policy, noise) for noise in noises]
    return means, levels | {"Laplace means, argmax": noisy}


def _preferences(params, generator):
    """The same for RLHF."""
    duels = PreferenceContest(max(3, params.actions), params.preferences, generator)
    scores, etas = duels.scores(params.beta0), np.geomspace(1e-3, 10, params.levels)
    tempered = [rivals.loss_of_first(log_normalise(scores / eta)) for eta in etas]
    return duels.means, {"KL": tempered, "objective perturbation": duels.perturbed(params.levels)}


class PreferenceContest:
    """Dimension 2, actions all round the circle, the true reward along the first of them."""

    def __init__(self, actions: int, n: int, generator):
        self.angles, self.actions = circle(actions)
        theta = np.array([0.5, 0.0])
        self.means = self.actions @ theta
        self.data = draw_preferences(n, theta, 1.0, generator)
        # Neighbours: all removals (-1), and additions (+1) on a grid of differences.
        removed = np.unique(self.data.signed, axis=0)
        added = np.concatenate([2.0 * circle(24)[1], circle(8)[1]])
        self.records = np.concatenate([removed, added])
        self.signs = np.repeat([-1.0, 1.0], [len(removed), len(added)])

    def audit(self, beta0: float) -> PreferenceAudit:
        configuration = {"eta": 1.0, "beta0": beta0, "penalty": 1.0, "radius": 3.0}
        return PreferenceAudit(self.data, self.actions, **configuration)

    def scores(self, beta0: float) -> np.ndarray:
        """Of the data, then of each neighbour: ln pi at eta = 1 and a uniform reference."""
        audit = self.audit(beta0)
        changed = audit.changed(self.records[:, None, :], self.signs[:, None])
        return np.vstack([audit.log_pi, changed])

    def perturbed(self, levels: int):
        """(loss, policy) of objective perturbation at each level of noise."""
        rival = ObjectivePerturbation(self.data.signed, self.angles)
        noises = np.geomspace(0.1, 300, levels)
        return [rival.loss(noise, self.records, self.signs) for noise in noises]
