"""kl/counterexamples: the certified counterexample of each refuted promise about data sets."""

import numpy as np
import pandas as pd

from dpbandits.core.algorithms import study
from dpbandits.core.models import Model
from dpbandits.offline.counterexamples import COUNTEREXAMPLES


class Nothing(Model):
    """This study has no parameters."""


@study("kl/counterexamples", params=Nothing)
def counterexamples_table(params: Nothing) -> pd.DataFrame:
    """What is measured at the data sets of a counterexample, and what the statement allows there.

    The data sets, and the step of the proof that fails there, stand in the row of the ledger.
    """
    rows = [_counterexample(row, make()) for row, make in COUNTEREXAMPLES.items()]
    return pd.DataFrame(rows)


def _counterexample(row: str, found) -> dict:
    return {
        "claim": row,
        "quantity": found.quantity,
        "epsilon": np.nan if found.epsilon is None else float(found.epsilon.mid()),
        "measured": float(found.measured.mid()),
        "allowed": float(found.allowed.mid()),
        "certified": found.proved,
    }
