"""The paper's privacy bounds as printed, main text and appendix; repaired.py has what is true.

All take quantities of one data set D (the bounds are per data set) and return
`Bound(epsilon, delta)`. They take floats or python-flint's `arb` balls, so that a certificate
evaluates the formula that the figures draw.
"""

import math
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Bound:
    epsilon: Any
    delta: Any = 0.0


def exp(x):
    if hasattr(x, "exp"):
        return x.exp()
    return math.exp(x) if x < 709.0 else math.inf  # beyond, a delta says nothing anyway


def sqrt(x):
    return x.sqrt() if hasattr(x, "sqrt") else math.sqrt(x)


# --- Lemma 1, Proposition 1, Section 4.4 --------------------------------------------------------
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


# --- multi-armed bandit -------------------------------------------------------------------------
def theorem1_pure(min_count, eta, beta0, reward_max=1) -> Bound:
    """(9); `min_count` = min_a N(a) > 1."""
    n = min_count - 1
    return Bound((4 * reward_max / n + beta0 / (n * sqrt(n))) / eta)


def theorem1_approx(arms, max_count, eta, beta0, n0, reward_max=1) -> Bound:
    """For any N0 > 0; `max_count` = max_a N(a)."""
    epsilon = (4 * reward_max / n0 + beta0 / (n0 * sqrt(n0))) / eta
    return Bound(epsilon, arms * exp(epsilon + beta0 / eta * (1 / sqrt(max_count) - 1 / sqrt(n0))))


def corollary1(arms, max_count, eta, beta0, k, reward_max=1) -> Bound:
    """As printed: the middle term of delta's exponent has no 1/eta there."""
    epsilon = (4 * k * reward_max + k * sqrt(k) * beta0 / sqrt(max_count)) / (eta * max_count)
    root = sqrt(max_count)
    exponent = -beta0 / eta * (sqrt(k) - 1) / root
    exponent += 4 * k * reward_max / max_count + beta0 / eta * k * sqrt(k) / (max_count * root)
    return Bound(epsilon, arms * exp(exponent))


# --- linear contextual bandit -------------------------------------------------------------------
def _theorem2_bracket(records, dimension, lambda_min, beta0, reward_max):
    rest = lambda_min - 1
    reach = 1 + sqrt(records * dimension / rest)
    return 2 * reach * reward_max / sqrt(rest) + beta0 / rest


def theorem2_pure(records, dimension, lambda_min, eta, beta0, reward_max=1) -> Bound:
    """Main text; lambda_min(D) > 1."""
    bracket = _theorem2_bracket(records, dimension, lambda_min, beta0, reward_max)
    return Bound(bracket / (eta * sqrt(lambda_min)))


def theorem2_approx(
    actions, records, dimension, lambda_min, narrow, eta, *, beta0, lambda0, reward_max=1
) -> Bound:
    """Main text, any lambda0 > 0; `narrow` = min_a ||phi(x, a)||_{Sigma^-1}."""
    bracket = _theorem2_bracket(records, dimension, lambda_min, beta0, reward_max)
    epsilon = bracket / (eta * sqrt(lambda0))
    return Bound(epsilon, actions * exp(epsilon + beta0 / eta * (narrow - 1 / sqrt(lambda0))))


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


# --- RLHF ---------------------------------------------------------------------------------------
def theorem3_pure(lambda_min, penalty, eta, radius) -> Bound:
    """Label DP; `penalty` = lambda, `radius` = B."""
    return Bound((2 + 2 * exp(2 * radius)) / (eta * (lambda_min - penalty)))


def theorem3_approx(actions, lambda_min, penalty, narrow, eta, beta0, *, radius, lambda0) -> Bound:
    moved = (2 + 2 * exp(2 * radius)) * sqrt(lambda_min)
    epsilon = moved / (eta * sqrt(lambda0) * (lambda_min - penalty))
    return Bound(epsilon, actions * exp(epsilon + beta0 / eta * (narrow - 1 / sqrt(lambda0))))


def theorem4_pure(lambda_min, penalty, eta, beta0, radius) -> Bound:
    """Add-remove part."""
    return Bound(_theorem4_bracket(lambda_min, penalty, beta0, radius) / (eta * sqrt(lambda_min)))


def theorem4_approx(actions, lambda_min, penalty, narrow, eta, beta0, *, radius, lambda0) -> Bound:
    epsilon = _theorem4_bracket(lambda_min, penalty, beta0, radius) / (eta * sqrt(lambda0))
    return Bound(epsilon, actions * exp(epsilon + beta0 / eta * (narrow - 1 / sqrt(lambda0))))


def _theorem4_bracket(lambda_min, penalty, beta0, radius):
    mean = (1 + exp(2 * radius)) * sqrt(lambda_min) / (lambda_min - penalty)
    return mean + 2 * beta0 / (lambda_min - 1)


def corollary3_pure(records, dimension, k1, eta, radius) -> Bound:
    """If lambda_min >= lambda + n/(k1 d)."""
    return Bound((2 + 2 * exp(2 * radius)) * k1 * dimension / (records * eta))


def corollary3_approx(actions, records, dimension, k1, eta, beta0, *, radius, c) -> Bound:
    epsilon = c * corollary3_pure(records, dimension, k1, eta, radius).epsilon
    exponent = _corollary_exponent(records, dimension, k1, eta, beta0, c)
    return Bound(epsilon, actions * exp(epsilon + exponent))
