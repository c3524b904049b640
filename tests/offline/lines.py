"""Linear data by hand: one record per x, rewards from 0 to 1 in their order."""

import numpy as np

from dpbandits.offline.linear.loss import LinearAudit


def line(x, actions=((1.0,), (-1.0,)), penalty=1.0, **more):
    x = np.array(x, float)
    own = {"eta": 0.5, "beta0": 1.0, "penalty": penalty} | more
    return LinearAudit(x, np.linspace(0, 1, len(x)), np.array(actions), **own)
