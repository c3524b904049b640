"""At which (s, eps, delta) Peeling with its printed noise is (eps, delta)-DP (FL Lemma A.2)."""

from typing import Annotated

import pandas as pd
from pydantic import Field

from dpbandits.audit.balls import as_delta, lower
from dpbandits.core.models import Model
from dpbandits.reproduction.fl.lemma_a2 import lemma
from dpbandits.reproduction.studies import study

Positive = Annotated[float, Field(gt=0)]


class LemmaParams(Model):
    d: Annotated[int, Field(ge=1)]
    sparsity: tuple[Annotated[int, Field(ge=1, le=100)], ...]
    epsilon: tuple[Positive, ...]
    delta: tuple[Annotated[float, Field(gt=0, lt=1)], ...]


@study("fl/lemma_a2", params=LemmaParams)
def lemma_table(params: LemmaParams) -> pd.DataFrame:
    """One row per (delta, s, eps): the verdict, and certified bounds on the true delta at eps."""
    rows = []
    for delta in params.delta:
        for s in params.sparsity:
            for epsilon in params.epsilon:
                verdict, low, high = lemma(s, params.d, epsilon, delta)
                bounds = (max(0.0, lower(low)), as_delta(high))
                rows.append((delta, s, params.d, epsilon, verdict, *bounds))
    columns = ["delta", "s", "d", "epsilon", "verdict", "delta_at_least", "delta_at_most"]
    return pd.DataFrame(rows, columns=columns)
