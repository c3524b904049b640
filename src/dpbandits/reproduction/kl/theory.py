"""Theorems 1 to 4, the paper's privacy bounds, as printed: some are false.

They take floats, arrays or python-flint's `arb` balls, so that a certificate evaluates the formula
that the figures draw. `dpbandits.offline.theory` has what is true instead.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpbandits.offline.theory import Bound


def exp(x):
    if hasattr(x, "exp"):
        return x.exp()
    if isinstance(x, np.ndarray):
        return np.exp(x)
    return math.exp(x) if x < 709.0 else math.inf  # beyond, a delta says nothing anyway


def sqrt(x):
    if isinstance(x, np.ndarray):
        return np.sqrt(x)
    return x.sqrt() if hasattr(x, "sqrt") else math.sqrt(x)


# --- multi-armed bandit -------------------------------------------------------------------------
def theorem1_pure(min_count, eta, beta0, reward_max=1) -> Bound:
    """(9); `min_count` = min_a N(a) > 1."""
    n = min_count - 1
    return Bound((4 * reward_max / n + beta0 / (n * sqrt(n))) / eta)


def theorem1_approx(arms, max_count, eta, beta0, n0, reward_max=1) -> Bound:
    """For any N0 > 0; `max_count` = max_a N(a)."""
    epsilon = (4 * reward_max / n0 + beta0 / (n0 * sqrt(n0))) / eta
    return Bound(epsilon, arms * exp(epsilon + beta0 / eta * (1 / sqrt(max_count) - 1 / sqrt(n0))))


@dataclass(frozen=True)
class Coverage:
    """Of the approximate parts of Theorems 2 to 4: |A|, min_a ||phi(x, a)||_{Sigma^-1}, and any
    lambda0 > 0, the coverage below which actions count as not covered."""

    actions: Any
    narrow: Any
    lambda0: Any

    def bound(self, epsilon, eta, beta0) -> Bound:
        width = self.narrow - 1 / sqrt(self.lambda0)
        return Bound(epsilon, self.actions * exp(epsilon + beta0 / eta * width))


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
    coverage: Coverage, records, dimension, lambda_min, eta, beta0, reward_max=1
) -> Bound:
    """Main text."""
    bracket = _theorem2_bracket(records, dimension, lambda_min, beta0, reward_max)
    return coverage.bound(bracket / (eta * sqrt(coverage.lambda0)), eta, beta0)


# --- RLHF ---------------------------------------------------------------------------------------
def theorem3_pure(lambda_min, penalty, eta, radius) -> Bound:
    """Label DP; `penalty` = lambda, `radius` = B."""
    return Bound((2 + 2 * exp(2 * radius)) / (eta * (lambda_min - penalty)))


def theorem3_approx(coverage: Coverage, lambda_min, penalty, eta, beta0, radius) -> Bound:
    moved = (2 + 2 * exp(2 * radius)) * sqrt(lambda_min)
    epsilon = moved / (eta * sqrt(coverage.lambda0) * (lambda_min - penalty))
    return coverage.bound(epsilon, eta, beta0)


def theorem4_pure(lambda_min, penalty, eta, beta0, radius) -> Bound:
    """Add-remove part."""
    return Bound(_theorem4_bracket(lambda_min, penalty, beta0, radius) / (eta * sqrt(lambda_min)))


def theorem4_approx(coverage: Coverage, lambda_min, penalty, eta, beta0, radius) -> Bound:
    bracket = _theorem4_bracket(lambda_min, penalty, beta0, radius)
    return coverage.bound(bracket / (eta * sqrt(coverage.lambda0)), eta, beta0)


def _theorem4_bracket(lambda_min, penalty, beta0, radius):
    mean = (1 + exp(2 * radius)) * sqrt(lambda_min) / (lambda_min - penalty)
    return mean + 2 * beta0 / (lambda_min - 1)
