"""Clipped contexts, x -> clip(x), where N-IHT makes one step: only what can matter is drawn.

The sums S = X'w of unclipped columns are Gaussian and cost O(d). Clipping moves S_j by
E_j = sum_t w_t (x_tj - clip(x_tj)), which is small, since few entries exceed x_max: beyond a
Chernoff bound with probability MISSED at most, over all columns. Peeling's noise is drawn next; the
columns that can win for some E within the bound, a few more than s, are then drawn entry by entry
given S and all that is known, and their clipped sums are exact. Hence all is exact but on an event
of probability MISSED per estimate.
"""

import math
from collections import namedtuple

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.core.generators import borrowed, normals
from dpbandits.sparse.engine.autoregressive import colour, colour_transposed, covariance_times
from dpbandits.sparse.engine.clipped_scores import Law, correlation, law_of, play
from dpbandits.sparse.engine.contexts import Contexts, Episode, Rows
from dpbandits.sparse.engine.selection import Scores
from dpbandits.sparse.problem import SparseSetting

MISSED = 1e-18
RATES = np.array([0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6])  # of Chernoff's bound, over 1/max|w|
BINS = 12
NONE, LAST = -1, -2  # instead of a place among the known columns
# How columns follow from their neighbours: places in `where`, weights, standard deviation left.
Path = namedtuple("Path", "left right weights spread")


class ClippedContexts(Contexts):
    """Scores of all arms, the coordinates that they read of the chosen rows, and a design that need
    not draw the others."""

    def __init__(self, setting: SparseSetting, rng: np.random.Generator):
        super().__init__(setting, np.random.Generator(np.random.SFC64(rng.integers(0, 2**63))))
        self.toward = covariance_times(self.signal / self.scale, setting.rho)

    def play(self, estimate, n: int) -> Episode:
        s = self.setting
        scores = self.signal_scores(n)
        greedy = isinstance(estimate, np.ndarray)
        arms = self.choose(None if greedy else estimate, None, n)
        where, law, slope, spread = self.law(estimate if greedy else np.zeros(s.d))
        with borrowed(self.rng) as rng:
            first = scores / self.scale
            known = play(rng, law, first, slope * self.scale, spread, greedy, arms)
        design = ClippedRows(s, self.clip, where, known, int(self.rng.integers(0, 2**63)), self.rng)
        return self.episode(design, scores, arms)

    def law(self, estimate: np.ndarray) -> tuple[np.ndarray, Law, float, float]:
        """The coordinates that scores read, their law, and the regression of x'estimate."""
        rho = self.setting.rho
        slope, spread = self.regression(colour_transposed(estimate, rho))
        if spread <= 1e-12 * np.linalg.norm(estimate):  # rounding: parallel to beta*
            spread = 0.0
        where, law = law_of(
            self.signal, self.toward, estimate, slope, spread, self.scale, rho, self.clip
        )
        return where, law, slope, spread


class ClippedRows(Rows):
    """clip(X) for rows with some known coordinates."""

    def __init__(self, setting: SparseSetting, clip: float, where, known, seed: int, rng):
        super().__init__(setting, clip, where, known, seed)
        self.rng = rng

    def only_product(self, u: np.ndarray) -> Scores:
        s, where, known = self.setting, self.where, self.known
        unclipped = math.sqrt(u @ u) * colour(normals(self.rng, (s.d,)), s.rho)
        pull = _given(unclipped, u @ known, where, s.rho)
        reach = pull * _largest(known)
        slack = _excess_bound(np.abs(u), reach, self.clip, math.log(s.d / MISSED))
        sums, fixed = unclipped.copy(), np.zeros(s.d, bool)
        fixed[where] = True
        sums[where] = u @ np.clip(known, -self.clip, self.clip)

        def exact(columns: np.ndarray) -> np.ndarray:
            new = columns[~fixed[columns]]
            path = bridges(new, where, s.rho, True)
            with borrowed(self.rng) as rng:
                sums[new] = _clipped_sums(rng, u, unclipped[new], self.clip, known, path)
            return sums[columns]

        return Scores(sums, slack, exact)


@jit
def _given(sums, known, where, rho):
    """Move the sums of columns drawn freely to those given the `known` ones at `where`.

    Returns p so that |E(x_tj | known)| <= p max_k |x_tk| for every column j that is not known.
    """
    path = bridges(np.arange(len(sums)), where, rho, False)
    missing, pull = np.zeros(len(known) + 1), 0.0  # none at NONE
    for k in range(len(known)):
        missing[k] = known[k] - sums[where[k]]
    for j in range(len(sums)):
        left, right = path.left[j], path.right[j]
        a, b = path.weights[j, 0], path.weights[j, 1]
        sums[j] = sums[j] + a * missing[left] + b * missing[right]
        if right == NONE or where[right] != j:
            pull = max(pull, abs(a) + abs(b))
    return pull


@jit
def bridges(columns, where, rho, drawn):
    """How x at the sorted `columns` follows from x at `where`, by the Markov property.

    Each column reads the nearest one on its left and the nearest known one on its right: their
    places in `where` (NONE: there is none), weights, and the standard deviation that is left. With
    `drawn`, columns are drawn from left to right, and the left one may be the one drawn before.
    """
    count = len(columns)
    left, right = np.full(count, NONE), np.full(count, NONE)
    weights, spread = np.empty((count, 2)), np.empty(count)
    after = 0
    for k in range(count):
        j = columns[k]
        while after < len(where) and where[after] < j:
            after += 1
        a = b = 0.0  # correlations with the two
        if after > 0:
            left[k], a = after - 1, correlation(rho, j - where[after - 1])
        if drawn and k > 0 and (after == 0 or columns[k - 1] > where[after - 1]):
            left[k], a = LAST, correlation(rho, j - columns[k - 1])
        if after < len(where):
            right[k], b = after, correlation(rho, where[after] - j)
        span = 1 - (a * b) ** 2
        weights[k, 0], weights[k, 1] = a * (1 - b * b) / span, b * (1 - a * a) / span
        spread[k] = math.sqrt((1 - a * a) * (1 - b * b) / span)
    return Path(left, right, weights, spread)


@jit
def _largest(rows):
    """max_k |x_tk| of every row."""
    out = np.zeros(len(rows))
    for t in range(len(rows)):
        for k in range(rows.shape[1]):
            out[t] = max(out[t], abs(rows[t, k]))
    return out


@jit
def _excess_bound(weights, reach, clip, log_odds):
    """With P >= 1 - exp(-log_odds): sum_t w_t (|g_t| + reach_t - clip)_+ <= the result, g_t normal.

    Chernoff: V = min over theta of (log_odds + sum_t ln E exp(theta w_t (..)_+))/theta. Weights and
    reaches are rounded up to a few values.
    """
    top, far = weights.max(), reach.max()
    count = np.zeros((BINS, BINS))
    for t in range(len(weights)):
        i = min(int(weights[t] / top * BINS), BINS - 1) if top > 0 else 0
        j = min(int(reach[t] / far * BINS), BINS - 1) if far > 0 else 0
        count[i, j] += 1
    best = np.inf
    for rate in RATES / top:
        total = log_odds
        for i in range(BINS):
            for j in range(BINS):
                if count[i, j] > 0:
                    theta, low = rate * top * (i + 1) / BINS, clip - far * (j + 1) / BINS
                    total += count[i, j] * _growth(theta, low)
        if total / rate > best:  # it falls, then grows: rate K' - K grows, K the convex sum
            break
        best = total / rate
    return best


@jit
def _growth(theta, low):
    """At least E exp(theta (|g| - low)_+) - 1, g standard normal."""
    moved = math.exp(0.5 * theta * theta - theta * low) * math.erfc((low - theta) / math.sqrt(2))
    return moved - math.erfc(low / math.sqrt(2))


@jit
def _clipped_sums(rng, u, sums, clip, known, path):
    """u'clip(x_j) for columns that are drawn given the known ones and u'x_j = sums_j.

    Columns drawn freely meet the sums when they move along u: what is orthogonal to u has its law
    whatever the sums are.
    """
    n, count = len(u), len(sums)
    x = np.empty((count, n))
    for j in range(count):
        left, right, spread = path.left[j], path.right[j], path.spread[j]
        a, b = path.weights[j, 0], path.weights[j, 1]
        rng.standard_normal(out=x[j])
        for t in range(n):
            mean = 0.0
            if left == LAST:
                mean += a * x[j - 1, t]
            elif left >= 0:
                mean += a * known[t, left]
            if right >= 0:
                mean += b * known[t, right]
            x[j, t] = mean + spread * x[j, t]
    size = np.dot(u, u)
    out = np.empty(count)
    for j in range(count):
        shift, total = (sums[j] - np.dot(u, x[j])) / size, 0.0
        for t in range(n):
            total += u[t] * min(max(x[j, t] + shift * u[t], -clip), clip)
        out[j] = total
    return out
