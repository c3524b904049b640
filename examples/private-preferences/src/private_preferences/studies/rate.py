"""pp/rate: the exact expected gap of PPKL, and what no method can stay below, for two answers.

The answers are 1 and -1, of rewards theta and -theta; all n records compare them, so their labels
are a binomial count. The gap is eta KL(policy, best policy); PPKL is without its bonus, with
|theta| <= 1. `floor` is below the larger expected gap of any method at theta and -theta, for every
epsilon and also without privacy (docs/proofs/PP.md).
"""

from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field
from scipy.special import expit, logit, rel_entr
from scipy.stats import binom

from dpbandits.core.models import Model
from dpbandits.reproduction.studies import study
from private_preferences.local import keep_probability

BALL = 1.0


class Rate(Model):
    n: tuple[Annotated[int, Field(ge=1)], ...]
    epsilon: tuple[Annotated[float, Field(gt=0)], ...]
    theta: float = Field(0.5, gt=0, le=BALL)
    eta: float = Field(1.0, gt=0)


@study("pp/rate", params=Rate)
def compute(params: Rate) -> pd.DataFrame:
    rows = []
    for n in params.n:
        for epsilon in params.epsilon:
            printed = 1 / (np.expm1(epsilon) ** 2 * n)
            repaired = 1 / (np.tanh(epsilon / 2) ** 2 * n)
            gaps = expected_gap(n, epsilon, params.theta, params.eta), floor(n, params)
            rows.append((n, epsilon, *gaps, printed, repaired))
    return pd.DataFrame(rows, columns=["n", "epsilon", "gap", "floor", "printed", "repaired"])


def expected_gap(n: int, epsilon: float, theta: float, eta: float) -> float:
    """Of PPKL at theta, over the labels and the reports."""
    keep, wins = keep_probability(epsilon), np.arange(n + 1)
    hit = expit(2 * theta)
    seen = keep * hit + (1 - keep) * (1 - hit)
    share = (wins / n - (1 - keep)) / (2 * keep - 1)  # of labels 1: the unconstrained maximum
    fitted = logit(np.clip(share, expit(-2 * BALL), expit(2 * BALL))) / 2
    gaps = eta * kl(expit(2 * fitted / eta), expit(2 * theta / eta))
    return float(binom.pmf(wins, n, seen) @ gaps)


def floor(n: int, params: Rate) -> float:
    """Half of the mass that n labels at theta and at -theta share, times the least sum of both
    gaps: that of the policy 1/2."""
    wins, hit = np.arange(n + 1), expit(2 * params.theta)
    shared = np.minimum(binom.pmf(wins, n, hit), binom.pmf(wins, n, 1 - hit)).sum()
    best = expit(2 * params.theta / params.eta)
    return float(shared / 2 * params.eta * 2 * kl(0.5, best))


def kl(p, q):
    return rel_entr(p, q) + rel_entr(1 - p, 1 - q)
