"""kl/delta_curves, kl/repeated_sampling, kl/utility_vs_privacy."""

import numpy as np
import pandas as pd
from pydantic import Field
from scipy.optimize import brentq

from dpbandits.core.algorithms import study
from dpbandits.core.divergences import log_normalise, pure_epsilon
from dpbandits.core.models import Model
from dpbandits.core.streams import Streams, key_of
from dpbandits.offline import rivals, theory
from dpbandits.offline.bandit.loss import _Bandit, coin, exact_loss
from dpbandits.offline.engine.worst import Worst
from dpbandits.offline.linear.loss import LinearAudit
from dpbandits.offline.preference.loss import PreferenceAudit
from dpbandits.offline.preference.perturbation import ObjectivePerturbation
from dpbandits.offline.problem import (
    BanditData,
    Preferences,
    bandit_policy,
    draw_bandit,
    draw_preferences,
    objective,
    uniform_reference,
)

# --- (eps, delta) curves --------------------------------------------------------------------------


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
    audit = LinearAudit(
        np.ones((99, 1)), (np.arange(99) < 10) * 1.0, np.array([[1.0], [0.0]]), eta, 1.0, 1.0
    )
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
    audit = PreferenceAudit(Preferences(signed), actions, params.eta, 4.0, 1.0, 0.2)
    levels = np.linspace(0, 20, params.points)
    worst = Worst(levels)
    audit.flips(worst)
    bounds = [
        theory.theorem3_approx(2, 81.0, 1.0, 1 / 9, params.eta, 4.0, 0.2, lambda0)
        for lambda0 in np.geomspace(1.01, 81, 200)
    ]
    return _table("RLHF, even labels (flips)", levels, list(worst.delta.values()), bounds)


# --- repeated sampling ----------------------------------------------------------------------------


class RepeatedSampling(Model):
    n: int = Field(1000, gt=1)
    actions: int = Field(5, ge=2)
    coverage: float = Field(0.25, gt=0, le=1)
    eta: float = Field(0.1, gt=0)
    beta0: float = Field(1.0, ge=0)
    delta: float = Field(1e-6, gt=0, lt=1)
    times: tuple[int, ...] = (1, 3, 10, 30, 100, 300, 1000, 3000, 10000)
    seed: int = 0


@study("kl/repeated_sampling", params=RepeatedSampling)
def repeated_sampling(params: RepeatedSampling) -> pd.DataFrame:
    """The exact eps of T draws at one delta, beside Section 4.4's compositions.

    Between neighbours all other arms keep their proportions, so the number of draws of the changed
    arm is sufficient: T draws are a binomial pair.
    """
    generator = Streams(key_of("kl/repeated_sampling"), (params.seed,)).generator(0)
    means = np.linspace(0.75, 0.25, params.actions)
    data = draw_bandit(params.n, means, params.coverage, generator)
    single = exact_loss(data, params.eta, params.beta0).pure
    printed = theory.theorem1_pure(int(data.counts.min()), params.eta, params.beta0).epsilon
    pairs = _coins(data, params.eta, params.beta0)
    rows = []
    for times in params.times:
        one = theory.Bound(single)
        rows.append(
            {
                "T": times,
                "exact": max(_epsilon_of_draws(p, q, times, params.delta) for p, q in pairs),
                "basic": theory.composition_pure(one, times).epsilon,
                "advanced": theory.composition_approx(one, times, params.delta, times).epsilon,
                "theorem": times * printed,
                "delta": params.delta,
            }
        )
    return pd.DataFrame(rows)


def _coins(data, eta, beta0) -> list[tuple[float, float]]:
    """Probability of the changed arm at D and at each neighbour that can be worst."""
    bandit = _Bandit(data, eta, beta0, 1.0, uniform_reference(data.arms))
    pairs = []
    for arms, _, counts, sums in (bandit.removals(), bandit.additions()):
        rest = bandit.log_rest[arms]
        after = bandit.log_reference[arms] + bandit.scores(counts, sums) / eta
        p = np.exp(coin(bandit.log_weights[arms], rest)[:, 0])
        pairs += list(zip(p, np.exp(coin(after, rest)[:, 0]), strict=True))
    return pairs


def _epsilon_of_draws(p: float, q: float, times: int, delta: float) -> float:
    """The smallest eps at which T draws of the two coins are (eps, delta)-close, both ways."""
    from scipy.stats import binom  # takes a second: not at every start

    k = np.arange(times + 1)
    log_p, log_q = binom.logpmf(k, times, p), binom.logpmf(k, times, q)

    def excess(epsilon, a, b):
        gap = np.minimum(epsilon - (a - b), 0.0)
        return float(np.sum(np.exp(a) * -np.expm1(gap)))

    def both(epsilon):
        return max(excess(epsilon, log_p, log_q), excess(epsilon, log_q, log_p)) - delta

    top = float(np.abs(log_p - log_q).max())
    return 0.0 if both(0.0) <= 0 else brentq(both, 0.0, top + 1e-9, xtol=1e-12)


# --- utility at equal exact privacy ---------------------------------------------------------------


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
        for e, u in zip(
            params.epsilon, _best_within(np.array(losses), values, params.epsilon), strict=True
        )
        if np.isfinite(u)
    ]


def _best_within(losses, utilities, targets) -> np.ndarray:
    """The largest utility over noise levels whose exact loss is at most the target; nan if none."""
    within = losses[None, :] <= np.array(targets)[:, None]
    best = np.where(within, utilities[None, :], -np.inf).max(axis=1)
    return np.where(np.isfinite(best), best, np.nan)


def _bandit_curves(params, generator):
    means = np.full(params.actions, 0.5 - params.gap / 2)
    means[params.actions // 2] += params.gap
    data = draw_bandit(params.n, means, params.coverage, generator)
    noises = np.geomspace(1e-3, 30, params.levels)
    curves = {}
    for beta0, name in ((params.beta0, "KL, pessimistic"), (0.0, "KL, beta0=0 (exponential)")):
        etas = noises * 0.3
        losses = [exact_loss(data, eta, beta0).pure for eta in etas]
        curves[name] = (losses, [bandit_policy(data, eta, beta0) for eta in etas], means)
    neighbours = list(rivals.bandit_neighbours(data))
    for name, policy, grid in (
        ("Laplace means, argmax", rivals.laplace_policy, np.geomspace(0.05, 200, params.levels)),
        ("greedy and uniform mixed", rivals.mixture_policy, np.geomspace(1e-4, 1, params.levels)),
    ):
        policies = [policy(data.counts, data.sums, noise) for noise in grid]
        losses = []
        for noise, log_pi in zip(grid, policies, strict=True):
            others = np.array([policy(*neighbour, noise) for neighbour in neighbours])
            losses.append(float(pure_epsilon(log_pi, others).max()))
        curves[name] = (losses, policies, means)
    return curves


def _preference_curves(params, generator):
    """Dimension 2, actions all round the circle, the true reward along the first of them.

    Neighbours of both mechanisms: all removals, and additions on a grid of differences.
    """
    angles = 2 * np.pi * np.arange(max(3, params.actions)) / max(3, params.actions)
    actions = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    theta = np.array([0.5, 0.0])
    data = draw_preferences(params.preferences, theta, 1.0, generator)
    means, distinct = actions @ theta, np.unique(data.signed, axis=0)
    added = np.concatenate([2.0 * _circle(24), _circle(8)])
    changes = np.concatenate([distinct, added])
    signs = np.repeat([-1.0, 1.0], [len(distinct), len(added)])
    # At eta = 1 and a uniform reference ln pi is the score; eta only divides it.
    audit = PreferenceAudit(data, actions, 1.0, params.beta0, 1.0, 3.0)
    scores = np.vstack([audit.log_pi, audit.changed(changes[:, None, :], signs[:, None])])
    rival = ObjectivePerturbation(data.signed, angles)
    policies = [log_normalise(scores / eta) for eta in np.geomspace(1e-3, 10, params.levels)]
    noises = np.geomspace(0.1, 300, params.levels)
    pairs = {
        "KL": [(float(pure_epsilon(q[0], q[1:]).max()), q[0]) for q in policies],
        "objective perturbation": [rival.loss(noise, changes, signs) for noise in noises],
    }
    return {
        name: ([loss for loss, _ in found], [own for _, own in found], means)
        for name, found in pairs.items()
    }


def _circle(points: int) -> np.ndarray:
    angles = 2 * np.pi * np.arange(points) / points
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)
