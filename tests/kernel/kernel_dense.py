"""Plain references: eq. (2)-(5) with TK x TK matrices, point by point."""

import numpy as np

from dpbandits.kernel.kernels import kernel_matrix
from dpbandits.kernel.problem import grid_points


def dense_estimate(setting, cells, rewards, fresh_cells, multiple):
    """mubar and sigmabar^2 on all cells by Lemma 3.1; `fresh_cells` lists Z with repetitions."""
    points = grid_points(setting.grid, setting.axes)
    z, w, tau = points[fresh_cells], points[cells], setting.tau
    gram = kernel_matrix(setting, z, z) + multiple * tau * np.eye(len(z))
    cross = kernel_matrix(setting, z, points)
    answer = np.linalg.solve(gram, np.column_stack([kernel_matrix(setting, z, w) @ rewards, cross]))
    mean = kernel_matrix(setting, points, w) @ rewards - cross.T @ answer[:, 0]
    variance = diagonal(setting, points) - np.einsum("ij,ij->j", cross, answer[:, 1:])
    return mean / tau, variance / tau


def dense_posterior(setting, cells, rewards):
    """mu_T and sigma_T^2 of eq. (2), (3) on all cells."""
    points = grid_points(setting.grid, setting.axes)
    w = points[cells]
    gram = kernel_matrix(setting, w, w) + setting.tau * np.eye(len(w))
    cross = kernel_matrix(setting, w, points)
    variance = diagonal(setting, points) - np.einsum(
        "ij,ij->j", cross, np.linalg.solve(gram, cross)
    )
    return cross.T @ np.linalg.solve(gram, rewards), variance


def diagonal(setting, points):
    blocks = np.array_split(points, 1 + len(points) // 50)
    return np.concatenate([np.diag(kernel_matrix(setting, block, block)) for block in blocks])


def merged_operator(setting, weights):
    """M = (tau G^-1 + D)^-1 = (tau I + G D)^-1 G on all cells, without structure."""
    points = grid_points(setting.grid, setting.axes)
    gram = kernel_matrix(setting, points, points)
    return np.linalg.solve(setting.tau * np.eye(len(points)) + gram * weights, gram)
