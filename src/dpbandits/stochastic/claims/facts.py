"""What HU cites or takes for known: Lemma 7, (56), FTL and Fact 17."""

import math

import numpy as np

from dpbandits.core.claims import Finding
from dpbandits.core.points import points
from dpbandits.stochastic import theory
from dpbandits.stochastic.claims.full_information import beside_runs, sweeps


def lemma_7(tables) -> Finding:
    plots, worst = [], 0.0
    for best, shift in ((0.5, 0.3), (0.5, 0.03), (0.95, 0.03), (0.5, 0.003)):
        sizes = 2 ** np.arange(0, 13)
        found = [theory.overestimation(best, best - shift, int(n)) for n in sizes]
        bound = [theory.overestimation_bound(shift, n) for n in sizes]
        worst = max(worst, *(np.array(found) / bound))
        named = f"best mean {best:g}, distance {shift:g}"
        axes = ("observations", "mean ratio")
        plots.append(points(sizes, found, at_most=bound, series=named, axes=axes, log="xy"))
    return Finding("holds" if worst <= 1 else "untestable", {"share": worst}, plots)


def packing_error(tables) -> Finding:
    """Beside the proof: the exponential mechanism on sums of rewards, exact for K = 2."""
    gap, plots = 0.1, []
    for epsilon in (0.1, 1.0):
        rounds, found = np.unique(np.geomspace(1, 300, 12).astype(int)), []
        for n in rounds:
            lead, law = np.arange(-n, n + 1), np.array([1.0])
            for _ in range(n):
                law = np.convolve(law, np.convolve([0.5 - gap, 0.5 + gap], [0.5, 0.5]))
            found.append(float(law @ (1 / (1 + np.exp(epsilon / 2 * lead)))))
        least = 0.45 * np.minimum(1, np.exp(-10 * epsilon * rounds * gap))
        axes = ("rounds", "error of the exponential mechanism, K = 2")
        plots.append(points(rounds, found, at_least=least, series=f"ε = {epsilon:g}", axes=axes))
    return Finding(points=plots)


def follow_the_leader(tables) -> Finding:
    bound = lambda k, gap, e, t: 1 + 4 * (1 + math.log(k)) / gap  # noqa: E731
    return beside_runs(sweeps(tables, "ftl", bound))


def fact_17(tables) -> Finding:
    """Both tails at a = 1/10; the last of the sizes is that of the certificate."""
    a, sizes = 0.1, np.arange(1, 11)
    bound = np.exp(-sizes * (math.log(2) + a * math.log(a) + (1 - a) * math.log(1 - a)))
    look = {"axes": ("n", "probability, mean 1/2"), "log": "y"}
    above = points(sizes, 1 - 0.5**sizes, at_most=bound, series="X ≥ 1/10, as printed", **look)
    below = 0.5**sizes * (1 + sizes * (sizes == 10))  # one success of ten is below 1/10 too
    low = points(sizes, below, repaired=bound, series="X ≤ 1/10, as corrected", **look)
    return Finding(numbers={"tightness": 1 / (2 * bound[0])}, points=[above, low])
