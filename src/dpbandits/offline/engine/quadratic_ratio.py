"""Ratios of quadratics over an ellipsoid: proven maxima, many problems at once."""

import numpy as np

STEPS = 14  # bisections of nu (any nu gives a sound bound)
UNIT = 2.0**-53


def ratio_maximum(quadratic, linear, stiff, constant=0.0):
    """Upper bounds of (y'Q y + l'y + k)/(1 + |y|^2) where stiff'y^2 <= 1, and points near maxima.

    kappa(nu) = lambda_max [[Q - nu diag(stiff), l/2], [l'/2, k + nu]] for any nu >= 0; it is convex
    in nu, and the eigenvector tells on which side of the best nu we are: bisection.
    """
    problems, side = linear.shape
    matrix = np.zeros((problems, side + 1, side + 1))
    matrix[:, :side, side] = matrix[:, side, :side] = linear / 2
    diagonal = np.append(-stiff, 1.0)
    guess = np.abs(quadratic / np.sqrt(stiff[:, None] * stiff)).sum(axis=(1, 2))
    guess = np.maximum(guess + constant + np.sqrt((linear**2 / stiff).sum(axis=1)), 1e-300)
    low, high = guess * 2.0**-12, guess
    best, points = np.full(problems, np.inf), np.zeros((problems, side))
    nu = guess / 2
    for _ in range(STEPS):
        bounds, vector = _top(matrix, quadratic, constant, nu, diagonal)
        better = bounds < best
        best = np.where(better, bounds, best)
        last = np.where(np.abs(vector[:, -1:]) > 1e-12, vector[:, -1:], 1.0)
        points = np.where(better[:, None], vector[:, :-1] / last, points)
        rising = (vector**2) @ diagonal > 0
        low, high = np.where(rising, low, nu), np.where(rising, nu, high)
        nu = np.sqrt(low * high)
    size = np.sqrt(points**2 @ stiff)[:, None]
    return best, points / np.maximum(size, 1.0)


def _top(matrix, quadratic, constant, nu, diagonal):
    side = quadratic.shape[1]
    matrix[:, :side, :side] = quadratic
    matrix[:, side, side] = constant
    index = np.arange(side + 1)
    matrix[:, index, index] += nu[:, None] * diagonal
    values, vectors = np.linalg.eigh(matrix)
    # A symmetric eigenvalue is off by at most a small multiple of side x UNIT x the norm.
    error = 8 * (side + 1) * UNIT * np.sqrt((matrix**2).sum(axis=(1, 2)))
    return values[:, -1] + error, vectors[:, :, -1]
