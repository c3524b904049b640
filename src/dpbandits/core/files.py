"""Reading and writing files: always written completely or not at all, tables at fixed precision."""

import csv
import errno
import glob
import hashlib
import os
import platform
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BytesIO, StringIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from dpbandits.core.errors import InputError

if TYPE_CHECKING:  # pandas is imported when a table is read or made: it takes half a second
    import pandas as pd

FLOAT_FORMAT = "%.6g"  # for readability; the numbers agree to the last bit (core.processor)
HOST = hashlib.blake2b(platform.node().encode(), digest_size=3).hexdigest()
PARTIAL = ".partial"
written: set[Path] = set()  # what this process has written
_open: set[Path] = set()  # temporary files that are being written


@contextmanager
def atomic(path: str | os.PathLike) -> Iterator[Path]:
    """Yield a temporary name beside `path`; on success it replaces `path`, else it is removed.

    A device or pipe (`/dev/stdout`) cannot be replaced: it is yielded itself.
    """
    path = Path(path)
    if path.exists() and not (path.is_file() or path.is_dir()):
        yield path
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_those_of_killed_processes(path)
    temporary = _temporary(path)
    _open.add(temporary)
    try:
        yield temporary
        os.replace(temporary, path)
        written.add(path)
    finally:
        temporary.unlink(missing_ok=True)
        _open.discard(temporary)


def remove_partial() -> None:
    """Remove what this process has not written to its end, before it exits at once."""
    for temporary in list(_open):
        temporary.unlink(missing_ok=True)


def _remove_those_of_killed_processes(path: Path) -> None:
    """Temporary files of `path` that a killed process of this computer has left."""
    start = f".{path.stem}.{HOST}-"
    for old in path.parent.glob(f"{glob.escape(start)}*{PARTIAL}{glob.escape(path.suffix)}"):
        with suppress(ValueError, PermissionError):
            try:
                os.kill(int(old.name.removeprefix(start).partition(".")[0]), 0)  # asks only
            except ProcessLookupError:
                old.unlink(missing_ok=True)


def try_output(path: str | Path) -> None:
    """Raise OSError if a file could not be written there: better now than after a computation."""
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if path.exists() and not path.is_file():  # a device or a pipe
        return
    temporary = _temporary(path)
    with open(temporary, "wb"):
        temporary.unlink()


def _temporary(path: Path) -> Path:
    return path.with_name(f".{path.stem}.{HOST}-{os.getpid()}{PARTIAL}{path.suffix}")


def write_text(text: str, path: str | Path) -> None:
    with atomic(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_csv(frame: "pd.DataFrame", path: str | Path) -> None:
    """Write a table at fixed precision, without index, with Unix line ends."""
    with atomic(path) as temporary:
        frame.to_csv(temporary, index=False, float_format=FLOAT_FORMAT, lineterminator="\n")


def write_parquet(frame: "pd.DataFrame", path: str | Path) -> None:
    """Write intermediate results at full precision."""
    with atomic(path) as temporary:
        frame.to_parquet(temporary, index=False)


def open_regular(path: str | os.PathLike) -> BinaryIO:
    """A regular file, or this process's own input, to be read: other devices, pipes and folders
    may never end, or wait for ever."""
    own = str(path).startswith(("/dev/stdin", "/dev/fd/"))
    descriptor = os.open(path, os.O_RDONLY | (0 if own else os.O_NONBLOCK))
    about = os.fstat(descriptor)
    if own or (stat.S_ISREG(about.st_mode) and about.st_size > 0):
        return open(descriptor, "rb")
    os.close(descriptor)
    if not stat.S_ISREG(about.st_mode):
        raise InputError(f"{path}: allowed: a file; this is a folder, device or pipe")
    return BytesIO()  # also of a file of the system, e.g. /proc/kmsg, on which a read waits


def sha256(path: str | Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_rows(path: str | Path) -> list[dict[str, str]]:
    """The rows of a CSV table as texts, without pandas."""
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def read_table(path: str | Path) -> "pd.DataFrame":
    """A CSV or parquet table."""
    import pandas as pd

    path = Path(path)
    if not path.exists():
        raise InputError(f"{path}: no such table; `make` or `dpbandits simulate` makes it")
    try:
        with open_regular(path) as file:
            return pd.read_parquet(file) if path.suffix == ".parquet" else pd.read_csv(file)
    except InputError:
        raise
    except ValueError as error:  # also those of pandas, pyarrow and of the decoding
        raise InputError(f"{path}: not a table: {error}") from None


def as_read(frame: "pd.DataFrame") -> "pd.DataFrame":
    """The table after a round trip through CSV, rounded like tables that are read from files."""
    import pandas as pd

    return pd.read_csv(StringIO(frame.to_csv(index=False, float_format=FLOAT_FORMAT)))
