"""Texts with formulas as pictures, paper and report show them: what was read once stays."""

import pytest
from formulas import SHOWN, rows


@pytest.mark.parametrize("row", rows(), ids=lambda row: row["tex"])
def test_a_formula_is_shown_as_it_was(row):
    assert {name: show(row["tex"]) for name, show in SHOWN.items()} | {"tex": row["tex"]} == row
