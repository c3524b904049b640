"""The regularised policy of the multi-armed bandit, equation (8) of the paper, in logarithms."""

import numpy as np

from dpbandits.offline.problem import log_policy


def bandit_scores(counts: np.ndarray, sums: np.ndarray, beta0: float) -> np.ndarray:
    """Mean reward minus beta0/sqrt(N); -inf for an arm without records (its probability is 0)."""
    counts = np.asarray(counts, float)
    divisors = np.maximum(counts, 1.0)
    return np.where(counts > 0, sums / divisors - beta0 / np.sqrt(divisors), -np.inf)


def bandit_policy(data, eta: float, beta0: float, log_reference=None) -> np.ndarray:
    return log_policy(bandit_scores(data.counts, data.sums, beta0), log_reference, eta)
