"""Mechanisms with injected noise, compared with the regularised policy at equal exact privacy.

Each returns ln of its action distribution at a data set; none needs sampling. The exponential
mechanism on (pessimistic) means is policy (8) with uniform pi0, so it is not among them.
Perturbed ridge regression and preferences, on a circle of actions, are in
linear_perturbation.py and preference_perturbation.py.
"""

import numpy as np
from scipy.special import logsumexp

from dpbandits.core.divergences import pure_epsilon
from dpbandits.offline.losses.bandit import Candidates
from dpbandits.offline.problem import BanditData

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)
TRUSTED = 1e-10  # of the perturbations: smaller probabilities are differences of rounding
_REACH = np.array([-64.0, -32, -16, -8, -4, -2, -1, 0, 1, 2, 4, 8, 16, 32, 64])


def noisy_argmax(centres: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """ln Pr[arm a has the largest centre + Lap(scale)], by quadrature between all kinks.
    The integrand is positive and analytic on each piece, so that small probabilities have a small
    relative error."""
    knots = np.unique((centres[:, None] + scales[:, None] * _REACH).ravel())
    half = np.diff(knots) / 2
    x = (knots[:-1] + half)[:, None] + half[:, None] * _NODES
    log_width = np.log(half)[:, None] + np.log(_WEIGHTS)
    z = (x[None] - centres[:, None, None]) / scales[:, None, None]
    log_cdf = np.where(z < 0, z - np.log(2), np.log1p(-0.5 * np.exp(-np.abs(z))))  # of Laplace
    log_density = -np.abs(z) - np.log(2 * scales)[:, None, None]
    terms = log_density + log_cdf.sum(axis=0) - log_cdf + log_width
    return logsumexp(terms.reshape(len(centres), -1), axis=-1)


def laplace_policy(counts, sums, noise: float) -> np.ndarray:
    """The arm of the largest mean, after noise of scale noise/N on each."""
    return noisy_argmax(sums / counts, noise / counts)


def bandit_neighbours(data: BanditData):
    """(counts, sums) of the neighbours that can be worst, as every outcome's probability is
    monotone in the arm's mean: one record of the least or the largest reward more or less."""
    for arm in range(data.arms):
        changes = [(1, 0.0), (1, 1.0), (-1, data.lowest[arm]), (-1, data.highest[arm])]
        for step, reward in changes:
            if data.counts[arm] + step >= 1:
                counts, sums = data.counts.copy(), data.sums.copy()
                counts[arm] += step
                sums[arm] += step * reward
                yield counts, sums


def bandit_loss(data: BanditData, policy, noise: float) -> tuple[float, np.ndarray]:
    """(exact pure loss, policy at the data) at one level of noise."""
    own = policy(data.counts, data.sums, noise)
    others = [policy(*neighbour, noise) for neighbour in bandit_neighbours(data)]
    return pure_epsilon(own, np.array(others)).max(), own


def exact_losses(data: BanditData, eta, beta0) -> np.ndarray:
    """The exact pure losses of policy (8) at many data sets, in rows of the fields of `data`, or
    configurations; eta and beta0: one number for all, or one for each."""
    pure = 0.0
    for exists, before, after, _ in Candidates(data, eta, beta0).changes(("remove", "add")):
        losses = np.where(exists, pure_epsilon(before, after), 0.0)
        pure = np.maximum(pure, losses.max(axis=-1, initial=0.0))
    return pure


# --- perturbed ridge regression and perturbed preferences -----------------------------------------
# Both add noise b in the plane, of density proportional to exp(-|b|/noise), and an action is taken
# if b lies in its region. By Green's theorem P(action) is 1/(2 pi) times the integral of
# F(|b|/noise) d(angle of b) along the region's boundary, counter-clockwise; F is `radius_law`.
NODES, WEIGHTS = np.polynomial.legendre.leggauss(16)  # on every piece of a boundary
FAR = 45.0  # 1 - F is below 1e-17 from here on


def radius_law(x):
    """F(x) = P(|b| <= x noise)."""
    return 1 - (1 + x) * np.exp(-x)


def gaps_of(angles: np.ndarray) -> np.ndarray:
    """The angle from each action on the circle to the next."""
    gaps = np.diff(np.append(angles, angles[0] + 2 * np.pi))
    if gaps.min() <= 0 or gaps.max() >= np.pi:
        raise ValueError("the actions must go once round the circle, in order")
    return gaps


def log_masses(mass: np.ndarray) -> np.ndarray:
    """ln of probabilities; -inf for those that rounding may hide."""
    with np.errstate(divide="ignore"):
        return np.log(np.where(mass > TRUSTED, mass, 0.0))


def loss_of_first(log_pi: np.ndarray) -> tuple[float, np.ndarray]:
    """(pure loss of the first policy over the others, that policy); inf where rounding hides it."""
    hidden = np.isneginf(log_pi).any()
    return float("inf" if hidden else pure_epsilon(log_pi[0], log_pi[1:]).max()), log_pi[0]
