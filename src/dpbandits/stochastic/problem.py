"""HU's problem: K Bernoulli arms, regret = sum of the gaps of the played arms."""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from dpbandits.core.models import Model

PROVED = "assumed: proved in docs/proofs/HU.md, Section 5"  # the privacy of the rivals

Mean = Annotated[float, Field(ge=0, le=1)]


class StochasticSetting(Model):
    """Arms in the order in which they are tried: ties go to the first, RNM-FTNL starts with it."""

    means: Annotated[tuple[Mean, ...], Field(min_length=2)]

    @property
    def gaps(self) -> np.ndarray:
        means = np.array(self.means)
        return means.max() - means


class RnmFtnlSetting(StochasticSetting):
    variant: Literal["printed", "corrected", "permute-and-flip", "gumbel", "prefix", "phase"] = (
        "phase"  # private, with the optimal rate; the printed one is not private as claimed
    )


class AdapSetting(StochasticSetting):
    alpha: Annotated[float, Field(gt=0)] = 3.1  # Azize and Basu 2022, experiments


class GrowthSetting(StochasticSetting):
    """The paper leaves both open. Left out: what was best for this epsilon on tuning instances
    (dp_klucb.py, dp_imed.py; the table hu/rivals_tuning)."""

    growth: Annotated[float, Field(gt=1)] | None = None  # of an arm's plays, by each batch
    first_batch: Annotated[float, Field(ge=0)] | None = None  # times epsilon; 0: one play


class ConfidenceSetting(StochasticSetting):
    confidence: Annotated[float, Field(gt=0, lt=1)] = 0.95  # of the answer
