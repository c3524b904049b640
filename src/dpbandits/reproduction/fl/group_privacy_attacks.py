"""Searches against two repairs of Appendix C: group privacy, and estimators of what is observed.

A point of the unit cube stands for eps, laws and events. delta is the least one with which these
meet the hypothesis at eps, and the value of the point is the true delta at 2 eps over the repaired
one, (1 + e^eps) delta: above 1 it would refute the repair.
"""

import numpy as np

from dpbandits.core.maximise import maximise, share
from dpbandits.reproduction.proofs import require_proof

LAWS = 10  # dimensions of group_ratio: eps and three laws on three outcomes
OBSERVED = 13  # of observed_ratio: eps, two laws of an action in {0, 1, 2}, and a chance per (b, a)


def _law(share: np.ndarray) -> np.ndarray:
    """A law of three outcomes, some of which may be impossible or nearly so."""
    weight = np.maximum(share - 0.05, 0) ** 8 + 1e-300
    return weight / weight.sum(axis=-1, keepdims=True)


def _excess(p: np.ndarray, q: np.ndarray, growth: np.ndarray) -> np.ndarray:
    """The least delta with P(E) <= growth Q(E) + delta for all events."""
    return np.maximum(p - growth[:, None] * q, 0).sum(axis=-1)


def _ratio(true: np.ndarray, delta: np.ndarray, growth: np.ndarray) -> np.ndarray:
    """0 where delta is too small for double precision."""
    return np.where(delta > 1e-9, true / np.maximum((1 + growth) * delta, 1e-300), 0.0)


def group_ratio(points: np.ndarray) -> np.ndarray:
    """Two records are changed, one after the other (the repair of FL-C4b at n = 2)."""
    growth = np.exp(0.01 * 300 ** points[:, 0])
    p, between, q = (_law(points[:, i : i + 3]) for i in (1, 4, 7))
    delta = np.maximum(_excess(p, between, growth), _excess(between, q, growth))
    return _ratio(_excess(p, q, growth**2), delta, growth)


def observed_ratio(points: np.ndarray) -> np.ndarray:
    """User 1's bit b, user 2's action a, an estimator's chance f(b, a) of saying 1 (FL-C3)."""
    growth = np.exp(0.01 * 300 ** points[:, 0])
    action = np.stack([_law(points[:, 1:4]), _law(points[:, 4:7])], axis=1)
    chance = np.clip(1.2 * points[:, 7:13] - 0.1, 0, 1).reshape(-1, 2, 3) ** 4
    both = np.stack([chance, 1 - chance], axis=-1)
    pairs = [((b, a), (1 - b, a)) for b in (0, 1) for a in range(3)]
    pairs += [((b, a), (b, x)) for b in (0, 1) for a in range(3) for x in range(3) if a != x]
    needed = [_excess(both[:, *one], both[:, *other], growth) for one, other in pairs]
    needed += [_excess(action[:, b], action[:, 1 - b], growth) for b in (0, 1)]
    estimate = (action[..., None] * both).sum(axis=2)  # its law given b
    true = _excess(estimate[:, 1], estimate[:, 0], growth**2)
    return _ratio(true, np.max(needed, axis=0), growth)


def searched(ratio, dimensions: int) -> str:
    """The sentence of the ledger on a search; an error if it found a crossing."""
    generator = np.random.default_rng(1)
    result = maximise(lambda rows: ratio(share(rows)), dimensions, 100_000, generator)
    require_proof(result.value <= 1 + 1e-9, f"{ratio.__name__} crosses")
    return (
        f"no crossing in {result.instances:,} adversarial instances, true over corrected "
        f"$\\delta$ at $2\\varepsilon$ up to {result.value:.2f}"
    )
