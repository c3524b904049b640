"""Lemma 1, the corollaries, Section 4.4 and the appendix's Theorem 2: as printed, then what is true
instead, also of Theorem 1. `theory` has the theorems.
"""

import math

import numpy as np

from dpbandits.offline.theory import Bound, probability_from_log_odds
from dpbandits.reproduction.kl.theory import exp, sqrt


def lemma1_partition(sensitivity, eta, delta0) -> Bound:
    epsilon = 2 * sensitivity / eta
    return Bound(epsilon, delta0 * exp(epsilon))


def composition_pure(bound: Bound, times: int) -> Bound:
    return Bound(times * bound.epsilon)


def composition_approx(bound: Bound, times: int, slack, k) -> Bound:
    """Section 4.4: sqrt(2 T ln(1/delta')) eps + T eps (e^eps - 1), k delta + delta'."""
    eps, log = bound.epsilon, math.log(1 / slack)
    epsilon = sqrt(2 * times * log) * eps + times * eps * (exp(eps) - 1)
    return Bound(epsilon, k * bound.delta + slack)


def inexact(bound: Bound, error) -> Bound:
    """Section 4.4, as printed: delta unchanged."""
    return Bound(bound.epsilon + 2 * error, bound.delta)


def corollary1(arms, max_count, eta, beta0, k, reward_max=1) -> Bound:
    """As printed: the middle term of delta's exponent has no 1/eta there."""
    epsilon = (4 * k * reward_max + k * sqrt(k) * beta0 / sqrt(max_count)) / (eta * max_count)
    root = sqrt(max_count)
    exponent = -beta0 / eta * (sqrt(k) - 1) / root
    exponent += 4 * k * reward_max / max_count + beta0 / eta * k * sqrt(k) / (max_count * root)
    return Bound(epsilon, arms * exp(exponent))


def theorem2_pure_appendix(records, dimension, lambda_min, eta, beta0, reward_max=1) -> Bound:
    """End of Appendix C at lambda0 = lambda_min: the factor 2 of Lemma 1 is missing."""
    reach = 1 + sqrt(records * dimension / (lambda_min - 1))
    bracket = reach * reward_max / sqrt(lambda_min) + beta0 / (2 * (lambda_min - 1))
    return Bound(bracket / (eta * sqrt(lambda_min)))


def corollary2_pure(records, dimension, k1, eta, beta0, reward_max=1) -> Bound:
    """If lambda_min >= 1 + n/(k1 d)."""
    bracket = 2 * reward_max * (1 + sqrt(k1) * dimension)
    bracket += beta0 * sqrt(k1 * dimension / records)
    return Bound(k1 * dimension / (records * eta) * bracket)


def corollary2_approx(actions, records, dimension, k1, eta, beta0, *, c, reward_max=1) -> Bound:
    epsilon = c * corollary2_pure(records, dimension, k1, eta, beta0, reward_max).epsilon
    exponent = _corollary_exponent(records, dimension, k1, eta, beta0, c)
    return Bound(epsilon, actions * exp(epsilon + exponent))


def _corollary_exponent(records, dimension, k1, eta, beta0, c):
    return beta0 / eta * sqrt(dimension / records) * (1 - sqrt(c * k1))


def corollary3_pure(records, dimension, k1, eta, radius) -> Bound:
    """If lambda_min >= lambda + n/(k1 d)."""
    return Bound((2 + 2 * exp(2 * radius)) * k1 * dimension / (records * eta))


def corollary3_approx(actions, records, dimension, k1, eta, beta0, *, radius, c) -> Bound:
    epsilon = c * corollary3_pure(records, dimension, k1, eta, radius).epsilon
    exponent = _corollary_exponent(records, dimension, k1, eta, beta0, c)
    return Bound(epsilon, actions * exp(epsilon + exponent))


# --- Corrected ------------------------------------------------------------------------------------
def corrected_lemma1(spread, mass_before, mass_after) -> Bound:
    """`spread` of the change of score/eta on I; masses of the other actions at D and at D'."""
    return Bound(spread, np.maximum(mass_before, mass_after))


def corrected_draws(spread, times, slack) -> Bound:
    """T draws from one policy whose log-ratios lie in an interval of length `spread`."""
    deviation = spread * np.sqrt(times * np.log(1.0 / slack) / 2.0)
    return Bound(times * spread**2 / 8.0 + deviation, slack)


def corrected_inexact(bound: Bound, error) -> Bound:
    """Section 4.4: (eps + 2 error, min(e^error delta, 1 - e^-error (1 - delta)))."""
    delta = 1.0 - np.exp(-error) * (1.0 - bound.delta)
    return Bound(bound.epsilon + 2.0 * error, np.minimum(np.exp(error) * bound.delta, delta))


# --- What is true of Theorem 1: the library has the exact loss of its policy instead ------------
def bandit_step(count, eta, beta0, reward_max=1.0):
    """The largest change of score/eta between `count` and `count` - 1 records of an arm."""
    narrower = 1.0 / np.sqrt(count - 1.0) - 1.0 / np.sqrt(count)
    return (reward_max / count + beta0 * narrower) / eta


def corrected_theorem1_pure(min_count, eta, beta0, reward_max=1.0) -> Bound:
    """`min_count` = min_a N(a) > 1."""
    return Bound(bandit_step(min_count, eta, beta0, reward_max))


def corrected_theorem1_approx(
    max_count, eta, beta0, epsilon, reward_max=1.0, reference_ratio=1.0
) -> Bound:
    """For eps >= bandit_step(max N): any coverage. `reference_ratio` = max_b pi0(b)/pi0(m) >= 1."""
    count = 1.0 + (beta0 / (2.0 * eta * epsilon)) ** (2.0 / 3.0)
    exponent = (reward_max + beta0 / np.sqrt(max_count) - beta0 / np.sqrt(count)) / eta
    return Bound(epsilon, probability_from_log_odds(exponent + np.log(reference_ratio)))


def corrected_theorem1_threshold(
    max_count, eta, beta0, reward_max=1.0, reference_ratio=1.0
) -> float | None:
    """The eps above which corrected_theorem1_approx's delta is below 1/2; None if there is none."""
    lead = reward_max + eta * np.log(reference_ratio)
    if beta0 * (1.0 - 1.0 / np.sqrt(max_count)) <= lead:
        return None
    above = (beta0 / (lead + beta0 / np.sqrt(max_count))) ** 2 - 1.0
    return float(beta0 / (2.0 * eta) * above**-1.5)
