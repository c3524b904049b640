"""What `dpbandits compare` says of two tables."""

import pytest

from dpbandits.core.files import read_table
from dpbandits.reproduction.pipeline.compare import compare_tables

COMPARED = {
    "a row more": ("n,a\n1,2\n", "n,a\n1,2\n1,2\n", "other rows: 1 before, 2 now"),
    "a gap of 3 with errors 3 and 4": (
        "t,mean,sem,low\n5,1,3,0\n", "t,mean,sem,low\n5,4,4,7\n", "at most 0.6 standard errors",
    ),
    "relative to the larger": ("x,y\n8,1\n", "x,y\n10,1\n", "at most 20%"),
    "verdicts of readings": (
        "id,reading,verdict\nB,p,holds\nA,p,holds\nA,q,holds\n",
        "id,reading,verdict\nA,q,violated\nA,p,holds\n",
        "A, q: holds -> violated; B, p: holds -> none",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", COMPARED)
def test_differences_of_tables(name, tmp_path):
    old, new, message = COMPARED[name]
    for file, text in (("old.csv", old), ("new.csv", new)):
        (tmp_path / file).write_text(text)
    tables = (read_table(tmp_path / f"{name}.csv") for name in ("old", "new"))
    assert compare_tables(*tables) == message
