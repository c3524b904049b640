"""JDP-LinUCB (Shariff and Sheffet 2018, Gaussian noise): optimism on a private Gram matrix.

It is refitted only when t is a power of two. The rounds since the last refit are then one node of
the paper's tree, every record lies in exactly one node, and the noise of a node need not pay for
the depth of the tree (m = 1 in its scale); the released matrix is a sum of up to
m = 1 + ceil(log2 T) noisy nodes. This favours the baseline, and makes a run O(T K d^2).

Contexts and rewards are shrunk to the norms L and B that the noise is calibrated for.
"""

import math
from functools import partial

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.notions import JOINT
from dpbandits.sparse.problem import SparseSetting, contexts, reward_noise
from dpbandits.sparse.recorder import cumulative


@algorithm(
    "jdp-linucb",
    setting=SparseSetting,
    source="Shariff and Sheffet 2018, Section 4 (Gaussian)",
    claim="assumed: proved in docs/proofs/FL.md, Theorem C2",
    notion=JOINT,
)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    return cumulative(partial(losses, setting, epsilon, horizon), streams, checkpoints)


class Constants:
    """Names as in the paper. The failure probability alpha is 1/T, but in `log_failure`.

    Their beta_t has ln(2/alpha), ln 2T at alpha = 1/T, as private GP-UCB takes it. Here it is
    ln 4T, alpha = 1/(2T): the published runs were made with it. It widens the interval of
    confidence by a constant under a root, costs no privacy, and leaves their theorem true.
    """

    def __init__(self, setting: SparseSetting, epsilon: float, horizon: int):
        d, log_t = setting.d, math.log(2 * horizon)
        nodes = 1 + math.ceil(math.log2(max(2, horizon)))
        # L; for rho = 0 one of 2T contexts exceeds it in the mean
        self.norm = math.sqrt(d + 2 * math.sqrt(d * log_t) + 2 * log_t)
        self.reward = setting.x_max * setting.b_max + setting.sigma * math.sqrt(2 * log_t)  # B
        square = self.norm**2 + self.reward**2
        self.s = 4 * square * math.log(4 / setting.delta) / epsilon
        tail = 2 * math.log(2 * horizon * horizon)
        self.rho_min = max(1.0, self.s * math.sqrt(2 * nodes) * (4 * math.sqrt(d) + tail))
        self.size = float(np.linalg.norm(setting.beta))  # S
        noise = math.sqrt(d) + math.sqrt(tail)
        self.gamma = self.s * math.sqrt(nodes / self.rho_min) * noise
        self.sigma, self.log_failure, self.d = setting.sigma, math.log(4 * horizon), d

    def width(self, v: np.ndarray) -> float:
        """beta_t, with rho_max = 3 rho_min."""
        log_det = np.linalg.slogdet(v)[1] - self.d * math.log(self.rho_min)
        explore = self.sigma * math.sqrt(max(0.0, 2 * self.log_failure + log_det))
        return explore + self.size * math.sqrt(3 * self.rho_min) + self.gamma


def losses(setting: SparseSetting, epsilon: float, horizon: int, rng) -> np.ndarray:
    """The regret of each round of a run."""
    constants = Constants(setting, epsilon, horizon)
    d, signal = setting.d, setting.signal
    released = np.zeros((d + 1, d + 1))
    released[:d, :d] = 2 * constants.rho_min * np.eye(d)
    inverse, theta, width = refit(released, constants)
    regret, start, block = [], 1, max(1, 2**19 // (d * setting.arms))
    while start <= horizon:
        stop = min(2 * start, horizon + 1)
        gram = np.zeros((d + 1, d + 1))
        for first in range(start, stop, block):
            n = min(block, stop - first)
            x = contexts(setting, rng, n)
            mean = x @ signal
            x *= np.minimum(1.0, constants.norm / np.linalg.norm(x, axis=2))[:, :, None]
            index = x @ theta + width * np.sqrt(np.sum((x @ inverse) * x, axis=2))
            played = (np.arange(n), np.argmax(index, axis=1))
            reward = mean[played] + reward_noise(setting, rng, n)
            reward = np.clip(reward, -constants.reward, constants.reward)
            records = np.column_stack((x[played], reward))
            gram += records.T @ records
            regret.append(mean.max(axis=1) - mean[played])
        noise = constants.s * rng.standard_normal((d + 1, d + 1))
        released += gram + (noise + noise.T) / math.sqrt(2)
        inverse, theta, width = refit(released, constants)
        start = stop
    return np.concatenate(regret)


def refit(released: np.ndarray, constants: Constants):
    d = constants.d
    inverse = np.linalg.inv(released[:d, :d])
    return inverse, inverse @ released[:d, d], constants.width(released[:d, :d])
