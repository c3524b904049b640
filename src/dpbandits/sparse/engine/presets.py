"""FLIPHAT's constants under its three presets, per episode.

printed: what the text says. released: what the published curves were made with. corrected: noise
for the true sensitivity of each step under replacement of a record, by a sound accountant.
"""

import math
from dataclasses import dataclass

from dpbandits.sparse.engine.accountant import largest_ratio
from dpbandits.sparse.problem import SparseSetting


@dataclass(frozen=True)
class Plan:
    """What N-IHT does with the n rows of an episode."""

    clip: float  # R
    radius: float  # C, of the l1 ball
    scales: tuple[float, ...]  # xi, the Laplace scale of each step's peeling

    @property
    def steps(self) -> int:
        return len(self.scales)


def printed_scale(epsilon: float, delta: float, sparsity: int, sensitivity: float) -> float:
    """xi of Algorithm 3; 0 if epsilon is infinite."""
    return sensitivity * 2 * math.sqrt(3 * sparsity * math.log(1 / delta)) / epsilon


def plan(setting: SparseSetting, epsilon: float, n: int) -> Plan:
    """The preset's constants for an estimate from n rows."""
    return _PLANS[setting.preset](setting, epsilon, n)


def from_text(setting: SparseSetting, epsilon: float, n: int, steps: int, clip: float) -> Plan:
    """Peeling(eps/M, delta/M, eta B/N) with B = R + x_max b_max, M times (Algorithm 1)."""
    bound = clip + setting.x_max * setting.b_max
    sensitivity = setting.step_size * bound / n
    scales = ()
    if steps:
        share = (epsilon / steps, setting.delta / steps)
        scales = (printed_scale(*share, setting.sparsity, sensitivity),) * steps
    return Plan(clip, setting.b_max, scales)


def _printed(setting: SparseSetting, epsilon: float, n: int) -> Plan:
    steps = math.floor(1.6 * math.log(n))
    clip = setting.x_max * setting.b_max + setting.sigma * math.sqrt(2 * math.log(n))
    return from_text(setting, epsilon, n, steps, clip)


def _released(setting: SparseSetting, epsilon: float, n: int) -> Plan:
    steps = math.floor(setting.steps_factor * math.log1p(n * setting.b_max**2))
    clip = setting.x_max * setting.b_max + math.sqrt(2 * math.log1p(n))
    return from_text(setting, epsilon, n, steps, clip)


def _corrected(setting: SparseSetting, epsilon: float, n: int) -> Plan:
    """Replacing a record moves a step by at most eta/n 4 x_max (R + P), |x'theta| <= P.

    P = 0 in the first step, which starts from 0, and C x_max later. x_max, b_max and sigma are
    public constants; the number of steps looks at n alone.
    """
    steps = max(1, math.floor(setting.steps_factor * math.log1p(n)))
    clip = setting.x_max * setting.b_max + setting.sigma * math.sqrt(2 * math.log1p(n))
    if math.isinf(epsilon):
        return Plan(clip, setting.b_max, (0.0,) * steps)
    ratio = largest_ratio(epsilon, setting.delta, setting.sparsity, steps)
    unit = setting.step_size / n * 4 * setting.x_max / ratio
    later = unit * (clip + setting.b_max * setting.x_max)
    return Plan(clip, setting.b_max, (unit * clip, *(later,) * (steps - 1)))


_PLANS = {"printed": _printed, "released": _released, "corrected": _corrected}
