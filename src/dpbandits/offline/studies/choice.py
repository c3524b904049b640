"""kl/choice: which mechanism at a wanted exact loss, each tuned on the data by the estimated J.

Every mechanism is a family of configurations: (eta, beta0) of the regularised policy, the level of
an injected noise; all may also play pi0, at no loss. Among those whose exact pure loss on the data
set is at most epsilon the one of the highest J under the estimated rewards is taken (`chosen`), and
for comparison the one of the highest true J (`hindsight`). `share` is the true J gained over pi0 in
units of the most that any policy gains. The choice looks at the data: it is no release of its own.
Mixing the greedy arm with a uniform one is left out: its loss on a data set whose leader no record
can change is 0 at any share, which promises nothing elsewhere.
"""

from itertools import chain, product
from typing import Annotated, Literal

import numpy as np
import pandas as pd
from pydantic import Field
from scipy.special import logsumexp

from dpbandits.core.algorithms import study
from dpbandits.core.divergences import log_normalise, pure_epsilon
from dpbandits.core.models import Model
from dpbandits.core.streams import Streams, key_of
from dpbandits.offline import rivals
from dpbandits.offline.bandit.loss import exact_losses
from dpbandits.offline.bandit.pessimistic_mab import bandit_policy
from dpbandits.offline.linear.loss import LinearAudit
from dpbandits.offline.linear.perturbation import PerturbedRidge
from dpbandits.offline.preference.loss import PreferenceAudit
from dpbandits.offline.preference.perturbation import ObjectivePerturbation
from dpbandits.offline.problem import (
    circle,
    draw_bandit,
    draw_linear,
    draw_preferences,
    objective,
    uniform_reference,
)
from dpbandits.offline.studies.utility_vs_privacy import contest, preference_neighbours

Positive = Annotated[float, Field(gt=0)]
KL, EXPONENTIAL = "KL, best (η, β₀)", "KL, β₀ = 0 (exponential)"


class Choice(Model):
    problems: tuple[Literal["bandit", "linear", "RLHF"], ...] = ("bandit", "linear", "RLHF")
    n: tuple[Annotated[int, Field(gt=1)], ...]
    coverage: tuple[Annotated[float, Field(gt=0, le=1)], ...]
    preferences: tuple[Annotated[int, Field(gt=1)], ...]
    actions: int = Field(5, ge=3)
    gap: float = Field(0.2, gt=0, lt=1)
    objective_eta: tuple[Positive, ...]  # the eta of J
    beta0: tuple[Annotated[float, Field(ge=0)], ...]
    epsilon: tuple[Positive, ...]
    levels: int = Field(20, ge=5)
    draws: int = Field(5, ge=2)


@study("kl/choice", params=Choice)
def compute(params: Choice) -> pd.DataFrame:
    rows = []
    for problem, n, coverage in chain.from_iterable(_cases(params, p) for p in params.problems):
        for draw in range(params.draws):
            generator = Streams(key_of("kl/choice", f"{problem} {n} {coverage}"), (draw,))
            found = FAMILIES[problem](params, n, coverage, generator.generator(0))
            rows += [(problem, n, coverage, draw, *row) for row in _gains(params, *found)]
    keys = ["problem", "n", "coverage", "objective_eta", "epsilon", "mechanism"]
    columns = [*keys[:3], "draw", *keys[3:], "share", "hindsight", "eta", "beta0"]
    grouped = pd.DataFrame(rows, columns=columns).groupby(keys, sort=False)
    table = grouped[["share", "hindsight"]].mean()
    reach = 1.96 * grouped["share"].sem()
    table["low"], table["high"] = table["share"] - reach, table["share"] + reach
    table[["eta", "beta0"]] = grouped[["eta", "beta0"]].median()
    return table.reset_index()


def _cases(params: Choice, problem: str):
    """(problem, n, coverage)"""
    if problem == "RLHF":
        return product([problem], params.preferences, [1.0])
    return product([problem], params.n, params.coverage)


def _gains(params: Choice, means, fitted, families):
    """(objective eta, epsilon, mechanism, share, in hindsight, eta, beta0) of each choice."""
    reference = uniform_reference(len(means))
    for weight in params.objective_eta:
        idle = means.mean()
        most = weight * float(logsumexp(means / weight + reference)) - idle
        for name, (losses, policies, knobs) in families.items():
            losses = np.append(losses, 0.0)
            policies, knobs = np.vstack([policies, reference]), [*knobs, (np.inf, 0.0)]
            true = (objective(policies, means, reference, weight) - idle) / most
            seen = objective(policies, fitted, reference, weight)
            for epsilon in params.epsilon:
                within = losses <= epsilon
                at = int(np.argmax(np.where(within, seen, -np.inf)))
                yield weight, epsilon, name, true[at], true[within].max(), *knobs[at]


def _bandit(params: Choice, n: int, coverage: float, generator):
    means = contest(params.actions, params.gap)
    data = draw_bandit(n, means, coverage, generator)
    fitted = data.sums / np.maximum(data.counts, 1)
    grid = [(eta, beta0) for beta0 in params.beta0 for eta in np.geomspace(3e-4, 30, params.levels)]
    eta, beta0 = np.array(grid).T[..., None]
    losses, _ = exact_losses(data, eta[:, 0], beta0[:, 0])
    found = _regularised(grid, losses, bandit_policy(data, eta, beta0))
    noises = np.geomspace(0.05, 200, params.levels)
    losses, policies = rivals.bandit_losses(data, rivals.laplace_policy, noises)
    found["Laplace means, argmax"] = (losses, policies, [(np.nan, np.nan)] * len(noises))
    return means, fitted, found


def _regularised(grid, losses, policies) -> dict:
    """With every beta0, and with none."""
    plain = [i for i, (_, beta0) in enumerate(grid) if beta0 == 0]
    families = {KL: range(len(grid)), EXPONENTIAL: plain}
    return {
        name: ([losses[i] for i in kept], np.array([policies[i] for i in kept]),
               [grid[i] for i in kept])
        for name, kept in families.items() if kept
    }  # fmt: skip


def _linear(params: Choice, n: int, coverage: float, generator):
    """Actions all round the circle; the ridge penalty is 1, rewards are 0 or 1."""
    angles, actions = circle(params.actions)
    theta = np.array([0.5, 0.0])
    features, rewards = draw_linear(n, theta, coverage, generator)
    around = circle(24)[1]
    around = np.concatenate([around, around / 2])
    added = np.concatenate([around, around]), np.repeat([0.0, 1.0], len(around))
    scores = []
    for beta0 in (0.0, 1.0):
        audit = LinearAudit(features, rewards, actions, eta=1.0, beta0=beta0, penalty=1.0)
        changed = audit.updated(features, rewards, -1.0), audit.updated(*added, 1.0)
        scores.append(np.vstack([audit.log_pi, *changed]))
    found = _tempered(params, *scores)
    records = np.concatenate([features, added[0]])
    signs = np.repeat([-1.0, 1.0], [len(features), len(added[0])])
    squares = signs[:, None, None] * records[:, :, None] * records[:, None, :]
    sums = (signs * np.concatenate([rewards, added[1]]))[:, None] * records
    sigma, response = np.eye(2) + features.T @ features, features.T @ rewards
    sigmas = np.concatenate([sigma[None], sigma + squares])
    responses = np.concatenate([response[None], response + sums])
    for kind, noises in (("output", (1e-3, 3.0)), ("objective", (0.1, 300.0))):
        rival = PerturbedRidge(angles, sigmas, responses, kind)
        found[f"{kind} perturbation"] = _noisy(params, rival.loss, noises)
    return (1 + actions @ theta) / 2, audit.fitted, found


def _preferences(params: Choice, n: int, _, generator):
    """As in kl/utility_vs_privacy."""
    angles, actions = circle(params.actions)
    means = 0.5 * actions[:, 0]
    data = draw_preferences(n, np.array([0.5, 0.0]), 1.0, generator)
    changes, signs = preference_neighbours(data)
    scores = []
    for beta0 in (0.0, 1.0):
        audit = PreferenceAudit(data, actions, eta=1.0, beta0=beta0, penalty=1.0, radius=3.0)
        changed = audit.changed(changes[:, None, :], signs[:, None])
        scores.append(np.vstack([audit.log_pi, changed]))
    found = _tempered(params, *scores)
    rival = ObjectivePerturbation(data.signed, angles)
    found["objective perturbation"] = _noisy(
        params, lambda noise: rival.loss(noise, changes, signs), (0.1, 300.0)
    )
    return means, audit.fitted, found


def _tempered(params: Choice, plain: np.ndarray, pessimistic: np.ndarray) -> dict:
    """From the scores of the data and of its neighbours at beta0 = 0 and 1: they are linear in
    beta0, and eta divides them."""
    wide = pessimistic - plain
    grid = [(eta, beta0) for beta0 in params.beta0 for eta in np.geomspace(1e-3, 10, params.levels)]
    laws = [log_normalise((plain + beta0 * wide) / eta) for eta, beta0 in grid]
    losses = [pure_epsilon(law[0], law[1:]).max() for law in laws]
    return _regularised(grid, losses, [law[0] for law in laws])


def _noisy(params: Choice, loss, noises: tuple[float, float]):
    """(losses, policies, knobs) of a rival at each level of its noise."""
    pairs = [loss(x) for x in np.geomspace(*noises, params.levels)]
    losses, policies = zip(*pairs, strict=True)
    return losses, policies, [(np.nan, np.nan)] * len(pairs)


FAMILIES = {"bandit": _bandit, "linear": _linear, "RLHF": _preferences}
