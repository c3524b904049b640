"""A user's records: named columns of a CSV file, or arrays; what is wrong is one line."""

from pathlib import Path
from typing import Any

import numpy as np

from dpbandits.core.errors import InputError, nearest
from dpbandits.core.files import read_table
from dpbandits.core.models import shown

MOST_ARMS = 10**6
ROUNDING = 1e-9  # a norm of 1 written in decimals may come out a little above 1


class Columns:
    """The columns `names` of a CSV file, or arrays in the order of the names; `x` is x1..xd, or
    rows. Rows are counted from 1."""

    def __init__(self, source: Any, *names: str, optional: tuple[str, ...] = ()):
        if isinstance(source, str | Path):
            frame, self.where = read_table(source), str(source)
            frame.columns = [str(name).strip() for name in frame.columns]
            given = {name: frame[name].to_numpy() for name in frame.columns}
            self.x = [f"x{i + 1}" for i in range(sum(name.startswith("x") for name in given))]
            names = tuple(
                n for name in names for n in (self.x or ["x1"] if name == "x" else [name])
            )
        else:
            self.where, self.x, parts = "data", ["x"], source if len(names) > 1 else [source]
            if not isinstance(parts, tuple | list) or len(parts) != len(names):
                raise InputError(f"data: allowed: arrays of {', '.join(names)}")
            given = {name: np.asarray(part) for name, part in zip(names, parts, strict=True)}
        self.values = given
        for name in {*names} - {*given}:
            raise InputError(f"{self.where}: column '{name}' is missing; {nearest(name, given)}")
        for name in {*given} - {*names, *optional}:
            raise InputError(f"{self.where}: unknown column '{name}'; {nearest(name, names)}")
        if len({len(v) if v.ndim else 0 for v in given.values()}) != 1 or not len(given[names[0]]):
            raise InputError(f"{self.where}: allowed: columns of one length, at least 1")

    def numbers(self, name: str, low=-np.inf, high=np.inf, whole=False, width=1) -> np.ndarray:
        values = self.values[name]
        if values.dtype.kind not in "biuf":  # a file holds texts; a text in an array is no number
            import pandas as pd

            texts = values.ravel() if values.dtype.kind == "O" else np.full(values.size, "")
            values = pd.to_numeric(pd.Series(texts), errors="coerce").to_numpy()
        values = values.astype(float)
        if values.ndim != width:
            raise InputError(f"{self.where}: {name}: allowed: {'rows of ' * (width > 1)}numbers")
        bad = ~((values >= low) & (values <= high) & np.isfinite(values))
        bad |= whole & (values != np.floor(values))
        kind = "a whole number" if whole else "a finite number"
        limits = f" from {low:g} to {high:g}" if np.isfinite(high) else ""
        self.refuse(name, bad.reshape(len(bad), -1).any(axis=1), f"{kind}{limits}")
        return values.astype(int) if whole else values

    def vectors(self, longest: float) -> np.ndarray:
        """x as vectors of at most this norm."""
        if self.x == ["x"]:
            rows = self.numbers("x", width=2)
        else:
            rows = np.column_stack([self.numbers(name) for name in self.x])
        norms = np.linalg.norm(rows, axis=1)
        too_long = norms > longest * (1 + ROUNDING)
        self.refuse(self.x[0], too_long, f"vectors of norm at most {longest:g}")
        return rows

    def places(self, name: str, last: int, labels: list[str] | None) -> tuple[np.ndarray, list]:
        """A column as whole numbers to `last`; one of texts, as places among its labels."""
        values = self.values[name]
        if values.dtype.kind in "iuf" and not labels:
            return self.numbers(name, 0, last, whole=True), []
        texts = [str(value).strip() for value in values]
        place = {text: i for i, text in enumerate(labels or dict.fromkeys(texts))}
        self.refuse(name, np.array([t not in place for t in texts]), f"one of {', '.join(place)}")
        return np.array([place[t] for t in texts]), list(place)

    def refuse(self, name: str, wrong: np.ndarray, allowed: str) -> None:
        """Refuse the first row that is wrong."""
        if wrong.any():
            row = int(np.argmax(wrong))
            value = shown(np.asarray(self.values[name][row]).tolist())
            what = f"row {row + 1}, column '{name}' = {value}"
            raise InputError(f"{self.where}: {what}; allowed: {allowed}")
