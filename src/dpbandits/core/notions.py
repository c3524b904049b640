"""Notions of privacy: what the privacy parameter of an algorithm promises.

An audit needs the (epsilon, delta) that a promise implies when a number of records differ between
two data sets. It must not be smaller than what the notion implies, or an algorithm that keeps its
promise would be refuted.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

CHECKED = 0.1  # delta at which the privacy curves of zCDP and GDP are checked


@dataclass(frozen=True)
class Notion:
    """A notion of privacy; `parameter` names what the epsilon of a run stands for.

    group(parameter, records, delta): the (epsilon, delta) that holds where k records differ.
    """

    name: str
    parameter: str
    group: Callable[[float, int, float], tuple[float, float]]
    joint: bool = False  # protects a user's record in the other users' outcomes only
    delta: float | None = None  # None: that of the setting

    def with_delta(self, delta: float) -> "Notion":
        return replace(self, delta=delta)

    def leaves(self, parameter: float, records: int, setting=None) -> tuple[float, float]:
        """The (epsilon, delta) that holds where this many records differ."""
        delta = getattr(setting, "delta", 0.0) if self.delta is None else self.delta
        return self.group(parameter, records, delta)


def _pure(epsilon: float, records: int, _) -> tuple[float, float]:
    return records * epsilon, 0.0


def _approximate(epsilon: float, records: int, delta: float) -> tuple[float, float]:
    """Group privacy of k records: k eps, and delta (1 + e^eps + .. + e^((k-1) eps))."""
    return records * epsilon, delta * sum(math.exp(k * epsilon) for k in range(records))


def _concentrated(rho: float, records: int, _) -> tuple[float, float]:
    """k records have k^2 rho (Bun and Steinke 2016, Propositions 1.3 and 1.9)."""
    total = records**2 * rho
    return total + 2 * math.sqrt(total * math.log(1 / CHECKED)), CHECKED


def _gaussian(mu: float, records: int, _) -> tuple[float, float]:
    """k records have k mu (Dong, Roth and Su 2022, Theorem 2.14)."""
    from scipy.optimize import brentq  # here, as it slows down the start of all commands

    mu *= records
    if gaussian_delta(mu, 0.0) <= CHECKED:
        return 0.0, CHECKED
    high = mu * (mu / 2 + 3)  # Phi(mu/2 - eps/mu) is below Phi(-3) there
    return brentq(lambda epsilon: gaussian_delta(mu, epsilon) - CHECKED, 0.0, high), CHECKED


def gaussian_delta(mu: float, epsilon: float) -> float:
    """delta of mu-GDP at an epsilon (Dong, Roth and Su 2022, Corollary 2.13)."""
    from scipy.special import log_ndtr, ndtr

    subtracted = math.exp(epsilon + log_ndtr(-mu / 2 - epsilon / mu))  # at most 1
    return float(ndtr(mu / 2 - epsilon / mu)) - subtracted


NOT_PRIVATE = Notion("not private", "epsilon", lambda *_: (math.inf, 1.0))
PURE = Notion("pure", "epsilon", _pure)
APPROXIMATE = Notion("approximate", "epsilon", _approximate)
JOINT = Notion("JDP", "epsilon", _approximate, joint=True)  # Kearns et al. 2014
PURE_JOINT = Notion("pure JDP", "epsilon", _pure, joint=True)
ZCDP = Notion("zCDP", "rho", _concentrated)
GDP = Notion("GDP", "mu", _gaussian)
