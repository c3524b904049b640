"""What proven bounds on every action's log-ratio say of the privacy loss.

A certificate is two numbers per action that hold for all neighbours at once:
forth_a >= ln pi(a)/pi'(a) and back_a >= ln pi'(a)/pi(a). They follow from bounds u_ab on the change
of score over eta of b less that of a, since ln pi(a)/pi'(a) = ln E_pi exp(change_b - change_a).
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Ratios:
    """Upper bounds of both log-ratios of every action, over a set of neighbours."""

    log_pi: np.ndarray
    forth: np.ndarray
    back: np.ndarray

    @property
    def pure(self) -> float:
        return float(max(self.forth.max(), self.back.max(), 0.0))

    def delta(self, epsilon: float) -> float:
        return float(delta_of_ratios(self.log_pi, self.forth, self.back, epsilon))

    def least(self, other: "Ratios") -> "Ratios":
        """The better of two certificates of the same neighbours."""
        forth, back = np.minimum(self.forth, other.forth), np.minimum(self.back, other.back)
        return Ratios(self.log_pi, forth, back)

    def seen_from(self, log_pi: np.ndarray) -> "Ratios":
        """The same neighbours, compared with another policy than the one they were bounded from."""
        with np.errstate(invalid="ignore"):
            shift = np.where(np.isneginf(log_pi), 0.0, log_pi - self.log_pi)
        return Ratios(log_pi, self.forth + shift, self.back - shift)


def delta_of_ratios(log_pi, forth, back, epsilon: float) -> np.ndarray:
    """sum_a (pi - e^eps pi')_+ with pi' >= pi e^-forth, its mirror image, and the pure loss."""
    pi = np.exp(log_pi)
    lost = (pi * -np.expm1(np.minimum(epsilon - forth, 0.0))).sum(axis=-1)
    grown = np.where(np.isneginf(log_pi), 0.0, np.maximum(back, epsilon) - epsilon)
    gained = pi * np.exp(epsilon) * np.expm1(np.minimum(grown, 300.0))
    gained = np.where(grown > 300.0, 1.0, gained).sum(axis=-1)
    pure = np.maximum(forth, back).max(axis=-1)
    return np.minimum(np.maximum(lost, gained), delta_of_pure(pure, epsilon))


def delta_of_pure(pure: np.ndarray, epsilon: float) -> np.ndarray:
    """The largest delta(eps) that a pure loss allows: (e^pure - e^eps)/(1 + e^pure)."""
    pure = np.maximum(pure, epsilon)
    return -np.expm1(epsilon - pure) / (1.0 + np.exp(-pure))


def delta_of_spread(deviation, mean, pure, epsilon: float) -> np.ndarray:
    """From the standard deviation of D under pi, J = ln E_pi e^(D - E_pi D), and the pure loss.

    s = ln pi/pi' has mean J >= 0 under pi and the variance of D; 1 - e^(eps - s) <= s - eps, and
    (s - eps)_+ <= (s + c)^2/(4 (eps + c)) for any c > -eps. Back, pi' - e^eps pi =
    pi (e^-s - e^eps), with the chord of the exponential from eps to the pure loss.
    """
    deviation, mean, pure = np.broadcast_arrays(deviation, mean, pure)
    c = deviation[..., None] * np.geomspace(0.1, 10.0, 40) + 1e-300
    variance, mean = deviation[..., None] ** 2, mean[..., None]
    forth = ((variance + (mean + c) ** 2) / (4 * (epsilon + c))).min(axis=-1)
    back = ((variance + np.maximum(c, mean - c) ** 2) / (4 * (epsilon + c))).min(axis=-1)
    above = np.maximum(pure - epsilon, 1e-300)
    short = np.clip(above, 1e-8, 300.0)  # a longer chord is steeper
    chord = np.exp(epsilon) * np.expm1(short) / short
    with np.errstate(over="ignore"):
        bound = np.maximum(forth, np.where(above < 300.0, chord * back, np.inf))
    return np.where(pure <= epsilon, 0.0, np.minimum(bound, 1.0))


def pairwise(log_pi: np.ndarray, change: np.ndarray) -> Ratios:
    """From u[a, b] >= (change of b) - (change of a), with which both log-ratios grow."""
    forth = np.logaddexp.reduce(log_pi + change, axis=1)
    back = -np.logaddexp.reduce(log_pi - change.T, axis=1)
    return Ratios(log_pi, forth, back)


def curvature(most: np.ndarray) -> np.ndarray:
    """h with exp(z) <= 1 + z + h z^2 for all z <= most: (e^most - 1 - most)/most^2, increasing."""
    small = most < 1e-3
    safe = np.where(small, 1.0, np.minimum(most, 300.0))  # past e^300 nothing is claimed but inf
    series = 0.5 + most / 6.0 + most**2 / 12.0  # the rest is below z^2/24 here
    value = (np.expm1(safe) - safe) / safe**2 * (1.0 + 1e-9)  # 1e-9: cancellation near 1e-3
    return np.where(small, series, np.where(most > 300.0, np.inf, value))
