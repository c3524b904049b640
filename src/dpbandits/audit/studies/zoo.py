"""Mechanisms broken on purpose, next to their sound versions: can the auditors tell them apart?

Every specimen claims eps and can be sampled on one pair of neighbours. Its true loss is known from
the exact auditors. The study `audit/zoo` measures how often the black-box auditor refutes the claim
of a broken one (power) and of a sound one (false alarms).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from dpbandits.audit import lazy
from dpbandits.audit.blackbox import CONFIDENCE, lower_bound
from dpbandits.audit.engine.transcripts import Epoch, epochs_of
from dpbandits.core.algorithms import study
from dpbandits.core.mechanisms import MECHANISMS
from dpbandits.core.models import Model

EPSILON = 1.0  # what every specimen claims
Sampler = Callable[[int, int, np.random.Generator], np.ndarray]  # (which neighbour, runs, ..)


@dataclass(frozen=True)
class Specimen:
    mechanism: str
    defect: str  # "" if it is sound
    exact: Callable[[], float]  # its true pure loss over all neighbours
    method: str
    sample: Sampler


def _bins(values: np.ndarray, width: float = 0.25) -> np.ndarray:
    """Real outputs as integers: post-processing, so bounds stay valid."""
    return np.clip(np.floor(values / width), -60, 60).astype(np.int64)


def _pure(name: str, **keys) -> float:
    """The exact audit of a registered mechanism."""
    entry = MECHANISMS.get(name)
    return entry.compute(entry.params(**keys), ()).pure_epsilon


def _noisy_sum(scale: float, change: float = 1.0) -> Specimen:
    def sample(which, runs, generator):
        return _bins(which * change + generator.laplace(scale=scale, size=runs))

    defect = "half the noise" if scale < 1 / EPSILON else "missing clip" if change > 1 else ""
    exact = partial(_pure, "laplace", scale=scale, sensitivity=change)
    return Specimen("noisy sum", defect, exact, "certified", sample)


def _two_sums(fresh: bool) -> Specimen:
    """Two sums of which one changes, each with its own noise or both with the same."""
    scale = 1 / EPSILON

    def sample(which, runs, generator):
        noise = generator.laplace(scale=scale, size=(runs, 2))
        changed, same = which + noise[:, 0], noise[:, 1] if fresh else noise[:, 0]
        return 1000 * _bins(changed, 1.0) + _bins(changed - same, 0.5)

    def exact():  # with reused noise the difference of the outputs is that of the sums
        return _pure("laplace", scale=scale) if fresh else math.inf

    return Specimen("two noisy sums", "" if fresh else "reused noise", exact, "certified", sample)


def _noisy_max(scale: float) -> Specimen:
    counts = np.array([[1, 2], [0, 3]])

    def sample(which, runs, generator):
        return (counts[which] + generator.laplace(scale=scale, size=(runs, 2))).argmax(axis=1)

    exact = partial(_pure, "rnm", scale=scale, arms=2, rounds=64, adjacency="replace")
    defect = "" if scale >= 2 / EPSILON else "half the noise"
    return Specimen("report noisy max, replacement", defect, exact, "certified", sample)


# Lazy transcripts
def epochs_not_forgotten(transcript: tuple[int, ...]) -> tuple[Epoch, ...]:
    """Every epoch's sum holds all rewards of its arm so far."""
    seen: tuple[list[int], list[int]] = ([], [])
    result = []
    for epoch in epochs_of(transcript):
        seen[epoch.arm].extend(epoch.rounds)
        result.append(replace(epoch, rounds=tuple(seen[epoch.arm])))
    return tuple(result)


def epochs_off_by_one(transcript: tuple[int, ...]) -> tuple[Epoch, ...]:
    """Every epoch's sum also holds the last reward of the epoch before."""
    last: list[tuple[int, ...]] = [(), ()]
    result = []
    for epoch in epochs_of(transcript):
        result.append(replace(epoch, rounds=last[epoch.arm] + epoch.rounds))
        last[epoch.arm] = epoch.rounds[-1:]
    return tuple(result)


LAZY_HORIZON = 7
READINGS = {
    "sum not forgotten": epochs_not_forgotten,
    "off-by-one epoch": epochs_off_by_one,
}


def _lazy(defect: str, noise: float = 1.0) -> Specimen:
    reading = READINGS.get(defect, epochs_of)

    @cache
    def worst():
        law = lazy.ucb_law(LAZY_HORIZON, EPSILON, noise, reading)
        return law, *law.worst([])[:2]

    def sample(which, runs, generator):
        law, _, where = worst()
        return law.sample(where["neighbour" if which else "rewards"], runs, generator)

    return Specimen("anytime-lazy-ucb, 7 rounds", defect, lambda: worst()[1], "exact", sample)


def specimens() -> list[Specimen]:
    return [
        _noisy_sum(1 / EPSILON),
        _noisy_sum(0.5 / EPSILON),
        _noisy_sum(1 / EPSILON, change=4.0),
        _two_sums(fresh=True),
        _two_sums(fresh=False),
        _noisy_max(2 / EPSILON),
        _noisy_max(1 / EPSILON),
        _lazy(""),
        _lazy("half the noise", noise=0.5),
        _lazy("sum not forgotten"),
        _lazy("off-by-one epoch"),
    ]


# The table
class ZooParams(Model):
    samples: Annotated[tuple[int, ...], Field(min_length=1)]
    trials: Annotated[int, Field(ge=1)]
    confidence: Annotated[float, Field(gt=0, lt=1)] = CONFIDENCE


@study("audit/zoo", params=ZooParams)
def zoo_table(params: ZooParams) -> pd.DataFrame:
    """One row per specimen and sample size; `refuted` is power if broken, else false alarms."""
    rows = []
    for index, specimen in enumerate(specimens()):
        exact = specimen.exact()
        for runs in params.samples:
            bounds = [
                trial_bound(specimen, runs, params.confidence, (index, runs, trial))
                for trial in range(params.trials)
            ]
            rows.append(
                {"mechanism": specimen.mechanism, "defect": specimen.defect or "none"}
                | {"claimed_epsilon": EPSILON, "true_epsilon": exact, "method": specimen.method}
                | {"exact_audit_refutes": exact > EPSILON + 1e-9, "samples": runs}
                | {"trials": params.trials, "refuted": float(np.mean(np.array(bounds) > EPSILON))}
                | {"median_bound": float(np.median(bounds)), "confidence": params.confidence}
            )
    return pd.DataFrame(rows)


def trial_bound(specimen: Specimen, runs: int, confidence: float, key: tuple[int, ...]) -> float:
    generator = np.random.Generator(np.random.Philox(np.random.SeedSequence(key)))
    first, second = (specimen.sample(which, runs, generator) for which in (0, 1))
    return lower_bound(first, second, confidence=confidence).epsilon
