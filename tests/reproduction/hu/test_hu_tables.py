"""HU's smoke tables equal the golden ones byte for byte, so that no number changes unnoticed."""

import pytest
from smoke_tables import golden, made, names


@pytest.mark.parametrize("name", names("hu"))
def test_table_equals_the_golden_one(name, tmp_path):
    assert made("hu", name, tmp_path / "table.csv") == golden("hu", name)
