"""Ridge regressions, an arm each, that choose by their intervals."""

import numpy as np

from dpbandits.core.compiled import jit


@jit
def ridges(z, rewards, widths):
    """The arms that are played, each with its own inverse Gram matrix."""
    n, p = z.shape
    arms = rewards.shape[1]
    inverse, moment = np.zeros((arms, p, p)), np.zeros((arms, p))
    for a in range(arms):
        inverse[a] = np.eye(p)
    played = np.empty(n, np.int64)
    for t in range(n):
        best, chosen = -np.inf, 0
        for a in range(arms):
            v = inverse[a] @ z[t]
            index = 0.5 + moment[a] @ v + widths[t, a] * np.sqrt(z[t] @ v)
            if index > best:
                best, chosen = index, a
        played[t] = chosen
        v = inverse[chosen] @ z[t]
        inverse[chosen] -= np.outer(v, v) / (1 + z[t] @ v)
        moment[chosen] += (rewards[t, chosen] - 0.5) * z[t]
    return played
