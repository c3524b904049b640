"""kl/counterexamples: the certified counterexample of each refuted promise about data sets."""

import numpy as np
import pandas as pd

from dpbandits.core.models import Model
from dpbandits.reproduction.kl.counterexamples import COUNTEREXAMPLES
from dpbandits.reproduction.studies import study


@study("kl/counterexamples", params=Model)
def counterexamples_table(params: Model) -> pd.DataFrame:
    """What is measured at the data sets of a counterexample, and what the statement allows."""
    rows = []
    for claim, make in COUNTEREXAMPLES.items():
        found = make()
        numbers = found.epsilon, found.measured, found.allowed
        values = [np.nan if x is None else float(x.mid()) for x in numbers]
        rows.append((claim, found.quantity, *values, found.proved))
    columns = ["claim", "quantity", "epsilon", "measured", "allowed", "certified"]
    return pd.DataFrame(rows, columns=columns)
