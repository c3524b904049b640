"""kl/counterexamples: the certified counterexample of each refuted promise about data sets."""

import numpy as np
import pandas as pd

from dpbandits.core.models import Model
from dpbandits.reproduction.kl.counterexamples import COUNTEREXAMPLES
from dpbandits.reproduction.studies import study


@study("kl/counterexamples", params=Model)
def counterexamples_table(params: Model) -> pd.DataFrame:
    """What is measured at the data sets of a counterexample, and what the statement allows there.

    The row of the ledger has the data sets, and the step of the proof that fails there.
    """
    rows = []
    for claim, make in COUNTEREXAMPLES.items():
        counterexample = make()
        epsilon = counterexample.epsilon
        epsilon = np.nan if epsilon is None else float(epsilon.mid())
        sides = float(counterexample.measured.mid()), float(counterexample.allowed.mid())
        rows.append((claim, counterexample.quantity, epsilon, *sides, counterexample.proved))
    columns = ["claim", "quantity", "epsilon", "measured", "allowed", "certified"]
    return pd.DataFrame(rows, columns=columns)
