"""The same from the exact law of each release, where all rewards are 0 or 1: sharper for small eps.

A release of b rewards has the law of Bin(b, p) + noise, with density f_p. If the mean of an arm is
p or less, the product over its releases of f_q/f_p, mixed over q > p, has mean at most 1
(docs/proofs/INFERENCE.md, Theorem 6). With theta = arcsin sqrt p, the density of q is proportional
to 1/(theta_q - theta_p + NEAR). What is computed is certified: cells of p, on which ln f is
concave, bounded by its ends from below and by the secants beside it from above.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from dpbandits.inference.evidence import KEPT
from dpbandits.inference.intervals import Inference

NEAR = 0.006  # alternatives nearer than this have about the same weight
POINTS, WIDE = 400, 9.0  # of the grid; standard errors to each side that most of them cover


def log_below(k, n, odds):
    """ln(P(S < k)/P(S = k)), S ~ Bin(n, odds/(1 + odds)), whole 0 <= k <= n, an array of odds: as
    stochastic/noisy_sums.py, which has one."""
    if k <= 0:
        return np.full(len(odds), -math.inf)
    p, q = odds / (1 + odds), 1 / (1 + odds)
    large = k > (n + 1) * p  # the other side is the smaller one
    kk, p, q = np.where(large, n - k, k), np.where(large, q, p), np.where(large, p, q)
    a, lead = n - kk + 1.0, (n + 1) * p - kk + 1
    fraction = a * lead / (a + 1)
    c, d = fraction.copy(), np.zeros(len(p))
    for m in range(1, int(kk.max()) + 1):
        s = a + 2 * m - 1
        top = (a + m - 1) * (n + m) * m * (kk - m) * (q / s) ** 2
        bottom = m + m * (kk - m) * q / s + (a + m) * (lead + m * (2 - q)) / (s + 2)
        c, d = bottom + top / c, 1 / (bottom + top * d)
        step = np.where(m <= kk, c * d, 1.0)
        fraction *= step
        if np.abs(step - 1).max() < 1e-14:
            break
    ratio = np.where(kk > 0, kk * q / fraction, 0.0)
    at_k = np.array(_log_choose(n, k)) + kk * np.log(p) + (n - kk) * np.log(q)
    with np.errstate(divide="ignore", invalid="ignore"):  # what `where` leaves out
        return np.where(large, np.log1p(-(1 + ratio) * np.exp(at_k)) - at_k, np.log(ratio))


def _log_choose(n, k):
    return math.lgamma(n + 1.0) - math.lgamma(k + 1.0) - math.lgamma(n - k + 1.0)


def log_law(R, b, p, epsilon):
    """ln E e^(-eps |R - S|), S ~ Bin(b, p), at an array of 0 < p < 1: ln f_p(R), but for what
    does not depend on p."""
    k = math.floor(R)
    if k < 0:
        return b * np.log1p(p * math.expm1(-epsilon))
    if k > b:
        return b * (epsilon + np.log1p((1 - p) * math.expm1(-epsilon)))
    x, odds = R - k, p / (1 - p)
    below = log_below(k, b, odds * math.exp(epsilon)) - epsilon * x
    above = log_below(b - k, b, math.exp(epsilon) / odds) + epsilon * x
    parts = np.logaddexp(np.logaddexp(below, above), -epsilon * x)
    return _log_choose(b, k) + k * np.log(p) + (b - k) * np.log1p(-p) + parts


@dataclass(frozen=True)
class Curve:
    """Of one arm, in cells of p: at least the evidence that its mean is above, or below, all p of
    the cell."""

    edges: np.ndarray
    above: np.ndarray
    below: np.ndarray


def curve(sums, sizes, epsilon) -> Curve:
    """From all releases of an arm."""
    edges = _grid(sum(sums), sum(sizes), len(sums), epsilon)
    inner = edges[1:-1]
    log = sum(log_law(R, int(b), inner, epsilon) for R, b in zip(sums, sizes, strict=True))
    log = log - log.max()
    low = np.concatenate(([-math.inf], np.minimum(log[1:], log[:-1]), [-math.inf]))
    theta, most = np.arcsin(np.sqrt(edges)), _most(edges, log)
    above = _one_side(theta, low, most)
    below = _one_side(math.pi / 2 - theta[::-1], low[::-1], most[::-1])
    # `difference` needs evidence that falls in p: its least value so far
    above, below = np.minimum.accumulate(above), np.minimum.accumulate(below)[::-1]
    return Curve(edges, above, below)


def _grid(total, n, m, epsilon):
    """Edges of cells: dense where the mean may be, from 0 to 1."""
    mean, error = min(max(total / n, 0.0), 1.0), math.sqrt(n / 4 + 2 * m / epsilon**2) / n
    centre = math.asin(math.sqrt(mean))
    least, most = max(0.0, centre - WIDE * error), min(math.pi / 2, centre + WIDE * error)
    theta = np.concatenate(
        (np.linspace(least, most, POINTS), np.linspace(0, math.pi / 2, POINTS // 4))
    )
    p = np.sin(np.unique(theta)) ** 2
    inner = p[(p > 1e-9) & (p < 1 - 1e-9)]
    return np.concatenate(([0.0], inner[np.append(True, np.diff(inner) > 1e-12)], [1.0]))


def _most(edges, log):
    """At most this is a concave function on each cell, whose values between the first and the last
    edge are given: by the secants of the cells beside it."""
    slopes, width = np.diff(log) / np.diff(edges[1:-1]), np.diff(edges)
    none = np.full(2, math.inf)
    left, right = np.append(none, slopes), np.append(slopes, -none)
    start, end = np.append(log[0], log), np.append(log, log[-1])
    from_left = start + np.maximum(left, 0) * width
    from_right = end + np.maximum(-right, 0) * width
    return np.maximum(np.maximum(start, end), np.minimum(from_left, from_right))


def _one_side(theta, low, most):
    """For each cell: ln of the mixture over the cells beyond it, over the most of its own."""
    start, end = theta[:-1], theta[1:]
    weight = np.log(end - start) - np.log(np.maximum(end - start[:, None], 0) + NEAR)
    weight -= np.log(np.log((math.pi / 2 - start + NEAR) / NEAR))[:, None]
    parts = np.where(np.triu(np.ones(weight.shape, bool), 1), weight + low, -math.inf)
    top = parts.max(axis=1)
    safe = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        return np.log(np.exp(parts - safe[:, None]).sum(axis=1)) + safe - most


@dataclass(frozen=True)
class Exact(Inference):
    """releases: of each arm (sums, sizes). curves: what has been computed, by arm, with the number
    of releases; is added to."""

    releases: tuple = ()
    curves: dict = field(default_factory=dict)

    def curve(self, arm: int) -> Curve | None:
        sums, sizes = self.releases[arm]
        if not len(sums):
            return None
        if self.curves.get(arm, (0,))[0] != len(sums):
            self.curves[arm] = len(sums), curve(sums, sizes, self.epsilon)
        return self.curves[arm][1]

    def intervals(self, confidence: float) -> list[tuple[float, float]]:
        """(low, high) of each arm's mean."""
        enough, found = self.needed(self.arms, confidence), []
        for arm in range(self.arms):
            low, high = 0.0, 1.0
            if known := self.curve(arm):
                inside = np.logaddexp(known.above, known.below) - math.log(2) < enough
                cells = np.flatnonzero(inside)
                if len(cells):
                    low, high = known.edges[cells[0]], known.edges[cells[-1] + 1]
                else:
                    low = high = known.edges[int(np.argmin(known.above + known.below))]
            found.append((float(low), float(high)))
        return found

    def apart(self, a: int, b: int, gap: float, enough: float) -> float:
        """ln of the evidence that a's mean is above b's by more than `gap`."""
        one, other = self.curve(a), self.curve(b)
        if one is None or other is None:
            return 2 * math.log(KEPT)
        first, last = max(0.0, -gap), min(1.0, 1.0 - gap)
        points = np.unique(np.clip(np.concatenate((one.edges - gap, other.edges)), first, last))
        middle = (points[1:] + points[:-1]) / 2 if len(points) > 1 else points
        at_a = np.clip(np.searchsorted(one.edges, middle + gap) - 1, 0, len(one.above) - 1)
        at_b = np.clip(np.searchsorted(other.edges, middle) - 1, 0, len(other.below) - 1)
        rest = math.log1p(-KEPT)
        above = np.logaddexp(math.log(KEPT), rest + one.above[at_a])
        return float((above + np.logaddexp(math.log(KEPT), rest + other.below[at_b])).min())
