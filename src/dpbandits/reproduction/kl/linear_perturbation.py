"""Perturbed ridge regression in two dimensions, with the exact law of its action.

Noise b of density proportional to exp(-|b|/noise) is added to theta (output perturbation) or to
X'r, that is to the gradient of the squares (objective perturbation: theta = Sigma^-1 (X'r + b));
the action with the largest phi'theta is taken. An action has the mass of b in a cone of apex -z:
z = theta and the cone between the rays where it ties with its neighbours on the circle, or z = X'r
and their images under Sigma. Its probability is an integral along the boundary of the cone (see
rivals.py): on a line at the distance c (in units of the noise) from 0, of F(c cosh x)/cosh x dx.
"""

import numpy as np

from dpbandits.reproduction.kl import rivals

WIDTH = 1.5  # of a piece at most: F(c cosh x) is bounded to pi/2 off the axis, an error of 1e-17
BLOCK = 16  # data sets handled at a time: their arrays fit into a processor's cache


def boundary_integrals(rays: np.ndarray, apex: np.ndarray, noise: float) -> np.ndarray:
    """The integral of F d(angle) out from -apex along each ray: (data sets, rays)."""
    rays = rays / np.linalg.norm(rays, axis=-1, keepdims=True)
    along = -(rays * apex[:, None]).sum(axis=-1) / noise
    aside = (rays[..., 1] * apex[:, None, 0] - rays[..., 0] * apex[:, None, 1]) / noise
    c = np.maximum(np.abs(aside), 1e-12)
    last = np.arcsinh(np.maximum(rivals.FAR / c, 1.0))  # beyond it F is 1, on both sides
    first = np.arcsinh(along / c)
    low = np.clip(first, -last, last)
    inner = _between(c, low, last)
    outer = np.maximum(_angle(low) - _angle(first), 0.0) + np.pi / 2 - _angle(np.maximum(last, low))
    # a ray that starts beyond `last` has F = 1 everywhere
    whole = np.where(first >= last, np.pi / 2 - _angle(first), inner + outer)
    return -np.sign(aside) * whole


def _between(c: np.ndarray, low: np.ndarray, last: np.ndarray) -> np.ndarray:
    """The integrals of F(c cosh x)/cosh x from `low` to `last`."""
    integrals, pieces = np.empty_like(c), max(1, int(np.ceil((last - low).max() / WIDTH)))
    for start in range(0, len(c), BLOCK):
        block = slice(start, start + BLOCK)
        half = (last[block] - low[block]) / (2 * pieces)
        middles = low[block, :, None] + half[..., None] * (2 * np.arange(pieces) + 1)
        exp_x = np.exp(middles)[..., None] * np.exp(half[..., None] * rivals.NODES)[:, :, None]
        cosh = (exp_x + 1 / exp_x) / 2
        law = rivals.radius_law(c[block, :, None, None] * cosh)
        integrals[block] = half * ((law / cosh).sum(axis=2) @ rivals.WEIGHTS)
    return integrals


def _angle(x: np.ndarray) -> np.ndarray:
    """The Gudermannian: the integral of 1/cosh from 0."""
    return 2 * np.arctan(np.tanh(x / 2))


class PerturbedRidge:
    """Policies of data sets, for any noise; actions on the unit circle, their angles increasing."""

    def __init__(self, angles: np.ndarray, sigmas: np.ndarray, responses: np.ndarray, kind: str):
        """sigmas: Sigma of each data set, responses: its X'r; kind: "output" or "objective"."""
        ties = angles - np.roll(rivals.gaps_of(angles), 1) / 2  # between action k - 1 and k
        rays = np.stack([np.cos(ties), np.sin(ties)], axis=1)
        if kind == "output":
            self.rays = np.broadcast_to(rays, (len(sigmas), *rays.shape))
            self.apex = np.linalg.solve(sigmas, responses[..., None])[..., 0]
        else:
            self.rays, self.apex = rays @ sigmas, responses
        after = np.roll(self.rays, -1, axis=1)
        cross = self.rays[..., 0] * after[..., 1] - self.rays[..., 1] * after[..., 0]
        self.gaps = np.arctan2(cross, (self.rays * after).sum(axis=-1))

    def log_policies(self, noise: float) -> np.ndarray:
        """ln Pr of every action: (data sets, actions)."""
        along = boundary_integrals(self.rays, self.apex, noise)
        return rivals.log_masses((along + self.gaps - np.roll(along, -1, axis=1)) / (2 * np.pi))

    def loss(self, noise: float) -> tuple[float, np.ndarray]:
        """(pure loss of the first data set over the others, its policy)."""
        return rivals.loss_of_first(self.log_policies(noise))
