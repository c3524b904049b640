"""Checks of HU's privacy theorems."""

import numpy as np
import pandas as pd

from dpbandits.audit.engine.lazy_ts import ts_law
from dpbandits.audit.lazy import ucb_law
from dpbandits.audit.rnm import pure_loss, worst_counts
from dpbandits.core.attack import attack, share
from dpbandits.reproduction.hu.rate_attacks import privacy_ratio
from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import curves, points
from dpbandits.reproduction.proofs import require_proof
from dpbandits.stochastic.na_imed import NaImed
from dpbandits.stochastic.rounds import decisions

ROUNDING = 1e-9  # of the log-ratios below, in units of eps


def anytime_lazy_ucb_is_private(tables) -> dict[str, Finding]:
    losses = {(e, T): ucb_law(T, e).worst([])[0] for e in (0.25, 1.0, 2.0) for T in (3, 8)}
    return {"printed": lazy_losses(losses, "Theorem 2"), "ours: na-imed": na_imed_release()}


class Tape:
    """A port that keeps (value, scale) of each sum, and releases what another run released."""

    def __init__(self, releases=None):
        self.kept, self.releases, self.rng = [], releases or [], np.random.default_rng(8)

    def laplace(self, value, scale, **about):
        if len(self.kept) == len(self.releases):
            self.releases.append(value + self.rng.laplace(scale=scale))
        self.kept.append((value, scale))
        return self.releases[len(self.kept) - 1]


def na_imed_run(epsilon: float, rewards, tape: Tape):
    """The actions of the learner, and (value, scale) of all that it releases."""
    stream = iter(rewards)
    learner = NaImed(3, epsilon, tape, np.random.default_rng(8))
    return decisions(learner, lambda J: next(stream), len(rewards)), np.array(tape.kept)


def na_imed_release() -> Finding:
    """The loss of all releases of the learner when one of 120 rewards changes by 1: it is replayed
    with the same releases. That its actions are then the same is checked, too."""
    epsilons, losses = np.array([0.25, 1.0, 2.0]), []
    for epsilon in epsilons:
        tape, rewards = Tape(), np.random.default_rng(8).integers(0, 2, 120)
        played, kept = na_imed_run(epsilon, rewards, tape)
        for changed in range(0, 120, 5):
            other = np.where(np.arange(120) == changed, 1 - rewards, rewards)
            again, moved = na_imed_run(epsilon, other, Tape(tape.releases))
            same = np.array_equal(played, again) and np.array_equal(kept[:, 1], moved[:, 1])
            require_proof(same, "OURS.md, Theorem 1: a reward changes more than a value")
            losses.append(np.sum(np.abs(kept - moved)[:, 0] / kept[:, 1]))
    losses = np.max(np.reshape(losses, (3, -1)), axis=1)
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
    numbers = {f"share_{k}": loss / epsilon for k, loss in losses.items()} | {
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
