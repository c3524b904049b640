"""VPO with one batch (arXiv 2609.33888), as in its code, and the exact law of its action.

A logistic regression whose objective has a random linear term (Chaudhuri, Monteleoni and Sarwate
2011, Algorithm 2) predicts the loss f(a) of every action. The policy is the mean of softmax(-k rate
f) over k = 0..B-1, B the size of the batch. In the code features have norm at most 1 and f(a) is a
predicted zero-one loss: here x = z/2, and f(a) is the predicted probability that a loses against a
uniform answer.

The regression sees the labels in the sum u of the x alone, and the noise b is added to it: theta is
a function of u + b, and a label flip moves u by x. So the law of the action is an integral over b,
in polar coordinates, and a neighbour only weighs the same points otherwise.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, roots_genlaguerre

from private_preferences.rewards import logistic

CURVATURE = 0.25  # the largest second derivative of the logistic loss


@dataclass(frozen=True)
class Calibration:
    """Of one fit: b has density proportional to exp(-epsilon_noise |b|/2); penalty = n(l + D)."""

    epsilon_noise: float
    penalty: float


def calibrate(epsilon: float, n: int, ridge: float = 1e-6) -> Calibration:
    """Algorithm 2 with c = 1/4: epsilon = epsilon_noise + 2 ln(1 + c/penalty)."""
    noise = epsilon - 2 * math.log1p(CURVATURE / (n * ridge))
    if noise > 0:
        return Calibration(noise, n * ridge)
    return Calibration(epsilon / 2, CURVATURE / math.expm1(epsilon / 4))


def learning_rate(scale: float, actions: int, batch: int) -> float:
    return scale * min(1 / actions, 1 / math.sqrt(actions * batch))


def averaged_policy(losses, rate: float, length: int) -> np.ndarray:
    """The mean of q_0 .. q_(length-1), each the exponential update of the one before."""
    q = np.full(losses.shape, 1 / losses.shape[-1])
    update = np.exp(-rate * (losses - losses.min(axis=-1, keepdims=True)))
    total = np.zeros(losses.shape)
    for _ in range(length):
        total += q
        q = q * update
        q /= q.sum(axis=-1, keepdims=True)
    return total / length


def predicted_losses(theta, x) -> np.ndarray:
    """Of every action x: the mean over all actions of the probability that it loses."""
    scores = theta @ x.T
    return expit(scores[..., None, :] - scores[..., :, None]).mean(axis=-1)


def action_laws(duels, calibration: Calibration, rates, nodes=(32, 72)) -> np.ndarray:
    """ln pi(a) of the data, then with each label of `duels.flips` flipped; shape (rates, ., A).

    nodes: of the radius (Gauss and Laguerre, for the density r e^-r) and of the angle.
    """
    x, scale = duels.data.signed / 2, 2 / calibration.epsilon_noise
    radii, weights = roots_genlaguerre(nodes[0], 1)
    angles = 2 * np.pi * (np.arange(nodes[1]) + 0.5) / nodes[1]
    points = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    noise = (scale * radii[:, None, None] * points).reshape(-1, 2)
    moved = noise + np.vstack([np.zeros(2), duels.flips / 2])[:, None]
    longer = np.linalg.norm(noise, axis=1) - np.linalg.norm(moved, axis=2)
    masses = np.repeat(weights, nodes[1]) * np.exp(longer / scale)
    masses /= masses.sum(axis=1, keepdims=True)
    theta = logistic(x, x.sum(axis=0) + noise, calibration.penalty)
    losses = predicted_losses(theta, duels.actions / 2)
    return np.log([masses @ averaged_policy(losses, rate, len(x)) for rate in rates])
