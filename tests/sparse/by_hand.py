"""What FL's tests share: streams, a small setting with its covariance, a plain descent."""

import numpy as np

from dpbandits.sparse.engine import (
    autoregressive,
    clipped,
    clipped_scores,
    contexts,
    dense,
    descent,
    known,
    selection,
)
from dpbandits.sparse.engine.iht import Design
from dpbandits.sparse.problem import SparseSetting

ENGINES = (autoregressive, clipped, clipped_scores, contexts, dense, descent, known, selection)
RHOS = [0.0, 0.4, -0.6]
WHERE = np.array([1, 2, 6])
D = 8


def rng(seed):
    return np.random.Generator(np.random.Philox(key=seed))


def sigma(rho, d=D):
    return np.array([[rho ** abs(i - j) for j in range(d)] for i in range(d)], float)


def setting(rho=0.4, **keys):
    return SparseSetting(**{"d": D, "sparsity": 3, "beta": (0.9, -0.7, 0.5), "rho": rho} | keys)


def regression(rho, where=WHERE, d=D):
    """The matrix W of E(x | x at `where`) = W x[where]."""
    s = sigma(rho, d)
    return s[:, where] @ np.linalg.inv(s[np.ix_(where, where)])


def plain_descent(self, target, rate, tuning, select, release):
    """`Design.descend`, with the release noise drawn in one go as the compiled loop does."""
    queue = iter(release(tuning.steps * select.rounds).reshape(tuning.steps, -1))
    target = self.white.rotated(target, tuning.steps)
    return Design.descend(self, target, rate, tuning, select, lambda size: next(queue))


def contexts_of(engine, seed=17, **keys):
    return engine(setting(**keys), rng(seed))
