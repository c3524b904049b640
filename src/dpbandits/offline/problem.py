"""KL's three offline problems: their data, and the form of all policies.

A policy is pi(a) proportional to pi0(a) exp((r(a) - beta0 Gamma(a))/eta). Those of the paper are
(8), (10) and (11).
"""

from dataclasses import dataclass

import numpy as np

from dpbandits.core.divergences import log_normalise

MAX_DIFFERENCE_NORM = 2.0  # the largest norm of a difference of two feature vectors


def log_policy(scores: np.ndarray, log_reference: np.ndarray | None, eta: float) -> np.ndarray:
    """ln pi along the last axis; where no score is finite, the reference (left out: uniform)."""
    if log_reference is None:
        log_reference = uniform_reference(scores.shape[-1])
    log_weights = log_reference + scores / eta
    empty = np.isneginf(log_weights).all(axis=-1, keepdims=True)
    return log_normalise(np.where(empty, log_reference, log_weights))


def uniform_reference(actions: int) -> np.ndarray:
    return np.full(actions, -np.log(actions))


def log_reference_from(weights: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore"):
        return log_normalise(np.log(np.asarray(weights, float)))


# --- multi-armed bandit, equation (8) ---------------------------------------------------------
@dataclass(frozen=True)
class BanditData:
    """All of a data set that (8) and its neighbours depend on, per arm."""

    counts: np.ndarray
    sums: np.ndarray  # of the rewards
    lowest: np.ndarray  # smallest reward; +inf for an arm without records
    highest: np.ndarray  # largest reward; -inf for an arm without records

    @classmethod
    def from_records(cls, arms: np.ndarray, rewards: np.ndarray, count: int) -> "BanditData":
        lowest, highest = np.full(count, np.inf), np.full(count, -np.inf)
        np.minimum.at(lowest, arms, rewards)
        np.maximum.at(highest, arms, rewards)
        counts = np.bincount(arms, minlength=count)
        return cls(counts, np.bincount(arms, rewards, minlength=count), lowest, highest)

    @property
    def arms(self) -> int:
        return len(self.counts)


def bandit_scores(counts: np.ndarray, sums: np.ndarray, beta0: float) -> np.ndarray:
    """Mean reward minus beta0/sqrt(N); -inf for an arm without records (its probability is 0)."""
    counts = np.asarray(counts, float)
    divisors = np.maximum(counts, 1.0)
    return np.where(counts > 0, sums / divisors - beta0 / np.sqrt(divisors), -np.inf)


def bandit_policy(data, eta: float, beta0: float, log_reference=None) -> np.ndarray:
    return log_policy(bandit_scores(data.counts, data.sums, beta0), log_reference, eta)


# --- RLHF, equation (11) ----------------------------------------------------------------------
@dataclass(frozen=True)
class Preferences:
    """Signed feature differences: z_i = phi1 - phi2 if the first answer won, phi2 - phi1 if not.

    Likelihood, Sigma and all neighbours depend on a record (difference, label) only through them.
    """

    signed: np.ndarray

    @classmethod
    def from_labels(cls, differences: np.ndarray, labels: np.ndarray) -> "Preferences":
        return cls(np.where(np.asarray(labels)[:, None] > 0, 1.0, -1.0) * differences)

    def covariance(self, penalty: float) -> np.ndarray:
        return penalty * np.eye(self.signed.shape[1]) + self.signed.T @ self.signed


# --- utility ----------------------------------------------------------------------------------
def objective(log_pi: np.ndarray, means: np.ndarray, log_reference: np.ndarray, eta: float):
    """J(pi) = E[mean] - eta KL(pi || pi0), the regularised objective of Section 3.1."""
    pi = np.exp(log_pi)
    with np.errstate(invalid="ignore"):
        divergence = np.where(pi > 0, pi * (log_pi - log_reference), 0.0)
    return (pi * means).sum(axis=-1) - eta * divergence.sum(axis=-1)
