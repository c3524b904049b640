"""Reading and writing files: always written completely or not at all."""

import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from dpbandits.core.errors import InputError

if TYPE_CHECKING:  # pandas is imported when a table is read or made: it takes half a second
    import pandas as pd


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
    temporary = path.with_name(f".{path.stem}.{os.getpid()}.partial{path.suffix}")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(text: str, path: str | Path) -> None:
    with atomic(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def read_table(path: str | Path) -> "pd.DataFrame":
    """A CSV or parquet table."""
    import pandas as pd

    path = Path(path)
    if not path.exists():
        raise InputError(f"{path}: no such table; `make` or `dpbandits simulate` makes it")
    try:
        return pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path)
    except ValueError as error:  # also those of pandas, pyarrow and of the decoding
        raise InputError(f"{path}: not a table: {error}") from None


def files_in(folder: Path) -> Iterator[Path]:
    """Every file below a folder, in order, except hidden ones and what Python caches there."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(n for n in folders if n != "__pycache__" and not n.startswith("."))
        paths = (Path(place, name) for name in sorted(names) if not name.startswith("."))
        yield from filter(Path.is_file, paths)


def digest_of(files: Iterable[Path]) -> str:
    """A digest of the paths and contents of some files."""
    digest = hashlib.blake2b(digest_size=8)
    for path in files:
        content = path.read_bytes()
        digest.update(f"{path}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()
