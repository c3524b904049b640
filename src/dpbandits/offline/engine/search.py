"""Maximise a loss over added records: many starts, then a shrinking random search, all at once.

The best point found is a lower bound of the supremum, attained by a data set that we can show.
"""

import numpy as np

from dpbandits.core.streams import Streams, key_of


def starts_in_ball(dimension: int, radius: float, directions: np.ndarray, count: int, generator):
    """The given directions both ways at full length, then random points of the ball and sphere."""
    lengths = np.linalg.norm(directions, axis=1, keepdims=True)
    given = directions[lengths[:, 0] > 0] / lengths[lengths > 0][:, None]
    random = generator.standard_normal((count, dimension))
    random /= np.linalg.norm(random, axis=1, keepdims=True)
    depth = np.where(np.arange(count) % 2 == 0, 1.0, generator.random(count) ** (1 / dimension))
    return radius * np.concatenate([given, -given, random * depth[:, None]])


def into_ball(points: np.ndarray, radius: float) -> np.ndarray:
    lengths = np.linalg.norm(points, axis=-1, keepdims=True)
    return points * np.minimum(1.0, radius / np.maximum(lengths, 1e-300))


def maximise(objective, points, radius, label, *, rounds=60, keep=6, tries=24, shrink=0.75):
    """(best point, best value) of objective(points) -> values, over rows in the ball x extras.

    `points`: (n, d) or (n, d + 1); a last column past d is a number in [0, 1] (a reward's share).
    """
    dimension = points.shape[1] if np.isscalar(radius) else radius[0]
    radius = radius if np.isscalar(radius) else radius[1]
    generator = Streams(key_of("kl-search", label), (0,)).generator(0)

    def feasible(points):
        ball = into_ball(points[:, :dimension], radius)
        return np.concatenate([ball, np.clip(points[:, dimension:], 0.0, 1.0)], axis=1)

    points = feasible(points)
    values = objective(points)
    order = np.argsort(-values)[:keep]
    points, values = points[order], values[order]
    width, sides = 0.5, np.where(np.arange(points.shape[1]) < dimension, radius, 1.0)
    for _ in range(rounds):
        moves = width * generator.standard_normal((len(points), tries, points.shape[1]))
        moves[:, ::2] *= generator.random((len(points), moves[:, ::2].shape[1], 1)) ** 2
        trial = points[:, None, :] + moves * sides
        trial = feasible(trial.reshape(-1, points.shape[1]))
        found = objective(trial).reshape(len(points), tries)
        best = found.argmax(axis=1)
        better = found[np.arange(len(points)), best] > values
        chosen = trial.reshape(len(points), tries, -1)[np.arange(len(points)), best]
        points = np.where(better[:, None], chosen, points)
        values = np.where(better, found.max(axis=1), values)
        width *= shrink
    i = int(np.argmax(values))
    return points[i], float(values[i])
