"""Peeling (FL Algorithm 3) and N-IHT (FL Algorithm 1)."""

from collections.abc import Callable
from typing import Protocol

import numpy as np

from dpbandits.sparse._presets import Plan

Noise = Callable[[int], np.ndarray]  # step k -> standard Laplace numbers, rounds x d, to keep


class Design(Protocol):
    """A matrix of which only products are asked for."""

    def matvec(self, v: np.ndarray) -> np.ndarray: ...

    def rmatvec(self, u: np.ndarray) -> np.ndarray: ...


def laplace(rng: np.random.Generator, size: int) -> np.ndarray:
    """Standard Laplace variates: an exponential with a random sign (three times NumPy's speed)."""
    draws = rng.standard_exponential(size)
    signs = np.frombuffer(rng.bytes((size + 7) // 8), np.uint8)
    np.negative(draws, out=draws, where=np.unpackbits(signs, count=size).view(bool))
    return draws


def peeling(
    v: np.ndarray, scale: float, selection: np.ndarray, release: np.random.Generator
) -> np.ndarray:
    """Keep one coordinate per row of `selection`: the noisy argmax of |v| among those left.

    `scale` is xi; `selection` is standard Laplace noise, rounds x d, and is overwritten.
    """
    scores = np.multiply(selection, scale, out=selection)
    scores += np.abs(v)
    rounds = len(scores)
    chosen = []
    for i in range(rounds):
        winner = int(np.argmax(scores[i]))
        chosen.append(winner)
        scores[i + 1 :, winner] = -np.inf
    kept = np.zeros_like(v)
    kept[chosen] = v[chosen] + scale * laplace(release, rounds)
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
    plan: Plan,
    step_size: float,
    selection: Noise,
    release: np.random.Generator,
) -> np.ndarray | None:
    """The estimate after the plan's steps from 0, on the mean squared loss; None if it has none."""
    rewards = np.clip(rewards, -plan.clip, plan.clip)
    estimate = None
    for k, scale in enumerate(plan.scales):
        residual = rewards if estimate is None else rewards - design.matvec(estimate)
        move = (2 * step_size / len(rewards)) * design.rmatvec(residual)
        v = move if estimate is None else estimate + move
        kept = peeling(v, scale, selection(k), release)
        estimate = project_l1(kept, plan.radius)
    return estimate
