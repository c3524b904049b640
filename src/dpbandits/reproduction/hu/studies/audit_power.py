"""How many runs the black-box auditor needs on the three mechanisms of docs/auditing.md.

Each claims (epsilon, delta) and is sampled on one pair of neighbours, the first two with the right
noise and with half of it. For the Laplace mechanism on floats, its outputs are audited, then their
last bits.
"""

from functools import partial
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from dpbandits.audit.blackbox import CONFIDENCE, clopper_pearson, lower_bound
from dpbandits.core.models import Model
from dpbandits.reproduction.studies import study

EPSILON, DELTA = 1.0, 1e-5  # of the claim; delta of the Gaussian mechanism alone
SIGMA = 3.74  # what this claim needs for a sum with sensitivity 1


def gaussian_sum(sigma: float, which: int, runs: int, generator) -> np.ndarray:
    return which + generator.normal(scale=sigma, size=runs)


def noisy_max(scale: float, which: int, runs: int, generator) -> np.ndarray:
    """The winner of 1 vote against 3, or of 2 against 2."""
    counts = np.array([[1, 3], [2, 2]][which])
    return (counts + generator.laplace(scale=scale, size=(runs, 2))).argmax(axis=1)


def laplace_sum(which: int, runs: int, generator) -> np.ndarray:
    return which + generator.laplace(size=runs)


def last_bits(which: int, runs: int, generator) -> np.ndarray:
    """1 if the output is a multiple of 2^-53, else 0."""
    scaled = laplace_sum(which, runs, generator) * 2.0**53
    return (scaled == np.floor(scaled)).astype(int)


MECHANISMS = {  # name: (whether the claim is false, delta, sampler)
    "Gaussian sum": (False, DELTA, partial(gaussian_sum, SIGMA)),
    "Gaussian sum, half the noise": (True, DELTA, partial(gaussian_sum, SIGMA / 2)),
    "noisy max": (False, 0.0, partial(noisy_max, 2 / EPSILON)),
    "noisy max, half the noise": (True, 0.0, partial(noisy_max, 1 / EPSILON)),
    "Laplace sum on floats": (True, 0.0, laplace_sum),
    "Laplace sum on floats, last bits": (True, 0.0, last_bits),
}


class PowerParams(Model):
    runs: Annotated[tuple[Annotated[int, Field(ge=2)], ...], Field(min_length=1)]
    trials: Annotated[int, Field(ge=1)]
    confidence: Annotated[float, Field(gt=0, lt=1)] = CONFIDENCE


@study("hu/audit_power", params=PowerParams)
def power(params: PowerParams) -> pd.DataFrame:
    """One row per mechanism and number of runs: the share of audits that refute its claim, with
    the ends of its 95% interval (Clopper-Pearson)."""
    rows = []
    for index, (name, (false, delta, sample)) in enumerate(MECHANISMS.items()):
        for runs in params.runs:
            hits = 0
            for trial in range(params.trials):
                key = np.random.SeedSequence((index, runs, trial))
                generator = np.random.Generator(np.random.Philox(key))
                pair = [sample(which, runs, generator) for which in (0, 1)]
                bound = lower_bound(*pair, delta=delta, confidence=params.confidence)
                hits += bound.epsilon > EPSILON
            low, high = clopper_pearson(hits, params.trials, 0.025)
            row = (name, false, EPSILON, delta, runs, params.trials)
            rows.append((*row, hits / params.trials, low, high, params.confidence))
    columns = ["mechanism", "claim_is_false", "epsilon", "delta", "runs", "trials"]
    return pd.DataFrame(rows, columns=[*columns, "refuted", "low", "high", "confidence"])
