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
from dpbandits.offline.linear.certificate import rounding

MOST_DIMENSIONS = 3
CELLS = 400_000
# Relative gap at which a box is dropped, by dimension: what CELLS boxes can usually reach.
TOLERANCE = {1: 1e-6, 2: 1e-4, 3: 2e-3}
TOLERANCE_OF_DELTA = {1: 1e-6, 2: 2e-3, 3: 8e-3}


def certified_additions(audit, attained: float, epsilon: float | None = None) -> float:
    """An upper bound over all additions: of the pure loss, or of delta at epsilon if given."""
    dimension = audit.features.shape[1]
    centre, half = np.zeros((1, dimension + 1)), np.ones((1, dimension + 1))
    centre[0, -1] = half[0, -1] = audit.reward_max / 2

    def upper(centres, halves):
        policies = audit.updated(centres[:, :-1], centres[:, -1], 1.0)
        change = 2.0 * _score_change(audit, centres, halves)
        bounds = change_within(audit.log_pi, policies, change, epsilon)
        beyond = np.maximum(np.abs(centres[:, :-1]) - halves[:, :-1], 0.0)
        return np.where(np.sum(beyond**2, axis=1) > 1, -np.inf, bounds)

    by_dimension = TOLERANCE if epsilon is None else TOLERANCE_OF_DELTA
    tolerance = by_dimension[dimension] * attained
    found = branch_and_bound(centre, half, upper, attained, tolerance, len(audit.actions))
    return found + rounding(audit)


def _everywhere(centres, halves):
    return np.full(len(centres), True)


def branch_and_bound(
    centre, half, upper, attained, tolerance, cost, cells=CELLS, reached=_everywhere
) -> float:
    """The largest of upper(centres, half sides); boxes are halved until below attained + tolerance.

    Sides are measured in those of the first box. `cost` is the memory that one box takes, `cells`
    the number of boxes after which the bound reached is given. Only boxes count that are
    `reached`(centres, half sides): in the end it is asked until one is, the largest bound first.
    """
    slack = tolerance + 1e-12
    centres, halves, unit, seen = centre, half, half[0], 0
    step = max(1, 1_000_000 // cost)
    while len(centres):
        parts = [slice(first, first + step) for first in range(0, len(centres), step)]
        bounds = np.concatenate([upper(centres[part], halves[part]) for part in parts])
        rows, seen = np.flatnonzero(bounds > attained + slack), seen + len(centres)
        if seen > cells:
            rows = rows[np.argsort(-bounds[rows], kind="stable")]
        open_ = np.zeros(len(centres), bool)
        for part in (rows[first : first + step] for first in range(0, len(rows), step)):
            open_[part] = reached(centres[part], halves[part])
            if seen > cells and open_.any():
                return float(bounds[open_].max() * (1.0 + 1e-12) + 1e-12)
        centres, halves = _halved(centres[open_], halves[open_], unit)
    return float((attained + slack) * (1.0 + 1e-12) + 1e-12)  # 1e-12: for a bound of order 1 itself


def _halved(centres, halves, unit):
    """Each box cut in two across its longest side."""
    rows, side = np.arange(len(centres)), np.argmax(halves / unit, axis=1)
    halves = halves.copy()
    halves[rows, side] /= 2
    left, right = centres.copy(), centres.copy()
    left[rows, side] -= halves[rows, side]
    right[rows, side] += halves[rows, side]
    return np.concatenate([left, right]), np.concatenate([halves, halves])


def change_within(log_pi, policies, change, epsilon):
    """Pure loss, or delta at epsilon, when log-probabilities are within `change` of `policies`."""
    if epsilon is None:
        return pure_epsilon(log_pi, policies) + change
    level = (epsilon - change)[:, None]
    forth = _hockey(log_pi, policies, level)
    back = np.exp(np.minimum(change, 700.0)) * _hockey(policies, log_pi, level)
    # Or: a softmax whose scores move by kappa = change/2 moves by tanh(kappa/2) in total variation.
    at = np.full((len(policies), 1), epsilon)
    moved = np.exp(epsilon) * np.tanh(change / 4)
    near = np.maximum(_hockey(log_pi, policies, at), _hockey(policies, log_pi, at))
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
