"""HU's problem: K Bernoulli arms, regret = sum of the gaps of the played arms."""

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from dpbandits.core.models import Model
from dpbandits.core.problem import Environment

PROVED = "assumed: proved in docs/proofs/HU.md, Section 5"  # the privacy of the rivals

Mean = Annotated[float, Field(ge=0, le=1)]


class StochasticSetting(Model):
    """Arms in the order in which they are tried: ties go to the first, RNM-FTNL starts with it."""

    means: Annotated[tuple[Mean, ...], Field(min_length=2)]

    @property
    def gaps(self) -> np.ndarray:
        means = np.array(self.means)
        return means.max() - means


class Arms(Environment):
    """Means drawn uniformly from a range, so that no order of arms helps."""

    setting = StochasticSetting
    beside = "thompson"

    @property
    def about(self):
        return "means from {:g} to {:g}".format(*self.sizes.means)

    def instances(self, count):
        low, high = self.sizes.means
        rng = np.random.default_rng([self.sizes.arms, 0])
        drawn = low + (high - low) * rng.random((count, self.sizes.arms))
        return [{"means": list(row)} for row in drawn]

    def play(self, setting, rng):
        means = np.array(setting.means)
        while True:
            yield None, means, lambda arm: float(rng.random() < means[arm])

    def random(self, instances, regret):
        return self.sizes.horizon * _gaps(instances).mean(axis=1)

    def notes(self, instances, regret, random, run):
        """Whose regret is that of random play, up to a turn of the arms."""
        turn = _gaps(instances).sum(axis=1)
        same = [n for n, x in regret.items() if n and np.all(abs(x - random) <= turn)]
        return [f"{n} is random play: no phase of it ends before the horizon" for n in same]


def _gaps(instances) -> np.ndarray:
    return np.array([StochasticSetting(**one).gaps for one in instances])


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
