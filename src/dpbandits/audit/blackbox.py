"""Lower bounds on a privacy loss from samples alone, with a stated confidence.

`lower_bound` finds a promising event on one half of the samples and measures it on the other by
Clopper-Pearson intervals; the two directions and the two frequencies share the error probability.
It can refute a claim (`rejected`), never confirm one.

`audit_algorithm` needs nothing but a registered simulation. Its rewards are drawn inside, so
neighbouring tables cannot be handed to it; but means in {0, 1} make the rewards deterministic, and
the worlds (1, 0) and (0, 1) differ in every round. The last round's reward is never used, so a pure
eps-DP algorithm loses at most (T - 1) eps between them in T rounds: a bound above that refutes it.
Its power is limited: with n runs no loss above about ln(n/30) can be seen, so (T - 1) eps must be
small, and an algorithm that keeps part of its noise may pass. At the defaults Anytime-Lazy-UCB is
refuted if it keeps 0.3 of its noise, not if it keeps 0.5 (a test holds this; `zoo` has more).
"""

import math
from dataclasses import dataclass

import numpy as np

from dpbandits.core.errors import InputError
from dpbandits.core.registry import Algorithm, get_algorithm, run

CONFIDENCE = 1 - 1e-6


@dataclass(frozen=True)
class LowerBound:
    """With this confidence, the loss at `delta` of the two sampled laws is at least `epsilon`."""

    epsilon: float
    delta: float
    confidence: float
    samples: int  # of each law
    outcomes: tuple  # the event, as outcomes
    swapped: bool  # the event is likelier under the second law


def clopper_pearson(hits: int, runs: int, error: float) -> tuple[float, float]:
    """One-sided bounds on a probability, each wrong with probability at most `error`."""
    from scipy.stats import beta

    low = beta.ppf(error, hits, runs - hits + 1) if hits else 0.0
    high = beta.ppf(1 - error, hits + 1, runs - hits) if hits < runs else 1.0
    return float(low), float(high)


def log_ratio(hits: int, others: int, runs: int, delta: float, error: float) -> float:
    """Lower bound on ln((p - delta)/q) from the frequencies of an event under two laws."""
    low, _ = clopper_pearson(hits, runs, error)
    _, high = clopper_pearson(others, runs, error)
    return math.log((low - delta) / high) if low > delta else -math.inf


def lower_bound(
    first: np.ndarray, second: np.ndarray, *, delta: float = 0.0, confidence: float = CONFIDENCE
) -> LowerBound:
    """From outcomes (integers) sampled independently from two laws, equally many of each."""
    half, error = len(first) // 2, (1 - confidence) / 4
    if half < 1 or len(first) != len(second):
        raise InputError("black box: two samples of the same length, at least 2, are needed")
    best = LowerBound(0.0, delta, confidence, len(first), (), False)
    for p, q, swapped in ((first, second, False), (second, first, True)):
        event = _event(p[:half], q[:half], delta, error)
        hits, others = (int(np.isin(x[half:], event).sum()) for x in (p, q))
        found = log_ratio(hits, others, len(p) - half, delta, error)
        if found > best.epsilon:
            best = LowerBound(found, delta, confidence, len(first), tuple(event.tolist()), swapped)
    return best


def _event(p: np.ndarray, q: np.ndarray, delta: float, error: float) -> np.ndarray:
    """The outcomes of largest ratio, as many of them as promise the best bound."""
    outcomes, codes = np.unique(np.r_[p, q], return_inverse=True)
    counts_p = np.bincount(codes[: len(p)], minlength=len(outcomes))
    counts_q = np.bincount(codes[len(p) :], minlength=len(outcomes))
    order = np.argsort(-(counts_p + 0.5) / (counts_q + 0.5), kind="stable")
    hits, others = counts_p[order].cumsum(), counts_q[order].cumsum()
    sizes = np.unique(np.searchsorted(hits, np.geomspace(1, hits[-1], 24)))
    promise = [log_ratio(int(hits[i]), int(others[i]), len(p), delta, error) for i in sizes]
    return outcomes[order[: sizes[int(np.argmax(promise))] + 1]]


# Registered algorithms


@dataclass(frozen=True)
class AlgorithmAudit:
    name: str
    claimed: float  # eps
    allowed: float  # loss that the claim allows between the two worlds
    found: LowerBound

    @property
    def refuted(self) -> bool:
        return self.found.epsilon > self.allowed


def auditable(entry: Algorithm) -> str | None:
    """None if `audit_algorithm` applies, else why not."""
    if not entry.private:
        return "not private"
    if "means" not in entry.setting.model_fields:
        return "its rewards cannot be made deterministic by a setting of means"
    return None


def audit_algorithm(
    name: str, epsilon: float = 1.0, horizon: int = 3, runs: int = 20_000,
    confidence: float = CONFIDENCE, setting: dict | None = None,
) -> AlgorithmAudit:  # fmt: skip
    """Run a private bandit algorithm in the worlds (1, 0) and (0, 1) and compare what it plays."""
    reason = auditable(get_algorithm(name))
    if reason:
        raise InputError(f"black box: {name}: {reason}")
    samples = [
        _transcripts(name, means, epsilon, horizon, runs, setting or {})
        for means in ([1.0, 0.0], [0.0, 1.0])
    ]
    found = lower_bound(*samples, confidence=confidence)
    return AlgorithmAudit(name, epsilon, (horizon - 1) * epsilon, found)


def _transcripts(name, means, epsilon, horizon, runs, setting) -> np.ndarray:
    """What is played, as bits (round t: bit t - 1): regret grows by 1 when the bad arm is."""
    checkpoints = np.arange(1, horizon + 1)
    result = run(name, setting | {"means": means}, epsilon, horizon, range(runs), checkpoints)
    bad = np.diff(result.regret, axis=1, prepend=0.0).round().astype(np.int64)
    played = bad if means[0] == 1.0 else 1 - bad
    return played @ (1 << np.arange(horizon))
