"""Maximum likelihood over a ball, many problems at once."""

import numpy as np
from scipy.special import expit

from dpbandits.offline.mle import ball_maximum

ARRIVED, STEPS, HALVINGS = 1e-9, 300, 50


def logistic(x, totals, penalty: float = 0.0, radius: float = np.inf) -> np.ndarray:
    """The maximiser of total'theta - sum of ln(1 + e^(x'theta)) - penalty |theta|^2/2 over the ball
    of this radius, for every row of totals. With labels y the total is the sum of y x."""

    def likelihood(theta):
        margins = theta @ x.T
        hit = expit(margins)
        value = (totals * theta - penalty / 2 * theta**2).sum(axis=1)
        bend = information(hit * (1 - hit), x) + penalty * np.eye(x.shape[1])
        return (
            value - np.logaddexp(0, margins).sum(axis=1),
            totals - hit @ x - penalty * theta,
            bend,
        )

    return maximum(likelihood, np.zeros_like(totals), radius)[0]


def information(curvatures, x) -> np.ndarray:
    squares = np.einsum("nd,ne->nde", x, x).reshape(len(x), -1)
    return (curvatures @ squares).reshape(-1, x.shape[1], x.shape[1])


def maximum(likelihood, theta, radius: float):
    """(theta, value) where `likelihood`, which gives values, gradients and expected curvatures,
    arrives from theta: at the maximum over the ball of the quadratic model, again and again, with
    steps halved until the likelihood rises."""
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
