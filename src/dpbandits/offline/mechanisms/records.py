"""Read a user's data files; what is wrong is one line: file, row, column, what is allowed.

Rows are counted from 1, the header line not included.
"""

import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dpbandits.core.errors import InputError, nearest
from dpbandits.core.files import open_regular

if TYPE_CHECKING:  # pandas is imported when a file is read
    import pandas as pd

ROUNDING = 1e-9  # a norm of 1 written in decimals may come out a little above 1
MOST_ARMS = 10**6


def read_csv(path: str, option: str) -> "pd.DataFrame":
    if not path:
        raise InputError(f"--{option}: a CSV file is required")
    if not Path(path).is_file():
        raise InputError(f"--{option} {path}: no such file")
    import pandas as pd

    try:
        with warnings.catch_warnings():  # pandas would take extra fields for names, or drop them
            warnings.simplefilter("error", pd.errors.ParserWarning)
            with open_regular(path) as file:
                frame = pd.read_csv(file, skipinitialspace=True, index_col=False)
    except pd.errors.EmptyDataError:
        raise InputError(f"{path}: the file is empty; allowed: a header line and records") from None
    except pd.errors.ParserWarning:
        raise InputError(
            f"{path}: rows have more fields than the header; allowed: as many"
        ) from None
    except (pd.errors.ParserError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())
        raise InputError(f"{path}: not a CSV table ({reason})") from None
    frame.columns = [str(name).strip() for name in frame.columns]
    if frame.empty:
        raise InputError(f"{path}: no records; allowed: at least one row below the header")
    return frame


def check_columns(frame: "pd.DataFrame", path: str, required, optional=()) -> None:
    allowed = [*required, *optional]
    for name in required:
        if name not in frame.columns:
            present = ", ".join(frame.columns)
            raise InputError(f"{path}: column '{name}' is missing; the file has: {present}")
    for name in frame.columns:
        if name not in allowed:
            raise InputError(f"{path}: unknown column '{name}'; {nearest(name, allowed)}")
        if list(frame.columns).count(name) > 1:
            raise InputError(f"{path}: column '{name}' stands there twice; allowed: once")


def numbers(frame: "pd.DataFrame", path: str, column: str) -> np.ndarray:
    """A column as finite numbers."""
    import pandas as pd

    given = frame[column] if frame[column].dtype != bool else frame[column].astype(str)
    values = pd.to_numeric(given, errors="coerce").to_numpy(float)
    refuse_where(~np.isfinite(values), frame, path, column, "a finite number")
    return values


def between(frame, path, column, low: float, high: float) -> np.ndarray:
    """A column as numbers in this range."""
    values = numbers(frame, path, column)
    outside = (values < low) | (values > high)
    refuse_where(outside, frame, path, column, f"a number from {low:g} to {high:g}")
    return values


def refuse_where(wrong: np.ndarray, frame, path, column, allowed: str) -> None:
    """Refuse the first row that is wrong."""
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InputError(
            f"{path}: row {row + 1}, column '{column}' = {shown(frame[column].iloc[row])}; "
            f"allowed: {allowed}"
        )


def shown(value) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= 40 else text[:37] + "..."


def vector_columns(frame: "pd.DataFrame", path: str) -> list[str]:
    """x1..xd, all of them, in the order of their numbers."""
    numbered = [re.fullmatch(r"x([1-9]\d*)", name) for name in frame.columns]
    present = sorted(int(match[1]) for match in numbered if match)
    if not present:
        columns = ", ".join(frame.columns)
        raise InputError(f"{path}: columns x1..xd are missing; the file has: {columns}")
    missing = sorted(set(range(1, present[-1] + 1)) - set(present))
    if missing:
        raise InputError(f"{path}: column 'x{missing[0]}' is missing (there is 'x{present[-1]}')")
    return [f"x{i}" for i in present]


def vectors(frame: "pd.DataFrame", path: str, names: list[str], largest: float) -> np.ndarray:
    """The columns `names` as vectors of at most this norm."""
    values = np.column_stack([numbers(frame, path, name) for name in names])
    norms = np.linalg.norm(values, axis=1)
    too_long = norms > largest * (1 + ROUNDING)
    if too_long.any():
        row = int(np.argmax(too_long))
        raise InputError(
            f"{path}: row {row + 1}, columns x1..x{len(names)}: norm {norms[row]:g}; "
            f"allowed: at most {largest:g}"
        )
    return values


def weights(frame: "pd.DataFrame", path: str) -> np.ndarray:
    """The reference policy's weights: not negative, not all zero; scaled to sum 1 by the caller."""
    values = numbers(frame, path, "weight")
    refuse_where(values < 0, frame, path, "weight", "a number from 0")
    if not values.any():
        raise InputError(f"{path}: column 'weight': all are 0; allowed: at least one above 0")
    return values


def names(frame: "pd.DataFrame", column: str) -> list[str]:
    """The texts of a column in the order of their rows, each once; none if one is a number."""
    import pandas as pd

    values = frame[column]
    numbered = pd.to_numeric(values, errors="coerce").notna() | values.isna()
    return [] if numbered.any() else [*values.astype(str).str.strip().drop_duplicates()]


def places(frame, path, column, allowed: list[str]) -> np.ndarray:
    """A column of texts as places in a list of all that are allowed."""
    place = {text: i for i, text in enumerate(allowed)}
    indices = np.array([place.get(text, -1) for text in frame[column].astype(str).str.strip()])
    refuse_where(indices < 0, frame, path, column, f"one of {', '.join(allowed)}")
    return indices


def whole(frame, path, column, high: int | None) -> np.ndarray:
    """A column as whole numbers from 0 to `high`; None: up to MOST_ARMS."""
    values = numbers(frame, path, column)
    largest, text = (MOST_ARMS, "K-1") if high is None else (high, high)
    wrong = (values < 0) | (values != np.floor(values)) | (values > largest)
    refuse_where(wrong, frame, path, column, f"a whole number from 0 to {text}")
    return values.astype(int)
