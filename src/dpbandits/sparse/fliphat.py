"""FLIPHAT (FL Algorithms 1 to 3): greedy episodes, each with N-IHT's estimate from the last one.

Names, and the line numbers in comments, are those of the printed algorithms. The preset decides the
constants (`presets`) and the law of Peeling's noise; the rest is as printed. Contexts are clipped
where the preset asks for it (`corrected`, `zcdp`). engine/fliphat.py is a fast version.
"""

import math
from functools import cache, partial

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.notions import JOINT
from dpbandits.sparse.presets import Tuning, tuning_for
from dpbandits.sparse.problem import SparseSetting, contexts, reward_noise
from dpbandits.sparse.recorder import Recorder


def peeling(v: np.ndarray, s: int, xi: float, w: np.ndarray, w_tilde: np.ndarray) -> np.ndarray:
    """Algorithm 3; its noise is given, of scale 1: w is s x d, w_tilde has d entries."""
    S = []  # 1; xi is in `presets`
    for i in range(s):  # 2
        noisy = np.abs(v) + xi * w[i]  # 3
        noisy[S] = -np.inf  # j in [d] \ S
        S.append(np.argmax(noisy))  # 4, 5
    peeled = np.zeros_like(v)
    peeled[S] = v[S]  # 7
    peeled[S] += xi * w_tilde[S]  # 8, 9
    return peeled


def project_l1(v: np.ndarray, radius: float) -> np.ndarray:
    """Pi_C: the nearest point of the l1 ball, by the soft threshold that brings v's norm to C."""
    sizes = np.abs(v)
    if sizes.sum() <= radius:
        return v
    positive = np.sort(sizes[sizes > 0])[::-1]
    levels = (np.cumsum(positive) - radius) / np.arange(1, len(positive) + 1)
    level = levels[np.flatnonzero(positive > levels)[-1]]
    return np.sign(v) * np.maximum(sizes - level, 0.0)


def niht(X: np.ndarray, y: np.ndarray, setting: SparseSetting, tuning: Tuning, noise) -> np.ndarray:
    """Algorithm 1 on the loss mean (y - X theta)^2; `noise(m)`: w and w_tilde of step m's Peeling.

    Without any step (M = 0, which presets may ask for in early episodes) the estimate is 0.
    """
    n, d = X.shape
    s, eta = setting.sparsity, setting.step_size
    theta = np.zeros(d)  # 1
    y = np.clip(y, -tuning.R, tuning.R)
    for m in range(tuning.M):  # 2
        gradient = -2 / n * X.T @ (y - X @ theta)
        theta_half = theta - eta * gradient  # 3
        theta_tilde = peeling(theta_half, s, tuning.xi[m], *noise(m))  # 4
        theta = project_l1(theta_tilde, tuning.C)  # 5
    return theta  # 7


class Noise:
    """The noise of all peelings of a run, of scale 1.

    `released` takes its selection noise from one sequence w_0, w_1, .. of Laplace vectors per run:
    round i of Peeling in step m for the estimate of episode l reads w_{l-1+m+i}, so that
    consecutive estimates share all but one of their vectors. Everything else draws fresh noise.
    `zcdp` selects with one Gumbel vector for all rounds of a step (the s largest at once), and
    releases with Gaussian noise.
    """

    def __init__(self, setting: SparseSetting, streams, run: int):
        self.setting = setting
        self.selection = streams.child("selection").generator(run)
        self.release = streams.child("release").generator(run)
        self.sequence = np.empty((0, setting.d))

    def of_peeling(self, episode: int, m: int) -> tuple[np.ndarray, np.ndarray]:
        """w and w_tilde of step m for the estimate of an episode (1, 2, ..)."""
        s, d = self.setting.sparsity, self.setting.d
        if self.setting.preset == "zcdp":
            w = np.tile(self.selection.gumbel(size=d), (s, 1))
            return w, self.release.standard_normal(d)
        if self.setting.preset == "released" and self.setting.peeling_noise == "reused":
            first = episode - 1 + m
            missing = max(0, first + s - len(self.sequence))
            more = self.selection.laplace(size=(missing, d))
            self.sequence = np.concatenate((self.sequence, more))
            w = self.sequence[first : first + s]
        else:
            w = self.selection.laplace(size=(s, d))
        return w, self.release.laplace(size=d)


def real_epsilon(setting: SparseSetting, epsilon: float) -> float:
    """Contexts that are not clipped leave no finite epsilon (docs/proofs/FL.md, Theorem B4)."""
    return epsilon if setting.bounded else math.inf


@algorithm(
    "fliphat",
    setting=SparseSetting,
    source="FL Algorithm 2",
    claim="FL-T5.1",
    notion=JOINT,
    real=real_epsilon,
)
def simulate(setting, epsilon, horizon, streams, checkpoints):
    """Curves: error (of the current estimate, l2), cosine (with beta*), support (share of beta*'s
    support that it holds).
    """
    tunings = cache(partial(tuning_for, setting, epsilon))
    recorder = Recorder(setting.signal, len(streams), checkpoints)
    for run in range(len(streams)):
        rng = streams.child("contexts").generator(run)
        recorder.next_run()
        fliphat(setting, horizon, tunings, Noise(setting, streams, run), rng, recorder)
    return recorder.trajectories()


def fliphat(setting, T, tunings, noise, rng, recorder) -> None:
    """Algorithm 2, one run. `tunings(n)`: what N-IHT does with n rows."""
    episode, beta_hat, X, y = 0, np.zeros(setting.d), [], []
    while 2**episode <= T:  # 1, 6
        if episode > 0:
            tuning = tunings(len(y))  # 7
            step_noise = partial(noise.of_peeling, episode)
            beta_hat = niht(np.array(X), np.array(y), setting, tuning, step_noise)  # 8
        X, y, regret = [], [], []  # 9
        for _ in range(2**episode, min(2 ** (episode + 1), T + 1)):  # 10
            x = contexts(setting, rng, 1)[0]  # K x d
            means = x @ setting.signal
            x = np.clip(x, -setting.context_clip, setting.context_clip)
            a = rng.integers(setting.arms) if episode == 0 else np.argmax(x @ beta_hat)  # 2, 11
            r = means[a] + reward_noise(setting, rng, 1)[0]  # 3, 12
            X.append(x[a])  # 4, 13
            y.append(r)
            regret.append(means.max() - means[a])
        recorder.add(beta_hat, np.array(regret))
        episode += 1
