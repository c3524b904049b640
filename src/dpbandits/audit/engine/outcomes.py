"""Outcomes of any kind as a few integers, whose frequencies can be compared.

Outcomes that take few values are compared value by value. Numbers are binned at quantiles; vectors
are mapped to the score of a classifier first. Both are fitted to the first `half` runs of each
sample alone, so that the other runs are independent of them: the code is then a fixed function of
an outcome, which is post-processing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from dpbandits.core.errors import InputError

MOST_BINS = 60
FEW = 20  # values are taken as continuous if they occur less than once in FEW runs


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
    rows = _as_rows(first, second)
    keys = rows[:, 0] if rows.shape[1] == 1 else rows  # sorting rows is far slower than numbers
    distinct, where, codes = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    codes = codes.reshape(-1)
    if len(distinct) > max(50, 2 * runs // FEW):
        return _binned(rows, runs, half)
    values = [(first[i] if i < runs else second[i - runs]) for i in where]
    return Coded(codes[:runs], codes[runs:], lambda event: _joined([values[i] for i in event]))


def _is_integers(sample: Sequence) -> bool:
    return isinstance(sample, np.ndarray) and sample.ndim == 1 and sample.dtype.kind in "bi"


def _as_rows(first: Sequence, second: Sequence) -> np.ndarray:
    """One row of numbers per run; texts and other things are numbered in alphabetical order."""
    both = [*first, *second]
    vectors = all(isinstance(x, (tuple, list, np.ndarray)) for x in both)
    lengths = {np.size(x) for x in both} if vectors else {1}
    if len(lengths) > 1:  # vectors of several lengths are compared as texts
        columns = [[str(x) for x in both]]
    elif vectors:
        columns = list(zip(*(np.ravel(np.asarray(x, object)) for x in both), strict=True))
    else:
        columns = [both]
    return np.stack([_as_floats(column) for column in columns], axis=1)


def _as_floats(values: Sequence) -> np.ndarray:
    try:
        return np.nan_to_num(np.asarray(values, float), nan=-1.2345e300)  # one value like others
    except (TypeError, ValueError):
        names = np.array([str(value) for value in values])
        codes = np.unique(names, return_inverse=True)[1]
        if codes.max() >= max(50, len(values) // FEW):  # the limit of `coded`
            raise InputError(
                f"black box: {codes.max() + 1} different texts in {len(values)} runs; allowed: "
                "numbers, vectors of them, or few texts"
            ) from None
        return codes.astype(float)


def _binned(rows: np.ndarray, runs: int, half: int) -> Coded:
    """The bins of the outcomes (if numbers) or of their scores (if vectors)."""
    fitted = np.r_[0:half, runs : runs + half]
    if rows.shape[1] == 1:
        score, name = rows[:, 0], "outcome"
    else:
        from sklearn.ensemble import HistGradientBoostingClassifier

        model = HistGradientBoostingClassifier(max_iter=60, random_state=0)
        clipped = np.clip(rows, -1e300, 1e300)
        model.fit(clipped[fitted], np.repeat([0, 1], half))
        score, name = model.decision_function(clipped), "score of a classifier"
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
