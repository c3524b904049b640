"""Files of the project, and tables as files: at fixed precision where people read them, at full
precision in between."""

import csv
import hashlib
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from dpbandits.core.files import atomic

if TYPE_CHECKING:  # pandas is imported when a table is read or made: it takes half a second
    import pandas as pd

WITH_US = Path(__file__).with_name("published")  # of a wheel (pyproject.toml puts them there)
CHECKOUT = Path(__file__).resolve().parents[3]  # of an editable install
FLOAT_FORMAT = "%.6g"  # for readability; the numbers agree to the last bit (processor.py)


def project_file(*parts: str) -> Path:
    """The path of a file such as figures/claims.csv, which need not exist: in the current folder,
    else one that came with us."""
    path = Path(*parts)
    places = (path, WITH_US / path, CHECKOUT / path)
    return next((place for place in places if place.exists()), path)


def write_csv(frame: "pd.DataFrame", path: str | Path) -> None:
    """Write a table at fixed precision, without index, with Unix line ends."""
    with atomic(path) as temporary:
        frame.to_csv(temporary, index=False, float_format=FLOAT_FORMAT, lineterminator="\n")


def write_parquet(frame: "pd.DataFrame", path: str | Path) -> None:
    """Write intermediate results at full precision."""
    with atomic(path) as temporary:
        frame.to_parquet(temporary, index=False)


def sha256(path: str | Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_rows(path: str | Path) -> list[dict[str, str]]:
    """The rows of a CSV table as texts, without pandas."""
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def as_read(frame: "pd.DataFrame") -> "pd.DataFrame":
    """The table after a round trip through CSV, rounded like tables that are read from files."""
    import pandas as pd

    return pd.read_csv(StringIO(frame.to_csv(index=False, float_format=FLOAT_FORMAT)))
