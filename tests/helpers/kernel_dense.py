"""References: eq. (2) to (5) of USCA by their TK x TK matrices."""

import numpy as np

from dpbandits.kernel.kernels import kernel_matrix
from dpbandits.kernel.problem import grid_points


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
