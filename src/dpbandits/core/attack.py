"""Adversarial search against a bound, for every paper: random draws, then climbing."""

import numpy as np


def climb(ratio, draw, rng, draws: int, steps: int, width: float = 0.3):
    """Largest ratio over random points of the unit cube, then over moves of the best tenth.

    `ratio` maps points (n x dimensions) to n ratios. Returns it with its point and the evaluations.
    """
    points = rng.random((draws, draw))
    values = ratio(points)
    keep = np.argsort(-values)[: max(1, draws // 10)]
    points, values, spent = points[keep], values[keep], draws
    for step in range(steps):
        size = width * 0.5 ** (6 * step / steps)
        moved = np.clip(points + size * rng.normal(size=points.shape), 0, 1)
        found = ratio(moved)
        better = found > values
        points[better], values[better] = moved[better], found[better]
        spent += len(points)
    best = int(np.argmax(values))
    return float(values[best]), points[best], spent
