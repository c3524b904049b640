"""The guarantee in Gaussian differential privacy (GDP), and the variance that gives one."""

import math

from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr


def decisions(rounds: int, arms: int, pre_pulls: int) -> int:
    """The number of rounds whose arm depends on rewards: all but the pre-pulls or the first."""
    return max(rounds - max(arms * pre_pulls, 1), 0)


def least_count(pre_pulls: int) -> int:
    """The smallest n + 1 of an arm with n pulls, one of which has the replaced reward."""
    return max(pre_pulls, 1) + 1


def gdp(rounds: int, arms: int, pre_pulls: int, variance: float) -> float:
    """mu of a whole run: the decisions compose (docs/proofs/TS.md)."""
    return math.sqrt(decisions(rounds, arms, pre_pulls) / (variance * least_count(pre_pulls)))


def variance_for(mu: float, rounds: int, arms: int, pre_pulls: int) -> float:
    """The variance at which a run is mu-GDP; 0 if mu is infinite."""
    return decisions(rounds, arms, pre_pulls) / (mu**2 * least_count(pre_pulls))


def delta_of(mu: float, epsilon: float) -> float:
    """The delta of mu-GDP at an epsilon (Dong, Roth and Su 2022, Corollary 1)."""
    if epsilon == math.inf:
        return 0.0
    rest = math.exp(epsilon + log_ndtr(-mu / 2 - epsilon / mu))  # no overflow at a large epsilon
    return max(0.0, float(ndtr(mu / 2 - epsilon / mu) - rest))


def mu_of(delta: float, epsilon: float) -> float:
    """The mu of the Gaussian mechanism that has this delta at this epsilon."""
    return brentq(lambda mu: delta_of(mu, epsilon) - delta, 1e-3, 50.0, xtol=1e-12)
