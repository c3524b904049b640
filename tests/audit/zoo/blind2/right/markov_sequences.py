"""RIGHT. A journey of three stops adds 1 to one start and 1 to each of two steps (or 2 to one
step), so adding or removing it moves the two tables by 3 in L1 and each entry has Laplace
3 / EPSILON. The made-up journeys, a fixed number, are drawn from the noisy tables."""

import itertools

import numpy as np

EPSILON = 1.0
DELTA = 0.0
RECORDS = [(0, 0, 0), (0, 1, 0), (1, 1, 1), (0, 1, 1), (1, 0, 0)]
NEIGHBOURS = "remove"

JOURNEYS = 4


def draw(weights, rng):
    weights = np.maximum(weights, 0.01)
    return int(rng.choice(len(weights), p=weights / weights.sum()))


def f(data, rng):
    starts = np.zeros(2)
    steps = np.zeros((2, 2))
    for journey in data:
        starts[journey[0]] += 1
        for here, there in itertools.pairwise(journey):
            steps[here, there] += 1
    starts += rng.laplace(0, 3 / EPSILON, size=2)
    steps += rng.laplace(0, 3 / EPSILON, size=(2, 2))
    made = []
    for _ in range(JOURNEYS):
        journey = [draw(starts, rng)]
        while len(journey) < 3:
            journey.append(draw(steps[journey[-1]], rng))
        made.append(tuple(journey))
    return made
