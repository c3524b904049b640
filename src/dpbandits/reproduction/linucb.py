"""LinUCB on noisy sums, as in Shariff and Sheffet 2018 with Gaussian noise: of any features.

A record z = (features, reward) enters a matrix of sums by zz'. Parts of it, the nodes of a tree,
get symmetric noise once each; a released matrix is a sum of noisy nodes, 1 + ceil(log2 T) at most.
Which rounds are a node, and how much noise it needs, is the caller's.
"""

import math
from typing import Annotated

import numpy as np
from pydantic import Field

from dpbandits.core.models import Model


def most_nodes(rounds) -> int:
    return 1 + math.ceil(math.log2(rounds))


class Width(Model):
    """A factor of beta_t; their theorem asks for 1. While it is 1 it is left out of a setting's
    canonical spelling, so that older results keep their seeds."""

    width: Annotated[float, Field(ge=0, le=1, exclude_if=lambda width: width == 1)] = 1.0


class LinUcb:
    """Names as in the paper, with alpha = 1/T.

    size: of the features; scale: of a node's noise; norm: S, of the true parameter; sigma: of the
    rewards' noise; log_failure: ln(2/alpha) in the width; tau: added to the shift, so that without
    noise this is plain LinUCB; least: the smallest Upsilon; width: as in Width.
    """

    def __init__(self, size, scale, rounds, norm, sigma, log_failure, tau=0.0, least=0.0, width=1):
        self.scale, self.sigma, self.log_failure, self.tau = scale, sigma, log_failure, tau
        self.width = width
        nodes, tail = most_nodes(rounds), 2 * math.log(2 * rounds * rounds)
        upsilon = scale * math.sqrt(2 * nodes) * (4 * math.sqrt(size) + tail)
        self.upsilon = max(least, upsilon)
        self.rho_min, self.rho_max = self.upsilon + tau, 3 * self.upsilon + tau
        gamma = scale * math.sqrt(nodes / self.rho_min) * (math.sqrt(size) + math.sqrt(tail))
        self.bias = norm * math.sqrt(self.rho_max) + gamma  # of beta_t, without the determinant
        self.sums = np.zeros((size + 1, size + 1))

    def node_noise(self, rng) -> np.ndarray:
        """Of standard deviation sqrt(2) scale in every direction of symmetric matrices."""
        square = self.scale * rng.standard_normal(self.sums.shape)
        return (square + square.T) / math.sqrt(2)

    def refit(self, noise=0.0) -> None:
        """From the sums and their noise: the ridge regression theta, and the width beta_t."""
        from scipy.linalg import cho_solve, cholesky

        released, size = self.sums + noise, len(self.sums) - 1
        v = released[:size, :size] + (2 * self.upsilon + self.tau) * np.eye(size)
        self.root = cholesky(v, lower=True, check_finite=False)
        self.theta = cho_solve((self.root, True), released[:size, size], check_finite=False)
        log_det = 2 * np.log(np.diag(self.root)).sum() - size * math.log(self.rho_min)
        explore = self.sigma * math.sqrt(max(0.0, 2 * self.log_failure + log_det))
        self.beta = self.width * (explore + self.bias)

    def index(self, x: np.ndarray) -> np.ndarray:
        """x'theta + beta_t |x| in the norm of V^-1, for each row x."""
        from scipy.linalg import solve_triangular

        half = solve_triangular(self.root, x.T, lower=True, check_finite=False)
        return x @ self.theta + self.beta * np.sqrt(np.einsum("ij,ij->j", half, half))
