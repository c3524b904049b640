"""FLIPHAT (FL Algorithm 2): greedy episodes of doubling length, each fed by N-IHT on the last."""

import math
from collections.abc import Callable
from functools import cache, partial

import numpy as np

from dpbandits.core.algorithms import algorithm
from dpbandits.core.notions import JOINT
from dpbandits.core.trajectories import Trajectories
from dpbandits.sparse.engine.clipped import ClippedContexts
from dpbandits.sparse.engine.contexts import (
    RANDOM,
    Contexts,
    DenseContexts,
    Episode,
    LazyContexts,
    RowContexts,
)
from dpbandits.sparse.engine.iht import Laplace, Release, Select, niht
from dpbandits.sparse.engine.presets import tuning
from dpbandits.sparse.engine.selection import Fresh, OneShot, kept_winners
from dpbandits.sparse.problem import SparseSetting

ENGINES = {
    "dense": DenseContexts,
    "lazy": LazyContexts,
    "rows": RowContexts,
    "clipped": ClippedContexts,
}
CURVES = ("regret", "error", "cosine", "support")


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
    return simulate_with(None, setting, epsilon, horizon, streams, checkpoints)


def simulate_with(engine: str | None, setting, epsilon, horizon, streams, checkpoints):
    """`engine`: one of ENGINES; None takes the fastest that is exact for the preset.

    Curves: error (of the estimate in force, l2), cosine (with beta*), support (share of beta*'s
    support that it holds); while there is no estimate these are those of 0.
    """
    engine = engine or ("clipped" if setting.bounded else "lazy")
    shape = (len(streams), len(checkpoints))
    curves = {name: np.empty(shape) for name in CURVES}
    tunings = cache(partial(tuning, setting, epsilon))
    for i in range(len(streams)):
        contexts = ENGINES[engine](setting, streams.child("contexts").generator(i))
        peeling = PeelingNoise(setting, streams, i)
        learn = partial(_by_niht, peeling, tunings)
        for name, values in run_one(contexts, learn, horizon, checkpoints).items():
            curves[name][i] = values
    return Trajectories(curves.pop("regret"), curves)


def _by_niht(
    peeling: "PeelingNoise", tunings, number: int, episode: Episode, _
) -> np.ndarray | None:
    """The estimate after episode `number`; `tunings(n)`: what N-IHT does with n rows."""
    return niht(
        episode.design,
        episode.rewards,
        tunings(len(episode.rewards)),
        peeling.setting.step_size,
        peeling.of_estimate(number),
        peeling.release,
    )


def run_one(contexts: Contexts, learn, horizon, checkpoints, first: int = 1) -> dict:
    """One run: its regret, and the state of the estimate, at the checkpoints.

    `learn(number, episode, estimate)` gives the estimate for the next episode; each is as long as
    all before it together, and one round (or as long as `first`).
    """
    estimate, regret, quality = RANDOM, [], []
    start, number = 1, 0  # round and number of the episode
    while start <= horizon:
        n = min(max(start, first), horizon - start + 1)
        episode = contexts.play(estimate, n)
        regret.append(episode.regret)
        seen = np.searchsorted(checkpoints, (start, start + n))  # those of this episode
        if seen[0] < seen[1]:
            quality += [_quality(estimate, contexts.signal)] * (seen[1] - seen[0])
        start += n
        if start <= horizon:
            estimate = learn(number, episode, estimate)
        number += 1
    total = np.cumsum(np.concatenate(regret))
    state = dict(zip(CURVES[1:], np.array(quality).T, strict=True))
    return {"regret": total[checkpoints - 1]} | state


def _quality(estimate, signal: np.ndarray) -> tuple[float, float, float]:
    size = float(np.linalg.norm(signal))
    if not isinstance(estimate, np.ndarray):
        return size, 0.0, 0.0
    length = float(np.linalg.norm(estimate))
    cosine = float(estimate @ signal) / (size * length) if length else 0.0
    held = np.count_nonzero(estimate[signal != 0]) / np.count_nonzero(signal)
    return float(np.linalg.norm(estimate - signal)), cosine, held


class PeelingNoise:
    """The standard Laplace vectors behind the selections of one run.

    The released curves kept one sequence of vectors per run: selection round i of step k of the
    m-th estimate reads vector m + k + i, so that consecutive estimates share all but one of
    theirs. Everything else draws fresh noise. The noise of the released values is always fresh.
    `zcdp` selects at once and releases with Gaussian noise.
    """

    def __init__(self, setting: SparseSetting, streams, index: int):
        self.setting, self.shape = setting, (setting.sparsity, setting.d)
        self.reused = setting.preset == "released" and setting.peeling_noise == "reused"
        self.rng = streams.child("selection").generator(index)
        self.draw = Laplace(self.rng)
        rng = streams.child("release").generator(index)
        gaussian = setting.preset == "zcdp"
        self.release: Release = rng.standard_normal if gaussian else Laplace(rng)
        self.kept: dict[int, np.ndarray] = {}
        self.drawn = 0

    def of_estimate(self, m: int) -> Callable[[int], Select]:
        """How step k selects."""
        if self.setting.preset == "zcdp":
            return OneShot(self.rng, self.shape[0])
        if not self.reused:
            return Fresh(self.rng, self.shape[0])
        self.kept = {number: w for number, w in self.kept.items() if number >= m}
        return lambda k: partial(kept_winners, self.vectors(m + k))

    def vectors(self, first: int) -> list[np.ndarray]:
        return [self.numbered(first + i) for i in range(self.shape[0])]

    def numbered(self, number: int) -> np.ndarray:
        while self.drawn <= number:
            self.kept[self.drawn] = self.draw(self.shape[1])
            self.drawn += 1
        return self.kept[number]
