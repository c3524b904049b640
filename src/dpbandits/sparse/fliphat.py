"""FLIPHAT (FL Algorithm 2): greedy episodes of doubling length, each fed by N-IHT on the last.

Line numbers in comments are those of the printed algorithms. A preset of the setting decides the
constants (`presets`) and what Peeling's noise is; the rest is as printed. Contexts are clipped
where the preset asks for it (`corrected`, `zcdp`). engine/fliphat.py is a fast version.
"""

import math
from functools import cache, partial

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.notions import JOINT
from dpbandits.sparse.presets import Tuning, tuning
from dpbandits.sparse.problem import SparseSetting, contexts, reward_noise
from dpbandits.sparse.recorder import Recorder


def peeling(v: np.ndarray, s: int, xi: float, noise) -> np.ndarray:
    """Algorithm 3. `noise`: selection(i) and release(d), vectors of scale 1, as of `StepNoise`."""
    chosen = []  # 1: S = {}; xi is in `presets`
    for i in range(s):  # 2
        w = xi * noise.selection(i)  # 3
        noisy = np.abs(v) + w
        noisy[chosen] = -np.inf  # not from S
        chosen.append(np.argmax(noisy))  # 4, 5
    kept = np.zeros_like(v)
    kept[chosen] = v[chosen]  # 7
    w = xi * noise.release(len(v))  # 8
    kept[chosen] += w[chosen]  # 9
    return kept


def project_l1(v: np.ndarray, radius: float) -> np.ndarray:
    """Pi_C: the nearest point of the l1 ball, by the soft threshold that brings v's norm to C."""
    size = np.abs(v)
    if size.sum() <= radius:
        return v
    kept = np.sort(size[size > 0])[::-1]
    levels = (np.cumsum(kept) - radius) / np.arange(1, len(kept) + 1)
    level = levels[np.flatnonzero(kept > levels)[-1]]
    return np.sign(v) * np.maximum(size - level, 0.0)


def niht(x: np.ndarray, y: np.ndarray, setting: SparseSetting, constants: Tuning, step_noise):
    """Algorithm 1 on the loss mean (y - x'theta)^2; `step_noise(m)`: that of step m.

    None if the preset makes no step.
    """
    if constants.steps == 0:
        return None
    n, d = x.shape
    theta = np.zeros(d)  # 1
    y = np.clip(y, -constants.clip, constants.clip)
    for m in range(constants.steps):  # 2
        gradient = -2 / n * x.T @ (y - x @ theta)
        half = theta - setting.step_size * gradient  # 3
        peeled = peeling(half, setting.sparsity, constants.scales[m], step_noise(m))  # 4
        theta = project_l1(peeled, constants.radius)  # 5
    return theta  # 7


class Noise:
    """The noise of all peelings of a run: d-vectors of scale 1.

    `released`: one sequence w_0, w_1, .. of Laplace vectors per run; round i of Peeling in step m
    for the estimate of episode l reads w_{l-1+m+i}, so that consecutive estimates share all but one
    of theirs. Everything else draws fresh noise. `zcdp` selects with one Gumbel vector for all
    rounds of a step (the s largest at once), and releases with Gaussian noise.
    """

    def __init__(self, setting: SparseSetting, streams, run: int):
        self.d, self.zcdp = setting.d, setting.preset == "zcdp"
        self.reused = setting.preset == "released" and setting.peeling_noise == "reused"
        self.selecting = streams.child("selection").generator(run)
        self.releasing = streams.child("release").generator(run)
        self.sequence: list[np.ndarray] = []

    def of_step(self, earlier: int, m: int) -> "StepNoise":
        """Of step m of the estimate with so many `earlier` ones: l - 1 in episode l."""
        return StepNoise(self, earlier + m)

    def reused_vector(self, number: int) -> np.ndarray:
        while len(self.sequence) <= number:
            self.sequence.append(self.selecting.laplace(size=self.d))
        return self.sequence[number]


class StepNoise:
    """The noise of one peeling."""

    def __init__(self, noise: Noise, first: int):
        self.noise, self.first, self.rng = noise, first, noise.selecting
        self.fresh = not (noise.reused or noise.zcdp)  # independent Laplace vectors
        self.gumbel = self.rng.gumbel(size=noise.d) if noise.zcdp else None

    def selection(self, i: int) -> np.ndarray:
        if self.fresh:
            return self.rng.laplace(size=self.noise.d)
        return self.gumbel if self.noise.zcdp else self.noise.reused_vector(self.first + i)

    def release(self, size: int) -> np.ndarray:
        rng = self.noise.releasing
        return rng.standard_normal(size) if self.noise.zcdp else rng.laplace(size=size)


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
    support that it holds); while there is no estimate these are those of 0.
    """
    constants_of = cache(partial(tuning, setting, epsilon))
    recorder = Recorder(setting.signal, len(streams), checkpoints)
    for run in range(len(streams)):
        rng = streams.child("contexts").generator(run)
        recorder.next_run()
        fliphat(setting, horizon, constants_of, Noise(setting, streams, run), rng, recorder)
    return recorder.trajectories()


def fliphat(setting, horizon, constants_of, noise, rng, recorder) -> None:
    """Algorithm 2, one run. `constants_of(n)`: of an estimate from n rows."""
    episode, estimate, x, y = 0, None, [], []
    while 2**episode <= horizon:  # 1, 6
        if episode > 0:
            constants = constants_of(len(y))  # 7
            step_noise = partial(noise.of_step, episode - 1)
            estimate = niht(np.array(x), np.array(y), setting, constants, step_noise)  # 8
        x, y, regret = [], [], []  # 9
        for _ in range(2**episode, min(2 ** (episode + 1), horizon + 1)):  # 10
            arms = contexts(setting, rng, 1)[0]
            seen = np.clip(arms, -setting.context_clip, setting.context_clip)
            arm = rng.integers(setting.arms) if episode == 0 else choose(seen, estimate)  # 2, 11
            mean = arms @ setting.signal
            x.append(seen[arm])  # 4, 13
            y.append(mean[arm] + reward_noise(setting, rng, 1)[0])  # 3, 4, 12, 13
            regret.append(mean.max() - mean[arm])
        recorder.add(estimate, np.array(regret))
        episode += 1


def choose(contexts: np.ndarray, estimate: np.ndarray | None) -> int:
    """The greedy arm; while there is no estimate the first one, as with the estimate 0."""
    return 0 if estimate is None else int(np.argmax(contexts @ estimate))
