"""JDP-LinUCB (Shariff and Sheffet 2018, Gaussian noise): optimism on a private Gram matrix.

It is refitted only when t is a power of two. The rounds since the last refit are then one node of
the paper's tree, every record lies in exactly one node, and the noise of a node need not pay for
the depth of the tree (m = 1 in its scale). This favours the baseline, and makes a run O(T K d^2).

Contexts and rewards are shrunk to the norms L and B that the noise is calibrated for. Privacy does
not depend on the width; of the regret with less than theirs nothing is proved.
"""

import math
from functools import partial

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.notions import JOINT
from dpbandits.reproduction.linucb import LinUcb, Width
from dpbandits.sparse.problem import SparseSetting, contexts, reward_noise
from dpbandits.sparse.recorder import cumulative


class JdpSetting(SparseSetting, Width):
    """With how much of the width of the theorem."""


@algorithm(
    "jdp-linucb",
    setting=JdpSetting,
    source="Shariff and Sheffet 2018, Section 4 (Gaussian)",
    claim="assumed: proved in docs/proofs/FL.md, Theorem C2",
    notion=JOINT,
)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    return cumulative(partial(regret_of_run, setting, epsilon, horizon), streams, checkpoints)


def bounds(setting: SparseSetting, horizon: int) -> tuple[float, float]:
    """(L, B); for rho = 0 one of 2T contexts exceeds L in the mean."""
    d, log_t = setting.d, math.log(2 * horizon)
    reward = setting.x_max * setting.b_max + setting.sigma * math.sqrt(2 * log_t)
    return math.sqrt(d + 2 * math.sqrt(d * log_t) + 2 * log_t), reward


def learner(setting: JdpSetting, epsilon: float, horizon: int) -> LinUcb:
    """Its width has ln 4T, alpha = 1/(2T), where alpha = 1/T gives ln 2T: the published runs were
    made with it. It widens the interval by a constant under a root, costs no privacy, and leaves
    their theorem true.
    """
    scale = 4 * math.hypot(*bounds(setting, horizon)) ** 2 * math.log(4 / setting.delta) / epsilon
    size, failure = float(np.linalg.norm(setting.beta)), math.log(4 * horizon)
    own = {"least": 1.0, "width": setting.width}
    return LinUcb(setting.d, scale, horizon, size, setting.sigma, failure, **own)


def regret_of_run(setting: JdpSetting, epsilon: float, horizon: int, rng) -> np.ndarray:
    """The regret of each round of a run."""
    linucb, (norm, most) = learner(setting, epsilon, horizon), bounds(setting, horizon)
    regret, start, block = [], 1, max(1, 2**19 // (setting.d * setting.arms))
    while start <= horizon:
        linucb.refit()
        stop = min(2 * start, horizon + 1)
        added = np.zeros_like(linucb.sums)
        for first in range(start, stop, block):
            n = min(block, stop - first)
            x = contexts(setting, rng, n)
            mean = x @ setting.signal
            x *= np.minimum(1.0, norm / np.linalg.norm(x, axis=2))[:, :, None]
            index = linucb.index(x.reshape(-1, setting.d)).reshape(mean.shape)
            played = (np.arange(n), np.argmax(index, axis=1))
            reward = np.clip(mean[played] + reward_noise(setting, rng, n), -most, most)
            records = np.column_stack((x[played], reward))
            added += records.T @ records
            regret.append(mean.max(axis=1) - mean[played])
        linucb.sums += added + linucb.node_noise(rng)
        start = stop
    return np.concatenate(regret)
