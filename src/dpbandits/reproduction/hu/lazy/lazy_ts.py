"""P(transcript | sums) of Lazy-DP-TS for two arms, by quadrature over the two current noisy means.

Round t uses the noisy mean m of an arm, of an epoch of O rounds, through clip(m + 3 ln t/(eps O))
to [0, 1] alone, which is constant outside an interval of m of length 1. Where it is constant in all
rounds, a stretch of the line counts as one atom. Elsewhere the integrands are analytic except at
the kinks of the clipping and of the Laplace density; the panels of the quadrature end there.
"""

import math
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
from scipy.special import betainc, betaln

from dpbandits.reproduction.hu.lazy.transcripts import Law, law_of

NODES = 14  # Gauss-Legendre nodes per panel


@dataclass(frozen=True)
class Line:
    """Quadrature of the noisy mean of an epoch of `size` rounds: its points, then its atoms."""

    size: int
    points: np.ndarray
    weights: np.ndarray
    atoms: np.ndarray  # (atoms, 2): ends of the stretches where every round clips

    @property
    def nodes(self) -> np.ndarray:
        ends = self.atoms.clip(self.atoms[0, 1] - 1, self.atoms[-1, 0] + 1)
        return np.r_[self.points, ends.mean(axis=1)]

    def masses(self, total: int, epsilon: float) -> np.ndarray:
        """The probabilities of (total + Lap(1/eps))/size on the nodes."""
        rate, centre = epsilon * self.size, total / self.size
        density = rate / 2 * np.exp(-rate * np.abs(self.points - centre))
        return np.r_[density * self.weights, _laplace_mass(*(rate * (self.atoms.T - centre)))]


def _laplace_mass(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """P(low < Lap(1) < high), without cancellation in the tails."""
    mirrored = low > 0
    low, high = np.where(mirrored, -high, low), np.where(mirrored, -low, high)
    below = 0.5 * (np.exp(np.minimum(high, 0)) - np.exp(np.minimum(low, 0)))
    return below - 0.5 * np.expm1(-np.maximum(high, 0))


class Quadrature:
    """ln P(transcript | sums) for one horizon and epsilon."""

    def __init__(self, horizon: int, epsilon: float):
        self.horizon, self.epsilon = horizon, epsilon
        self.line = cache(self._line)
        self.first_wins = cache(self._first_wins)

    def _bonus(self, t: int, size: int) -> float:
        return 3 * math.log(t) / (self.epsilon * size)

    def _line(self, size: int) -> Line:
        starts = np.array([-self._bonus(t, size) for t in range(3, self.horizon + 1)])
        kinks = np.arange(size + 1) / size
        cuts = np.unique(np.round(np.r_[starts, starts + 1, kinks], 14))
        widest = 1.0 / max(1.0, self.epsilon * size)
        panels, atoms = [], [(-np.inf, cuts[0])]
        for a, b in pairwise(cuts):
            if np.any((starts < (a + b) / 2) & ((a + b) / 2 < starts + 1)):
                edges = np.linspace(a, b, 2 + int((b - a) / widest))
                panels += pairwise(edges)
            else:
                atoms.append((a, b))
        panels, atoms = np.array(panels).reshape(-1, 2), np.array([*atoms, (cuts[-1], np.inf)])
        x, w = np.polynomial.legendre.leggauss(NODES)
        half = np.diff(panels) / 2
        return Line(size, (panels[:, :1] + half * (1 + x)).ravel(), (half * w).ravel(), atoms)

    def _first_wins(self, t: int, size_0: int, size_1: int) -> np.ndarray:
        """P(theta_0 > theta_1) in round t at all pairs of nodes."""
        means = [
            np.clip(self.line(n).nodes + self._bonus(t, n), 0.0, 1.0) for n in (size_0, size_1)
        ]
        return beats(*means, size_0, size_1)

    def log_probability(self, transcript, epochs, sums) -> float:
        """`joint` is P(nodes of both arms, transcript so far)."""
        law, size = [None, None], [1, 1]
        starts = {}
        for epoch, total in zip(epochs, sums, strict=True):
            starts.setdefault(epoch.used_from, []).append((epoch, total))
        joint = None
        for t in range(1, len(transcript) + 1):
            for epoch, total in starts.get(t, ()):
                arm, size[epoch.arm] = epoch.arm, epoch.size
                law[arm] = self.line(epoch.size).masses(total, self.epsilon)
                if joint is not None:  # a new mean replaces the arm's old one
                    other = joint.sum(axis=arm)
                    joint = np.multiply.outer(*((law[0], other) if arm == 0 else (other, law[1])))
            if t == 3:
                joint = np.multiply.outer(law[0], law[1])
            if t >= 3:
                wins = self.first_wins(t, *size)
                joint = joint * (wins if transcript[t - 1] == 0 else 1 - wins)
        return 0.0 if joint is None else math.log(joint.sum())


def beats(mean_0: np.ndarray, mean_1: np.ndarray, size_0: int, size_1: int) -> np.ndarray:
    """P(Beta(m_0 n_0 + 1, (1 - m_0) n_0 + 1) > Beta(m_1 n_1 + 1, (1 - m_1) n_1 + 1)), all pairs.

    Double-exponential quadrature, which is accurate for any powers of theta at 0 and 1.
    """
    s = np.linspace(-3.4, 3.4, 137)
    u = np.pi * np.sinh(s)
    theta = 1 / (1 + np.exp(-u))
    weight = (s[1] - s[0]) * np.pi * np.cosh(s) * theta * (1 / (1 + np.exp(u)))
    a, b = mean_0[:, None] * size_0, (1 - mean_0[:, None]) * size_0
    log_theta, log_rest = -np.logaddexp(0, -u), -np.logaddexp(0, u)
    density = np.exp(a * log_theta + b * log_rest - betaln(a + 1, b + 1)) * weight
    below = betainc(mean_1[:, None] * size_1 + 1, (1 - mean_1[:, None]) * size_1 + 1, theta)
    return np.clip(density @ below.T, 0.0, 1.0)


def ts_law(horizon: int, epsilon: float) -> Law:
    """Lazy-DP-TS as printed."""
    return law_of(horizon, Quadrature(horizon, epsilon).log_probability)
