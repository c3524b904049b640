"""FLIPHAT's constants under its four presets, per episode.

printed: what the text says. released: what the published curves were made with. corrected: noise
for the true sensitivity of each step under replacement of a record, by a sound accountant. zcdp:
for the same sensitivity, selection at once by Gumbel noise and a Gaussian release (FL.md, B).
"""

import math
from functools import cache
from typing import Annotated, Literal, NamedTuple

import numpy as np
from pydantic import Field

from dpbandits.core.search import last
from dpbandits.core.zcdp import largest_rho
from dpbandits.sparse.problem import Positive, SparseSetting


class FliphatSetting(SparseSetting):
    """The instance and FLIPHAT's tuning; the default preset is private."""

    preset: Literal["released", "printed", "corrected", "zcdp"] = "zcdp"
    peeling_noise: Literal["reused", "fresh"] = "reused"  # read by `released` only
    # M/ln n, roughly; `printed` has 1.6 instead
    steps_factor: Annotated[float, Field(ge=0, le=10**4)] = 0.16
    step_size: Positive = 1e-4  # eta

    @property
    def bounded(self) -> bool:
        """True if contexts are clipped at x_max before the learner sees them."""
        return self.preset in ("corrected", "zcdp")

    @property
    def context_clip(self) -> float:
        """The bound at which contexts are clipped; inf: not at all."""
        return self.x_max if self.bounded else math.inf


class Tuning(NamedTuple):
    """What N-IHT does with the n rows of an episode, in the paper's names."""

    R: float  # where rewards are clipped
    C: float  # radius of the l1 ball
    xi: np.ndarray  # scale of the noise in each step's Peeling

    @property
    def M(self) -> int:
        """The number of steps."""
        return len(self.xi)


def printed_xi(epsilon: float, delta: float, sparsity: int, sensitivity: float) -> float:
    """xi of Algorithm 3; 0 if epsilon is infinite."""
    return sensitivity * 2 * math.sqrt(3 * sparsity * math.log(1 / delta)) / epsilon


def tuning_for(setting: FliphatSetting, epsilon: float, n: int) -> Tuning:
    """The preset's constants for an estimate from n rows."""
    return PRESETS[setting.preset](setting, epsilon, n)


def sensitivities(setting: FliphatSetting, n: int) -> np.ndarray:
    """How far a record may move an entry of theta_half in each step, as the preset reckons it."""
    if setting.preset in ("corrected", "zcdp"):
        return _for_sensitivity(setting, n, _steps(setting, n), 1.0).xi
    tuning = tuning_for(setting, math.inf, n)
    return np.full(tuning.M, _printed_sensitivity(setting, tuning.R, n))


def _printed_sensitivity(setting: FliphatSetting, R: float, n: int) -> float:
    """eta B/n."""
    B = R + setting.x_max * setting.b_max
    return setting.step_size * B / n


def from_text(setting: FliphatSetting, epsilon: float, n: int, M: int, R: float) -> Tuning:
    """M steps with Peeling(eps/M, delta/M, eta B/n), as Algorithm 1 prints it."""
    moved = _printed_sensitivity(setting, R, n)
    xi = printed_xi(epsilon / M, setting.delta / M, setting.sparsity, moved) if M else 0.0
    return Tuning(R, setting.b_max, np.full(M, xi))


def _printed(setting: FliphatSetting, epsilon: float, n: int) -> Tuning:
    M = math.floor(1.6 * math.log(n))
    R = setting.x_max * setting.b_max + setting.sigma * math.sqrt(2 * math.log(n))
    return from_text(setting, epsilon, n, M, R)


def _released(setting: FliphatSetting, epsilon: float, n: int) -> Tuning:
    M = math.floor(setting.steps_factor * math.log1p(n * setting.b_max**2))
    R = setting.x_max * setting.b_max + math.sqrt(2 * math.log1p(n))
    return from_text(setting, epsilon, n, M, R)


def _corrected(setting: FliphatSetting, epsilon: float, n: int) -> Tuning:
    """Laplace noise, as much as a sound accountant asks for."""
    M = _steps(setting, n)
    if math.isinf(epsilon):
        return _for_sensitivity(setting, n, M, 0.0)
    ratio = largest_ratio(epsilon, setting.delta, setting.sparsity, setting.d, M)
    return _for_sensitivity(setting, n, M, 1 / ratio)


@cache
def largest_ratio(epsilon: float, delta: float, sparsity: int, d: int, steps: int) -> float:
    """The largest lambda/xi for which `steps` peelings are proved (epsilon, delta)-DP."""
    from flint import arb  # here: learners have the preset zcdp, which needs no balls

    from dpbandits.audit.computed.balls import upper
    from dpbandits.sparse.mechanisms.peeling import delta_upper

    def proved(ratio: float) -> bool:
        return upper(delta_upper(arb(ratio), sparsity, d, epsilon, steps)) <= delta

    low = epsilon / (3 * steps * sparsity)  # by the pure loss: always enough
    high = 2 * low
    while proved(high):
        low, high = high, 2 * high
    return last(proved, low, high)


def _zcdp(setting: FliphatSetting, epsilon: float, n: int) -> Tuning:
    """Gumbel and Gaussian noise; M steps of s selections and releases cost rho together."""
    M = _steps(setting, n)
    rho = largest_rho(epsilon, setting.delta)
    return _for_sensitivity(setting, n, M, math.sqrt(M * setting.sparsity / rho))


def _steps(setting: FliphatSetting, n: int) -> int:
    """M, a function of n only."""
    return max(1, math.floor(setting.steps_factor * math.log1p(n)))


def _for_sensitivity(setting: FliphatSetting, n: int, M: int, multiple: float) -> Tuning:
    """xi is a multiple of what a replaced record may move a step: eta/n 4 x_max (R + P).

    P bounds |x'theta|: 0 in the first step, which starts from 0, and x_max C later. x_max, b_max,
    sigma and the clip are public constants.
    """
    default = setting.x_max * setting.b_max + setting.sigma * math.sqrt(2 * math.log1p(n))
    R, C = setting.clip or default, setting.b_max
    unit = multiple * setting.step_size / n * 4 * setting.x_max
    later = unit * (R + C * setting.x_max)
    return Tuning(R, C, np.array([unit * R, *[later] * (M - 1)]))


PRESETS = {"printed": _printed, "released": _released, "corrected": _corrected, "zcdp": _zcdp}
