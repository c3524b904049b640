"""Exact laws of the noisy leader: argmax of scores plus Gumbel or exponential noise of unit scale.

Scores are in units of the noise's scale; their last axis is the arms, other axes are cases.
Gumbel noise makes the exponential mechanism. Exponential noise makes permute-and-flip: with
a_k = exp(score_k - highest) arm j wins with probability int_0^1 a_j prod_{k != j} (1 - a_k u) du:
Gauss-Legendre quadrature integrates this polynomial exactly. For Laplace noise see dpbandits.audit.
"""

import numpy as np


def selection(noise: str, scores: np.ndarray) -> np.ndarray:
    """P(arm j is the noisy leader)."""
    weight = weights(scores)
    if noise == "gumbel":
        return weight / weight.sum(-1, keepdims=True)
    u, mass = nodes(weight.shape[-1])
    others = 1 - weight[..., None, :] * u[:, None]  # never 0: a_k <= 1 and u < 1
    product = others.prod(-1, keepdims=True) / others
    return weight * (mass[:, None] * product).sum(-2)


def weights(scores: np.ndarray) -> np.ndarray:
    return np.exp(scores - scores.max(-1, keepdims=True))


def nodes(degree: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss-Legendre nodes and weights on (0, 1), exact up to this degree."""
    x, mass = np.polynomial.legendre.leggauss(degree // 2 + 1)
    return (x + 1) / 2, mass / 2
