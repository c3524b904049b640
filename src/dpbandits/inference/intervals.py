"""Intervals, differences and the best arm, for all arms and at all times at once."""

import math
from dataclasses import dataclass

import numpy as np

from dpbandits.inference.evidence import apart, mixture

STEPS, HALVINGS = 60, 20  # in which an end is found; what is given is always outside


@dataclass(frozen=True)
class Best:
    """Which arm is best, with the confidence that was asked for; None: not known yet."""

    arm: int | None
    leader: int  # the arm of the largest mean so far
    evidence: float  # that the leader is best: a logarithm
    needed: float  # how much says so

    def __str__(self) -> str:
        if self.arm is not None:
            return f"arm {self.arm} is the best"
        far = f"evidence {self.evidence:.2f} of {self.needed:.2f}"
        return f"not known yet: arm {self.leader} leads, {far}"


@dataclass(frozen=True)
class Inference:
    """S, N, m: of each arm the sum of its releases, the rewards in them, how many they are; each
    has Laplace noise of scale 1/epsilon. periods: 1 and the arms that were added later, each of
    which begins a period of its own; 0: no arm can be added."""

    S: np.ndarray
    N: np.ndarray
    m: np.ndarray
    epsilon: float
    periods: int = 0

    @property
    def arms(self) -> int:
        return len(self.S)

    def needed(self, statements: int, confidence: float) -> float:
        """ln of the evidence that makes all of so many statements at once; period i has the share
        6/(pi^2 i^2) of the error."""
        share = 1.0 if not self.periods else 6.0 / (math.pi * self.periods) ** 2
        return math.log(statements) - math.log1p(-confidence) - math.log(share)

    def intervals(self, confidence: float) -> list[tuple[float, float]]:
        """(low, high) of each arm's mean. The evidence against p is log-convex in p: Newton's
        method from an end of the range comes nearer and stays outside."""
        enough = self.needed(self.arms, confidence)
        t, weight = mixture(self.epsilon, self.N.max())
        S, N, m = (np.tile(x, 2)[:, None] for x in (self.S, self.N, self.m))
        fixed, grown = m * np.log1p(-((t / self.epsilon) ** 2)) + weight - math.log(2), np.expm1(t)
        inside, p = np.clip(S / np.maximum(N, 1), 0, 1)[:, 0], np.repeat([0.0, 1.0], self.arms)
        for _ in range(STEPS):
            up, down = 1 + p[:, None] * grown, 1 + (1 - p[:, None]) * grown
            terms = np.hstack(
                [fixed + S * t - N * np.log(up), fixed + (N - S) * t - N * np.log(down)]
            )
            parts = np.exp(terms - terms.max(axis=1, keepdims=True))
            parts, total = parts / parts.sum(axis=1, keepdims=True), parts.sum(axis=1)
            beyond = terms.max(axis=1) + np.log(total) - enough
            slope = (parts * N * np.hstack([-grown / up, grown / down])).sum(axis=1)
            step = np.where(beyond > 0, beyond / np.where(slope == 0, np.inf, slope), 0)
            before, p = p, np.clip(p - step, 0, 1)
            p[: self.arms] = np.minimum(p, inside)[: self.arms]
            p[self.arms :] = np.maximum(p, inside)[self.arms :]
            if np.abs(p - before).max() < 1e-9:
                break
        return list(zip(*p.reshape(2, -1).tolist(), strict=True))

    def difference(self, a: int, b: int, confidence: float) -> tuple[float, float]:
        """(low, high) of a's mean minus b's; all pairs of arms at once."""
        enough = self.needed(self.arms * (self.arms - 1), confidence)
        return self._least(a, b, enough), -self._least(b, a, enough)

    def apart(self, a: int, b: int, gap: float, enough: float) -> float:
        """ln of the evidence that a's mean is above b's by more than `gap`."""
        return apart(a, b, gap, enough, self.S, self.N, self.m, self.epsilon)

    def _least(self, a: int, b: int, enough: float) -> float:
        """The largest gap that is known to be exceeded, or -1."""
        low, high = -1.0, 1.0
        for _ in range(HALVINGS):
            gap = 0.5 * (low + high)
            if self.apart(a, b, gap, enough) >= enough:
                low = gap
            else:
                high = gap
        return low

    def best(self, confidence: float) -> Best:
        """The arm that is known to be best."""
        enough = self.needed(self.arms - 1, confidence)
        leader = int(np.argmax(np.clip(self.S / np.maximum(self.N, 1), 0.0, 1.0)))
        others = [b for b in range(self.arms) if b != leader]
        least = min(self.apart(leader, b, 0.0, enough) for b in others)
        return Best(leader if least >= enough else None, leader, least, enough)
