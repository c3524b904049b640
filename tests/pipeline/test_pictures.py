"""Pictures are compared by what they show, not by how they are compressed."""

import re
import zlib

import numpy as np
import pytest
from PIL import Image
from scratch import ROOT

from dpbandits.pipeline.compare import compare
from dpbandits.pipeline.pictures import commands
from dpbandits.pipeline.publish import publish
from dpbandits.plots.style import panels


@pytest.fixture
def folders(tmp_path):
    """The same figure twice, each packed in its own way."""
    canvas, axes = panels(1, 1)
    axes[0, 0].plot([1, 2, 3], [1, 4, 9])
    made, published = tmp_path / "made", tmp_path / "published"
    for folder in (made, published):
        (folder / "hu").mkdir(parents=True)
        canvas.savefig(folder / "hu/fig.pdf", metadata={"CreationDate": None})
        canvas.savefig(folder / "hu/fig.png", pil_kwargs={"compress_level": 1})
    Image.open(published / "hu/fig.png").save(published / "hu/fig.png", compress_level=9)
    (published / "hu/fig.pdf").write_bytes(repacked((made / "hu/fig.pdf").read_bytes()))
    assert all(
        (made / f"hu/fig.{kind}").read_bytes() != (published / f"hu/fig.{kind}").read_bytes()
        for kind in ("png", "pdf")
    )
    return made, published


def repacked(data: bytes, change=lambda text: text) -> bytes:
    """As another compressor would write it: other streams, other lengths, other places."""

    def again(found: re.Match) -> bytes:
        packed = zlib.compress(change(zlib.decompress(found[1])), 1)
        return b"stream\n" + packed + b"\nendstream"

    data = re.sub(rb"stream\n(x.*?)\nendstream", again, data, flags=re.DOTALL)
    data = re.sub(rb"(\d obj\n)(\d+\nendobj)", rb"\g<1>1\2", data)
    return re.sub(rb"\n\d{10} ", b"\n0000012345 ", data)


def statuses(changes) -> dict[str, str]:
    return {change.path: change.status for change in changes}


def test_what_is_only_packed_otherwise_is_the_same_and_not_published(folders):
    made, published = folders
    before = {path: path.read_bytes() for path in published.rglob("*.p*")}
    assert statuses(compare(published, made)) == {"hu/fig.pdf": "same", "hu/fig.png": "same"}
    assert "0 files differ, 2 are the same" in publish(made, published, ["hu"])
    assert {path: path.read_bytes() for path in before} == before


def test_one_pixel_and_one_command_are_seen(folders):
    made, published = folders
    picture = np.array(Image.open(made / "hu/fig.png"))
    picture[5, 7, 0] ^= 1
    Image.fromarray(picture).save(made / "hu/fig.png")
    page = (made / "hu/fig.pdf").read_bytes()
    (made / "hu/fig.pdf").write_bytes(
        repacked(page, lambda text: text.replace(b" l\n", b" m\n", 1))
    )
    assert set(statuses(compare(published, made)).values()) == {"changed"}
    assert "2 files differ" in publish(made, published, ["hu"])


def test_what_is_no_picture_counts_by_its_bytes(folders):
    made, published = folders
    for name in ("hu/fig.png", "hu/fig.pdf"):
        (made / name).write_bytes((made / name).read_bytes()[:200])
    assert set(statuses(compare(published, made)).values()) == {"changed"}


def test_all_streams_of_the_published_pages_unpack():
    """Nothing packed is left: a comparison would see its bytes."""
    for path in sorted((ROOT / "figures/hu").glob("*.pdf")):
        assert b"BT" in commands(path)  # text, in the page's packed commands
        assert b"xref" not in commands(path)
