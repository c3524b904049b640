"""Checks of HU's privacy theorems."""

import math
from functools import partial
from typing import Any

import numpy as np

from dpbandits.core.maximise import maximise, share
from dpbandits.reproduction.hu.lazy.lazy_ts import ts_law
from dpbandits.reproduction.hu.mechanisms.lazy import ucb_law
from dpbandits.reproduction.hu.rate_attacks import privacy_ratio
from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import points_of
from dpbandits.stochastic.mechanisms.rnm_loss import pure_loss, worst_counts

ROUNDING = 1e-9  # of the log-ratios below, in units of eps


EPSILON, ROUNDS = 0.5, 64  # of the counterexample to Theorem 8


LAWS = {"Anytime-Lazy-UCB": ucb_law, "Lazy-DP-TS": ts_law}


def lazy_losses(tables, algorithm: str, epsilons: list[float], horizons: list[int]) -> Finding:
    """Per (eps, T) the largest loss by enumeration of all data sets and neighbours."""
    law = LAWS[algorithm]
    losses = {(e, T): law(T, e).worst([])[0] for e in epsilons for T in horizons}
    largest = max(loss / epsilon for (epsilon, _), loss in losses.items())
    texts = [f"{loss / e:.4f} ε (ε = {e:g}, T = {T})" for (e, T), loss in losses.items()]
    numbers = {"losses": ", ".join(texts), "slack": 1 - largest}
    values, allowed = np.array([(loss, epsilon) for (epsilon, _), loss in losses.items()]).T
    return Finding("holds", numbers, points_of(values, spread=ROUNDING * allowed, at_most=allowed))


def certified_loss(scale: float, arms: int, rounds: int = ROUNDS) -> float:
    """In one epoch with noise Lap(scale/eps), at least, in units of eps."""
    return float(pure_loss(scale / EPSILON, arms, rounds, "replace").lower()) / EPSILON


def counterexample() -> dict[str, Any]:
    before, after = map(tuple, worst_counts(2, ROUNDS, "replace"))
    numbers = {"epsilon": EPSILON, "rounds": ROUNDS, "before": before, "after": after}
    return numbers | {"share": certified_loss(1, 2), "loss": certified_loss(1, 2) * EPSILON}


def rnm_ftnl(tables) -> Finding:
    ratio = partial(privacy_ratio, "exponential", 3)
    generator = np.random.default_rng(8)
    search = maximise(lambda rows: ratio(share(rows)), 7, 120_000, generator)
    corrected = pure_loss(2 / EPSILON, 10, ROUNDS, "replace").upper()
    shares = {k: math.floor(1e6 * certified_loss(1, k)) / 1e6 for k in (2, 3, 10)}  # lower bounds
    numbers = counterexample() | {f"share_{k}": share for k, share in shares.items()}
    numbers |= {"attack": search.value, "spent": search.instances}
    numbers |= {"slack": 1 - numbers["share"], "corrected": float(corrected) / EPSILON}
    epochs, found = [2**s for s in range(7)], []
    named = {"what": "certified loss at least, in units of ε", "x": "rounds of an epoch"}
    for name, scale, k in (("printed", 1, 2), ("printed", 1, 10), ("corrected", 2, 10)):
        shares = [certified_loss(scale, k, n) for n in epochs]
        named |= {"series": f"{name}, K = {k}", "at": epochs}
        found.append(points_of(shares, at_most=1, repaired=2 / scale, **named))
    return Finding("violated", numbers, found)


def abstract(tables) -> Finding:
    data = tables("constants")
    phase = data[data["algorithm"] == "rnm-ftnl-phase"]
    found = points_of(
        [certified_loss(scale, 2) * EPSILON for scale in (1, 2)],
        at_most=[EPSILON, math.nan],
        repaired=[math.nan, EPSILON],
        what="certified privacy loss at least, ε = 0.5",
        at=["noise 1/ε, as printed", "noise 2/ε, as corrected"],
    )
    nearest = float((phase["mean"] / phase["upper"]).max())
    return Finding("violated", counterexample() | {"nearest": nearest}, found)
