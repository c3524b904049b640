"""Peeling (FL Algorithm 3) and N-IHT (FL Algorithm 1)."""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from dpbandits.core.compiled import jit
from dpbandits.sparse.engine.presets import Tuning
from dpbandits.sparse.engine.selection import Scores

Select = Callable[[Scores, float], Sequence[int]]  # v and xi -> the winners of all rounds
Release = Callable[[int], np.ndarray]  # so many standard noise values for what is released


class Design(Protocol):
    """A matrix of which only products are asked for."""

    def matvec(self, v: np.ndarray) -> np.ndarray: ...

    def rmatvec(self, u: np.ndarray) -> np.ndarray: ...

    def only_product(self, u: np.ndarray) -> Scores:
        """X'u where nothing else will be asked for."""
        return Scores(self.rmatvec(u))

    def descend(self, target, rate, tuning: Tuning, select, release) -> np.ndarray:
        """The estimate after all steps from 0 (see `niht`)."""
        estimate = None
        for k, scale in enumerate(tuning.scales):
            if len(tuning.scales) == 1:
                scores = self.only_product(target).times(rate)
            elif estimate is None:
                scores = Scores(rate * self.rmatvec(target))
            else:
                scores = Scores(estimate + rate * self.rmatvec(target - self.matvec(estimate)))
            estimate = project_l1(peeling(scores, scale, select(k), release), tuning.radius)
        return estimate


class Matrix(Design):
    """A design held in memory."""

    def __init__(self, x: np.ndarray):
        self.x = x

    def matvec(self, v: np.ndarray) -> np.ndarray:
        return self.x @ v

    def rmatvec(self, u: np.ndarray) -> np.ndarray:
        return u @ self.x


class Laplace:
    """Standard Laplace variates: an exponential with a random sign (three times NumPy's speed).

    The signs are those that `rng.integers` gives in words of 32 bits: it takes longer for a few
    than all the rest. The half of a generator's word that is left over is kept for the next call.
    """

    def __init__(self, rng: np.random.Generator):
        self.rng, self.spare = rng, np.empty(0, np.uint32)

    def __call__(self, size: int) -> np.ndarray:
        draws, count = self.rng.standard_exponential(size), (size + 31) // 32
        fresh = self.rng.bit_generator.random_raw((count - len(self.spare) + 1) // 2)
        words = np.concatenate((self.spare, fresh.view(np.uint32)))
        self.spare = words[count:]
        return _signed(draws, words)


@jit
def _signed(draws, words):
    """`draws` with the signs that these bits say, of each byte the highest first."""
    for i in range(len(draws)):
        bit = words[i // 32] >> np.uint32((i % 32) ^ 7) & np.uint32(1)
        draws[i] *= 1.0 - 2.0 * bit
    return draws


def peeling(scores: Scores, scale: float, select: Select, release: Release) -> np.ndarray:
    """Keep the coordinates that `select` chooses, and release them with noise; `scale` is xi."""
    chosen = select(scores, scale)
    kept = np.zeros_like(scores.values)
    kept[chosen] = scores.values[chosen] + scale * release(len(chosen))
    return kept


def project_l1(v: np.ndarray, radius: float) -> np.ndarray:
    """Euclidean projection on the l1 ball: the soft threshold that brings the norm to `radius`."""
    size = np.abs(v)
    if size.sum() <= radius:
        return v
    kept = np.sort(size[size > 0])[::-1]
    levels = (np.cumsum(kept) - radius) / np.arange(1, len(kept) + 1)
    level = levels[np.flatnonzero(kept > levels)[-1]]
    return np.sign(v) * np.maximum(size - level, 0.0)


def niht(
    design: Design,
    rewards: np.ndarray,
    tuning: Tuning,
    step_size: float,
    select: Callable[[int], Select],  # of step k
    release: Release,
) -> np.ndarray | None:
    """The estimate after all steps from 0, on the mean squared loss; None if there are none."""
    rate = 2 * step_size / len(rewards)
    if tuning.steps == 0:
        return None
    return design.descend(rewards.clip(-tuning.clip, tuning.clip), rate, tuning, select, release)
