"""A figure that reads a table which it does not declare fails, and says so."""

import pandas as pd
import pytest

from dpbandits.core.errors import InputError
from dpbandits.core.figures import Drawing, Figure
from dpbandits.pipeline.figures import drawn


def tables(name: str) -> pd.DataFrame:
    return pd.DataFrame({"x": [1]})


def test_figure_reads_only_what_it_declares():
    def make(read):
        return Drawing(None, read("two"))

    entry = Figure("x/a", "figures", ("one",), "A", "", "", make, __name__, folder="claims")
    with pytest.raises(InputError, match="figure x/a reads table 'two'; name it in its `reads`"):
        drawn(entry, tables)
