"""Lower bounds on a privacy loss from samples alone, with a stated confidence.

`lower_bound` chooses a promising event on one half of the samples and measures it on the other by
Clopper-Pearson intervals. The two directions and the two frequencies share the error probability.
Such a bound can refute a claim, never confirm one. `measured` runs a function for its samples.
"""

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from scipy.special import betaincinv
from scipy.stats import chi2

from dpbandits.audit.sampled.outcomes import coded
from dpbandits.audit.sampled.processes import sample, samples
from dpbandits.core.errors import InputError

CONFIDENCE = 1 - 1e-6
PROCESSES, SINGLES = 8, 300
WIDEST = 2 * 10**6  # numbers of all outcomes of a data set


@dataclass(frozen=True)
class LowerBound:
    """With this confidence, the loss at `delta` of the two sampled laws, of the data and of a
    neighbour, is at least `epsilon`; 0 says that nothing was found."""

    epsilon: float
    delta: float
    confidence: float
    runs: int  # of each law
    event: str  # whose frequencies give the bound, in words
    unclipped: float = -math.inf  # before clipping: ranks pairs
    dispersed: bool = False  # groups of runs depend on each other


def clopper_pearson(hits: int, runs: int, error: float) -> tuple[float, float]:
    """One-sided bounds on a probability, each wrong with probability at most `error`."""
    low = betaincinv(hits, runs - hits + 1, error) if hits else 0.0
    high = betaincinv(hits + 1, runs - hits, 1 - error) if hits < runs else 1.0
    return float(low), float(high)


def log_ratio(hits: int, others: int, runs: int, delta: float, error: float) -> float:
    """Lower bound on ln((p - delta)/q), where p and q are an event's probabilities under two laws,
    which it had `hits` and `others` times in `runs` runs."""
    low, _ = clopper_pearson(hits, runs, error)
    _, high = clopper_pearson(others, runs, error)
    return math.log((low - delta) / high) if low > delta else -math.inf


def lower_bound(
    first: Sequence, second: Sequence, *, delta: float = 0.0, confidence: float = CONFIDENCE,
    groups: int = 0,
) -> LowerBound:  # fmt: skip
    """A lower bound on the loss of two laws, from equally many independent outcomes of each.

    Outcomes may be integers, texts, numbers or vectors of numbers: see `sampled.outcomes`. Of
    `groups` equal parts of each sample, `dispersed` says whether their counts of the event differ
    more than those of independent runs, at 1e-6.
    """
    runs, half, error = len(first), len(first) // 2, (1 - confidence) / 4
    if half < 1 or len(second) != runs:
        raise InputError("black box: two samples of the same length, at least 2, are needed")
    codes = coded(first, second, half)
    best = LowerBound(0.0, delta, confidence, runs, "")
    both = codes.first, codes.second
    for p, q in (both, both[::-1]):
        event = best_event(p[:half], q[:half], delta, error)
        hits, others = counts = [np.isin(x[half:], event) for x in (p, q)]
        hits, others = int(hits.sum()), int(others.sum())
        bound = log_ratio(hits, others, runs - half, delta, error)
        if bound > best.unclipped:
            words = codes.describe(event) if bound > 0 else ""
            apart = any(_dispersed(x, groups // 2) for x in counts)
            keys = delta, confidence, runs, words, bound, apart
            best = LowerBound(max(0.0, bound), *keys)
    return best


def _dispersed(held: np.ndarray, groups: int) -> bool:
    share = held.mean()
    if groups < 2 or len(held) % groups or not 0 < share < 1:
        return False
    hits, runs = held.reshape(groups, -1).sum(axis=1), len(held) // groups
    excess = ((hits - hits.mean()) ** 2).sum() / (runs * share * (1 - share))
    return runs > 1 and chi2.sf(excess, groups - 1) < 1e-6


def best_event(p: np.ndarray, q: np.ndarray, delta: float, error: float) -> np.ndarray:
    """The outcomes of largest likelihood ratio, as many as give the largest lower bound.

    p and q are samples of integers.
    """
    counts = np.array([np.bincount(x, minlength=max(p.max(), q.max()) + 1) for x in (p, q)])
    outcomes = np.flatnonzero(counts.any(axis=0))
    counts_p, counts_q = counts[:, outcomes]
    order = np.argsort(-(counts_p + 0.5) / (counts_q + 0.5), kind="stable")
    hits, others = counts_p[order].cumsum(), counts_q[order].cumsum()
    sizes = np.unique(np.searchsorted(hits, np.geomspace(1, hits[-1], 24)))
    bounds = [log_ratio(int(hits[i]), int(others[i]), len(p), delta, error) for i in sizes]
    return outcomes[order[: sizes[int(np.argmax(bounds))] + 1]]


def measured(
    run, function, pair, runs: int, seed: int, *, delta: float, confidence: float = CONFIDENCE,
    seconds: float = math.inf,
) -> tuple[LowerBound, str]:  # fmt: skip
    """A bound from runs in several new processes, and how they were made; if runs of one process
    depend on each other (answers that are kept, a generator of the module), from fewer processes
    of one run each."""
    single, runs = 0.0, max(2, runs)
    if seconds < math.inf:
        single, runs = runs_within(run, function, pair[0], runs, seconds)
    processes = PROCESSES if runs >= 100 * PROCESSES else 2
    each = max(1, runs // processes)
    first, second = samples(run, function, pair, processes, each, seed)
    keys = {"delta": delta, "confidence": confidence}
    if first[0] == first[1] and any(x != first[0][0] for x in first[0]):  # a seed of its own
        first, second = samples(run, function, pair, 1, processes * each, seed)
    flat = [list(chain(*x)) for x in (first, second)]
    found = lower_bound(*flat, **keys, groups=processes)
    if not found.dispersed:
        return found, f"{len(flat[0])} runs in {len(first)} processes"
    singles = min(SINGLES, int(2 * seconds / single)) if single else SINGLES
    first, second = samples(run, function, pair, max(2, singles), 1, seed + 1)
    found = lower_bound(list(chain(*first)), list(chain(*second)), **keys)
    return found, f"{len(first)} processes of one run each, as runs of one depend on each other"


def runs_within(run, function, data, runs: int, seconds: float) -> tuple[float, int]:
    """(the time of a process, how many of the runs of one data set so many seconds allow)."""
    times = [sum(os.times()[:4])]  # of one core, processes that ended included
    for n in (1, 101):
        wide = len(sample(run, function, data, n, 1)[0][1])
        times.append(sum(os.times()[:4]))
    once, many = np.diff(times)
    single, more = max(1e-3, once), max(1e-7, many - once) / 100
    return single, int(min(runs, max(400, WIDEST // max(1, wide)), seconds / more))
