"""US's smoke tables, made again: the golden ones to the byte. No law is tested here, but whatever
is simulated, summarised or studied changes by intention alone."""

import pytest
from smoke_tables import GOLDEN, golden, made, names


@pytest.mark.parametrize("name", names("us"))
def test_the_table_is_the_golden_one(name, tmp_path):
    assert made("us", name, tmp_path / "table.csv") == golden("us", name)


def test_there_are_no_other_golden_tables():
    assert sorted(path.stem for path in (GOLDEN / "us").iterdir()) == names("us")
