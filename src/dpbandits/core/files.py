"""Reading and writing files: always written completely or not at all."""

import hashlib
import os
from collections.abc import Iterator
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


def sha256(path: str | Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


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
