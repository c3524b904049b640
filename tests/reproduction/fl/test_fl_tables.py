"""FL's smoke tables, made again: the golden ones to the byte. No law is tested here, but whatever
is simulated, summarised or studied changes by intention alone."""

import pytest
from smoke_tables import golden, made, names


@pytest.mark.parametrize("name", names("fl"))
def test_the_table_is_the_golden_one(name, tmp_path):
    assert made("fl", name, tmp_path / "table.csv") == golden("fl", name)
