"""kl/choice: which mechanism at a wanted exact loss, each tuned on the data by the estimated J.

Every mechanism is a family of configurations: (eta, beta0) of the regularised policy, the level of
an injected noise; all may also play pi0, at no loss. Among those whose exact pure loss on the data
set is at most epsilon the one of the highest J under the estimated rewards is taken. `share` is the
true J gained over pi0 in units of the most that any policy gains. The choice looks at the data: it
is no release of its own.
Mixing the greedy arm with a uniform one is left out, here and in kl/utility_vs_privacy: its loss on
a data set whose leader no record can change is 0 at any share, which promises nothing elsewhere.
"""

from itertools import product
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field
from scipy.special import logsumexp

from dpbandits.core.divergences import log_normalise
from dpbandits.core.models import Model
from dpbandits.core.streams import Streams, key_of
from dpbandits.offline.losses.linear import LinearAudit
from dpbandits.offline.problem import bandit_policy, objective, uniform_reference
from dpbandits.reproduction.kl import rivals
from dpbandits.reproduction.kl.draws import circle, draw_bandit, draw_linear
from dpbandits.reproduction.kl.linear_perturbation import PerturbedRidge
from dpbandits.reproduction.kl.studies.utility_vs_privacy import PreferenceContest, contest
from dpbandits.reproduction.series import Positives
from dpbandits.reproduction.statistics import NORMAL_95
from dpbandits.reproduction.studies import study

KL, EXPONENTIAL = "KL, best (η, β₀)", "KL, β₀ = 0 (exponential)"


class Choice(Model):
    n: tuple[Annotated[int, Field(gt=1)], ...]
    coverage: tuple[Annotated[float, Field(gt=0, le=1)], ...]
    preferences: tuple[Annotated[int, Field(gt=1)], ...]
    actions: int = Field(5, ge=3)
    gap: float = Field(0.2, gt=0, lt=1)
    objective_eta: Positives  # the eta of J
    beta0: tuple[Annotated[float, Field(ge=0)], ...]
    epsilon: Positives
    levels: int = Field(20, ge=5)
    draws: int = Field(5, ge=2)


@study("kl/choice", params=Choice)
def compute(params: Choice) -> pd.DataFrame:
    rows = []
    cases = (
        *product(
            [("bandit", bandit_policies), ("linear", linear_policies)], params.n, params.coverage
        ),
        *product([("RLHF", _preferences)], params.preferences, [1.0]),
    )
    for (problem, families), n, coverage in cases:
        for draw in range(params.draws):
            generator = Streams(key_of("kl/choice", f"{problem} {n} {coverage}"), (draw,))
            gains = gains_of(params, *families(params, n, coverage, generator.generator(0)))
            rows += [(problem, n, coverage, draw, *gain) for gain in gains]
    keys = ["problem", "n", "coverage", "objective_eta", "epsilon", "mechanism"]
    columns = [*keys[:3], "draw", *keys[3:], "share"]
    shares = pd.DataFrame(rows, columns=columns).groupby(keys, sort=False)["share"]
    table, reach = shares.mean().reset_index(), (NORMAL_95 * shares.sem()).to_numpy()
    return table.assign(low=table["share"] - reach, high=table["share"] + reach)


def gains_of(params: Choice, means, fitted, families):
    """(objective eta, epsilon, mechanism, share) of each choice.
    `families`: mechanism -> (losses, policies) of its configurations."""
    reference = uniform_reference(len(means))
    for weight in params.objective_eta:
        idle = means.mean()
        most = weight * float(logsumexp(means / weight + reference)) - idle
        for name, (losses, policies) in families.items():
            losses, policies = np.append(losses, 0.0), np.vstack([policies, reference])
            true = (objective(policies, means, reference, weight) - idle) / most
            estimated = objective(policies, fitted, reference, weight)
            for epsilon in params.epsilon:
                best = int(np.argmax(np.where(losses <= epsilon, estimated, -np.inf)))
                yield weight, epsilon, name, true[best]


def bandit_policies(params: Choice, n: int, coverage: float, generator):
    """(true means, fitted means, families as `gains_of` takes them)"""
    means = contest(params.actions, params.gap)
    data = draw_bandit(n, means, coverage, generator)
    fitted = data.sums / np.maximum(data.counts, 1)
    grid = grid_of(params, 3e-4, 30)
    eta, beta0 = np.array(grid).T[..., None]
    losses = rivals.exact_losses(data, eta[:, 0], beta0[:, 0])
    families = _regularised(grid, losses, bandit_policy(data, eta, beta0))
    noises = np.geomspace(0.05, 200, params.levels)
    levels = [rivals.bandit_loss(data, rivals.laplace_policy, noise) for noise in noises]
    families["Laplace means, argmax"] = [*zip(*levels, strict=True)]
    return means, fitted, families


def linear_policies(params: Choice, n: int, coverage: float, generator):
    """Actions all round the circle; the ridge penalty is 1, rewards are 0 or 1."""
    angles, actions = circle(params.actions)
    theta = np.array([0.5, 0.0])
    features, rewards = draw_linear(n, theta, coverage, generator)
    around = circle(24)[1]
    around = np.concatenate([around, around / 2])
    added, added_rewards = np.tile(around, (2, 1)), np.repeat([0.0, 1.0], len(around))
    scores = []
    for beta0 in (0.0, 1.0):
        audit = LinearAudit(features, rewards, actions, eta=1.0, beta0=beta0, penalty=1.0)
        removals = audit.updated(features, rewards, -1.0)
        additions = audit.updated(added, added_rewards, 1.0)
        scores.append(np.vstack([audit.log_pi, removals, additions]))
    families = _tempered(params, *scores)
    records = np.concatenate([features, added])
    signs = np.repeat([-1.0, 1.0], [len(features), len(added)])
    squares = signs[:, None, None] * records[:, :, None] * records[:, None, :]
    sums = (signs * np.concatenate([rewards, added_rewards]))[:, None] * records
    sigma, response = np.eye(2) + features.T @ features, features.T @ rewards
    sigmas = np.concatenate([sigma[None], sigma + squares])
    responses = np.concatenate([response[None], response + sums])
    for kind, ends in (("output", (1e-3, 3.0)), ("objective", (0.1, 300.0))):
        rival = PerturbedRidge(angles, sigmas, responses, kind)
        levels = [rival.loss(noise) for noise in np.geomspace(*ends, params.levels)]
        families[f"{kind} perturbation"] = [*zip(*levels, strict=True)]
    return (1 + actions @ theta) / 2, audit.fitted, families


def _preferences(params: Choice, n: int, _, generator):
    duels = PreferenceContest(params.actions, n, generator)
    families = _tempered(params, duels.scores(0.0), duels.scores(1.0))
    families["objective perturbation"] = [*zip(*duels.perturbed(params.levels), strict=True)]
    return duels.means, duels.audit(0.0).fitted, families


def grid_of(params: Choice, low: float, high: float) -> list[tuple[float, float]]:
    etas = np.geomspace(low, high, params.levels)
    return [(eta, beta0) for beta0 in params.beta0 for eta in etas]


def _tempered(params: Choice, plain: np.ndarray, pessimistic: np.ndarray) -> dict:
    """From the scores of the data and of its neighbours at beta0 = 0 and 1: they are linear in
    beta0, and eta divides them."""
    width, grid = pessimistic - plain, grid_of(params, 1e-3, 10)
    laws = [log_normalise((plain + beta0 * width) / eta) for eta, beta0 in grid]
    return _regularised(grid, *zip(*map(rivals.loss_of_first, laws), strict=True))


def _regularised(grid, losses, policies) -> dict:
    """The regularised policy with every beta0, and with none."""
    losses, policies = np.array(losses), np.array(policies)
    plain = [i for i, (_, beta0) in enumerate(grid) if beta0 == 0]
    return {KL: (losses, policies), EXPONENTIAL: (losses[plain], policies[plain])}
