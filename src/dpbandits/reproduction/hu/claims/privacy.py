"""Checks of HU's privacy theorems."""

import math
from functools import partial

import numpy as np
import pandas as pd

from dpbandits.audit.engine.lazy_ts import ts_law
from dpbandits.audit.function import neighbours_of
from dpbandits.audit.lazy import ucb_law
from dpbandits.audit.recorded.program import learner_program
from dpbandits.audit.recorded.replays import Claim, Replays
from dpbandits.audit.rnm import pure_loss, worst_counts
from dpbandits.core.attack import attack, share
from dpbandits.reproduction.hu.rate_attacks import privacy_ratio
from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import curves, points
from dpbandits.reproduction.proofs import require_proof
from dpbandits.stochastic.na_imed import NaImed

ROUNDING = 1e-9  # of the log-ratios below, in units of eps


def anytime_lazy_ucb_is_private(tables) -> dict[str, Finding]:
    losses = {(e, T): ucb_law(T, e).worst([])[0] for e in (0.25, 1.0, 2.0) for T in (3, 8)}
    return {"printed": lazy_losses(losses, "Theorem 2"), "ours: na-imed": na_imed_release()}


def na_imed_release() -> Finding:
    """The loss of all releases of the learner when one of 120 rewards changes: the replay of
    docs/auditing.md, infinite if anything else of what it does differs."""
    epsilons, losses = np.array([0.25, 1.0, 2.0]), []
    rewards = np.random.default_rng(8).integers(0, 2, 120).tolist()
    for epsilon in epsilons:
        program = learner_program(partial(NaImed, 3, epsilon), trusted=True)
        replays = Replays(program, 1, 0, Claim(epsilon))
        replays.try_all(rewards, list(neighbours_of(rewards, [0, 1], ["replace"]))[::5])
        losses.append(replays.worst.epsilon)
    require_proof(np.all(losses <= epsilons * (1 + ROUNDING)), "OURS.md, Theorem 1")
    axes = ("ε", "largest privacy loss of all releases")
    return Finding("holds", {}, points(epsilons, losses, at_most=epsilons + ROUNDING, axes=axes))


def lazy_dp_ts_is_private(tables) -> Finding:
    losses = {(e, 5): ts_law(5, e).worst([])[0] for e in (0.25, 1.0, 4.0)}
    return lazy_losses(losses, "Theorem 4")


def lazy_losses(losses: dict[tuple[float, int], float], proof: str) -> Finding:
    """Per (eps, T) the largest loss by enumeration of all data sets and neighbours."""
    largest = max(loss / epsilon for (epsilon, _), loss in losses.items())
    require_proof(largest <= 1 + ROUNDING, f"{proof}: enumeration finds a loss of {largest:.9g} ε")
    texts = [f"{loss / e:.4f} ε (ε = {e:g}, T = {T})" for (e, T), loss in losses.items()]
    numbers = {"losses": ", ".join(texts), "slack": 1 - largest}
    rows = [(e, T, loss, loss - ROUNDING * e) for (e, T), loss in losses.items()]
    frame = pd.DataFrame(rows, columns=["epsilon", "T", "loss", "low"])
    look = {"series": "T = {T}", "axes": ("ε", "largest privacy loss"), "log": "xy"}
    drawn = curves(frame, "epsilon", "loss", low="low", at_most="epsilon", **look)
    return Finding("holds", numbers, drawn)


def rnm_ftnl_is_private(tables) -> Finding:
    epsilon, rounds = 0.5, 64
    losses = {k: float(pure_loss(1 / epsilon, k, rounds, "replace").lower()) for k in (2, 3, 10)}
    before, after = worst_counts(2, rounds, "replace")
    search = attack(
        lambda rows: privacy_ratio("exponential", 3, share(rows)),
        7,
        120_000,
        np.random.default_rng(8),
    )
    shares = {f"share_{k}": math.floor(1e6 * loss / epsilon) / 1e6 for k, loss in losses.items()}
    numbers = shares | {  # rounded down, as they are lower bounds
        "epsilon": epsilon,
        "rounds": rounds,
        "loss": losses[2],
        "slack": 1 - losses[2] / epsilon,
        "before": tuple(before),
        "after": tuple(after),
        "attack": search.value,
        "spent": search.instances,
        "corrected": float(pure_loss(2 / epsilon, 10, rounds, "replace").upper()) / epsilon,
    }
    epochs = [2**s for s in range(7)]
    plots = []
    for name, scale, k in (("printed", 1, 2), ("printed", 1, 10), ("corrected", 2, 10)):
        certified = [pure_loss(scale / epsilon, k, n, "replace").lower() for n in epochs]
        shares = [float(loss) / epsilon for loss in certified]
        axes = ("rounds of an epoch", "certified loss at least, in units of ε")
        look = {"series": f"{name}, K = {k}", "axes": axes, "log": "x"}
        plots.append(points(epochs, shares, at_most=1, repaired=2 / scale, **look))
    refuted = losses[2] > epsilon  # a lower end of an interval
    require_proof(refuted, "the counterexample to Theorem 8")
    return Finding("violated", numbers, plots)
