"""What `dpbandits compare` says of two folders and of their tables."""

import pytest

from dpbandits.core.files import read_table, write_text
from dpbandits.reproduction.pipeline.compare import compare, compare_tables


def test_folders_are_compared_file_by_file(tmp_path):
    for name, old, new in (
        ("a.csv", "n,x\n1,8\n", "n,x\n1,10\n"), ("b.txt", "1", "2"), ("c.txt", None, "x"),
        ("d.txt", "x", None), ("e.txt", "x", "x"),
    ):  # fmt: skip
        for folder, text in (("old", old), ("new", new)):
            if text is not None:
                write_text(text, tmp_path / folder / "tables" / name)
                write_text(f"{text}{folder}", tmp_path / folder / "logs" / name)  # not compared
    assert compare(tmp_path / "old", tmp_path / "new") == [
        "  changed  tables/a.csv  (at most 20%)", "  changed  tables/b.txt",
        "  new      tables/c.txt", "  gone     tables/d.txt",
    ]  # fmt: skip


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
