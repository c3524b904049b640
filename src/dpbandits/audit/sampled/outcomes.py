"""Outcomes of any kind: compared by type and repr, and as a few integers whose frequencies count.

Outcomes that take few values are compared value by value. Numbers, also those in texts, are binned
at quantiles; several are mapped to the score of a classifier first. Both are fitted to the first
`half` runs of each sample alone, so that the other runs are independent of them: the code is then a
fixed function of an outcome, which is post-processing.
"""

import copy
import datetime
import decimal
import enum
import fractions
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, is_dataclass
from types import FunctionType
from typing import Any

import numpy as np

ALLOWED = "numbers, texts, and lists, dicts, arrays or dataclasses of these"
MOST_BINS = 60
FEW = 20  # values are taken as continuous if they occur less than once in FEW runs
SIMPLE = (
    *(bool, int, float, complex, str, bytes, type(None), enum.Enum, decimal.Decimal),
    *(fractions.Fraction, datetime.date, datetime.time, datetime.timedelta),
)
BELOW_ZERO = -5e-324  # stands for -0.0 among numbers, of which NumPy takes it for 0.0
NUMBER = re.compile(r"-?\d+(\.\d+)?(?:e[+-]?\d+)?")  # in a text


class Size(int):
    """Of a part of an outcome."""


class Standin:
    """Of a recorder: a number that `float` gives away."""

    __slots__ = ()


def leaves(outcome: Any, path: str = "") -> list[tuple[str, Any]]:
    """(place and type, value) of all that an outcome holds, in its order."""
    if isinstance(outcome, Standin):
        outcome = float(outcome)
    name = f"{path}/{type(outcome).__name__}"
    if isinstance(outcome, np.generic):
        return [(f"{path}/numpy.{type(outcome).__name__}", outcome.item())]
    found, parts = [], ()
    own = {} if isinstance(outcome, enum.Enum) else getattr(outcome, "__dict__", {})
    if isinstance(outcome, SIMPLE):
        found = [(name, outcome)]
        if not own:
            return found
    elif isinstance(outcome, np.ndarray):
        name += f" {outcome.dtype} {outcome.shape}"
        parts, own = [outcome.ravel().tolist()], {}
        parts += [np.ma.getdata(outcome).tolist()] if isinstance(outcome, np.ma.MaskedArray) else []
    elif is_dataclass(outcome) and not isinstance(outcome, type):
        parts = {field.name: getattr(outcome, field.name) for field in fields(outcome)}
    elif isinstance(outcome, set | frozenset):
        parts = sorted(outcome, key=repr)
    elif isinstance(outcome, dict | list | tuple):
        parts = outcome
    elif isinstance(outcome, type):  # in what a copy is made of
        return [(name, outcome.__qualname__)]
    elif hasattr(outcome, "to_dict"):  # of tables
        parts, own = outcome.to_dict(), {}
    elif isinstance(outcome, type | FunctionType) or not hasattr(outcome, "__reduce_ex__"):
        raise TypeError(type(outcome).__name__)
    else:  # what a copy is made of; TypeError if it cannot be copied
        parts, own = list(outcome.__reduce_ex__(4)[1:]), {}
    items = [
        *(parts.items() if isinstance(parts, dict) else enumerate(parts)),
        *((f".{k}", x) for k, x in own.items() if not (is_dataclass(outcome) and k in parts)),
    ]
    return [
        *found,
        (name, Size(len(items))),
        *(x for key, part in items for x in leaves(part, f"{name} {key!r}")),
    ]


def same(first, second) -> bool:
    """By type and repr, also of attributes: 3 is not 3.0, and -0.0 not 0.0."""
    return repr(leaves(first)) == repr(leaves(second))


def distinct(items: Iterable) -> list:
    return list({repr(item): item for item in items}.values())


def copied(data: list) -> list:
    """The records, so that a program which changes them changes its own."""
    plain = all(isinstance(record, int | float | str) for record in data)
    return list(data) if plain else copy.deepcopy(data)


@dataclass(frozen=True)
class Coded:
    """Two samples as integer codes, and how to describe an event (an array of codes) in words."""

    first: np.ndarray
    second: np.ndarray
    describe: Callable[[np.ndarray], str]


def coded(first: Sequence, second: Sequence, half: int) -> Coded:
    runs = len(first)
    if _is_integers(first) and _is_integers(second):
        values, codes = np.unique(np.r_[first, second], return_inverse=True)
        return Coded(codes[:runs], codes[runs:], lambda event: _joined(values[event]))
    rows = _as_rows([*first, *second])
    fitted = np.r_[0:half, runs : runs + half]
    varied = (rows != rows[0]).any(axis=0)
    rows = rows[:, varied] if varied.any() else rows[:, :1]
    keys = rows[:, 0] if rows.shape[1] == 1 else rows  # sorting rows is far slower than numbers
    distinct, where, codes = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    codes = codes.reshape(-1)
    if len(distinct) > max(50, 2 * runs // FEW):
        return _binned(rows, runs, fitted)
    values = [(first[i] if i < runs else second[i - runs]) for i in where]
    return Coded(codes[:runs], codes[runs:], lambda event: _joined([values[i] for i in event]))


def _is_integers(sample: Sequence) -> bool:
    return isinstance(sample, np.ndarray) and sample.ndim == 1 and sample.dtype.kind in "bi"


def _as_rows(outcomes: list) -> np.ndarray:
    """One row per outcome: its form (types, places and texts, numbered) and its numbers."""
    forms, rows = [], []
    for outcome in outcomes:
        form, numbers = _form(outcome)
        forms.append(form)
        rows.append(numbers)
    table = np.full((len(rows), 1 + max(map(len, rows))), 0.0)
    table[:, 0] = np.unique(np.array(forms), return_inverse=True)[1]
    for row, numbers in zip(table, rows, strict=True):
        row[1 : 1 + len(numbers)] = numbers
    return np.nan_to_num(table, nan=-1.2345e300)  # one value like others


class Form(tuple):
    """(form, numbers, text) of an outcome, as it comes from another process."""

    def __str__(self):
        return self[2]


def form_of(outcome) -> Form:
    form, numbers = _form(outcome)
    shown = str(outcome) if len(numbers) < 9 else f"{len(numbers)} numbers"
    return Form((form, numbers, shown[:80]))


def _form(outcome) -> tuple[str, list[float]]:
    if isinstance(outcome, Form):
        return outcome[:2]
    form, numbers = [], []
    for name, leaf in leaves(outcome):
        form.append(name)
        if isinstance(leaf, str):
            numbers += [float(x[0]) for x in NUMBER.finditer(leaf)]
            form.append(NUMBER.sub(lambda x: "#.#" if x[1] else "#", leaf))
        elif isinstance(leaf, int | float) and abs(leaf) < 1e300:
            numbers.append(float(leaf) if repr(leaf) != "-0.0" else BELOW_ZERO)
        else:
            form.append(repr(leaf))
    return "\n".join(form), numbers


def _binned(rows: np.ndarray, runs: int, fitted: np.ndarray) -> Coded:
    """The bins of the outcomes (if numbers) or of their scores (if vectors)."""
    half = len(fitted) // 2
    if rows.shape[1] == 1:
        score, name = rows[:, 0], "outcome"
    else:
        from sklearn.tree import DecisionTreeClassifier

        leaf = max(5, half // 100)
        tree = DecisionTreeClassifier(
            max_leaf_nodes=MOST_BINS, min_samples_leaf=leaf, random_state=0
        )
        clipped = np.clip(rows, -1e30, 1e30)
        tree.fit(clipped[fitted], np.repeat([0, 1], half))
        score, name = tree.predict_proba(clipped)[:, 1], "score of a classifier"
    bins = int(np.clip(half // 300, 2, MOST_BINS))
    edges = np.unique(np.quantile(score[fitted], np.linspace(0, 1, bins + 1)[1:-1]))
    codes = np.searchsorted(edges, score)  # code i: in (edges[i-1], edges[i]]
    ends = np.r_[-np.inf, edges, np.inf]

    def describe(event: np.ndarray) -> str:
        """The bins as intervals, neighbouring bins joined."""
        event = np.sort(event)
        starts = event[np.r_[True, np.diff(event) > 1]]
        stops = event[np.r_[np.diff(event) > 1, True]]
        parts = [f"({ends[a]:.6g}, {ends[b + 1]:.6g}]" for a, b in zip(starts, stops, strict=True)]
        return f"{name} in {_joined(parts, ' or ')}"

    return Coded(codes[:runs], codes[runs:], describe)


def _joined(items: list, separator: str = ", ", most: int = 8) -> str:
    listed = separator.join(map(str, items[:most]))
    return listed + (f" and {len(items) - most} more" if len(items) > most else "")
