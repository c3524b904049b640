"""FL's assumptions: are the experiments in the case alpha = 0? Do contexts spread as assumed?"""

import math

import numpy as np
from scipy.special import ndtr

from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import points_of
from dpbandits.sparse.problem import SparseSetting, signal_variance

HEIGHTS = np.logspace(-3, 0.5, 12)


def experiments_have_no_margin(tables) -> dict[str, Finding]:
    """The letter of the condition at alpha = 0, and its form with alpha = 1."""
    every = sorted(tables("arms")["arms"].unique())
    arms = sorted({every[0], every[len(every) // 2], every[-1]})
    scales = {k: margin_scale(SparseSetting(arms=k)) for k in arms}
    chances = np.array([[gap_at_most(SparseSetting(arms=k), h) for h in HEIGHTS] for k in arms])
    allowed = [HEIGHTS / scale for scale in scales.values()]
    sizes = {"d": SparseSetting().d, "fewest": arms[0], "most": arms[-1], "least": HEIGHTS[0]}
    scale = ", ".join(f"{scale:.3f} ($K = {k}$)" for k, scale in scales.items())
    share = chances[0, 0] / allowed[0][0]
    return {
        "printed": Finding("holds", sizes, points_of(chances, at_most=1)),
        "ours: margin 1": Finding(
            "holds", sizes | {"scale": scale, "share": share}, points_of(chances, at_most=allowed)
        ),
    }


def _sd(setting) -> float:
    return math.sqrt(signal_variance(setting))


def margin_scale(setting) -> float:
    """Delta_*: 1 over the density at 0 of the gap between the two best of K normal scores."""
    from scipy.integrate import quad

    k = setting.arms
    density, _ = quad(lambda x: k * (k - 1) * _density(x) ** 2 * ndtr(x) ** (k - 2), -9, 9)
    return _sd(setting) / density


def gap_at_most(setting, h: float) -> float:
    """P(the best of K normal scores leads the second by at most h)."""
    from scipy.integrate import quad

    k, gap = setting.arms, h / _sd(setting)
    return 1 - quad(lambda x: k * _density(x) * ndtr(x - gap) ** (k - 1), -9, 9 + gap)[0]


def _density(x: float) -> float:
    """Of the standard normal law; scipy.stats takes a hundred times as long for one number."""
    return np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)


def contexts_spread(tables) -> dict[str, Finding]:
    heights = [10.0**-k for k in range(2, 13, 2)]
    normal = [math.erf(math.sqrt(h / 2)) / h for h in heights]
    mean = [math.sqrt(2 * h) / (math.pi * h) for h in heights]  # H3 at x_max = 1, over the planes
    named = {"what": "probability / h, one normal coordinate"}
    found = points_of(normal, at_most=normal[0], x="h", at=heights, **named)
    text = ", ".join(f"{x:.3g} at $h = {h:g}$" for x, h in zip(mean, heights, strict=True))
    angles = np.linspace(0, math.pi / 4, 26)
    least = [1 / (4 * reach_of(angle, 1 / 4) ** 2) for angle in angles]  # K = 2
    return {
        "printed": Finding(numbers={"mean": text}, points=found),
        "one h": Finding("holds", {"least": max(least)}, points_of(least, at_most=8)),
    }


def reach_of(angle: float, chance: float) -> float:
    """r with P(|<x, u>| <= r) = chance, x uniform on a square, u at this angle: a trapezoid."""
    a, b = math.cos(angle), math.sin(angle)
    if chance * a <= a - b:
        return chance * a
    return a + b - math.sqrt(4 * a * b * (1 - chance))
