"""What is true of Theorems 2 to 4, privacy bounds of policies; for policy (8) losses/ is exact.

All take quantities of one data set D (the bounds are per data set), as numbers or arrays, and
return `Bound(epsilon, delta)`; docs/proofs/KL.md proves them, under the same names and step
numbers. R = 1 unless `reward_max` is given; the loss of a pair is in nats.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Bound:
    epsilon: Any
    delta: Any = 0.0


def probability_from_log_odds(log_odds):
    """x/(1 + x) with x = e^log_odds: the largest probability of a set of actions that has at most
    x times the probability of an action outside it."""
    from scipy.special import expit  # here: policies do without SciPy

    return expit(log_odds)


# --- Corrected: Theorem 2 -------------------------------------------------------------------------
def fit_norm(lambda_min, penalty):
    """sup of |X Sigma^-1 z| over unit z: sqrt(s - lambda)/s at s = max(lambda_min, 2 lambda)."""
    s = np.maximum(lambda_min, 2.0 * penalty)
    return np.sqrt(s - penalty) / s


def linear_drift(records, lambda_min, penalty):
    """Bounds of |theta(D') - theta(D)|_Sigma for R = 1: (record removed, record added)."""
    removed = 1.0 + np.sqrt(np.maximum(records - 1.0, 0.0)) * fit_norm(lambda_min - 1.0, penalty)
    added = 1.0 + np.sqrt(records) * fit_norm(lambda_min, penalty)
    return removed / np.sqrt(lambda_min), added * np.sqrt(lambda_min) / (lambda_min + 1.0)


def corrected_theorem2_pure(records, lambda_min, penalty, eta, beta0, reward_max=1.0) -> Bound:
    """lambda_min(D) > 1; no dimension in it."""
    removed, added = linear_drift(records, lambda_min, penalty)
    narrower = [
        beta0 * (1.0 / np.sqrt(lambda_min - 1.0) - 1.0 / np.sqrt(lambda_min)),
        beta0 * (1.0 / np.sqrt(lambda_min) - 1.0 / np.sqrt(lambda_min + 1.0)),
    ]
    moves = [2.0 * reward_max * drift / np.sqrt(lambda_min) for drift in (removed, added)]
    return Bound(np.maximum(moves[0] + narrower[0], moves[1] + narrower[1]) / eta)


# --- Corrected: Theorems 2 to 4 with a set I of actions -------------------------------------------
@dataclass(frozen=True)
class Context:
    """The actions at one context; leading axes, if any: a batch of contexts.

    |phi_a - phi_b| is taken in the duals of two norms: of the norm in which the change of theta is
    bounded (`change`: |.|_Sigma in Theorem 2, |.|_{Sigma - lambda I} in Theorems 3 and 4), and of
    the norm in which theta is bounded (`reach`: |theta|_Sigma <= R sqrt(n), |theta| <= B).
    """

    widths: np.ndarray  # Gamma_a = |phi_a|_{Sigma^-1}
    change: np.ndarray
    reach: np.ndarray
    log_reference: np.ndarray


def context_of(actions, inverse, change, reach, log_reference) -> Context:
    """Context from the matrices of its three norms."""
    between = actions[..., :, None, :] - actions[..., None, :, :]

    def norm(vectors, form):
        return np.sqrt(np.maximum(np.einsum("...d,...de,...e->...", vectors, form, vectors), 0.0))

    return Context(
        widths=norm(actions, inverse[..., None, :, :]),
        change=norm(between, change[..., None, None, :, :]),
        reach=norm(between, reach[..., None, None, :, :]),
        log_reference=log_reference,
    )


@dataclass(frozen=True)
class Narrowest:
    """I: the `count` narrowest actions of a context."""

    context: Context
    count: int

    @cached_property
    def inside(self) -> np.ndarray:
        order = np.argsort(np.argsort(self.context.widths, axis=-1, kind="stable"), axis=-1)
        return order < self.count

    @property
    def diameter(self) -> np.ndarray:
        both = self.inside[..., :, None] & self.inside[..., None, :]
        return np.where(both, self.context.change, 0.0).max(axis=(-1, -2))

    @property
    def widest(self) -> np.ndarray:
        return np.where(self.inside, self.context.widths, 0.0).max(axis=-1)

    def log_outside(self, lead, eta, beta0, *, shrink=1.0, grow=1.0):
        """ln of an upper bound of sum_{a not in I} pi(a)/pi(m), m the action of least width:
        r(a) - r(m) <= lead * reach[m, a], and after one record changes Gamma_a >= shrink
        Gamma_a(D), Gamma_m <= grow Gamma_m(D).
        """
        widths, log_reference = self.context.widths, self.context.log_reference
        lead, eta, beta0, shrink, grow = (
            np.asarray(x, float)[..., None] for x in (lead, eta, beta0, shrink, grow)
        )
        m = widths.argmin(axis=-1)[..., None]
        narrow = np.take_along_axis(widths, m, axis=-1)
        reach = np.take_along_axis(self.context.reach, m[..., None], axis=-2)[..., 0, :]
        score = (lead * reach - beta0 * (shrink * widths - grow * narrow)) / eta
        score = score + log_reference - np.take_along_axis(log_reference, m, axis=-1)
        return np.logaddexp.reduce(np.where(self.inside, -np.inf, score), axis=-1)


def linear_sets(actions, inverse, log_reference) -> list[Narrowest]:
    """Every I of Theorem 2: the narrowest action, the two narrowest, ..., all."""
    return _sets(context_of(actions, inverse, inverse, inverse, log_reference))


def preference_sets(actions, inverse, spread_inverse, log_reference) -> list[Narrowest]:
    """Every I of Theorems 3 and 4; `spread_inverse`: of Sigma - lambda I."""
    unit = np.broadcast_to(np.eye(actions.shape[-1]), inverse.shape)
    return _sets(context_of(actions, inverse, spread_inverse, unit, log_reference))


def _sets(context: Context) -> list[Narrowest]:
    return [Narrowest(context, count + 1) for count in range(context.widths.shape[-1])]


def corrected_theorem2_approx(
    chosen, records, lambda_min, penalty, eta, beta0, *, reward_max=1.0
) -> Bound:
    """`chosen`: I; lambda_min(D) > 1."""
    drift = np.maximum(*linear_drift(records, lambda_min, penalty)) * reward_max
    grow = np.sqrt(lambda_min / (lambda_min - 1.0))
    shrink = np.sqrt(lambda_min / (lambda_min + 1.0))
    narrower = (chosen.count > 1) * beta0 * chosen.widest * (grow - 1.0)
    fewer = reward_max * np.sqrt(np.maximum(records - 1.0, 0.0))
    more = reward_max * np.sqrt(records + 1.0)
    removed = chosen.log_outside(fewer * grow, eta, beta0, grow=grow)
    added = chosen.log_outside(more, eta, beta0, shrink=shrink)  # it is above D's own mass
    epsilon = (drift * chosen.diameter + narrower) / eta
    return Bound(epsilon, probability_from_log_odds(np.maximum(removed, added)))


def inverse_gamma(radius):
    """1/gamma, gamma the least curvature of ln sigma over |t| <= 2B."""
    return 2.0 + np.exp(2.0 * radius) + np.exp(-2.0 * radius)


def corrected_theorem3_pure(lambda_min, penalty, eta, radius, longest=2.0, apart=2.0) -> Bound:
    """Label DP; lambda_min(D) > lambda; the MLE over the ball, or inside it; differences of
    features are of norm `longest` at most in the records, `apart` between two actions."""
    moved = apart * longest * inverse_gamma(radius * longest / 2.0)
    return Bound(moved / (eta * (lambda_min - penalty)))


def corrected_theorem3_approx(chosen, lambda_min, penalty, eta, beta0, radius) -> Bound:
    moved = 2.0 * inverse_gamma(radius) / np.sqrt(lambda_min - penalty)
    mass = chosen.log_outside(radius, eta, beta0)
    return Bound(moved * chosen.diameter / eta, probability_from_log_odds(mass))


def corrected_theorem4_pure(
    lambda_min, penalty, eta, beta0, radius, longest=2.0, apart=2.0
) -> Bound:
    """Add-remove DP; `longest` and `apart` as in corrected_theorem3_pure.

    h - longest^2 bounds lambda_min after a removal from below."""
    high = np.maximum(lambda_min, penalty + longest**2)
    narrower = beta0 * (1.0 / np.sqrt(high - longest**2) - 1.0 / np.sqrt(high))
    moved = apart * longest * (1.0 + np.exp(radius * longest)) / (lambda_min - penalty)
    return Bound((moved + narrower) / eta)


def corrected_theorem4_approx(chosen, lambda_min, penalty, eta, beta0, radius) -> Bound:
    high = np.maximum(lambda_min, penalty + 4.0)
    grow, shrink = np.sqrt(high / (high - 4.0)), np.sqrt(lambda_min / (lambda_min + 4.0))
    moved = 2.0 * (1.0 + np.exp(2.0 * radius)) / np.sqrt(lambda_min - penalty)
    narrower = (chosen.count > 1) * beta0 * chosen.widest * (grow - 1.0)
    removed = chosen.log_outside(radius, eta, beta0, grow=grow)
    added = chosen.log_outside(radius, eta, beta0, shrink=shrink)
    epsilon = (moved * chosen.diameter + narrower) / eta
    return Bound(epsilon, probability_from_log_odds(np.maximum(removed, added)))
