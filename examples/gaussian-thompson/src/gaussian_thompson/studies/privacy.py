"""The exact loss of short runs beside the guarantee."""

from typing import Annotated

import pandas as pd
from pydantic import Field

from dpbandits.core.models import Model
from dpbandits.reproduction.studies import study
from gaussian_thompson.exact import worst_delta
from gaussian_thompson.theory import gdp, mu_of

Steps = Annotated[int, Field(ge=1, le=9)]


class PrivacyParams(Model):
    pre_pulls: tuple[Annotated[int, Field(ge=0)], ...]
    variances: tuple[Annotated[float, Field(gt=0)], ...]
    decisions: tuple[Steps, ...]
    epsilons: tuple[Annotated[float, Field(ge=0)], ...]


@study("ts/privacy", params=PrivacyParams)
def privacy(params: PrivacyParams) -> pd.DataFrame:
    """One row per b, c, number of decisions and epsilon."""
    rows = []
    for b in params.pre_pulls:
        for c in params.variances:
            for steps in params.decisions:
                bound = gdp(steps + max(2 * b, 1), 2, b, c)
                deltas = worst_delta(b, c, steps, params.epsilons)
                for epsilon, delta in zip(params.epsilons, deltas, strict=True):
                    mu = mu_of(delta, epsilon)
                    rows.append((b, c, steps, epsilon, delta, mu, bound))
    columns = ["pre_pulls", "variance", "decisions", "epsilon", "delta", "mu", "bound"]
    return pd.DataFrame(rows, columns=columns)
