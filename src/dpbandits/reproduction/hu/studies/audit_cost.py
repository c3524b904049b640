"""What each auditor finds in the mechanisms of `audit_zoo`, and how many runs it takes.

exact: the loss over all neighbours, from the law, without a run. recorder: the code is run and
replayed (`dpbandits.audit.replay`). samples: our lower bound (`dpbandits.audit.blackbox`).
hockey-stick test: as DP-Auditorium (Kong et al. 2024) tests a claim, by a set that half of the
samples choose, where the likelihood ratio is above e^eps, and P - e^eps Q of it by the other half
(Hoeffding's inequality).
"""

import math
from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from dpbandits.audit.blackbox import CONFIDENCE, lower_bound
from dpbandits.audit.replay import Replays, function_program, learner_program
from dpbandits.core.models import Model
from dpbandits.reproduction.hu.studies.audit_zoo import EPSILON, specimens
from dpbandits.reproduction.studies import study
from dpbandits.stochastic.anytime_lazy_ucb import AnytimeLazyUcb

ROUNDS = 7


class NotForgotten(AnytimeLazyUcb):
    """Every epoch's sum holds all rewards of its arm so far."""

    def update(self, X):
        before = self.Phi[self.J]
        super().update(X)
        if self.N[self.J] == 0:  # an epoch has ended
            self.Phi[self.J] = before + X


class OffByOne(AnytimeLazyUcb):
    """Every epoch's sum also holds the last reward of the epoch before."""

    def update(self, X):
        super().update(X)
        if self.N[self.J] == 0:
            self.Phi[self.J] = X


def noisy_sum(data, generator, scale=1.0, change=1.0):
    return change * sum(data) + generator.laplace(scale=scale)


def two_sums(data, generator, reused=False):
    noise = generator.laplace(scale=1 / EPSILON, size=2)
    return [sum(data) + noise[0], noise[0] if reused else noise[1]]


def noisy_max(data, generator, scale=2.0):
    counts = np.array([sum(data), 3 - sum(data)])
    return int(np.argmax(counts + generator.laplace(scale=scale, size=2)))


def replays_of(mechanism: str, defect: str) -> Replays:
    """All neighbours of all small data sets, replayed."""
    if mechanism.startswith("anytime-lazy-ucb"):
        cls = {"sum not forgotten": NotForgotten, "off-by-one epoch": OffByOne}.get(
            defect, AnytimeLazyUcb
        )
        given = EPSILON * (2 if defect == "half the noise" else 1)
        program = learner_program(lambda noise, rng: cls(2, given, noise, rng))
        size = ROUNDS
    else:
        half = 0.5 if defect == "half the noise" else 1.0
        function = {
            "noisy sum": lambda data, g: noisy_sum(data, g, half, 4.0 if "clip" in defect else 1.0),
            "two noisy sums": lambda data, g: two_sums(data, g, defect == "reused noise"),
            "report noisy max, replacement": lambda data, g: noisy_max(data, g, 2 * half),
        }[mechanism]
        program, size = function_program(function), 3
    replays = Replays(program, 4, 0, EPSILON)
    for number in range(2**size):
        data = [number >> i & 1 for i in range(size)]
        flipped = ([*data[:i], 1 - data[i], *data[i + 1 :]] for i in range(size))
        replays.try_all(data, ((other, i) for i, other in enumerate(flipped)))
    return replays


def hockey_stick_test(first, second, epsilon: float, confidence: float = CONFIDENCE) -> bool:
    """Whether P(S) <= e^eps P'(S) is refuted for a set S, in one of the two directions."""
    half = len(first) // 2
    margin = math.sqrt(math.log(4 / (1 - confidence)) / (2 * (len(first) - half)))
    for p, q in ((first, second), (second, first)):
        outcomes, codes = np.unique(np.concatenate([p, q]), return_inverse=True)
        p, q = codes[: len(p)], codes[len(p) :]
        counts = [np.bincount(x[:half], minlength=len(outcomes)) for x in (p, q)]
        chosen = counts[0] > math.exp(epsilon) * counts[1]
        hits, others = chosen[p[half:]].mean(), chosen[q[half:]].mean()
        if hits - margin > math.exp(epsilon) * (others + margin):
            return True
    return False


class CostParams(Model):
    samples: Annotated[tuple[int, ...], Field(min_length=1)]
    trials: Annotated[int, Field(ge=1)]


@study("hu/audit_cost", params=CostParams)
def cost_table(params: CostParams) -> pd.DataFrame:
    """One row per mechanism and auditor: whether it refutes the claim, the runs that takes (of the
    sampling ones the fewest with which most trials refute it), and the loss that it finds."""
    rows = []
    for index, specimen in enumerate(specimens()):
        name = {"mechanism": specimen.mechanism, "defect": specimen.defect or "none"}
        exact = specimen.exact()
        rows.append(
            name | {"auditor": "exact", "runs": 0, "found": exact > EPSILON + 1e-9, "loss": exact}
        )
        result = (replays := replays_of(specimen.mechanism, specimen.defect)).result(0.0, "")
        rows.append(name | {"auditor": "recorder", "runs": replays.runs,
                            "found": not result.within, "loss": result.epsilon})  # fmt: skip
        for auditor in ("samples", "hockey-stick test"):
            rows.append(name | {"auditor": auditor} | sampled(specimen, index, auditor, params))
    table = pd.DataFrame(rows)
    return table.assign(claimed_epsilon=EPSILON)


def sampled(specimen, index: int, auditor: str, params: CostParams) -> dict:
    loss = 0.0
    for runs in params.samples:
        refuted = []
        for trial in range(params.trials):
            key = np.random.SeedSequence((index, runs, trial))
            generator = np.random.Generator(np.random.Philox(key))
            pair = [specimen.sample(which, runs, generator) for which in (0, 1)]
            if auditor == "samples":
                bound = lower_bound(*pair, confidence=CONFIDENCE).epsilon
                loss = max(loss, bound)
                refuted.append(bound > EPSILON)
            else:
                refuted.append(hockey_stick_test(*pair, EPSILON))
        if np.mean(refuted) > 0.5:
            return {"runs": 2 * runs, "found": True, "loss": loss if loss else math.nan}
    return {"runs": 2 * max(params.samples), "found": False, "loss": loss if loss else math.nan}
