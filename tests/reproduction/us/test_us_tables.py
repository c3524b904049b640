"""US's tables at the smoke scale are the golden ones, byte for byte."""

import pytest
from smoke_tables import golden, made, names


@pytest.mark.parametrize("name", names("us"))
def test_the_table_is_the_golden_one(name, tmp_path):
    assert made("us", name, tmp_path / "table.csv") == golden("us", name)
