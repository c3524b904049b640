"""FLIPHAT's constants under four presets, per episode.

printed: what the text says. released: what the published curves were made with. corrected: noise
for the true sensitivity of each step under replacement of a record, by a sound accountant. zcdp:
the library's own.
"""

import math
from functools import cache
from typing import Literal

import numpy as np
from flint import arb

from dpbandits.audit.computed.balls import upper
from dpbandits.core.bisection import last
from dpbandits.reproduction.fl.mechanisms.peeling import delta_upper
from dpbandits.sparse.fliphat import FliphatSetting, Tuned, Tuning, for_sensitivity, steps


class PresetSetting(FliphatSetting):
    """The setting of `fliphat` with a preset; `printed` has 1.6 in place of steps_factor."""

    preset: Literal["released", "printed", "corrected", "zcdp"] = "zcdp"
    peeling_noise: Literal["reused", "fresh"] = "reused"  # read by `released` only

    @property
    def peeling(self) -> str:
        """The law of Peeling's noise."""
        if self.preset == "zcdp":
            return "gumbel"
        return self.peeling_noise if self.preset == "released" else "fresh"

    @property
    def context_clip(self) -> float:
        return self.x_max if self.preset in ("corrected", "zcdp") else math.inf

    def tuning(self, epsilon: float, n: int) -> Tuning:
        return PRESETS[self.preset](self, epsilon, n)


def printed_xi(epsilon: float, delta: float, sparsity: int, sensitivity: float) -> float:
    """xi of Algorithm 3; 0 if epsilon is infinite."""
    return sensitivity * 2 * math.sqrt(3 * sparsity * math.log(1 / delta)) / epsilon


def printed_sensitivity(setting: PresetSetting, R: float, n: int) -> float:
    """eta B/n."""
    B = R + setting.x_max * setting.b_max
    return setting.step_size * B / n


def from_text(setting: PresetSetting, epsilon: float, n: int, M: int, R: float) -> Tuning:
    """M steps with Peeling(eps/M, delta/M, eta B/n), as Algorithm 1 prints it."""
    moved = printed_sensitivity(setting, R, n)
    xi = printed_xi(epsilon / M, setting.delta / M, setting.sparsity, moved) if M else 0.0
    return Tuning(R, setting.b_max, np.full(M, xi))


def _printed(setting: PresetSetting, epsilon: float, n: int) -> Tuning:
    M = math.floor(1.6 * math.log(n))
    R = setting.x_max * setting.b_max + setting.sigma * math.sqrt(2 * math.log(n))
    return from_text(setting, epsilon, n, M, R)


def _released(setting: PresetSetting, epsilon: float, n: int) -> Tuning:
    M = math.floor(setting.steps_factor * math.log1p(n * setting.b_max**2))
    R = setting.x_max * setting.b_max + math.sqrt(2 * math.log1p(n))
    return from_text(setting, epsilon, n, M, R)


def _corrected(setting: PresetSetting, epsilon: float, n: int) -> Tuning:
    """Laplace noise, as much as a sound accountant asks for."""
    M = steps(setting, n)
    if math.isinf(epsilon):
        return for_sensitivity(setting, n, M, 0.0)
    ratio = largest_ratio(epsilon, setting.delta, setting.sparsity, setting.d, M)
    return for_sensitivity(setting, n, M, 1 / ratio)


@cache
def largest_ratio(epsilon: float, delta: float, sparsity: int, d: int, steps: int) -> float:
    """The largest lambda/xi for which `steps` peelings are proved (epsilon, delta)-DP."""

    def proved(ratio: float) -> bool:
        return upper(delta_upper(arb(ratio), sparsity, d, epsilon, steps)) <= delta

    low = epsilon / (3 * steps * sparsity)  # by the pure loss: always enough
    high = 2 * low
    while proved(high):
        low, high = high, 2 * high
    return last(proved, low, high)


PRESETS = {
    "printed": _printed, "released": _released, "corrected": _corrected, "zcdp": Tuned.tuning,
}  # fmt: skip
