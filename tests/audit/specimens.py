"""Mechanisms broken on purpose, next to their sound versions: can the auditors tell them apart?

Each claims the same epsilon and is sampled on one pair of neighbours. Its true loss is known from
the exact auditors.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np
import pandas as pd

from dpbandits.audit import lazy
from dpbandits.audit.blackbox import CONFIDENCE, lower_bound
from dpbandits.audit.engine.transcripts import Epoch, epochs_of
from dpbandits.core.mechanisms import MECHANISMS

EPSILON = 1.0  # that all of them claim
Sampler = Callable[[int, int, np.random.Generator], np.ndarray]  # (0 or 1: neighbour, runs, ..)


@dataclass(frozen=True)
class Specimen:
    mechanism: str
    defect: str  # "" if it is sound
    exact: Callable[[], float]  # the pure loss over all neighbours
    method: str
    sample: Sampler


def _bins(values: np.ndarray, width: float = 0.25) -> np.ndarray:
    """Real outputs as integers: post-processing, so bounds stay valid."""
    return np.clip(np.floor(values / width), -60, 60).astype(np.int64)


def _pure(name: str, **keys) -> float:
    """The pure loss of a registered mechanism."""
    entry = MECHANISMS.get(name)
    return entry.compute(entry.params(**keys), ()).pure_epsilon


def _noisy_sum(defect: str = "", scale: float = 1.0, change: float = 1.0) -> Specimen:
    def sample(which, runs, generator):
        return _bins(which * change + generator.laplace(scale=scale, size=runs))

    exact = partial(_pure, "laplace", scale=scale, sensitivity=change)
    return Specimen("noisy sum", defect, exact, "certified", sample)


def _two_sums(defect: str = "") -> Specimen:
    """Two sums of which one changes, each with its own noise or both with the same."""
    reused = defect == "reused noise"

    def sample(which, runs, generator):
        noise = generator.laplace(scale=1 / EPSILON, size=(runs, 2))
        if reused:
            noise[:, 1] = noise[:, 0]
        changed, same = which + noise[:, 0], noise[:, 1]
        return 1000 * _bins(changed, 1.0) + _bins(changed - same, 0.5)

    def exact():  # with reused noise the difference of the outputs is that of the sums
        return math.inf if reused else _pure("laplace", scale=1 / EPSILON)

    return Specimen("two noisy sums", defect, exact, "certified", sample)


def _noisy_max(defect: str = "", scale: float = 2.0) -> Specimen:
    counts = np.array([[1, 2], [0, 3]])

    def sample(which, runs, generator):
        return (counts[which] + generator.laplace(scale=scale, size=(runs, 2))).argmax(axis=1)

    exact = partial(_pure, "rnm", scale=scale, arms=2, rounds=64, adjacency="replace")
    return Specimen("report noisy max, replacement", defect, exact, "certified", sample)


def epochs_not_forgotten(transcript: tuple[int, ...]) -> tuple[Epoch, ...]:
    """Every epoch's sum holds all rewards of its arm so far."""
    rounds: tuple[list[int], list[int]] = ([], [])
    epochs = []
    for epoch in epochs_of(transcript):
        rounds[epoch.arm].extend(epoch.rounds)
        epochs.append(replace(epoch, rounds=tuple(rounds[epoch.arm])))
    return tuple(epochs)


def epochs_off_by_one(transcript: tuple[int, ...]) -> tuple[Epoch, ...]:
    """Every epoch's sum also holds the last reward of the epoch before."""
    last: list[tuple[int, ...]] = [(), ()]
    epochs = []
    for epoch in epochs_of(transcript):
        epochs.append(replace(epoch, rounds=last[epoch.arm] + epoch.rounds))
        last[epoch.arm] = epoch.rounds[-1:]
    return tuple(epochs)


def _lazy(defect: str = "", noise: float = 1.0, epochs=epochs_of) -> Specimen:
    @cache
    def worst():
        law = lazy.ucb_law(7, EPSILON, noise, epochs)
        return law, *law.worst([])[:2]

    def sample(which, runs, generator):
        law, _, pair = worst()
        return law.sample(pair["neighbour" if which else "rewards"], runs, generator)

    return Specimen("anytime-lazy-ucb, 7 rounds", defect, lambda: worst()[1], "exact", sample)


def specimens() -> list[Specimen]:
    return [
        _noisy_sum(scale=1 / EPSILON),
        _noisy_sum("half the noise", scale=0.5 / EPSILON),
        _noisy_sum("missing clip", change=4.0),
        _two_sums(),
        _two_sums("reused noise"),
        _noisy_max(scale=2 / EPSILON),
        _noisy_max("half the noise", scale=1 / EPSILON),
        _lazy(),
        _lazy("half the noise", noise=0.5),
        _lazy("sum not forgotten", epochs=epochs_not_forgotten),
        _lazy("off-by-one epoch", epochs=epochs_off_by_one),
    ]


def zoo_table(samples: tuple[int, ...], trials: int, confidence: float = CONFIDENCE):
    """One row per specimen and sample size; `refuted` is power if broken, else false alarms."""
    rows = []
    for index, specimen in enumerate(specimens()):
        for runs in samples:
            bounds = []
            for trial in range(trials):
                key = np.random.SeedSequence((index, runs, trial))
                generator = np.random.Generator(np.random.Philox(key))
                pair = [specimen.sample(which, runs, generator) for which in (0, 1)]
                bounds.append(lower_bound(*pair, confidence=confidence).epsilon)
            rows.append({
                "mechanism": specimen.mechanism, "defect": specimen.defect or "none",
                "claimed_epsilon": EPSILON, "true_epsilon": specimen.exact(),
                "method": specimen.method, "exact_audit_refutes": specimen.exact() > EPSILON + 1e-9,
                "samples": runs, "trials": trials,
                "refuted": float(np.mean(np.array(bounds) > EPSILON)),
                "median_bound": float(np.median(bounds)), "confidence": confidence,
            })  # fmt: skip
    return pd.DataFrame(rows)
