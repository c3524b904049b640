"""The regularised policy of the linear contextual bandit, equations (2) and (10) of the paper."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpbandits.offline.problem import log_policy


def pessimistic_linear(D, phi, pi_0, beta_0, eta, lambda_):
    """pi~(. | x; D) of (10); D: pairs (phi(x_i, a_i), r_i), phi: the rows phi(x, a) of all a."""
    Sigma = lambda_ * np.eye(phi.shape[1]) + sum(np.outer(v, v) for v, _ in D)  # (2)
    b = sum(r * v for v, r in D)
    r_bar = b @ np.linalg.inv(Sigma) @ phi.T
    Gamma = np.array([np.sqrt(v @ np.linalg.inv(Sigma) @ v) for v in phi])
    weights = pi_0 * np.exp((r_bar - beta_0 * Gamma) / eta)  # (10)
    return weights / weights.sum()


# --- the same in logarithms, for audits ---------------------------------------------------------
@dataclass(frozen=True)
class Ridge:
    """Sigma^-1 and theta = Sigma^-1 b: all that the policy at a context reads of the data."""

    inverse: np.ndarray
    theta: np.ndarray

    @classmethod
    def fit(cls, features: np.ndarray, rewards: np.ndarray, penalty: float) -> "Ridge":
        sigma = penalty * np.eye(features.shape[1]) + features.T @ features
        inverse = np.linalg.inv(sigma)
        inverse = (inverse + inverse.T) / 2
        return cls(inverse, np.linalg.solve(sigma, features.T @ rewards))

    @cached_property
    def smallest_eigenvalue(self) -> float:
        """lambda_min(D)."""
        return float(1.0 / np.linalg.eigvalsh(self.inverse)[-1])

    def widths(self, actions: np.ndarray) -> np.ndarray:
        """||phi||_{Sigma^-1} of every action."""
        return np.sqrt(np.einsum("ad,de,ae->a", actions, self.inverse, actions))


def linear_policy(ridge: Ridge, actions, eta, beta0, log_reference=None) -> np.ndarray:
    return log_policy(actions @ ridge.theta - beta0 * ridge.widths(actions), log_reference, eta)
