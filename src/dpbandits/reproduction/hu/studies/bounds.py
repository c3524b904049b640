"""The explicit bounds of Theorems 3 and 5 over the horizon."""

from typing import Annotated

import numpy as np
import pandas as pd
from pydantic import Field

from dpbandits.core.models import Model, Several
from dpbandits.reproduction.hu import theory
from dpbandits.reproduction.series import Positives
from dpbandits.reproduction.studies import study


class Bounds(Model):
    """Instances and privacy of the long figures."""

    settings: dict[str, tuple[float, ...]]
    epsilon: Positives
    horizon: Annotated[int, Field(ge=100)]
    points: Several = 40


@study("hu/bounds", params=Bounds)
def bounds(params: Bounds) -> pd.DataFrame:
    """At log-spaced horizons."""
    rows = []
    for setting, means in params.settings.items():
        for epsilon in params.epsilon:
            for t in np.unique(np.geomspace(10, params.horizon, params.points).round()):
                labels = {"setting": setting, "epsilon": epsilon, "t": int(t)}
                labels["means"] = " ".join(f"{mean:g}" for mean in means)
                ucb = theory.lazy_ucb_bound(means, epsilon, t)
                ts = theory.lazy_ts_bound(means, epsilon, t)
                rows.append({**labels, "algorithm": "anytime-lazy-ucb", "bound": ucb})
                rows.append({**labels, "algorithm": "lazy-dp-ts", "bound": ts})
    return pd.DataFrame(rows)
