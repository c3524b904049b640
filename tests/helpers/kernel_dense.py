"""References: eq. (2) to (5) by their TK x TK matrices, and random finite kernels."""

import numpy as np

from dpbandits.kernel.kernels import kernel_matrix
from dpbandits.kernel.problem import grid_points
from dpbandits.reproduction.us import theory


def dense_estimate(setting, cells, rewards, fresh_cells, multiple):
    """mubar and sigmabar^2 on all cells by Lemma 3.1; `fresh_cells` are the cells of Z's points."""
    points = grid_points(setting.grid, setting.axes)
    z, w, tau = points[fresh_cells], points[cells], setting.tau
    gram = kernel_matrix(setting, z, z) + multiple * tau * np.eye(len(z))
    cross = kernel_matrix(setting, z, points)
    right = np.column_stack([kernel_matrix(setting, z, w) @ rewards, cross])
    solution = np.linalg.solve(gram, right)
    mean = kernel_matrix(setting, points, w) @ rewards - cross.T @ solution[:, 0]
    prior = np.diag(kernel_matrix(setting, points, points))
    variance = prior - np.einsum("ij,ij->j", cross, solution[:, 1:])
    return mean / tau, variance / tau


def dense_posterior(setting, cells, rewards):
    """mu_T and sigma_T^2 of eq. (2), (3) on all cells."""
    points = grid_points(setting.grid, setting.axes)
    w = points[cells]
    gram = kernel_matrix(setting, w, w) + setting.tau * np.eye(len(w))
    cross = kernel_matrix(setting, w, points)
    prior = np.diag(kernel_matrix(setting, points, points))
    variance = prior - np.einsum("ij,ij->j", cross, np.linalg.solve(gram, cross))
    return cross.T @ np.linalg.solve(gram, rewards), variance


def merged_operator(setting, weights):
    """M = (tau G^-1 + D)^-1 = (tau I + G D)^-1 G on all cells, by a dense solution."""
    points = grid_points(setting.grid, setting.axes)
    gram = kernel_matrix(setting, points, points)
    return np.linalg.solve(setting.tau * np.eye(len(points)) + gram * weights, gram)


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
