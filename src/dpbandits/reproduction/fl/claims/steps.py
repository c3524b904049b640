"""FL: a remark on margins, and steps of the appendices that others rest on."""

import math

import numpy as np

from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import points


def easier_instances_cost_more(tables) -> Finding:
    horizons = np.array([10.0**k for k in (3, 4, 5, 6, 7, 8, 9)])
    ratio = np.log(horizons) ** 3 / np.sqrt(horizons)
    return Finding(points=points(horizons, ratio, at_most=1.0, axes=("T", "ratio"), log="xy"))


def estimator_of_the_observed(tables) -> Finding:
    from dpbandits.reproduction.fl.group_privacy_attacks import OBSERVED, observed_ratio, searched

    epsilon = np.array([0.1, 0.5, 1.0, 2.0, 5.0, 10.0])
    loss = np.log((np.exp(2 * epsilon) + 1) / 2)
    ratios = ", ".join(f"{x:.3g}" for x in loss / epsilon)
    numbers = {"ratios": ratios, "share": loss[-1] / 20}
    numbers["searched"] = searched(observed_ratio, OBSERVED)
    look = {"axes": ("ε", "privacy loss"), "log": "xy"}
    plot = points(epsilon, loss, at_most=epsilon, repaired=2 * epsilon, **look)
    return Finding(numbers=numbers, points=plot)


def bad_events(tables) -> Finding:
    episodes = np.array([5, 10, 20, 40, 80])
    sums = 2.0 * episodes
    look = {"axes": ("episodes = log2 T", "sum of N/N'"), "log": "xy"}
    look |= {"panel": "dashed: constant from the first on"}
    return Finding(points=points(episodes, sums, at_most=sums[0], repaired=sums, **look))


def iterated_logarithm(tables) -> Finding:
    sizes, log = 2.0 ** np.arange(1, 12), math.log(100)
    left, right = np.log(np.log(sizes)) + log, log * np.log(sizes)
    look = {"axes": ("N", "ln(ln N/δ), δ = 0.01"), "log": "x"}
    repaired = np.where(sizes < 3, np.nan, right)
    return Finding(points=points(sizes, left, at_most=right, repaired=repaired, **look))


def steps_and_rows(tables) -> Finding:
    sizes = 2.0 ** np.arange(4, 60, 5)
    rows_per_step = sizes / (28 * np.log(2 * sizes))
    axes = ("N", "N / M, κ = bₘₐₓ = 1")
    return Finding(points=points(sizes, rows_per_step, at_most=1.0, axes=axes, log="xy"))
