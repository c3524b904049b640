"""Notions of privacy: what the privacy parameter of an algorithm promises."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Notion:
    """A notion of privacy; `parameter` names what the epsilon of a run stands for."""

    name: str
    parameter: str = "epsilon"
    joint: bool = False  # protects a user's record in the other users' outcomes only
    delta: float | None = None  # None: that of the setting


def gaussian_delta(mu: float, epsilon: float) -> float:
    """delta of mu-GDP at an epsilon (Dong, Roth and Su 2022, Corollary 2.13)."""
    from scipy.special import log_ndtr, ndtr  # here, as it slows down the start of all commands

    subtracted = math.exp(epsilon + log_ndtr(-mu / 2 - epsilon / mu))  # at most 1
    return float(ndtr(mu / 2 - epsilon / mu)) - subtracted


NOT_PRIVATE = Notion("not private")
PURE = Notion("pure", delta=0.0)
APPROXIMATE = Notion("approximate")
JOINT = Notion("JDP", joint=True)  # Kearns et al. 2014
PURE_JOINT = Notion("pure JDP", joint=True, delta=0.0)
GDP = Notion("GDP", "mu")
