"""A proven upper bound of the loss of additions to a linear audit, by branch and bound over boxes.

Over a box of added records (x, r), an interval bound kappa on the change of every action's score
over eta bounds the change of all log-probabilities by 2 kappa. So the pure loss in the box is at
most that at its centre plus 2 kappa, and delta(eps) at most what two shifted hockey-stick
divergences give. Boxes that cannot beat the best addition found by more than a tolerance are
dropped, others halved. The boxes cover the unit ball. Rounding moves scores, and so log-ratios and
delta, by at most what `rounding` proves; that is added.
"""

import numpy as np

from dpbandits.core.divergences import hockey_stick, pure_epsilon
from dpbandits.offline.linear_certificate import rounding

MOST_DIMENSIONS = 3
CELLS = 400_000
# Relative gap at which a box is dropped, by dimension: what CELLS boxes can usually reach.
TOLERANCE = {1: 1e-6, 2: 1e-4, 3: 2e-3}
TOLERANCE_OF_DELTA = {1: 1e-6, 2: 2e-3, 3: 8e-3}


def certified_additions(audit, attained: float, epsilon: float | None = None) -> float:
    """An upper bound over all additions: of the pure loss, or of delta at epsilon if given."""
    dimension = audit.features.shape[1]
    tolerance = (TOLERANCE if epsilon is None else TOLERANCE_OF_DELTA)[dimension]
    slack = tolerance * attained + 1e-12
    error = rounding(audit) + 1e-12  # and 1e-12 for a bound of order 1 itself
    centres = np.zeros((1, dimension + 1))
    centres[0, -1] = audit.reward_max / 2
    widths = np.ones((1, dimension + 1))
    widths[0, -1] = audit.reward_max / 2
    seen = 0
    while len(centres):
        bounds = np.concatenate(
            [_upper(audit, c, w, epsilon) for c, w in _chunks(centres, widths, audit)]
        )
        outside = np.sum(np.maximum(np.abs(centres[:, :-1]) - widths[:, :-1], 0.0) ** 2, axis=1) > 1
        open_ = (bounds > attained + slack) & ~outside
        seen += len(centres)
        if seen > CELLS and open_.any():
            return float(bounds[open_].max() * (1.0 + 1e-12) + error)
        centres, widths = _halved(centres[open_], widths[open_], audit)
    return float((attained + slack) * (1.0 + 1e-12) + error)


def _chunks(centres, widths, audit):
    step = max(1, 1_000_000 // len(audit.actions))
    for first in range(0, len(centres), step):
        yield centres[first : first + step], widths[first : first + step]


def _halved(centres, widths, audit):
    """Each box cut in two across its longest side (rewards measured in halves of their range)."""
    unit = np.ones(centres.shape[1])
    unit[-1] = audit.reward_max / 2
    rows, side = np.arange(len(centres)), np.argmax(widths / unit, axis=1)
    widths = widths.copy()
    widths[rows, side] /= 2
    left, right = centres.copy(), centres.copy()
    left[rows, side] -= widths[rows, side]
    right[rows, side] += widths[rows, side]
    return np.concatenate([left, right]), np.concatenate([widths, widths])


def _upper(audit, centres, widths, epsilon):
    policies = audit.updated(centres[:, :-1], centres[:, -1], 1.0)
    change = 2.0 * _score_change(audit, centres, widths)
    if epsilon is None:
        return pure_epsilon(audit.log_pi, policies) + change
    level = (epsilon - change)[:, None]
    forth = _hockey(audit.log_pi, policies, level)
    back = np.exp(np.minimum(change, 700.0)) * _hockey(policies, audit.log_pi, level)
    # Or: a softmax whose scores move by kappa moves by tanh(kappa/2) in total variation.
    at = np.full((len(centres), 1), epsilon)
    moved = np.exp(epsilon) * np.tanh(change / 4)
    near = np.maximum(_hockey(audit.log_pi, policies, at), _hockey(policies, audit.log_pi, at))
    return np.minimum(1.0, np.minimum(np.maximum(forth, back), near + moved))


def _hockey(log_p, log_q, level):
    shape = np.broadcast_shapes(log_p.shape, log_q.shape)
    return hockey_stick(np.broadcast_to(log_p, shape), log_q, level)


def _score_change(audit, centres, widths):
    """kappa: how far any action's score over eta can move inside each box."""
    x, r, x_half, r_half = centres[:, :-1], centres[:, -1], widths[:, :-1], widths[:, -1]
    inverse, theta = audit.ridge.inverse, audit.ridge.theta
    floor = audit.ridge.smallest_eigenvalue
    solved = audit.actions @ inverse
    overlap, overlap_half = np.abs(x @ solved.T), x_half @ np.abs(solved).T
    leverage = np.sqrt(np.einsum("nd,de,ne->n", x, inverse, x))
    leverage_half = np.linalg.norm(x_half, axis=1) / np.sqrt(floor)
    square_half = leverage_half * (2 * leverage + leverage_half)
    below = 1.0 + np.maximum(leverage - leverage_half, 0.0) ** 2
    at = 1.0 + leverage**2
    residual = np.abs(r - x @ theta)
    step = residual / at
    step_half = (r_half + x_half @ np.abs(theta)) / below + residual * square_half / (at * below)
    # A shift common to all actions leaves the policy alone: the mean part is centred.
    centred = solved - solved.mean(axis=0)
    apart, apart_half = np.abs(x @ centred.T), x_half @ np.abs(centred).T
    mean = step[:, None] * apart_half + (apart + apart_half) * step_half[:, None]
    gain_half = (2 * overlap + overlap_half) * overlap_half / below[:, None]
    gain_half += overlap**2 * (square_half / (at * below))[:, None]
    # Sigma + xx' <= (1 + |x|^2/lambda_min) Sigma keeps every new width above this:
    least = np.sqrt(audit.squares / (1.0 + x.shape[1] / floor))
    with np.errstate(divide="ignore", invalid="ignore"):
        width = np.where(least > 0, gain_half / (2 * least), 0.0)
    return (mean + audit.beta0 * width).max(axis=1) / audit.eta
