"""Checks of the lemmas behind HU's regret bounds."""

import math
from functools import lru_cache, partial
from itertools import product

import numpy as np

from dpbandits.core.claims import Finding
from dpbandits.core.points import points
from dpbandits.stochastic.theory import (
    LEMMA_19,
    bad_events,
    lemma_19_term,
    log_binomial,
    noise_tail_bound,
    optimism_bound,
    optimism_pulls,
    sufficient_epoch,
)

NODES = np.polynomial.legendre.leggauss(30)
RATE_21 = 15  # Lemma 21 names no constant; the smallest T has the largest ratio to ln T


def lemma_6(tables) -> Finding:
    left, right = lemma_6_sides(400)
    ratios = left / right
    axes = ("right side of the lemma", "left side (from 1e-15)")
    return Finding(
        "holds" if ratios.max() <= 1 + 1e-9 else "untestable",
        {"share": ratios.max(), "median": np.median(ratios), "slack": 1 - ratios.max()},
        points(right, np.maximum(left, 1e-15), at_most=right, axes=axes, log="xy"),
    )


def lemma_6_sides(states: int) -> tuple[np.ndarray, np.ndarray]:
    """Left and right side of Lemma 6 on random states (where the right is not tiny)."""
    from scipy.special import betainc

    rng = np.random.default_rng(6)
    sides = []
    for _ in range(states):
        arms = int(rng.integers(2, 7))
        used = 2.0 ** rng.integers(0, 11, arms)
        means = np.clip(rng.normal(0.5, 0.4, arms), 0, 1)
        y = float(rng.uniform(0.05, 0.95))
        a, b = means * used + 1, (1 - means) * used + 1
        below, above = betainc(a[0], b[0], y), betainc(b[0], a[0], 1 - y)
        left = _wins_below(a, b, y, 1, reach=y)
        right = _wins_below(a, b, y, 0, reach=1.0)
        if above > 1e-9 and right * below > 1e-12:
            sides.append((left, below / above * right))
    return tuple(np.array(sides).T)


def _wins_below(a, b, y: float, winner: int, reach: float) -> float:
    """P(the winner's draw is the largest and below `reach`, draw 1 is at most y), by quadrature."""
    from scipy.special import betainc, betaln

    mean = a / (a + b)
    spread = np.sqrt(mean * (1 - mean) / (a + b + 1))
    marks = [mean + k * spread for k in (-8, -3, 0, 3, 8)]
    cuts = np.unique(np.clip(np.concatenate([*marks, [0.0, y, 1.0]]), 0, reach))
    z, w = NODES
    half, centre = np.diff(cuts)[:, None] / 2, (cuts[1:] + cuts[:-1])[:, None] / 2
    x, weight = (centre + half * z).ravel()[:, None], (half * w).ravel()
    factors = betainc(a, b, x)
    factors[:, 1] = betainc(a[1], b[1], np.minimum(x[:, 0], y))
    log_density = (a - 1) * np.log(x) + (b - 1) * np.log1p(-x) - betaln(a, b)
    factors[:, winner] = np.exp(log_density[:, winner])
    return float(weight @ factors.prod(axis=1))


def lemma_19(tables) -> Finding:
    epochs = range(6, 15)
    terms = [lemma_19_term(s) for s in epochs]
    total = sum(terms) + 2 * terms[-1]
    axes = ("s", "bound of P(last epoch is s) times pulls")
    return Finding(
        "holds" if terms[0] < 0.2 and total < LEMMA_19 else "untestable",
        {"first": terms[0], "total": total, "allowed": LEMMA_19, "slack": 0.2 - terms[0]},
        points(list(epochs), terms, at_most=0.2, axes=axes, log="y"),
    )


def lemma_20(tables) -> Finding:
    gaps, shares = np.geomspace(1e-3, 1, 13), {}
    for epsilon in (0.01, 1.0, 100.0):
        for horizon in (3, 1e9):
            share = []
            for gap in gaps:
                level = 3 * math.log(horizon) / 2.0 ** sufficient_epoch(gap, epsilon, horizon, 72)
                share.append((math.sqrt(level) + 2 * level / epsilon) / gap)
            shares[f"ε = {epsilon:g}, T = {horizon:g}"] = share
    worst = max(map(max, shares.values()))
    axes = ("gap", "largest shift of the centre / gap")
    return Finding(
        "holds" if worst <= 1 / 3 else "untestable",
        {"shift": worst, "slack": 1 / 3 - worst},
        points(gaps, shares, at_most=1 / 3, axes=axes, log="x"),
    )


def lemma_21(tables) -> Finding:
    largest = max(gap**2 * optimism_bound(gap, 1e9) for gap in (0.05, 0.125, 0.25, 0.5))
    said, worst, curves, times = [], 0.0, {}, (1e3, 1e4, 1e5, 1e6, 1e9)
    for gap in (0.05, 0.125, 0.25, 0.5):
        found = [optimism_pulls(0.75, gap, t) * gap**2 for t in times]
        worst = max(worst, found[-1] / math.log(1e9))
        said.append(f"gap {gap:g}: {found[0]:.3g} at T = 1e3, {found[-1]:.3g} at 1e9")
        curves[f"gap {gap:g}"] = found
    allowed = [RATE_21 * math.log(t) for _ in curves for t in times]
    panel = f"L21: against {RATE_21} ln T (the constant is ours)"
    axes = ("T", "(39) times gap²")
    drawn = points(times, curves, at_most=allowed, axes=axes, panel=panel, log="xy")
    numbers = {"by_gap": "; ".join(said), "theorem_t": largest, "share": worst}
    return Finding(numbers=numbers, points=drawn)


def _bad_event(which: int, name: str, tables) -> Finding:
    t, *chances = bad_events(2, 1e5)
    total = np.cumsum(chances[which])
    at = np.unique(np.geomspace(1, len(t), 12).astype(int)) - 1
    axes = ("T", "expected rounds, at most")
    drawn = points(t[at], total[at], at_most=1.0, series=name, axes=axes, log="xy")
    return Finding(numbers={"total": total[-1]}, points=drawn)


lemma_22 = partial(_bad_event, 0, "(45)")
lemma_23 = partial(_bad_event, 1, "(46) with a union over epochs")


def lemma_24(tables) -> Finding:
    worst, where, scan = 0.0, "", {}
    means, gaps = (0.3, 0.6, 0.9, 1.0), (0.01, 0.05, 0.1, 0.2, 0.3, 0.6, 0.9)
    for r, best, gap, epsilon in product(range(13), means, gaps, (0.01, 0.1, 0.5, 1.0, 5.0)):
        if gap > best:
            continue
        share = lemma_24_share(r, best, gap, epsilon)
        scan[epsilon, r] = max(scan.get((epsilon, r), 0.0), share)
        if share > worst * (1 + 1e-9):  # many share it but for rounding
            worst = share
            where = f"r = {r}, means {best:g}, {best - gap:.3g}, ε = {epsilon:g}"
    series = {f"ε = {e:g}": [scan[e, r] for r in range(13)] for e in sorted({e for e, _ in scan})}
    axes = ("r (an epoch of 2^r rounds)", "probability / bound, worst of all means")
    return Finding(
        "holds" if worst <= 1 + 1e-9 else "untestable",
        {"share": worst, "where": where, "slack": 1 - worst},
        points(range(13), series, at_most=1, axes=axes),
    )


def lemma_24_share(r: int, best: float, gap: float, epsilon: float) -> float:
    """P(G_j - G_1 + Lap(1/eps) - Lap(1/eps) >= 0) over the lemma's bound, by exact convolution."""
    n = 2**r
    x = -np.arange(-n, n + 1) * epsilon  # the noise must reach this, in its own units
    far = 0.5 * (1 + np.abs(x) / 2) * np.exp(-np.abs(x))
    tail = np.where(x >= 0, far, 1 - far)
    return float(_difference(n, best, gap) @ tail / noise_tail_bound(r, gap, epsilon))


@lru_cache(1)  # one gap comes with every epsilon
def _difference(n: int, best: float, gap: float) -> np.ndarray:
    """The law of the difference of two sums of n rewards, from -n to n."""
    k = np.arange(n + 1)
    loser, winner = (np.exp(log_binomial(k, n, mean)) for mean in (best - gap, best))
    return np.convolve(loser, winner[::-1])
