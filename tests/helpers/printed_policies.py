"""The regularised policies as printed, equations (8), (10) and (11): a second implementation.

The printed preference probability of Section 3.2, sigma(exp r1 - exp r2), is not Bradley-Terry and
not what the likelihood of Section 4.3 maximises; we use sigma(r1 - r2), as the likelihood does.
"""

import numpy as np


def pessimistic_mab(D, pi_0, beta_0, eta):
    """pi~(. ; D) of (8); D: pairs (a_i, r_i), with a record of each arm 0..len(pi_0) - 1."""
    A = range(len(pi_0))
    N = np.array([sum(a_i == a for a_i, _ in D) for a in A])
    r_bar = np.array([sum(r_i for a_i, r_i in D if a_i == a) for a in A]) / N
    Gamma = 1 / np.sqrt(N)
    weights = pi_0 * np.exp((r_bar - beta_0 * Gamma) / eta)  # (8)
    return weights / weights.sum()


def pessimistic_linear(D, phi, pi_0, beta_0, eta, lambda_):
    """pi~(. | x; D) of (10); D: pairs (phi(x_i, a_i), r_i), phi: the rows phi(x, a) of all a."""
    Sigma = lambda_ * np.eye(phi.shape[1]) + sum(np.outer(v, v) for v, _ in D)  # (2)
    b = sum(r * v for v, r in D)
    r_bar = b @ np.linalg.inv(Sigma) @ phi.T
    Gamma = np.array([np.sqrt(v @ np.linalg.inv(Sigma) @ v) for v in phi])
    weights = pi_0 * np.exp((r_bar - beta_0 * Gamma) / eta)  # (10)
    return weights / weights.sum()


def theta_MLE(D, B):
    """argmax of l_D over ||theta|| <= B; D: triples (phi(x_i, a_i^1), phi(x_i, a_i^2), y_i)."""
    from scipy.optimize import minimize
    from scipy.special import log_expit

    def minus_l_D(theta):
        return -sum(
            y * log_expit(theta @ (v1 - v2)) + (1 - y) * log_expit(theta @ (v2 - v1))
            for v1, v2, y in D
        )

    ball = {"type": "ineq", "fun": lambda theta: B**2 - theta @ theta}
    constraints = [ball] if np.isfinite(B) else []
    return minimize(minus_l_D, np.zeros(len(D[0][0])), constraints=constraints, tol=1e-12).x


def rlhf_mle(D, phi, pi_0, beta_0, eta, lambda_, *, B=np.inf):
    """pi~(. | x; D) of (11); phi: the rows phi(x, a) of all a; B = inf: the MLE as printed."""
    r_MLE = phi @ theta_MLE(D, B)
    Sigma = lambda_ * np.eye(phi.shape[1]) + sum(np.outer(v1 - v2, v1 - v2) for v1, v2, _ in D)
    Gamma = np.array([np.sqrt(v @ np.linalg.inv(Sigma) @ v) for v in phi])
    weights = pi_0 * np.exp((r_MLE - beta_0 * Gamma) / eta)  # (11)
    return weights / weights.sum()
