"""Files: always written whole or not at all, tables at a fixed precision."""

import csv
import hashlib
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpbandits.core.errors import InputError

if TYPE_CHECKING:  # to hash and to write a file needs no pandas
    import pandas as pd

FLOAT_FORMAT = "%.6g"  # for people; what computed them is equal to the last bit (core.processor)
HOST = hashlib.blake2b(platform.node().encode(), digest_size=3).hexdigest()
PARTIAL = ".partial"


@contextmanager
def atomic(path: str | Path) -> Iterator[Path]:
    """Yield a temporary name beside `path`; on success it replaces `path`, else nothing is left."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.stem}.{HOST}-{os.getpid()}{PARTIAL}{path.suffix}")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(text: str, path: str | Path) -> None:
    with atomic(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_csv(frame: "pd.DataFrame", path: str | Path) -> None:
    """A table for people and for `git diff`: fixed precision, no index, Unix line ends."""
    with atomic(path) as temporary:
        frame.to_csv(temporary, index=False, float_format=FLOAT_FORMAT, lineterminator="\n")


def write_parquet(columns: "Mapping[str, Sequence] | pd.DataFrame", path: str | Path) -> None:
    """Intermediate results at full precision."""
    from pyarrow import Table
    from pyarrow.parquet import write_table

    table = Table.from_arrays([_arrow(columns[name]) for name in columns], names=list(columns))
    with atomic(path) as temporary:
        write_table(table, temporary)


def _arrow(values: Any) -> Any:
    """A column for Arrow. pyarrow.array would import pandas: not for numbers and texts of NumPy."""
    import numpy as np
    import pyarrow as pa

    kind = values.dtype.kind if isinstance(values, np.ndarray) else ""
    if kind == "U":
        texts = [text.encode() for text in values.tolist()]
        ends = np.cumsum([0, *map(len, texts)], dtype=np.int32)
        return pa.StringArray.from_buffers(
            len(texts), pa.py_buffer(ends), pa.py_buffer(b"".join(texts))
        )
    if kind in ("i", "f"):
        of = pa.from_numpy_dtype(values.dtype)
        return pa.Array.from_buffers(of, len(values), [None, pa.py_buffer(values)])
    return pa.array(values)


def read_rows(path: str | Path) -> list[dict[str, str]]:
    """A CSV table as texts, for those who need no pandas."""
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def read_table(path: str | Path) -> "pd.DataFrame":
    """A CSV or parquet table, whole as it was written; epsilon `inf` reads as a float."""
    import pandas as pd

    path = Path(path)
    if not path.is_file():
        raise InputError(f"{path}: no such table; `make` or `dpbandits` makes it")
    return pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path)


def as_read(frame: "pd.DataFrame") -> "pd.DataFrame":
    """A table as it reads once it was written: what is computed now is then no other number."""
    import pandas as pd

    return pd.read_csv(StringIO(frame.to_csv(index=False, float_format=FLOAT_FORMAT)))
