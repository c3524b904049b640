"""The regularised policy of the multi-armed bandit, equation (8) of the paper."""

import numpy as np

from dpbandits.offline.problem import log_policy


def pessimistic_mab(D, pi_0, beta_0, eta):
    """pi~(. ; D) of (8); D: pairs (a_i, r_i), with a record of each arm 0..len(pi_0) - 1."""
    A = range(len(pi_0))
    N = np.array([sum(a_i == a for a_i, _ in D) for a in A])
    r_bar = np.array([sum(r_i for a_i, r_i in D if a_i == a) for a in A]) / N
    Gamma = 1 / np.sqrt(N)
    weights = pi_0 * np.exp((r_bar - beta_0 * Gamma) / eta)  # (8)
    return weights / weights.sum()


# --- the same in logarithms, for audits ---------------------------------------------------------
def bandit_scores(counts: np.ndarray, sums: np.ndarray, beta0: float) -> np.ndarray:
    """Mean reward minus beta0/sqrt(N); -inf for an arm without records (its probability is 0)."""
    counts = np.asarray(counts, float)
    divisors = np.maximum(counts, 1.0)
    return np.where(counts > 0, sums / divisors - beta0 / np.sqrt(divisors), -np.inf)


def bandit_policy(data, eta: float, beta0: float, log_reference=None) -> np.ndarray:
    return log_policy(bandit_scores(data.counts, data.sums, beta0), log_reference, eta)
