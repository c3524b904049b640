"""What is true in place of the printed bounds of theory.py, proved in docs/proofs/KL.md.

The names and step numbers are those of that page. Everything works on numbers and on arrays of
them alike. R = 1 unless `reward_max` is given; the loss of a pair is in nats.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import expit

from dpbandits.offline.theory import Bound


def odds(log_mass):
    """x/(1 + x) of x = e^log_mass: what a mass of at most x times another one can be at most."""
    return expit(log_mass)


# --- Lemma 1, Proposition 1, Section 4.4 --------------------------------------------------------
def lemma1(spread, mass_before, mass_after) -> Bound:
    """`spread`: of the change of score/eta on I; the rest has these masses at D and at D'."""
    return Bound(spread, np.maximum(mass_before, mass_after))


def draws(spread, times, slack) -> Bound:
    """T draws from one policy whose log-ratios spread over an interval of this length."""
    deviation = spread * np.sqrt(times * np.log(1.0 / slack) / 2.0)
    return Bound(times * spread**2 / 8.0 + deviation, slack)


def inexact(bound: Bound, error) -> Bound:
    kept = 1.0 - np.exp(-error) * (1.0 - bound.delta)
    return Bound(bound.epsilon + 2.0 * error, np.minimum(np.exp(error) * bound.delta, kept))


# --- Theorem 1 ----------------------------------------------------------------------------------
def bandit_step(count, eta, beta0, reward_max=1.0):
    """The most that a score/eta moves between `count` and `count` - 1 records of its arm."""
    narrower = 1.0 / np.sqrt(count - 1.0) - 1.0 / np.sqrt(count)
    return (reward_max / count + beta0 * narrower) / eta


def theorem1_pure(least, eta, beta0, reward_max=1.0) -> Bound:
    """`least` = min_a N(a) > 1."""
    return Bound(bandit_step(least, eta, beta0, reward_max))


def theorem1_approx(most, eta, beta0, epsilon, reward_max=1.0, reference_ratio=1.0) -> Bound:
    """For eps >= bandit_step(max N): any coverage. `reference_ratio` = max_b pi0(b)/pi0(m) >= 1."""
    count = 1.0 + (beta0 / (2.0 * eta * epsilon)) ** (2.0 / 3.0)
    exponent = (reward_max + beta0 / np.sqrt(most) - beta0 / np.sqrt(count)) / eta
    return Bound(epsilon, odds(exponent + np.log(reference_ratio)))


def threshold(most, eta, beta0, reward_max=1.0, reference_ratio=1.0) -> float | None:
    """eps above which theorem1_approx's delta is below 1/2; None: it is nowhere."""
    lead = reward_max + eta * np.log(reference_ratio)
    if beta0 * (1.0 - 1.0 / np.sqrt(most)) <= lead:
        return None
    above = (beta0 / (lead + beta0 / np.sqrt(most))) ** 2 - 1.0
    return float(beta0 / (2.0 * eta) * above**-1.5)


# --- Theorem 2 ----------------------------------------------------------------------------------
def leverage(floor, penalty):
    """sup of sqrt(s - lambda)/s over s >= floor: |X Sigma^-1 z| for a unit z."""
    at = np.maximum(floor, 2.0 * penalty)
    return np.sqrt(at - penalty) / at


def linear_drift(records, floor, penalty):
    """Sup of |z|_{Sigma^-1} x residual over removals and additions, R = 1 (before or after)."""
    removed = 1.0 + np.sqrt(records - 1.0) * leverage(floor - 1.0, penalty)
    added = 1.0 + np.sqrt(records) * leverage(floor, penalty)
    return removed / np.sqrt(floor), added * np.sqrt(floor) / (floor + 1.0)


def theorem2_pure(records, floor, penalty, eta, beta0, reward_max=1.0) -> Bound:
    """`floor` = lambda_min(D) > 1; no dimension in it."""
    removed, added = linear_drift(records, floor, penalty)
    narrower = [
        beta0 * (1.0 / np.sqrt(floor - 1.0) - 1.0 / np.sqrt(floor)),
        beta0 * (1.0 / np.sqrt(floor) - 1.0 / np.sqrt(floor + 1.0)),
    ]
    moves = [2.0 * reward_max * drift / np.sqrt(floor) for drift in (removed, added)]
    return Bound(np.maximum(moves[0] + narrower[0], moves[1] + narrower[1]) / eta)


# --- Theorems 2 to 4 with a set I of actions -----------------------------------------------------
@dataclass(frozen=True)
class Context:
    """The actions at one context, as the approximate bounds see them; leading axes: many at once.

    `widths` |phi_a|_{Sigma^-1}; `apart` |phi_a - phi_b| in the norm that the mean moves in
    (Sigma^-1 for Theorem 2, (Sigma - lambda)^-1 for RLHF) and `reach` in the norm that bounds the
    difference of two means (Sigma^-1; for RLHF the plain one).
    """

    widths: np.ndarray
    apart: np.ndarray
    reach: np.ndarray
    log_reference: np.ndarray


def context_of(actions, inverse, apart, reach, log_reference) -> Context:
    """Of one context or of many; the forms of the norms of Context."""
    between = actions[..., :, None, :] - actions[..., None, :, :]

    def norm(vectors, form):
        return np.sqrt(np.maximum(np.einsum("...d,...de,...e->...", vectors, form, vectors), 0.0))

    return Context(
        widths=norm(actions, inverse[..., None, :, :]),
        apart=norm(between, apart[..., None, None, :, :]),
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
        """I as a mask."""
        order = np.argsort(np.argsort(self.context.widths, axis=-1, kind="stable"), axis=-1)
        return order < self.count

    @property
    def diameter(self) -> np.ndarray:
        both = self.inside[..., :, None] & self.inside[..., None, :]
        return np.where(both, self.context.apart, 0.0).max(axis=(-1, -2))

    @property
    def widest(self) -> np.ndarray:
        return np.where(self.inside, self.context.widths, 0.0).max(axis=-1)

    def log_outside(self, lead, eta, beta0, *, shrink=1.0, grow=1.0):
        """ln of sum over a outside of pi0(a)/pi0(m) exp((lead reach - beta0 (width gap))/eta), m
        the narrowest action. Widths may have shrunk by `shrink` outside and grown by `grow` at m.
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


def theorem2_approx(chosen, records, floor, penalty, eta, beta0, *, reward_max=1.0) -> Bound:
    """`chosen`: I; lambda_min = `floor` > 1."""
    drift = np.maximum(*linear_drift(records, floor, penalty)) * reward_max
    grow, shrink = np.sqrt(floor / (floor - 1.0)), np.sqrt(floor / (floor + 1.0))
    narrower = (chosen.count > 1) * beta0 * chosen.widest * (grow - 1.0)
    fewer, more = (reward_max * np.sqrt(count) for count in (records - 1.0, records + 1.0))
    removed = chosen.log_outside(fewer * grow, eta, beta0, grow=grow)
    added = chosen.log_outside(more, eta, beta0, shrink=shrink)  # it is above D's own mass
    epsilon = (drift * chosen.diameter + narrower) / eta
    return Bound(epsilon, odds(np.maximum(removed, added)))


def miss(radius):
    """Sup of sigma(-t) over |t| <= 2B."""
    return 1.0 / (1.0 + np.exp(-2.0 * radius))


def flatness(radius):
    """1/gamma: the inverse of the least curvature of ln sigma over |t| <= 2B."""
    return 2.0 + np.exp(2.0 * radius) + np.exp(-2.0 * radius)


def theorem3_pure(floor, penalty, eta, radius, longest=2.0) -> Bound:
    """Label DP; `floor` = lambda_min(D) > lambda; the MLE over the ball, or inside it; differences
    of features are of norm `longest` at most."""
    return Bound(2.0 * longest * flatness(radius * longest / 2.0) / (eta * (floor - penalty)))


def theorem3_approx(chosen, floor, penalty, eta, beta0, radius) -> Bound:
    moved = 2.0 * flatness(radius) / np.sqrt(floor - penalty)
    mass = chosen.log_outside(radius, eta, beta0)
    return Bound(moved * chosen.diameter / eta, odds(mass))


def _floor4(floor, penalty):
    """h: with lambda_min(D) and lambda, h - 4 bounds lambda_min after a removal."""
    return np.maximum(floor, penalty + 4.0)


def theorem4_pure(floor, penalty, eta, beta0, radius) -> Bound:
    """Add-remove DP."""
    high = _floor4(floor, penalty)
    narrower = beta0 * (1.0 / np.sqrt(high - 4.0) - 1.0 / np.sqrt(high))
    moved = 4.0 * miss(radius) * flatness(radius) / (floor - penalty)
    return Bound((moved + narrower) / eta)


def theorem4_approx(chosen, floor, penalty, eta, beta0, radius) -> Bound:
    high = _floor4(floor, penalty)
    grow, shrink = np.sqrt(high / (high - 4.0)), np.sqrt(floor / (floor + 4.0))
    moved = 2.0 * miss(radius) * flatness(radius) / np.sqrt(floor - penalty)
    narrower = (chosen.count > 1) * beta0 * chosen.widest * (grow - 1.0)
    removed = chosen.log_outside(radius, eta, beta0, grow=grow)
    added = chosen.log_outside(radius, eta, beta0, shrink=shrink)
    epsilon = (moved * chosen.diameter + narrower) / eta
    return Bound(epsilon, odds(np.maximum(removed, added)))
