"""Clipped contexts, x -> clip(x), where N-IHT makes one step: only what can matter is drawn.

The sums S = X'w of unclipped columns are Gaussian and cost O(d). Clipping moves S_j by
E_j = sum_t w_t (x_tj - clip(x_tj)), which is small, since few entries exceed x_max: beyond a
Chernoff bound with probability MISSED at most, over all columns. Peeling's noise is drawn next; the
columns that can win for some E within the bound, a few more than s, are then drawn entry by entry
given S and all that is known, and their clipped sums are exact. Hence all is exact but on an event
of probability MISSED per estimate.
"""

import math

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.sparse._autoregressive import colour, covariance_times
from dpbandits.sparse._contexts import Contexts, Episode, Rows
from dpbandits.sparse._selection import Scores
from dpbandits.sparse.problem import SparseSetting, draw_gaps

MISSED = 1e-18
RATES = np.array([0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6])  # of Chernoff's bound, over 1/max|w|
BINS = 12
NONE, LAST = -1, -2  # instead of a place among the known columns


class ClippedContexts(Contexts):
    """The coordinates that scores read, and a design that need not draw the others."""

    def play(self, estimate, n: int) -> Episode:
        s = self.setting
        greedy = isinstance(estimate, np.ndarray)
        where = np.flatnonzero((self.signal != 0) | (estimate != 0) if greedy else self.signal)
        theta = estimate[where] if greedy else np.zeros(len(where))
        gaps, along = np.empty(0), np.empty(0)
        if s.margin != "gaussian":
            gaps = draw_gaps(s, self.rng, n)
            along = covariance_times(self.signal, s.rho)[where] / self.scale**2
        arms = self.choose(None if greedy else estimate, None, n)
        seed, other_seed = (int(i) for i in self.rng.integers(0, 2**63, 2))
        rng = np.random.Generator(np.random.SFC64(seed))
        known, scores = _play(
            rng, s.arms, where, s.rho, self.clip, self.signal, theta, greedy, arms, gaps, along
        )
        design = ClippedRows(s, self.clip, where, known, other_seed, rng)
        return self.episode(design, scores, arms)


class ClippedRows(Rows):
    """clip(X) for rows with some known coordinates."""

    def __init__(self, setting: SparseSetting, clip: float, where, known, seed: int, rng):
        super().__init__(setting, clip, where, known, seed)
        self.rng = rng

    def only_product(self, u: np.ndarray) -> Scores:
        s, where, known = self.setting, self.where, self.known
        free = math.sqrt(u @ u) * colour(self.rng.standard_normal(s.d), s.rho)
        left, right, weights, _ = bridges(np.arange(s.d), where, s.rho, False)
        missing = np.append(u @ known - free[where], [0.0, 0.0])  # none at NONE
        unclipped = free + weights[:, 0] * missing[left] + weights[:, 1] * missing[right]
        weights[where] = 0.0
        pull = np.abs(weights).sum(axis=1).max()  # |E(x_tj | known)| <= pull max_k |x_tk|
        reach = pull * np.maximum(known.max(axis=1), -known.min(axis=1))
        slack = _excess_bound(np.abs(u), reach, self.clip, math.log(s.d / MISSED))
        sums = unclipped.copy()
        sums[where] = u @ np.clip(known, -self.clip, self.clip)

        def exact(columns: np.ndarray) -> np.ndarray:
            new = columns[~np.isin(columns, where)]
            path = bridges(new, where, s.rho, True)
            sums[new] = _clipped_sums(self.rng, u, unclipped[new], self.clip, known, *path)
            return sums[columns]

        return Scores(sums, slack, exact)


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
            left[k], a = after - 1, _correlation(rho, j - where[after - 1])
        if drawn and k > 0 and (after == 0 or columns[k - 1] > where[after - 1]):
            left[k], a = LAST, _correlation(rho, j - columns[k - 1])
        if after < len(where):
            right[k], b = after, _correlation(rho, where[after] - j)
        span = 1 - (a * b) ** 2
        weights[k] = a * (1 - b * b) / span, b * (1 - a * a) / span
        spread[k] = math.sqrt((1 - a * a) * (1 - b * b) / span)
    return left, right, weights, spread


@jit
def _correlation(rho, gap):
    power = 1.0
    for _ in range(gap):
        power *= rho
        if abs(power) < 1e-18:  # then: rounding
            return 0.0
    return power


@jit
def _play(rng, arms, where, rho, clip, signal, theta, greedy, chosen, gaps, direction):
    """The chosen arms' coordinates `where`, and x'beta* of all arms; see `play_dense`."""
    n, width = len(chosen), len(where)
    signal = signal[where]
    ratio = np.zeros(width)
    for j in range(1, width):
        ratio[j] = _correlation(rho, where[j] - where[j - 1])
    fresh = np.sqrt(1 - ratio * ratio)
    known, scores = np.empty((n, width)), np.empty((n, arms))
    x = np.empty((arms, width))
    for t in range(n):
        for k in range(arms):
            last, score = 0.0, 0.0
            for j in range(width):
                last = ratio[j] * last + fresh[j] * rng.standard_normal()
                x[k, j] = last
                score += last * signal[j]
            scores[t, k] = score
        if len(gaps) > 0:
            best = np.argmax(scores[t])
            second = -np.inf
            for k in range(arms):
                if k != best:
                    second = max(second, scores[t, k])
            shift = second + gaps[t] - scores[t, best]
            x[best] += shift * direction
            scores[t, best] += shift
        if greedy:
            leader = -np.inf
            for k in range(arms):
                score = 0.0
                for j in range(width):
                    score += min(max(x[k, j], -clip), clip) * theta[j]
                if score > leader:
                    leader = score
                    chosen[t] = k
        known[t] = x[chosen[t]]
    return known, scores


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
        best = min(best, total / rate)
    return best


@jit
def _growth(theta, low):
    """At least E exp(theta (|g| - low)_+) - 1, g standard normal."""
    moved = math.exp(0.5 * theta * theta - theta * low) * math.erfc((low - theta) / math.sqrt(2))
    return moved - math.erfc(low / math.sqrt(2))


@jit
def _clipped_sums(rng, u, sums, clip, known, left, right, weights, spread):
    """u'clip(x_j) for columns that are drawn given the known ones and u'x_j = sums_j.

    Columns drawn freely meet the sums when they move along u: what is orthogonal to u has its law
    whatever the sums are.
    """
    n, count = len(u), len(sums)
    x = np.empty((count, n))
    for j in range(count):
        for t in range(n):
            mean = 0.0
            if left[j] == LAST:
                mean += weights[j, 0] * x[j - 1, t]
            elif left[j] >= 0:
                mean += weights[j, 0] * known[t, left[j]]
            if right[j] >= 0:
                mean += weights[j, 1] * known[t, right[j]]
            x[j, t] = mean + spread[j] * rng.standard_normal()
    size = np.dot(u, u)
    out = np.zeros(count)
    for j in range(count):
        shift = (sums[j] - np.dot(u, x[j])) / size
        for t in range(n):
            out[j] += u[t] * min(max(x[j, t] + shift * u[t], -clip), clip)
    return out
