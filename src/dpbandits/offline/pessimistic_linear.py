"""The regularised policy of the linear contextual bandit, equations (2) and (10) of the paper."""

import numpy as np


def pessimistic_linear(D, phi, pi_0, beta_0, eta, lambda_):
    """pi~(. | x; D) of (10); D: pairs (phi(x_i, a_i), r_i), phi: the rows phi(x, a) of all a."""
    Sigma = lambda_ * np.eye(phi.shape[1]) + sum(np.outer(v, v) for v, _ in D)  # (2)
    b = sum(r * v for v, r in D)
    r_bar = b @ np.linalg.inv(Sigma) @ phi.T
    Gamma = np.array([np.sqrt(v @ np.linalg.inv(Sigma) @ v) for v in phi])
    weights = pi_0 * np.exp((r_bar - beta_0 * Gamma) / eta)  # (10)
    return weights / weights.sum()
