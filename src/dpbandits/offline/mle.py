"""Maximum likelihood of the Bradley-Terry model over a ball: a safeguarded Newton method.

A record is z = difference x (+1 or -1 by its label) and adds ln sigma(z'theta). Many problems that
differ from a common data set by a few records are solved at once (all removals, all label flips).
Each iteration maximises the quadratic model over the ball exactly (eigenvalues and a secular
equation), then halves the step until the likelihood rises; so iterates stay feasible, and
convergence is quadratic inside the ball and on its surface.
"""

import numpy as np

FLAT = 1e-12  # of the largest eigenvalue: a direction that no record has
ARRIVED = 3e-8  # a step so small is the last: the next would be about its square, below rounding
CELLS = 500_000  # problems x records held in memory at once


class SeparableData(ValueError):
    """The likelihood has no maximum over all of R^d."""


def separating_direction(signed: np.ndarray) -> np.ndarray | None:
    """A direction with z'u >= 0 for all records and > 0 for some (then no finite MLE), or None."""
    from scipy.optimize import linprog

    result = linprog(-signed.sum(axis=0), -signed, np.zeros(len(signed)), bounds=(-1, 1))
    scale = np.abs(signed).max(initial=0.0) * max(1, len(signed))
    return result.x if result.status == 0 and -result.fun > 1e-9 * scale else None


def fit(signed: np.ndarray, radius: float = np.inf) -> np.ndarray:
    """The MLE over ||theta|| <= radius; unconstrained if radius is inf.

    Where the likelihood is flat in some directions, the maximiser without a part in them.
    """
    if np.isinf(radius) and separating_direction(signed) is not None:
        raise SeparableData(
            "the unconstrained MLE does not exist: a direction separates the labels; "
            "give a finite B"
        )
    none = np.zeros((1, 0, signed.shape[1]))
    return fit_many(signed, np.ones(len(signed)), none, np.zeros((1, 0)), radius)[0]


def fit_many(signed, weights, extra, extra_weights, radius, start=None) -> np.ndarray:
    """theta (problems, d) for the common records plus `extra` (problems, k, d), weighted.

    Weight -1 takes a record away, so a removal is one extra and a label flip two. `radius` is one
    number, or one per problem.
    """
    problems, _, dimension = extra.shape
    radius = np.broadcast_to(np.asarray(radius, float), (problems,))
    chunk = max(1, CELLS // max(1, len(signed)))
    theta = np.zeros((problems, dimension)) if start is None else np.array(start, float)
    theta = np.broadcast_to(theta, (problems, dimension)).copy()
    spans = _spans(signed, weights, extra, extra_weights)
    squares = np.einsum("nd,ne->nde", signed, signed).reshape(len(signed), dimension**2)
    for first in range(0, problems, chunk):
        part = slice(first, first + chunk)
        problem = signed, weights, squares, extra[part], extra_weights[part]
        theta[part] = _newton(problem, radius[part], theta[part], spans[part])
    return theta


def _spans(signed, weights, extra, extra_weights) -> np.ndarray:
    """Projectors (problems, d, d) onto the span of each problem's records.

    The likelihood cannot show it: records of large margins leave hardly any curvature.
    """
    gram = (signed.T * weights) @ signed
    gram = gram + np.einsum("mk,mkd,mke->mde", extra_weights, extra, extra)
    values, vectors = np.linalg.eigh(gram)
    spanned = values > FLAT * np.maximum(values[:, -1:], 1e-300)
    projectors = np.einsum("mde,me,mfe->mdf", vectors, spanned, vectors)
    return np.where(spanned.all(axis=1)[:, None, None], np.eye(gram.shape[-1]), projectors)


def _newton(problem, radius, theta, spans):
    """Newton's method on the quadratic model over the ball, halving the step until the likelihood
    rises; finished problems leave the batch."""
    *common, extra, extra_weights = problem
    theta = np.einsum("mde,me->md", spans, theta)
    result, rows = theta.copy(), np.arange(len(theta))
    value, gradient, hessian = _restrict_to_span(spans, *_likelihood(*problem, theta))
    for _ in range(100):
        step = ball_maximum(hessian, gradient, theta, radius) - theta
        result[rows] += step
        going = ~(np.abs(step).max(axis=1) <= ARRIVED * (1.0 + np.abs(theta).max(axis=1)))
        if not going.any():
            break
        rows, radius, extra, extra_weights, theta, step, value, gradient, spans = (
            array[going]
            for array in (rows, radius, extra, extra_weights, theta, step, value, gradient, spans)
        )
        slope = np.einsum("md,md->m", gradient, step)
        scale = np.ones(len(theta))
        for _ in range(40):  # halve where the likelihood does not rise (up to its rounding)
            trial = theta + scale[:, None] * step
            reached = _restrict_to_span(spans, *_likelihood(*common, extra, extra_weights, trial))
            noise = 1e-13 * (1.0 + np.abs(value))
            bad = reached[0] < value + 1e-4 * scale * slope - noise
            if not bad.any():
                break
            scale[bad] /= 2
        theta, (value, gradient, hessian) = trial, reached
        result[rows] = theta
    return result


def _restrict_to_span(spans, value, gradient, hessian):
    """The likelihood as seen from the span of the records; steep outside it."""
    gradient = np.einsum("mde,me->md", spans, gradient)
    bent = np.einsum("mde,mef,mfg->mdg", spans, hessian, spans)
    steep = np.trace(bent, axis1=1, axis2=2)[:, None, None]
    outside = np.eye(spans.shape[1]) - spans
    return value, gradient, bent + np.where(steep > 0, steep, 1.0) * outside


def _likelihood(signed, weights, squares, extra, extra_weights, theta):
    """Log-likelihood, its gradient and minus its Hessian, of every problem."""
    dimension = theta.shape[1]
    shared = theta[:1] if np.all(theta == theta[0]) else theta  # at the start all are equal
    value, miss, curvature = _terms(shared @ signed.T, weights)
    gradient = miss @ signed
    hessian = (curvature @ squares).reshape(-1, dimension, dimension)
    more, miss, curvature = _terms(np.einsum("mkd,md->mk", extra, theta), extra_weights)
    gradient = gradient + np.einsum("mk,mkd->md", miss, extra)
    return value + more, gradient, hessian + np.einsum("mk,mkd,mke->mde", curvature, extra, extra)


def _terms(margins, weights):
    """Weighted sum of ln sigma(margin), and the weighted sigma(-m) and sigma(m) sigma(-m)."""
    small = np.exp(-np.abs(margins))
    value = (np.minimum(margins, 0.0) - np.log1p(small)) * weights
    hit = 1.0 / (1.0 + small)
    miss = np.where(margins > 0, small * hit, hit) * weights
    return value.sum(axis=1), miss, small * hit * hit * weights


def ball_maximum(hessian, gradient, theta, radius) -> np.ndarray:
    """Maximiser s of gradient'(s - theta) - (s - theta)'hessian(s - theta)/2 over ||s|| <= radius.

    s = (hessian + nu I)^-1 (gradient + hessian theta) with the smallest nu >= 0 that is feasible.
    """
    values, vectors = np.linalg.eigh(hessian)
    values = np.maximum(values, 0.0)
    target = np.einsum("mde,md->me", vectors, gradient)
    target += values * np.einsum("mde,md->me", vectors, theta)
    values = np.maximum(values, 1e-100)  # its cube, below, is still above 0

    nu = _multipliers(values, target, radius)
    return np.einsum("mde,me->md", vectors, target / (values + nu[:, None]))


def _multipliers(values, target, radius) -> np.ndarray:
    """The smallest nu >= 0 of each problem with |target/(values + nu)| <= radius."""
    nu = np.zeros(len(values))
    with np.errstate(over="ignore"):
        outside = np.sqrt(np.sum((target / values) ** 2, axis=1)) > radius
    values, target, radius = values[outside], target[outside], radius[outside]
    # 1/||s(nu)|| is concave and nearly linear: Newton from the left converges monotonically.
    # No component of s alone may exceed the radius: a start from the left, never at a pole.
    least = (np.abs(target) / radius[:, None] - values).max(axis=1, initial=0.0)
    for _ in range(60):
        shifted = values + least[:, None]
        length = np.sqrt(np.sum((target / shifted) ** 2, axis=1))
        slope = np.sum(target**2 / (shifted * shifted * shifted), axis=1)
        slope /= np.maximum(length, 1e-100) ** 2
        new = least + (length / radius - 1.0) / np.maximum(slope, 1e-300)
        if not (new > least).any():  # all have arrived: what is left is rounding
            break
        least = np.fmax(least, new)
    nu[outside] = least
    return nu
