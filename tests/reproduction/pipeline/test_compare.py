"""What `dpbandits compare` says of two folders, of their tables and of their pictures."""

import re
import zlib

import numpy as np
import pytest
from PIL import Image
from scratch import ROOT

from dpbandits.core.errors import InputError
from dpbandits.core.files import read_table, write_text
from dpbandits.reproduction.pipeline.compare import compare, compare_tables
from dpbandits.reproduction.pipeline.pictures import commands
from dpbandits.reproduction.pipeline.publish import publish
from dpbandits.reproduction.plots.style import panels


def test_folders_are_compared_file_by_file(tmp_path):
    for name, old, new in (
        ("a.csv", "n,x\n1,8\n", "n,x\n1,10\n"), ("b.txt", "1", "2"), ("c.txt", None, "x"),
        ("d.txt", "x", None), ("e.txt", "x", "x"), ("logs/f.txt", "x", "y"),
    ):  # fmt: skip
        for folder, text in (("old", old), ("new", new)):
            if text is not None:
                write_text(text, tmp_path / folder / name)
    changes = list(map(str, compare(tmp_path / "old", tmp_path / "new")))
    assert changes == [
        "  changed  a.csv  (at most 20%)", "  changed  b.txt", "  new      c.txt",
        "  gone     d.txt  (not made by this run)", "  same     e.txt", "  changed  logs/f.txt",
    ]  # fmt: skip


def test_only_tables_and_figures_of_results_are_compared(tmp_path):
    for name in ("tables/t.csv", "tables/.t.partial.csv", "figures/f.csv", "logs/f.txt"):
        write_text("x", tmp_path / "new" / name)
    with pytest.raises(InputError, match="none: no such folder"):
        compare(tmp_path / "none", tmp_path / "new")
    (tmp_path / "none").mkdir()
    changes = compare(tmp_path / "none", tmp_path / "new")
    assert [(c.path, c.status) for c in changes] == [
        ("figures/f.csv", "new"), ("tables/t.csv", "new")
    ]  # fmt: skip


COMPARED = {
    "columns": ("a,b\n1,2\n", "a,c\n1,2\n", "other columns"),
    "text alone": ("a,b\nx,y\n", "a,b\nx,z\n", "other rows: 1 before, 1 now"),
    "text that says the same": ("a\nx\n", 'a\n"x"\n', "other text"),
    "a row more": ("n,a\n1,2\n", "n,a\n1,2\n1,2\n", "other rows: 1 before, 2 now"),
    "an integer key": ("t,mean,sem\n1,2,1\n", "t,mean,sem\n2,2,1\n", "other rows: 1 before, 1 now"),
    "a gap of 3 with errors 3 and 4": (
        "t,mean,sem,low\n5,1,3,0\n", "t,mean,sem,low\n5,4,4,7\n",
        "at most 0.6 standard errors; there: t 5",
    ),
    "relative to the larger": ("x,y\n8,1\n", "x,y\n10,1\n", "at most 20%"),
    "no error and no gap beside a gap": (
        "t,mean,sem\n5,1,0\n6,1,3\n", "t,mean,sem\n5,1,0\n6,6,4\n",
        "at most 1 standard errors; there: t 6",
    ),
    "from nothing to nothing": ("x,y\n0,0\n", "x,y\n0,0.0\n", "at most 0%"),
    "no verdict": (
        "id,reading,verdict,t\nA,p,holds,1\n", "id,reading,verdict,t\nA,p,holds,2\n",
        "the same verdicts, other text",
    ),
    "verdicts of readings": (
        "id,reading,verdict\nB,p,holds\nA,p,holds\nA,q,holds\n",
        "id,reading,verdict\nA,q,violated\nA,p,holds\n",
        "verdicts: A, q: holds -> violated; B, p: holds -> none",
    ),
    "a gap in standard errors, and where": (
        "algorithm,t,mean,sem\na,1,2,0.3\nb,9,2,0.3\n",
        "algorithm,t,mean,sem\na,1,2,0.3\nb,9,3,0.4\n",
        "at most 2 standard errors; there: algorithm b, t 9",
    ),
    "a gap without an error is not hidden by the others": (
        "t,mean,sem\n1,2,0.3\n9,2,0\n",
        "t,mean,sem\n1,2.1,0.3\n9,3,0\n",
        "at most inf standard errors; there: t 9",
    ),
    "only the errors differ": ("t,mean,sem\n1,2,0.4\n", "t,mean,sem\n1,2,0.5\n", "at most 20%"),
    # sd = 0.5 sqrt(16) = 2, so the error is 2 sqrt(1/4 - 1/16) = 0.866 and z = 2/sqrt(3); Student's
    # t with 3 degrees: p = 1 - (2/pi) (atan(2/3) + (2/3) / (1 + 4/9)) = 0.33184, for two rows twice
    "more runs, among them the fewer; other rows left out, rounding no difference": (
        "t,runs,mean,sem,low\n1,4,2,0.4,7\n5,4,1,0,8\n9,4,2,0.3,8\n",
        "t,runs,mean,sem,low\n2,16,5,0.3,9\n1.0,16,3,0.5,9\n5,16,1.0000000000001,0,9\n",
        "of rows in both (3 before, 3 now) at most 1.2 standard errors; there: t 1; "
        "4 and 16 runs, p = 0.66 for 2 rows",
    ),
    "more runs: a unit in the sixth digit is the rounding of tables": (
        "t,runs,mean,sem\n1,4,1.53987,1e-7\n2,4,15,2\n",
        "t,runs,mean,sem\n1,16,1.53988,1e-7\n2,16,16,0.5\n",
        "at most 1.2 standard errors; there: t 2; 4 and 16 runs, p = 0.66 for 2 rows",
    ),
    "fewer runs than before": (
        "t,runs,mean,sem\n1,16,3,0.5\n",
        "t,runs,mean,sem\n1,4,2,0.4\n",
        "at most 1.2 standard errors; there: t 1; 16 and 4 runs, p = 0.33 for 1 rows",
    ),
    "a verdict": (
        "id,verdict,scope\nA,holds,s\nB,holds,s\n",
        "id,verdict,scope\nA,violated,s\nC,holds,s\n",
        "verdicts: A: holds -> violated; B: holds -> none; C: none -> holds",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", COMPARED)
def test_differences_of_tables(name, tmp_path):
    old, new, message = COMPARED[name]
    for file, text in (("old.csv", old), ("new.csv", new)):
        (tmp_path / file).write_text(text)
    tables = (read_table(tmp_path / f"{name}.csv") for name in ("old", "new"))
    assert compare_tables(*tables) == message


# Pictures


@pytest.fixture
def folders(tmp_path):
    """The same figure twice, with different compression."""
    canvas, axes = panels(1, 1)
    axes[0, 0].plot([1, 2, 3], [1, 4, 9])
    made, published = tmp_path / "made", tmp_path / "published"
    for folder in (made, published):
        (folder / "hu").mkdir(parents=True)
        canvas.savefig(folder / "hu/fig.pdf", metadata={"CreationDate": None})
        canvas.savefig(folder / "hu/fig.png", pil_kwargs={"compress_level": 1})
    Image.open(published / "hu/fig.png").save(published / "hu/fig.png", compress_level=9)
    (published / "hu/fig.pdf").write_bytes(repacked((made / "hu/fig.pdf").read_bytes()))
    for name in ("hu/fig.png", "hu/fig.pdf"):
        assert (made / name).read_bytes() != (published / name).read_bytes()
    return made, published


def repacked(data: bytes, change=lambda text: text) -> bytes:
    """A PDF as another compressor would write it: other streams, lengths and offsets."""

    def again(match: re.Match) -> bytes:
        packed = zlib.compress(change(zlib.decompress(match[1])), 1)
        return b"stream\n" + packed + b"\nendstream"

    data = re.sub(rb"stream\n(x.*?)\nendstream", again, data, flags=re.DOTALL)
    data = re.sub(rb"(\d obj\n)(\d+\nendobj)", rb"\g<1>1\2", data)
    return re.sub(rb"\n\d{10} ", b"\n0000012345 ", data)


def statuses(changes) -> dict[str, str]:
    return {change.path: change.status for change in changes}


def test_other_compression_is_no_difference_and_not_published(folders):
    made, published = folders
    before = {path: path.read_bytes() for path in published.rglob("*.p*")}
    assert statuses(compare(published, made)) == {"hu/fig.pdf": "same", "hu/fig.png": "same"}
    assert "0 files differ, 2 are the same" in publish(made, published, ["hu"])
    assert {path: path.read_bytes() for path in before} == before


def test_one_pixel_and_one_command_are_differences(folders):
    made, published = folders
    picture = np.array(Image.open(made / "hu/fig.png"))
    picture[5, 7, 0] ^= 1
    Image.fromarray(picture).save(made / "hu/fig.png")
    page = (made / "hu/fig.pdf").read_bytes()
    edited = repacked(page, lambda text: text.replace(b" l\n", b" m\n", 1))
    (made / "hu/fig.pdf").write_bytes(edited)
    assert set(statuses(compare(published, made)).values()) == {"changed"}
    assert "2 files differ" in publish(made, published, ["hu"])


def test_unreadable_pictures_are_compared_by_their_bytes(folders):
    made, published = folders
    for name in ("hu/fig.png", "hu/fig.pdf"):
        (made / name).write_bytes((made / name).read_bytes()[:200])
    assert set(statuses(compare(published, made)).values()) == {"changed"}


def test_all_streams_of_published_pdfs_unpack():
    """Else a comparison would compare compressed bytes."""
    for path in sorted((ROOT / "figures/hu").glob("*.pdf")):
        assert b"BT" in commands(path)  # text, in the page's packed commands
        assert b"xref" not in commands(path)
