"""The optimal rate of private full information: bounds as functions, proved in docs/proofs/HU.md.

A schedule decides how many rounds are played by the noisy leader of exactly m observations; WEIGHT
bounds the expected number of these rounds, for every m. `prefix` doubles its epochs and draws m
from the last half of the epoch before; `phase` makes epochs e times as long as the one before, from
a random start. eta = eps/2 is the rate of the noise (Gumbel or exponential).
"""

import math

import numpy as np

WEIGHT = {"prefix": 4.0, "phase": math.e}
FIRST = {"prefix": 1.0, "phase": 2 - math.log(2)}  # expected rounds before the first leader


def upper_bound(arms: int, gap: float, epsilon: float, schedule: str) -> float:
    """Theorem O: the regret at any T on any instance whose smallest gap is `gap`."""
    if gap >= epsilon / 2:
        decided = 4 * math.log(arms) / epsilon
    else:
        decided = 4 * (1 + math.log(arms)) / gap - 4 / epsilon
    return FIRST[schedule] + WEIGHT[schedule] * decided


def instance_bound(gaps, epsilon: float, schedule: str) -> float:
    """Theorem O's proof evaluated for these gaps, at the best split into small and large ones."""
    gaps = np.sort(np.asarray(gaps, dtype=float))
    gaps = gaps[gaps > 0]
    splits = [s for s in range(len(gaps) + 1) if s in (0, len(gaps)) or gaps[s - 1] < gaps[s]]
    eta = epsilon / 2
    decided = min(_small_gaps(gaps[:s], eta) + _large_gaps(gaps[s:], eta) for s in splits)
    return float(FIRST[schedule] * gaps.max(initial=0) + WEIGHT[schedule] * decided)


def _large_gaps(gaps: np.ndarray, eta: float) -> float:
    """(O.2), for large gaps: the sum over m and over these arms of Delta_j p_j(m) is at most the
    initial potential ln(1 + n) over its expected decrease per unit of regret."""
    if len(gaps) == 0:
        return 0.0
    fall = math.sinh(eta) - (math.cosh(eta) - 1) / gaps[0]
    return math.log1p(len(gaps)) / fall if fall > 0 else math.inf


def _small_gaps(gaps: np.ndarray, eta: float) -> float:
    """(O.3), the same for small gaps: the integral over x of sum_m P(gap of the leader >= x)
    (layer-cake formula)."""
    total, below = 0.0, 0.0
    for i in np.flatnonzero(np.diff(gaps, prepend=0.0)):
        total += (gaps[i] - below) * (1 + math.log(len(gaps) - i)) / decay(gaps[i], eta)
        below = gaps[i]
    return total


def decay(gap: float, eta: float) -> float:
    """-ln min over 0 <= x <= eta of cosh x - gap sinh x: the exponent in E exp(-x D) <= e^-decay
    for |D| <= 1, E D >= gap."""
    x = min(math.atanh(gap), eta) if gap < 1 else eta
    return -math.log(math.cosh(x) - gap * math.sinh(x))


def phase_weight(m: int) -> float:
    """Expected rounds that `phase` decides by exactly m rewards: int_m^{m+1} floor(e y)/y dy."""
    cuts = np.arange(math.floor(math.e * m) + 1, math.ceil(math.e * (m + 1))) / math.e
    edges = np.concatenate([[m], cuts, [m + 1]])
    rounds = np.floor(math.e * (edges[1:] + edges[:-1]) / 2)
    return float(rounds @ np.log(edges[1:] / edges[:-1]))


def prefix_weight(m: int) -> float:
    """Expected rounds that `prefix` decides by exactly m rewards: 2 for m = 1, else 4."""
    return 2.0 if m == 1 else 4.0


EXACT_WEIGHT = {"prefix": prefix_weight, "phase": phase_weight}


def private_lower_bound(arms: int, gap: float, epsilon: float, horizon: float = math.inf) -> float:
    """Theorem L: gap x sum over t <= T of (1 - c^(t-1)/K)_+, c = 1 + gap (e^eps - 1)."""
    return _lower(arms, gap, math.log1p(gap * math.expm1(epsilon)), horizon)


def sampling_lower_bound(arms: int, gap: float, horizon: float = math.inf) -> float:
    """Theorem M: the same with sqrt(K) in place of K and c = sqrt(1 + 4 gap^2)."""
    return _lower(math.sqrt(arms), gap, math.log1p(4 * gap**2) / 2, horizon)


def _lower(arms: float, gap: float, rate: float, horizon: float) -> float:
    rounds = min(horizon, math.floor(math.log(arms) / rate) + 1)
    return gap * (rounds - math.expm1(rounds * rate) / math.expm1(rate) / arms)
