"""Check of HU's Lemma 24, the tail behind Theorem 9, by exact convolution."""

from functools import lru_cache

import numpy as np

from dpbandits.core.claims import Finding
from dpbandits.core.points import points
from dpbandits.stochastic.theory import log_binomial, noise_tail_bound


def lemma_24(tables) -> Finding:
    worst, where, scan = 0.0, "", {}
    for r in range(13):
        for best in (0.3, 0.6, 0.9, 1.0):
            for gap in (0.01, 0.05, 0.1, 0.2, 0.3, 0.6, 0.9):
                for epsilon in (0.01, 0.1, 0.5, 1.0, 5.0):
                    if gap > best:
                        continue
                    share = lemma_24_share(r, best, gap, epsilon)
                    scan[epsilon, r] = max(scan.get((epsilon, r), 0.0), share)
                    if share > worst * (1 + 1e-9):  # many share it but for rounding
                        worst = share
                        where = f"r = {r}, means {best:g}, {best - gap:.3g}, eps = {epsilon:g}"
    series = {f"eps = {e:g}": [scan[e, r] for r in range(13)] for e in sorted({e for e, _ in scan})}
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
