"""HU's remarks on its own bounds of full information: the minimax rate, the doubling gaps."""

import numpy as np

from dpbandits.core.claims import Finding
from dpbandits.core.points import points
from dpbandits.stochastic import theory
from dpbandits.stochastic.studies.conjecture import conjecture_gaps


def minimax(tables) -> Finding:
    """One round costs at most 1, while the printed bound grows with K."""
    log_k = np.geomspace(1, 1e6, 13)
    axes = ("ln K", "largest possible regret at T = 1")
    least = np.sqrt(log_k) / 40
    return Finding(points=points(log_k, np.ones(13), at_least=least, axes=axes, log="xy"))


def doubling_bound(tables) -> Finding:
    """Theorem 9's first form over the printed order, at the shortest T that matters."""
    arms, share = np.arange(4, 53, 4), []
    for k in arms:
        gaps = conjecture_gaps("doubling", int(k))
        epsilon, horizon = gaps[1], gaps[1] ** -2.0
        printed = np.log(k) / gaps[1] + np.log(k) * np.log(horizon) / epsilon
        share.append(theory.rnm_ftnl_bound(gaps, epsilon, horizon) / 256 / printed)
    numbers = {"least_arms": arms[0], "most_arms": arms[-1], "first": share[0], "last": share[-1]}
    axes = ("K", "Theorem 9's bound / 256 / printed order")
    drawn = points(arms, share, at_most=1, axes=axes, log="x")
    return Finding("holds" if max(share) <= 1 else "untestable", numbers, drawn)


def witness(tables) -> Finding:
    levels, copies = 8, np.array([1, 2, 4, 8, 16, 64, 256])
    gaps = 2.0 ** -np.arange(1, levels + 1)
    epsilon = gaps.min()
    found = [
        theory.rnm_ftnl_bound(np.repeat(gaps, n), epsilon, 1e12)
        / (256 * np.log(levels * n + 1) / epsilon)
        for n in copies
    ]
    axes = ("actions per level of gaps", "upper bound / lower bound, up to constants")
    drawn = points(copies, found, at_most=found[0], repaired=levels, axes=axes, log="x")
    return Finding(points=drawn)
