"""Greedy arms on clipped contexts: few coordinates exceed x_max, so few rows are drawn to choose.

An arm's x'beta* and x'theta are normal; x'theta is the learner's score unless a coordinate that it
reads exceeds the clip. Whether one does, given the two scores, is found by thinning: the sum of the
coordinates' probabilities bounds that of their union; a coordinate is picked in proportion, the row
drawn given that it exceeds, and the event kept with probability 1/(number of coordinates that
exceed), which counts each row once (Karp and Luby 1983). The chosen row is drawn at the end, given
its scores and what happened.
"""

import math
from collections import namedtuple

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.uncounted import uncounted
from dpbandits.sparse.engine.autoregressive import covariance_times

STEP, BINS = 0.5, 20  # of the table of bounds, over the norm of the two standardised scores
DIRECT = 0.5  # from this bound on, the row is drawn at once

# For x ~ N(0, Sigma) at some sorted coordinates, and two independent N(0, 1) combinations of x:
# ratio of each coordinate to the one before, covariances `pull` with the two, their coefficients
# `read`, theta and the clip.
Law = namedtuple("Law", "ratio pull read theta clip")


@jit
def law_of(signal, toward, theta, slope, spread, scale, rho, clip):
    """The coordinates that scores read, and their law; `toward` = Sigma beta*/scale.

    The combinations: beta*/scale, and what theta has beside slope beta*, over `spread`.
    """
    where = np.flatnonzero((signal != 0) | (theta != 0))
    rest = np.zeros(len(theta))
    if spread > 0:
        rest = (theta - slope * signal) / spread
    beside = covariance_times(rest, rho)
    pull, read = np.empty((2, len(where))), np.empty((2, len(where)))
    for k, j in enumerate(where):
        pull[0, k], pull[1, k] = toward[j], beside[j]
        read[0, k], read[1, k] = signal[j] / scale, rest[j]
    return where, Law(steps(where, rho), pull, read, theta[where], clip)


@jit
def steps(where, rho):
    """Correlation of each coordinate with the one before (0 for the first)."""
    ratio = np.zeros(len(where))
    for k in range(1, len(where)):
        ratio[k] = correlation(rho, where[k] - where[k - 1])
    return ratio


@jit
def correlation(rho, gap):
    power = 1.0
    for _ in range(gap):
        power *= rho
        if abs(power) < 1e-18:  # then: rounding
            return 0.0
    return power


@jit
def play(rng, law, first, slope, spread, greedy, chosen):
    """The chosen arms' coordinates. `first`: x'beta* over its standard deviation, of all arms.

    With `greedy`, `chosen` is overwritten by the argmax of clip(x)'theta, where x'theta =
    slope first + spread second, the second score a fresh normal.
    """
    law = Law(
        uncounted(law.ratio), uncounted(law.pull), uncounted(law.read), uncounted(law.theta),
        law.clip,
    )  # fmt: skip
    n, arms = first.shape
    width = len(law.theta)
    rows, x = np.empty((n, width)), np.empty(width)
    known, bounds = uncounted(rows), np.full(BINS + 1, np.nan)  # worked out where asked for
    fresh = np.sqrt(1 - law.ratio * law.ratio)
    for t in range(n):
        if not greedy:
            _draw(rng, law, fresh, first[t, chosen[t]], 0.0, known[t])
            continue
        leader, best, drawn = -np.inf, 0.0, False
        for k in range(arms):
            a, b = first[t, k], rng.standard_normal()
            score = slope * a + spread * b
            place, u = min(int(math.sqrt(a * a + b * b) / STEP), BINS), rng.random()
            if math.isnan(bounds[place]):
                bounds[place] = _bound(law, place)
            bound = bounds[place]
            seen = u < bound and _exceeding(rng, law, fresh, u, bound, a, b, x)
            if seen:
                score = _score(law, x)
            if score > leader:
                leader, best, drawn, chosen[t] = score, b, seen, k
                if seen:
                    for j in range(width):  # a slice would compile for two seconds more
                        known[t, j] = x[j]
        while not drawn:
            _draw(rng, law, fresh, first[t, chosen[t]], best, known[t])
            drawn = _number_exceeding(law, known[t]) == 0
    return rows


@jit
def _score(law, x):
    score = 0.0
    for j in range(len(x)):
        score += min(max(x[j], -law.clip), law.clip) * law.theta[j]
    return score


@jit
def _number_exceeding(law, x):
    number = 0
    for j in range(len(x)):
        if abs(x[j]) > law.clip and law.theta[j] != 0:
            number += 1
    return number


@jit
def _draw(rng, law, fresh, a, b, x):
    """x given its two combinations: a free draw, moved along `pull` by what it misses."""
    rng.standard_normal(out=x)  # first: what follows waits for the coordinate before
    last = 0.0
    for j in range(len(x)):
        last = law.ratio[j] * last + fresh[j] * x[j]
        x[j] = last
        a -= law.read[0, j] * last
        b -= law.read[1, j] * last
    for j in range(len(x)):
        x[j] += law.pull[0, j] * a + law.pull[1, j] * b


@jit
def _exceeding(rng, law, fresh, u, bound, a, b, x):
    """Whether a coordinate that theta reads exceeds the clip; then x is such a row.

    (Or any row, if the bound is too large for thinning.) `u` is uniform.
    """
    if bound >= DIRECT:
        _draw(rng, law, fresh, a, b, x)
        return True
    for j in range(len(x)):
        if law.theta[j] == 0:
            continue
        mean, sd = law.pull[0, j] * a + law.pull[1, j] * b, _spread(law, j)
        above, below = _tail((law.clip - mean) / sd), _tail((law.clip + mean) / sd)
        u -= above + below
        if u < 0:
            _draw(rng, law, fresh, a, b, x)
            if rng.random() * (above + below) < above:
                target = mean + sd * _beyond(rng, (law.clip - mean) / sd)
            else:
                target = mean - sd * _beyond(rng, (law.clip + mean) / sd)
            _move(law, j, sd, target, x)
            return rng.random() * _number_exceeding(law, x) < 1
    return False


@jit
def _move(law, j, sd, target, x):
    """x, drawn given the two combinations, becomes x given x_j = target too."""
    missing = (target - x[j]) / (sd * sd)
    for side in (-1, 1):
        i, near = j, 1.0
        while 0 <= i < len(x):
            if i != j or side == 1:
                shared = law.pull[0, i] * law.pull[0, j] + law.pull[1, i] * law.pull[1, j]
                x[i] += (near - shared) * missing
            i += side
            if 0 <= i < len(x):
                near *= law.ratio[i if side == 1 else i + 1]
    x[j] = target


@jit
def _spread(law, j):
    """Standard deviation of x_j given the two combinations (not quite 0)."""
    return math.sqrt(max(1 - law.pull[0, j] ** 2 - law.pull[1, j] ** 2, 1e-18))


@jit
def _bound(law, place):
    """At least P(some coordinate exceeds) in a range of the norm of the two combinations."""
    bound = 1.0 if place == BINS else 0.0
    for j in range(len(law.theta)):
        if law.theta[j] != 0 and bound < DIRECT:
            reach, sd = math.hypot(law.pull[0, j], law.pull[1, j]), _spread(law, j)
            mean = (place + 1) * STEP * reach
            bound += _tail((law.clip - mean) / sd) + _tail((law.clip + mean) / sd)
    return bound if bound < DIRECT else 1.0


@jit
def _tail(z):
    """P(g > z), g standard normal."""
    return 0.5 * math.erfc(z * math.sqrt(0.5))


@jit
def _beyond(rng, z):
    """g given g > z: rejection, of g itself or of an exponential beyond z (Robert 1995)."""
    while z < 0.5:
        g = rng.standard_normal()
        if g > z:
            return g
    rate = 0.5 * (z + math.sqrt(z * z + 4))
    while True:
        g = z + rng.standard_exponential() / rate
        if rng.random() < math.exp(-0.5 * (g - rate) ** 2):
            return g
