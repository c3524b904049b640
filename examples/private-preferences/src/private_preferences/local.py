"""Rewards learned from labels that their owners randomise: epsilon-local label privacy.

Each label is reported as it is with probability keep = e^eps/(1 + e^eps), else the other one.
Where the statements were read: README.md.
"""

import math

import numpy as np
from scipy.special import expit

from private_preferences.likelihood import information, logistic, maximum


def keep_probability(epsilon: float) -> float:
    return 1 / (1 + math.exp(-epsilon))


def reports(shape, keep: float, generator) -> np.ndarray:
    """+1 where the label is reported as it is, -1 where it is flipped."""
    return np.where(generator.random(shape) < keep, 1.0, -1.0)


def private_rlhf(signed, said, keep: float, radius: float) -> np.ndarray:
    """theta of arXiv 2505.15694, Algorithm 1: one row per row of reports `said`.

    The minimiser over the ball of the mean of -[ln(1 - s(x'theta)) + (r + keep - 1) c x'theta],
    with c = 1/(2 keep - 1), here for x = z, whose report r is 1 if the label was kept, else 0.
    """
    weights = ((said + 1) / 2 + keep - 1) / (2 * keep - 1)
    return logistic(signed, weights @ signed, radius=radius)


def ppkl(signed, said, keep: float, radius: float) -> np.ndarray:
    """theta of PPKL-RLHF (arXiv 2510.13512): the maximum likelihood of the reports,

        sum of ln[keep s(r z'theta) + (1 - keep) s(-r z'theta)], r = +1 or -1,

    over the ball. It is not concave: the best of the maxima reached from 0, from `private_rlhf` and
    from far out along every axis.
    """

    def likelihood(theta):
        hit = expit(said * (theta @ signed.T))
        p = 1 - keep + (2 * keep - 1) * hit
        slope = (2 * keep - 1) * hit * (1 - hit)
        bend = information(slope**2 / np.maximum(p * (1 - p), 1e-300), signed)
        return np.log(p).sum(axis=1), (said * slope / p) @ signed, bend

    axes = 0.9 * radius * np.eye(signed.shape[1])
    starts = [np.tile(point, (len(said), 1)) for point in (0 * axes[0], *axes, *-axes)]
    starts.append(private_rlhf(signed, said, keep, radius))
    found = [maximum(likelihood, start, radius) for start in starts]
    best = np.argmax([value for _, value in found], axis=0)
    return np.stack([theta for theta, _ in found])[best, np.arange(len(said))]
