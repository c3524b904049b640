"""Lower bounds on a privacy loss from samples alone, with a stated confidence.

`lower_bound` finds a promising event on one half of the samples and measures it on the other by
Clopper-Pearson intervals; the two directions and the two frequencies share the error probability.
It can refute a claim, never confirm one.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import brentq
from scipy.special import betaincinv

from dpbandits.audit.engine.outcomes import coded
from dpbandits.core.errors import InputError

CONFIDENCE = 1 - 1e-6


@dataclass(frozen=True)
class LowerBound:
    """With this confidence, the loss at `delta` of the two sampled laws is at least `epsilon`."""

    epsilon: float
    delta: float
    confidence: float
    samples: int  # of each law
    event: str  # in words
    swapped: bool  # the event is likelier under the second law
    unclipped: float  # the bound before clipping at 0; ranks candidate pairs
    at_most: float = math.inf  # upper bound, at this confidence, on the loss on this event


def clopper_pearson(hits: int, runs: int, error: float) -> tuple[float, float]:
    """One-sided bounds on a probability, each wrong with probability at most `error`."""
    low = betaincinv(hits, runs - hits + 1, error) if hits else 0.0
    high = betaincinv(hits + 1, runs - hits, 1 - error) if hits < runs else 1.0
    return float(low), float(high)


def log_ratio(hits: int, others: int, runs: int, delta: float, error: float) -> float:
    """Lower bound on ln((p - delta)/q) from the frequencies of an event under two laws."""
    low, _ = clopper_pearson(hits, runs, error)
    _, high = clopper_pearson(others, runs, error)
    return math.log((low - delta) / high) if low > delta else -math.inf


def log_ratio_at_most(hits: int, others: int, runs: int, delta: float, error: float) -> float:
    """Upper bound on the same; infinite if the second law never showed the event."""
    _, high = clopper_pearson(hits, runs, error)
    low, _ = clopper_pearson(others, runs, error)
    if high <= delta:
        return 0.0
    return max(0.0, math.log((high - delta) / low)) if low > 0 else math.inf


def lower_bound(
    first: Sequence, second: Sequence, *, delta: float = 0.0, confidence: float = CONFIDENCE
) -> LowerBound:
    """From outcomes sampled independently from two laws, equally many of each.

    They may be integers, texts, numbers or vectors of numbers: see `engine.outcomes`.
    """
    half, error = len(first) // 2, (1 - confidence) / 4
    if half < 1 or len(first) != len(second):
        raise InputError("black box: two samples of the same length, at least 2, are needed")
    runs, codes = len(first), coded(first, second, half)
    best = LowerBound(0.0, delta, confidence, runs, "", False, -math.inf)
    pairs = ((codes.first, codes.second, False), (codes.second, codes.first, True))
    for p, q, swapped in pairs:
        event = best_event(p[:half], q[:half], delta, error)
        seen = (np.bincount(x[half:], minlength=event.max() + 1) for x in (p, q))
        hits, others = (int(counts[event].sum()) for counts in seen)
        found = log_ratio(hits, others, runs - half, delta, error)
        if found > best.unclipped:
            said = codes.said(event) if found > 0 else ""
            most = log_ratio_at_most(hits, others, runs - half, delta, error)
            best = LowerBound(max(0.0, found), delta, confidence, runs, said, swapped, found, most)
    return best


def detectable(epsilon: float, delta: float, runs: int, confidence: float = CONFIDENCE) -> float:
    """The smallest loss of randomised response at which so many runs refute (epsilon, delta)-DP
    with probability 0.9 or more, if the event is known; infinity if none is."""
    from scipy.stats import binom

    half, error = runs - runs // 2, (1 - confidence) / 4

    def excess(loss: float) -> float:
        right = 1 / (1 + math.exp(-loss))  # each count on its bad side with probability 0.05
        hits, others = binom.ppf(0.05, half, right), binom.ppf(0.95, half, 1 - right)
        return max(-1.0, log_ratio(int(hits), int(others), half, delta, error) - epsilon)

    most = 50.0
    return brentq(excess, epsilon, most) if excess(most) > 0 else math.inf


def best_event(p: np.ndarray, q: np.ndarray, delta: float, error: float) -> np.ndarray:
    """Outcomes in decreasing likelihood ratio, cut where the lower bound is largest."""
    counts = np.array([np.bincount(x, minlength=max(p.max(), q.max()) + 1) for x in (p, q)])
    outcomes = np.flatnonzero(counts.any(axis=0))
    counts_p, counts_q = counts[:, outcomes]
    order = np.argsort(-(counts_p + 0.5) / (counts_q + 0.5), kind="stable")
    hits, others = counts_p[order].cumsum(), counts_q[order].cumsum()
    sizes = np.unique(np.searchsorted(hits, np.geomspace(1, hits[-1], 24)))
    bounds = [log_ratio(int(hits[i]), int(others[i]), len(p), delta, error) for i in sizes]
    return outcomes[order[: sizes[int(np.argmax(bounds))] + 1]]
