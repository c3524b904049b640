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
    read = {".png": pixels, ".pdf": commands}.get(new.suffix)
    if read is None:
        return False
    try:
        return np.array_equal(read(old), read(new))
    except (OSError, SyntaxError, zlib.error):
        return False


def pixels(path: Path) -> np.ndarray:
    from PIL import Image

    with Image.open(path) as picture:
        return np.asarray(picture.convert("RGBA"))


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
