"""Do two pictures show the same? By pixels and by drawing commands, not by how they are compressed.

Which bytes a compressor makes of them depends on its version and on the processor; what they hold
does not (core.processor).
"""

import re
import zlib
from pathlib import Path

import numpy as np

_STREAM = re.compile(rb"stream\r?\n(.*?)\nendstream", re.DOTALL)
_PLACES = re.compile(rb"/Length \d+( \d+ R)?|\d+ \d+ obj\s+\d+\s+endobj|\nxref.*\Z", re.DOTALL)


def same_picture(old: Path, new: Path) -> bool:
    """Of PNG and PDF what is seen, of all else, and of what cannot be read, the bytes."""
    same = {".png": _same_pixels, ".pdf": _same_commands}.get(new.suffix)
    if same is None:
        return False
    try:
        return same(old, new)
    except (OSError, SyntaxError, zlib.error):
        return False


def _same_pixels(old: Path, new: Path) -> bool:
    from PIL import Image

    with Image.open(old) as a, Image.open(new) as b:
        return a == b or np.array_equal(*(np.asarray(c.convert("RGBA")) for c in (a, b)))


def _same_commands(old: Path, new: Path) -> bool:
    return commands(old) == commands(new)


def commands(path: Path) -> bytes:
    """A PDF with its streams unpacked, without their lengths and its table of places."""
    data = path.read_bytes()
    if not data.startswith(b"%PDF"):
        raise OSError(f"{path} is no PDF")
    return _PLACES.sub(b"", _STREAM.sub(_unpacked, data))


def _unpacked(found: re.Match) -> bytes:
    try:
        return zlib.decompress(found[1])
    except zlib.error:  # one that is not compressed
        return found[1]
