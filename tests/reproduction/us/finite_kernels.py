"""Random kernels on a few points, and a search for the largest value of a function of them."""

import numpy as np

from dpbandits.reproduction.us import theory


def root_of(matrix, power):
    values, vectors = np.linalg.eigh(matrix)
    return (vectors * values**power) @ vectors.T


class Finite:
    """A kernel on a few points with the probabilities `law` and the features phi, |phi| <= 1."""

    def __init__(self, rng, points=6, size=4):
        self.phi = rng.standard_normal((points, size)) * np.exp(rng.normal(0, 1, size))
        self.phi /= np.linalg.norm(self.phi, axis=1).max()
        self.law = rng.dirichlet(np.full(points, rng.choice([0.3, 1.0, 5.0])))
        self.mean = (self.phi.T * self.law) @ self.phi

    def effective(self, horizon, tau):
        z = horizon * self.mean + tau * np.eye(len(self.mean))
        shares = np.linalg.eigvalsh(horizon * self.mean @ np.linalg.inv(z)).clip(0)
        largest = np.einsum("ij,jk,ik->i", self.phi, np.linalg.inv(z), self.phi).max()
        return theory.Effective(largest, shares.sum(), shares.max(), horizon, tau), z

    def sampled(self, rng, count, multiple, tau):
        weights = rng.multinomial(count, self.law) / multiple
        return (self.phi.T * weights) @ self.phi + tau * np.eye(len(self.mean))


def relative_norm(z, sampled):
    root = root_of(z, -0.5)
    return np.abs(np.linalg.eigvalsh(root @ sampled @ root) - 1).max()


def largest_found(value, draw, move, draws, steps):
    """The largest of `value(*case)` over random cases, then over moves of the best one."""
    largest, best = 0.0, None
    for step in range(draws + steps):
        case = draw() if step < draws or best is None else move(*best)
        found = value(*case)
        if found > largest:
            largest, best = found, case
    return largest
