"""Exact: the probability that the worse of two arms is chosen; the loss of a reported reward."""

from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field
from scipy.stats import binom

from dpbandits.core.models import Model
from dpbandits.reproduction.studies import study
from local_privacy.lp_commit import flips


class Params(Model):
    means: tuple[float, float]  # the better arm first
    pulls: tuple[Annotated[int, Field(ge=1)], ...]
    epsilons: tuple[Annotated[float, Field(gt=0)], ...]


@study("lp/commit", params=Params)
def commit(params):
    """One row per epsilon and number of pulls: probability of a wrong choice, and its bound."""
    rows = []
    gap = params.means[0] - params.means[1]
    for epsilon in params.epsilons:
        p = flips(epsilon)
        good, bad = (m * (1 - p) + (1 - m) * p for m in params.means)  # means of reported rewards
        for n in params.pulls:
            k = np.arange(n + 1)
            wrong = binom.pmf(k, n, bad) @ binom.cdf(k, n, good)  # ties count as wrong
            bound = np.exp(-n * ((1 - 2 * p) * gap) ** 2 / 2)
            rows.append((epsilon, n, np.log1p(-p) - np.log(p), wrong, bound))
    return pd.DataFrame(rows, columns=["epsilon", "pulls", "loss", "wrong", "bound"])
