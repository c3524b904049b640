"""leaky-linear batch by batch, as dp-linear.

The sums are not rounded to the grid, which changes them by less than a thousandth of their noise.
"""

import numpy as np

from dpbandits.sparse.engine.dp_linear import play_batches
from dpbandits.sparse.leaky_linear import trajectories


def batch_by_batch(learner, instance, horizon: int) -> np.ndarray:
    """The regret of each round."""

    def draw(n):
        x, means, rewards = instance.people(n)
        return x, means, lambda played: rewards[np.arange(n), played]

    return play_batches(learner, horizon, draw)


def simulate(*arguments):
    return trajectories(batch_by_batch, *arguments)
