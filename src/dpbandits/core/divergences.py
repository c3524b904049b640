"""Divergences of two finite distributions given by log-probabilities, which measure privacy.

A mechanism is (eps, delta)-DP for a pair of neighbours iff the hockey-stick divergence at eps is at
most delta in both directions; pure eps-DP iff the max divergence is at most eps in both.
All is computed in log space, as probabilities of 1e-300 and less occur.
"""

import numpy as np


def log_normalise(log_weights: np.ndarray) -> np.ndarray:
    """Log-probabilities from unnormalised log-weights (along the last axis)."""
    log_weights = np.asarray(log_weights, dtype=float)
    largest = log_weights.max(axis=-1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):  # where all weights are 0
        total = np.exp(log_weights - np.where(np.isfinite(largest), largest, 0.0))
        return log_weights - (largest + np.log(total.sum(axis=-1, keepdims=True)))


def log_ratio(log_p: np.ndarray, log_q: np.ndarray) -> np.ndarray:
    """ln p - ln q, with 0 where both are impossible."""
    both = np.equal(log_p, -np.inf) & np.equal(log_q, -np.inf)
    with np.errstate(invalid="ignore"):
        return np.where(both, 0.0, np.subtract(log_p, log_q))


def pure_epsilon(log_p: np.ndarray, log_q: np.ndarray) -> np.ndarray:
    """The pure privacy loss of a pair, over both directions."""
    return np.abs(log_ratio(log_p, log_q)).max(axis=-1)


def hockey_stick(log_p: np.ndarray, log_q: np.ndarray, epsilon: float) -> np.ndarray:
    """The sum of max(0, p - e^eps q): the smallest delta for this eps in one direction."""
    return mass_above(np.exp(log_p), log_ratio(log_p, log_q), epsilon)


def mass_above(p: np.ndarray, ratio: np.ndarray, epsilon: float) -> np.ndarray:
    """`hockey_stick` from probabilities and log-ratios, which saves time at several eps."""
    excess = epsilon - ratio  # p (1 - e^excess) where the loss exceeds eps
    terms = np.where(excess < 0, p * -np.expm1(np.minimum(excess, 0.0)), 0.0)
    return terms.sum(axis=-1)


def delta_at(log_p: np.ndarray, log_q: np.ndarray, epsilon: float) -> np.ndarray:
    """The smallest delta of a pair at eps, over both directions."""
    return np.maximum(hockey_stick(log_p, log_q, epsilon), hockey_stick(log_q, log_p, epsilon))
