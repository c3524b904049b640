"""Values as columns of a file of SQLite, and back."""

import json
import math
from functools import lru_cache
from typing import Any

import numpy as np

from dpbandits.core.errors import InputError


def packed(value: Any) -> Any:
    """For a column of SQLite: numbers as they are, arrays as their bytes, all else as JSON."""
    kind = type(value)
    if kind is np.ndarray and value.dtype.kind in "biuf":
        return _head(value.dtype, value.shape) + value.tobytes()
    if value is None or (kind is int and -(2**63) <= value < 2**63):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    if kind in EMPTY and not value:
        return EMPTY[kind]
    try:
        return ENCODE(value)
    except (TypeError, ValueError):
        raise InputError("state: allowed: numbers, arrays of them, texts, lists of these") from None


@lru_cache
def _head(dtype: np.dtype, shape: tuple[int, ...]) -> bytes:
    return f"{dtype.str} {' '.join(map(str, shape))}\n".encode()


def unpacked(value: Any) -> Any:
    if isinstance(value, bytes):
        head, _, body = value.partition(b"\n")
        dtype, *shape = head.decode().split()
        return np.frombuffer(body, dtype).reshape(tuple(map(int, shape))).copy()
    return DECODE(value) if isinstance(value, str) else value


def _plain(value: Any) -> Any:
    """Numbers and arrays of NumPy as plain JSON."""
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return {"dtype": value.dtype.str, "shape": value.shape, "values": value.ravel().tolist()}
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError


def _array(found: dict[str, Any]) -> Any:
    if found.keys() != {"dtype", "shape", "values"}:
        return found
    return np.array(found["values"], found["dtype"]).reshape(found["shape"])


EMPTY = {list: "[]", dict: "{}"}
ENCODE = json.JSONEncoder(default=_plain).encode
DECODE = json.JSONDecoder(object_hook=_array).decode
