"""Objective perturbation for preferences in two dimensions, with the exact law of its action.

theta maximises the likelihood + b'theta - penalty |theta|^2/2, for noise b of density proportional
to exp(-|b|/noise); the action with the largest phi'theta is taken. theta determines b, one to one:
b = penalty theta - gradient(theta). So an action has the mass of b between two curves, the images
of the rays where it ties with its neighbours on the circle: an integral along them (see rivals.py).
"""

from functools import cache

import numpy as np
from scipy.special import expit

from dpbandits.reproduction.kl import rivals

PIECES = 24


class ObjectivePerturbation:
    """Policies of a data set and of given neighbours, for any noise; actions on the unit circle."""

    def __init__(self, signed: np.ndarray, angles: np.ndarray, penalty: float = 1.0):
        """`angles`: of the actions, increasing, all gaps below pi."""
        self.signed, self.penalty = signed, penalty
        self.ties = angles + rivals.gaps_of(angles) / 2  # between action k and k + 1
        self.rays = np.stack([np.cos(self.ties), np.sin(self.ties)], axis=1)
        self.most = np.linalg.norm(signed, axis=1).sum() + 2.0
        self.curve, self.closest = cache(self._curve), cache(self._closest_point_on_ray)

    def log_policies(self, noise: float, changes: np.ndarray, signs: np.ndarray) -> np.ndarray:
        """ln Pr of every action: of the data, then of one neighbour per row of changes.
        A sign +1 adds the signed difference, -1 removes it, 0 flips the label of this record."""
        along = np.stack(
            [self._boundary_integrals(k, noise, changes, signs) for k in range(len(self.rays))]
        )
        gained = np.diff(np.append(self.ties[-1] - 2 * np.pi, self.ties))  # along infinity
        return rivals.log_masses(
            (gained[:, None] + np.roll(along, 1, axis=0) - along).T / (2 * np.pi)
        )

    def loss(self, noise: float, changes: np.ndarray, signs: np.ndarray):
        """(pure loss over the neighbours, ln Pr at the data)."""
        return rivals.loss_of_first(self.log_policies(noise, changes, signs))

    def _boundary_integrals(self, k, noise, changes, signs):
        """The integrals of F d(angle of b) out along ray k, of the data and of every neighbour."""
        u, (t, weights, b, slope) = self.rays[k], self.curve(k, noise)
        speed = changes @ u
        with np.errstate(over="ignore"):  # to inf, where `miss` is 0
            miss = 1 / (1 + np.exp(t[:, None] * speed))
        curve = miss * (1 - miss) * (signs * speed)
        # a flip moves b by the difference itself, as sigma(-m) + sigma(m) = 1, and keeps its slope
        miss = np.where(np.equal(signs, 0), -1.0, signs * miss)
        x, y, dx, dy = (  # b and its slope, at the data, then at every neighbour
            np.concatenate([at[:, i, None], at[:, i, None] + sign * moved * changes[:, i]], axis=1)
            for at, moved, sign in ((b, miss, -1.0), (slope, curve, 1.0))
            for i in (0, 1)
        )
        square = np.maximum(x * x + y * y, 1e-300)
        rate = (x * dy - y * dx) / square
        law = rivals.radius_law(np.sqrt(square) / noise)
        end = np.stack([x[-1], y[-1]], axis=1)
        beyond = np.angle((u[0] + 1j * u[1]) / (end[:, 0] + 1j * end[:, 1]))
        return weights @ (law * rate) + beyond

    def _curve(self, k, noise):
        """Nodes along ray k, their weights, b and its slope there: of the data alone."""
        u = self.rays[k]
        t, weights = self._steps(k, noise)
        margins = self.signed @ u
        miss = expit(-t[:, None] * margins)
        b = self.penalty * t[:, None] * u - miss @ self.signed
        slope = self.penalty * u + (miss * (1 - miss) * margins) @ self.signed
        return t, weights, b, slope

    def _closest_point_on_ray(self, k):
        """The place along ray k where |b| is smallest, by a grid that is refined three times.
        It is before penalty t - |gradients| exceeds |b| at 0."""
        u = self.rays[k]
        margins = self.signed @ u
        t = np.concatenate([[0.0], np.geomspace(1e-4, 2 * self.most / self.penalty, 60)])
        for _ in range(4):
            b = self.penalty * t[:, None] * u - expit(-t[:, None] * margins) @ self.signed
            i = int(np.argmin((b**2).sum(axis=1)))
            closest, last = t[i], len(t) - 1
            t = np.linspace(t[max(i - 1, 0)], t[min(i + 1, last)], 61)
        return closest

    def _steps(self, k, noise):
        """Nodes and weights on [0, far], dense (in a sinh) about the smallest |b|; `far` is exact.
        Past `far`, |b| >= penalty t - |gradients| exceeds FAR noise, and F is 1. The smallest |b|
        must be a knot: there it has a kink."""
        far, closest = (rivals.FAR * noise + self.most) / self.penalty, self.closest(k)
        width = (noise + 1.0) / (self.penalty + (self.signed**2).sum() / 8)
        width = min(width, far)
        ends = np.arcsinh(np.array([-closest, far - closest]) / width)
        sides = np.linspace(ends[0], 0.0, PIECES // 2 + 1), np.linspace(0.0, ends[1], PIECES // 2)
        knots = np.unique(np.concatenate(sides))
        half = np.diff(knots) / 2
        x = ((knots[:-1] + half)[:, None] + half[:, None] * rivals.NODES).ravel()
        weights = (half[:, None] * rivals.WEIGHTS).ravel() * width * np.cosh(x)
        return np.append(closest + width * np.sinh(x), far), np.append(weights, 0.0)
