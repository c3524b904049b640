"""Rewards learned from labels that their owners randomise: epsilon-local label privacy.

Each label is reported as it is with probability keep = e^eps/(1 + e^eps), else the other one.
Where the statements were read: README.md. All problems of a study are solved at once.
"""

import math

import numpy as np
from scipy.special import expit

from dpbandits.offline.mle import ball_maximum

ARRIVED, STEPS, HALVINGS = 1e-9, 300, 50


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


def logistic(x, totals, penalty: float = 0.0, radius: float = np.inf) -> np.ndarray:
    """The maximiser of total'theta - sum of ln(1 + e^(x'theta)) - penalty |theta|^2/2 over the ball
    of this radius, for every row of totals. With labels y the total is the sum of y x."""

    def likelihood(theta):
        margins = theta @ x.T
        hit = expit(margins)
        value = (totals * theta - penalty / 2 * theta**2).sum(axis=1)
        value -= np.logaddexp(0, margins).sum(axis=1)
        bend = information(hit * (1 - hit), x) + penalty * np.eye(x.shape[1])
        return value, totals - hit @ x - penalty * theta, bend

    return maximum(likelihood, np.zeros_like(totals), radius)[0]


def information(curvatures, x) -> np.ndarray:
    squares = np.einsum("nd,ne->nde", x, x).reshape(len(x), -1)
    return (curvatures @ squares).reshape(-1, x.shape[1], x.shape[1])


def maximum(likelihood, theta, radius: float):
    """(theta, value) at the maximum over the ball that is reached from theta, by Newton's method
    with the expected curvature and halved steps; `likelihood` gives value, gradient, curvature."""
    value, gradient, bend = likelihood(theta)
    for _ in range(STEPS):
        step = ball_maximum(bend, gradient, theta, np.full(len(theta), radius)) - theta
        for _ in range(HALVINGS):
            reached = likelihood(theta + step)
            worse = reached[0] < value - 1e-13 * (1 + np.abs(value))
            if not worse.any():
                break
            step[worse] /= 2
        theta, (value, gradient, bend) = theta + step, reached
        if (np.abs(step) < ARRIVED * (1 + np.abs(theta))).all():
            break
    return theta, value
