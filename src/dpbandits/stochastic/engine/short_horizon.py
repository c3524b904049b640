"""The output law of the two lazy algorithms for two arms and a few rounds, by quadrature.

Rewards matter only through the sums of finished epochs. So the law of the decisions is a function
of those sums, a replaced reward vector changes one of them by at most 1, and the largest
log-ratio over all data, neighbours and decision sequences is a maximum over a finite table
{(decisions, sums): probability}, where `sums` stand in the order in which epochs end.
"""

import itertools
import math
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from scipy.special import betainc, betaln

GRID = 512  # points per unit: all kinks of Laplace densities of means lie on the grid
MASSES = 32  # kept for the branches to come: up to 1 MB each


def worst_loss(table: dict[tuple, float]) -> tuple[float, tuple]:
    """max |ln P(decisions | sums) - ln P(decisions | neighbouring sums)| and where."""
    worst, where = 0.0, ()
    for (decisions, sums), p in table.items():
        for place in range(len(sums)):
            other = (*sums[:place], sums[place] + 1, *sums[place + 1 :])
            q = table.get((decisions, other))
            if q is not None and abs(math.log(p / q)) > worst:
                worst, where = abs(math.log(p / q)), (decisions, sums, other)
    return worst, where


# Anytime-Lazy-UCB: every decision bounds the difference of the two current private means


def ucb_table(epsilon: float, horizon: int) -> dict[tuple, float]:
    """P(decisions of rounds 3..horizon | sums) for two arms."""
    reach = math.ceil(34 / epsilon)
    x = np.arange(-reach * GRID, (reach + 1) * GRID + 1) / GRID
    table, fresh = {}, cache(lambda total, used: Weight(x, _density(x, total, used, epsilon)))
    for first, second in itertools.product((0, 1), repeat=2):
        start = [fresh(first, 1), fresh(second, 1)]
        arms = [(1, 0), (1, 0)]  # (used, new) of each arm
        _ucb_branch(
            table,
            fresh,
            epsilon,
            horizon,
            t=3,
            weights=start,
            arms=arms,
            between=(-math.inf, math.inf),
            decisions=(),
            sums=(first, second),
        )
    return table


@dataclass(eq=False)  # each is a key of what is known of it
class Weight:
    """Of an arm's mean, on the grid x."""

    x: np.ndarray
    values: np.ndarray


def _density(x, total: int, used: int, epsilon: float):
    """Density of (total + Lap(1/eps))/used."""
    rate = epsilon * used
    return 0.5 * rate * np.exp(-rate * np.abs(x - total / used))


def _ucb_branch(table, fresh, epsilon, horizon, t, weights, arms, between, decisions, sums):
    """Add the probabilities of all continuations; `between` bounds mean_0 - mean_1."""
    if t > horizon:
        left = _seen_by(weights, between, 1)
        table[decisions, sums] = float(np.trapezoid(left.values, left.x))
        return
    root, linear = math.sqrt(3 * math.log(t)), 3 * math.log(t) / epsilon
    bonus = [root / math.sqrt(used) + linear / used for used, _ in arms]
    edge = bonus[1] - bonus[0]
    low, high = between
    choices = ((0, (max(low, edge), high)), (1, (low, min(high, edge))))
    for arm, allowed in choices:
        if allowed[0] >= allowed[1]:
            continue
        used, new = arms[arm]
        path = (*decisions, arm)
        after = list(arms)
        after[arm] = (used, new + 1)
        if new + 1 < 2 * used:
            _ucb_branch(table, fresh, epsilon, horizon, t + 1, weights, after, allowed, path, sums)
            continue
        after[arm] = (2 * used, 0)
        kept = _seen_by(weights, allowed, 1 - arm)
        for total in range(2 * used + 1):
            found = fresh(total, 2 * used)
            both = [found, kept] if arm == 0 else [kept, found]
            rest = both, after, (-math.inf, math.inf), path, (*sums, total)
            _ucb_branch(table, fresh, epsilon, horizon, t + 1, *rest)


def _seen_by(weights: list[Weight], between, keep: int) -> Weight:
    """Weight of the mean that is kept, the other one integrated over what `between` allows."""
    low, high = between if keep == 1 else (-between[1], -between[0])
    kept = weights[keep]
    return Weight(kept.x, kept.values * _mass(weights[1 - keep], low, high))


@lru_cache(maxsize=MASSES)
def _mass(weight: Weight, low: float, high: float):
    """From x + low to x + high, at every x."""
    x, middles = weight.x, 0.5 * (weight.values[1:] + weight.values[:-1])
    mass = np.concatenate([[0.0], np.cumsum(middles)]) * (x[1] - x[0])
    upper = mass[-1] if math.isinf(high) else np.interp(x + high, x, mass)
    return upper - (0.0 if math.isinf(low) else np.interp(x + low, x, mass))


# Lazy-DP-TS: given the means, decisions are independent coins
def ts_table(epsilon: float) -> dict[tuple, float]:
    """P(decisions of rounds 3, 4, 5 | sums) for two arms: one epoch of two pulls may end."""
    x, weight = _nodes(epsilon)
    table = {}
    coin = {(t, o): _wins(x, t, o, epsilon) for t in (3, 4, 5) for o in ((1, 1), (2, 1), (1, 2))}
    for sums in itertools.product((0, 1), repeat=2):
        p, q = (weight * _density(x, s, 1, epsilon) for s in sums)
        for path in itertools.product((0, 1), repeat=3):
            both = _coin(coin[3, (1, 1)], path[0]) * _coin(coin[4, (1, 1)], path[1])
            if path[0] != path[1]:
                table[path, sums] = float(p @ (both * _coin(coin[5, (1, 1)], path[2])) @ q)
                continue
            arm = path[0]
            kept = (p @ both) * q if arm == 0 else (both @ q) * p
            last = _coin(coin[5, (2, 1) if arm == 0 else (1, 2)], path[2])
            for total in range(3):
                new = weight * _density(x, total, 2, epsilon)
                value = new @ last @ kept if arm == 0 else kept @ last @ new
                table[path, (*sums, total)] = float(value)
    return table


def _coin(wins, arm: int):
    return wins if arm == 0 else 1 - wins


def _nodes(epsilon: float):
    """Gauss-Legendre nodes and weights, split at all kinks of densities and clippings."""
    bonus = np.array([3 * math.log(t) / (epsilon * used) for t in (3, 4, 5) for used in (1, 2)])
    reach = math.ceil(36 / epsilon)
    whole = np.concatenate([np.linspace(-reach, reach, 73), [0, 0.5, 1], -bonus, 1 - bonus])
    cuts = np.unique(whole)
    z, w = np.polynomial.legendre.leggauss(12)
    half, centre = np.diff(cuts)[:, None] / 2, (cuts[1:] + cuts[:-1])[:, None] / 2
    return (centre + half * z).ravel(), (half * w).ravel()


def _wins(x, t: int, used: tuple[int, int], epsilon: float):
    """P(theta_0 > theta_1) for all pairs of means, used[j] observations behind each."""
    z, w = np.polynomial.legendre.leggauss(40)
    z, w = 0.5 + z / 2, w / 2
    parameters = []
    for o in used:
        m = np.clip(x + 3 * math.log(t) / (epsilon * o), 0, 1)[:, None]
        parameters.append((m * o + 1, (1 - m) * o + 1))
    (a, b), (c, d) = parameters
    density = np.exp((a - 1) * np.log(z) + (b - 1) * np.log1p(-z) - betaln(a, b))
    return (density * w) @ betainc(c, d, z).T


def noise_of_an_arm_that_stays(epsilon: float, t: int = 5) -> float:
    """Lazy-DP-TS, two arms, all rewards 0: P(|noise of arm 2| > 3 ln t/eps | arm 2 in epoch 0).

    Arm 2 leaves epoch 0 before round 5 if it wins rounds 3 and 4; both arms have one observation,
    so their laws are Beta(m + 1, 2 - m), m = clip(noise + 3 ln t/eps), and the noises are Laplace.
    """
    reach = 3 * math.log(t) / epsilon
    kinks = [s - 3 * math.log(u) / epsilon for u in (3, 4) for s in (0, 1)]
    cuts = np.unique([-60 / epsilon, -reach, *kinks, 0, reach, 60 / epsilon])
    z, w = np.polynomial.legendre.leggauss(24)
    half, centre = np.diff(cuts)[:, None] / 2, (cuts[1:] + cuts[:-1])[:, None] / 2
    noise = (centre + half * z).ravel()
    mass = (half * w).ravel() * epsilon / 2 * np.exp(-epsilon * np.abs(noise))
    wins = [_second_wins(np.clip(noise + 3 * math.log(u) / epsilon, 0, 1)) for u in (3, 4)]
    stays = mass @ (1 - wins[0] * wins[1]) * mass  # by arm 2's noise
    return float(stays[np.abs(noise) > reach].sum() / stays.sum())


def _second_wins(m: np.ndarray) -> np.ndarray:
    """P(theta_2 > theta_1) for all pairs (m_1, m_2), theta_j ~ Beta(m_j + 1, 2 - m_j)."""
    z, w = np.polynomial.legendre.leggauss(60)
    x = (z[:, None] + 1) / 2
    density = np.exp(m * np.log(x) + (1 - m) * np.log1p(-x) - betaln(m + 1, 2 - m))
    return np.einsum("q,qi,qj->ij", w / 2, betainc(m + 1, 2 - m, x), density)
