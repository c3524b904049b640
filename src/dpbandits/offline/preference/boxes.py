"""A proven upper bound of the loss of additions to an RLHF audit: branch and bound over the MLE.

The MLE theta after adding z (|z| <= 2) solves g(theta) + z sigma(-z'theta) = nu theta, with g the
gradient of the data's log-likelihood and nu = 0 unless |theta| = B. So we need not solve for it:
boxes of theta are kept only if some z and nu can balance the gradient there. Inside the ball z
points along -g, with |g| <= max_t t sigma(t g'theta/|g|). On its surface the part of z along theta,
p, and the part across it have to reach -(g along theta) and |g across theta|. The scores are linear
in theta, and all widths shrink by at most what the certificate says.
"""

from functools import partial

import numpy as np

from dpbandits.core.divergences import log_normalise
from dpbandits.offline.linear.boxes import branch_and_bound, change_within
from dpbandits.offline.preference.certificate import REACH, SLABS

WORK = 12_000_000  # boxes x records
CACHED = 16_000  # of them at a time: 128 kB per array
SAFE = 700.0  # e to this is a number
TOLERANCE = 2e-3  # relative gap at which a box is dropped
PEAK, SIZE = 1.2784645427610738, 0.27846454276107385  # max of x/(1 + e^x) is SIZE, at x = PEAK


def certified_additions(audit, attained: float, epsilon: float | None = None) -> float:
    """An upper bound over all additions: of the pure loss, or of delta at epsilon if given."""
    certificate, used = audit.certificate, np.isfinite(audit.log_reference)
    shrunk = np.zeros(len(used))
    shrunk[used] = certificate.narrower
    wide = shrunk / 2 - audit.beta0 / audit.eta * np.sqrt(audit.squares)
    apart = np.abs(audit.actions - audit.actions[used].mean(axis=0))

    def upper(centres, halves):
        log_q = log_normalise(audit.log_reference + centres @ audit.actions.T / audit.eta + wide)
        moved = halves @ apart.T / audit.eta + shrunk / 2
        change = 2.0 * moved[:, used].max(axis=1)
        return change_within(audit.log_pi, log_q, change, epsilon)

    low = np.maximum(audit.theta - certificate.moved, -audit.radius)
    high = np.minimum(audit.theta + certificate.moved, audit.radius)
    if np.isinf(low).any():
        return np.inf
    centre, half = (low + high)[None] / 2, (high - low)[None] / 2 * (1 + 1e-9)
    cost = len(audit.rows) + len(audit.actions) + SLABS
    search = centre, half, upper, attained, TOLERANCE * attained, cost, WORK // cost
    return branch_and_bound(*search, partial(_reached, audit)) + certificate.slack


def _reached(audit, centres, halves):
    """False where no addition brings the MLE into the box (or none of the box is in the ball)."""
    size, rho = np.linalg.norm(centres, axis=1), np.linalg.norm(halves, axis=1)
    inside = np.sum(np.maximum(np.abs(centres) - halves, 0.0) ** 2, axis=1) <= audit.radius**2
    gradient, steep = _gradient(audit, centres)
    strength = np.linalg.norm(gradient, axis=1)
    bend = np.minimum(np.exp(np.minimum(REACH * rho, 300.0)) * steep[0], steep[1])
    error = bend * rho + 1e-12 * (1.0 + audit.weights.sum())
    # Inside: the angle of g to theta, and so z'theta, is known up to how far g turns.
    turn = np.minimum(2.0, 2.0 * error / np.maximum(strength - error, 1e-300))
    turn = np.where(strength > error, turn, 2.0)
    along = np.einsum("nd,nd->n", gradient, centres) / np.maximum(strength, 1e-300)
    along = np.minimum(along + rho + size * turn, size + rho)
    free = strength - error <= _pull(along)
    touching = size + rho >= audit.radius * (1 - 1e-12)
    rows = np.flatnonzero(inside & ~free & touching)
    if len(rows):
        there = centres[rows], gradient[rows], error[rows], rho[rows]
        free[rows] = _on_surface(audit.radius, *there)
    return inside & free


def _gradient(audit, centres):
    """g at the centres; the largest eigenvalue of -Hessian there, and over all theta."""
    lengths = (audit.rows**2).sum(axis=1)
    most = np.linalg.eigvalsh((audit.rows.T * audit.weights) @ audit.rows)[-1] / 4
    found, steep = np.empty_like(centres), np.empty(len(centres))
    signed, lengths = audit.rows * audit.weights[:, None], lengths * audit.weights
    step = 1 + CACHED // len(audit.rows)
    growth = _growth(audit.rows, centres)
    for part in (slice(start, start + step) for start in range(0, len(centres), step)):
        grown = growth(part)
        miss = 1.0 / (1.0 + grown)  # sigma(-margin)
        found[part] = miss @ signed
        grown *= miss
        grown *= miss
        steep[part] = grown @ lengths
    return found, (steep, most)


def _growth(rows, centres):
    """part -> e^margins of the records at these centres. Boxes share most of their coordinates, so
    that it is a product of few known factors, unless these would overflow."""
    if np.abs(centres).max(initial=0.0) * REACH * rows.shape[1] > SAFE:
        return lambda part: np.exp(np.minimum(centres[part] @ rows.T, SAFE))
    known = [np.unique(coordinate, return_inverse=True) for coordinate in centres.T]
    grown = [np.exp(values[:, None] * z) for (values, _), z in zip(known, rows.T, strict=True)]

    def growth(part):
        product = grown[0][known[0][1][part]]
        for factors, (_, place) in zip(grown[1:], known[1:], strict=True):
            product *= factors[place[part]]
        return product

    return growth


def _pull(along):
    """max of t sigma(t along) over t from 0 to 2."""
    with np.errstate(over="ignore", divide="ignore"):
        most = REACH / (1.0 + np.exp(-REACH * along))
        return np.where(along * REACH < -PEAK, SIZE / np.maximum(-along, 1e-300), most)


def _on_surface(radius, centres, gradient, error, rho):
    """Can some z balance g on the surface? Slab by slab of p = z'theta/|theta|."""
    size = np.linalg.norm(centres, axis=1)
    unit = centres / np.maximum(size, 1e-300)[:, None]
    turn = np.minimum(2.0, 2.0 * rho / np.maximum(size, 1e-300))
    error = error + turn * (np.linalg.norm(gradient, axis=1) + error)
    along = np.einsum("nd,nd->n", gradient, unit)
    across = np.linalg.norm(gradient - along[:, None] * unit, axis=1)
    edges = np.linspace(-REACH, REACH, SLABS + 1)
    low, high = edges[:-1], edges[1:]
    with np.errstate(over="ignore"):
        steepest = 1.0 / (1.0 + np.exp(low * radius))
        outward = high / (1.0 + np.exp(np.where(high > 0, low, high) * radius))
    nearest = np.where(low * high <= 0, 0.0, np.minimum(np.abs(low), np.abs(high)))
    sideways = np.sqrt(REACH**2 - nearest**2) * steepest
    balanced = (outward >= -(along + error)[:, None]) & (sideways >= (across - error)[:, None])
    return balanced.any(axis=1)
