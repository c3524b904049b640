"""Whether two pictures show the same: the same pixels of a PNG, the same commands of a PDF.

The bytes of equal pictures may differ, as they depend on the version of the compressor and on the
processor.
"""

import re
import zlib
from pathlib import Path

import numpy as np

_STREAM = re.compile(rb"stream\r?\n(.*?)\nendstream", re.DOTALL)
_ENDS = {".png": b"\0\0\0\0IEND\xaeB`\x82", ".pdf": b"%%EOF\n"}
_OFFSETS = re.compile(rb"/Length \d+( \d+ R)?|\d+ \d+ obj\s+\d+\s+endobj|\nxref.*\Z", re.DOTALL)


def same_picture(old: Path, new: Path) -> bool:
    """Whether two PNG or two PDF files show the same; False for others and unreadable ones, and if
    the old one does not end as it should, as readers forgive that."""
    try:
        if not old.read_bytes().endswith(_ENDS[new.suffix]):
            return False
        if new.suffix == ".png":
            return _same_pixels(old, new)
        return commands(old) == commands(new)
    except (KeyError, OSError, SyntaxError, zlib.error):
        return False


def _same_pixels(old: Path, new: Path) -> bool:
    from PIL import Image

    with Image.open(old) as a, Image.open(new) as b:
        return a == b or np.array_equal(*(np.asarray(c.convert("RGBA")) for c in (a, b)))


def commands(path: Path) -> bytes:
    """The content of a PDF with its streams unpacked, without lengths and offsets."""
    data = path.read_bytes()
    if not data.startswith(b"%PDF"):
        raise OSError(f"{path} is no PDF")
    return _OFFSETS.sub(b"", _STREAM.sub(_unpacked, data))


def _unpacked(match: re.Match) -> bytes:
    try:
        return zlib.decompress(match[1])
    except zlib.error:  # a stream that is not compressed
        return match[1]
