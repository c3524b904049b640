"""Tables of experiments: means over seeds with their bands, in the order of the config.

By hand: 11, 12, 16 have standard error sqrt(7/3) = 1.527525, and the 97.5% quantile of Student's t
is 4.302653 with 2 degrees of freedom, 12.706205 with 1.
"""

import math

import pandas as pd
import pytest

from dpbandits.reproduction.pipeline.jobs import summarise


def rows(values, t=5):
    """Results of seeds 0, 1, ... in long form."""
    keys = {"algorithm": "a", "epsilon": 1.0, "seed": range(len(values)), "metric": "regret"}
    return pd.DataFrame(keys | {"t": t, "value": values})


def test_means_and_bands_by_hand():
    """Each cell has the band of its own number of runs; one run has none."""
    parts = [rows([10.0, 11.0]), rows([11.0, 12.0, 16.0], t=9), rows([4.0], t=12)]
    table = summarise(parts, ["a"])
    assert table["runs"].tolist() == [2, 3, 1]
    assert table["mean"].tolist() == [10.5, 13.0, 4.0]
    assert table["sem"].tolist()[:2] == pytest.approx([0.5, 1.527525], rel=1e-6)
    half = [0.5 * 12.706205, 1.527525 * 4.302653]
    assert (table["high"] - table["mean"]).tolist()[:2] == pytest.approx(half, rel=1e-6)
    assert (table["mean"] - table["low"]).tolist()[:2] == pytest.approx(half, rel=1e-6)
    assert math.isnan(table["low"][2])
    assert math.isnan(table["high"][2])
