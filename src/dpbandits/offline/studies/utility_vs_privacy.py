"""kl/utility_vs_privacy: reward and J at equal exact privacy, beside injected noise."""

import numpy as np
import pandas as pd
from pydantic import Field

from dpbandits.core.algorithms import study
from dpbandits.core.divergences import log_normalise, pure_epsilon
from dpbandits.core.models import Model
from dpbandits.core.streams import Streams, key_of
from dpbandits.offline import rivals
from dpbandits.offline.bandit.loss import exact_losses
from dpbandits.offline.bandit.pessimistic_mab import bandit_policy
from dpbandits.offline.preference.loss import PreferenceAudit
from dpbandits.offline.preference.perturbation import ObjectivePerturbation
from dpbandits.offline.problem import (
    circle,
    draw_bandit,
    draw_preferences,
    objective,
    uniform_reference,
)


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
    """
    found = []
    for problem, curves in (("bandit", _bandit_curves), ("RLHF", _preference_curves)):
        for draw in range(params.draws):
            generator = Streams(key_of("kl/utility", problem), (draw,)).generator(0)
            for name, (losses, policies, means) in curves(params, generator).items():
                found += _gains(problem, name, losses, policies, means, params)
    keys = ["problem", "measure", "mechanism", "epsilon"]
    grouped = pd.DataFrame(found).groupby(keys)["utility"]
    table = grouped.agg(mean="mean", sem="sem", data_sets="count").reset_index()
    table["low"] = table["mean"] - 1.96 * table["sem"]
    table["high"] = table["mean"] + 1.96 * table["sem"]
    return table


def _gains(problem, name, losses, policies, means, params) -> list[dict]:
    """Expected reward and J of one mechanism on one data set, at each privacy asked for."""
    log_pi = np.array(policies)
    reference = uniform_reference(len(means))
    measures = {
        "reward": np.exp(log_pi) @ means,
        "J": objective(log_pi, means, reference, params.objective_eta),
    }
    return [
        {"problem": problem, "measure": measure, "mechanism": name, "epsilon": e, "utility": u}
        for measure, values in measures.items()
        for e in params.epsilon
        if np.isfinite(u := _best_within(losses, values, e))
    ]


def _best_within(losses, utilities, target) -> float:
    """The largest utility over noise levels whose exact loss is at most the target, else -inf."""
    return np.max(utilities, where=np.asarray(losses) <= target, initial=-np.inf)


def contest(actions: int, gap: float) -> np.ndarray:
    """The means of a bandit whose middle arm leads."""
    means = np.full(actions, 0.5 - gap / 2)
    means[actions // 2] += gap
    return means


def _bandit_curves(params, generator):
    means = contest(params.actions, params.gap)
    data = draw_bandit(params.n, means, params.coverage, generator)
    noises = np.geomspace(1e-3, 30, params.levels)
    curves = {}
    for beta0, name in ((params.beta0, "KL, pessimistic"), (0.0, "KL, β₀ = 0 (exponential)")):
        etas = noises * 0.3
        curves[name] = (exact_losses(data, etas, beta0)[0],
                        bandit_policy(data, etas[:, None], beta0), means)  # fmt: skip
    for name, policy, grid in (
        ("Laplace means, argmax", rivals.laplace_policy, np.geomspace(0.05, 200, params.levels)),
        ("greedy and uniform mixed", rivals.mixture_policy, np.geomspace(1e-4, 1, params.levels)),
    ):
        curves[name] = *rivals.bandit_losses(data, policy, grid), means
    return curves


def _preference_curves(params, generator):
    """Dimension 2, actions all round the circle, the true reward along the first of them."""
    angles, actions = circle(max(3, params.actions))
    theta = np.array([0.5, 0.0])
    data = draw_preferences(params.preferences, theta, 1.0, generator)
    means, (changes, signs) = actions @ theta, preference_neighbours(data)
    # At eta = 1 and a uniform reference ln pi is the score; eta only divides it.
    audit = PreferenceAudit(data, actions, eta=1.0, beta0=params.beta0, penalty=1.0, radius=3.0)
    scores = np.vstack([audit.log_pi, audit.changed(changes[:, None, :], signs[:, None])])
    rival = ObjectivePerturbation(data.signed, angles)
    laws = [log_normalise(scores / eta) for eta in np.geomspace(1e-3, 10, params.levels)]
    losses = [pure_epsilon(law[0], law[1:]).max() for law in laws]
    noises = np.geomspace(0.1, 300, params.levels)
    noisy = [rival.loss(noise, changes, signs) for noise in noises]
    return {
        "KL": (losses, [law[0] for law in laws], means),
        "objective perturbation": (*zip(*noisy, strict=True), means),
    }


def preference_neighbours(data) -> tuple[np.ndarray, np.ndarray]:
    """(records, -1: removed, 1: added): all removals, and additions on a grid of differences."""
    distinct = np.unique(data.signed, axis=0)
    added = np.concatenate([2.0 * circle(24)[1], circle(8)[1]])
    return np.concatenate([distinct, added]), np.repeat([-1.0, 1.0], [len(distinct), len(added)])
