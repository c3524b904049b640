"""The exact privacy losses of policy (8) at many data sets at once."""

import numpy as np

from dpbandits.core.divergences import delta_at, pure_epsilon
from dpbandits.offline.losses.bandit import Candidates
from dpbandits.offline.problem import BanditData


def exact_losses(data: BanditData, eta, beta0, kinds=("remove", "add"), epsilon=None):
    """`exact_loss` of many at once: (pure losses, delta of each at its `epsilon`).

    Data sets are rows of the fields of `data`; eta and beta0 one number for all, or one for each.
    """
    pure = delta = 0.0
    for exists, before, after, _ in Candidates(data, eta, beta0).changes(kinds):
        losses = np.where(exists, pure_epsilon(before, after), 0.0)
        pure = np.maximum(pure, losses.max(axis=-1, initial=0.0))
        if epsilon is not None:
            deltas = np.where(exists, delta_at(before, after, epsilon[:, None, None]), 0.0)
            delta = np.maximum(delta, deltas.max(axis=-1, initial=0.0))
    return pure, delta
