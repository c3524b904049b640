"""Outcomes of any kind as few integers, so that frequencies can be compared.

What takes few values is compared value by value. Numbers are cut at quantiles, vectors first
mapped to the score of a classifier; both learn from the first `half` runs of each sample alone, so
that the others stay independent of the code: a fixed function of an outcome is post-processing.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from dpbandits.core.errors import InputError

MOST_BINS = 60
FEW = 20  # a value that comes less often than once in so many runs is one of a continuum


@dataclass(frozen=True)
class Coded:
    first: np.ndarray
    second: np.ndarray
    said: Callable[[np.ndarray], str]  # an event (codes) in words


def coded(first: Sequence, second: Sequence, half: int) -> Coded:
    if _whole(first) and _whole(second):
        values, codes = np.unique(np.r_[first, second], return_inverse=True)
        return Coded(codes[: len(first)], codes[len(first) :], lambda event: _listed(values[event]))
    rows = _numbers(first, second)
    whole = rows[:, 0] if rows.shape[1] == 1 else rows  # rows are sorted far slower than numbers
    distinct, codes = np.unique(whole, axis=0, return_inverse=True)
    runs, codes = len(first), codes.reshape(-1)
    if len(distinct) > max(50, 2 * runs // FEW):
        return _binned(rows, runs, half)
    where = np.unique(codes, return_index=True)[1]
    values = [(first[i] if i < runs else second[i - runs]) for i in where]
    return Coded(codes[:runs], codes[runs:], lambda event: _listed([values[i] for i in event]))


def _whole(sample: Sequence) -> bool:
    return isinstance(sample, np.ndarray) and sample.ndim == 1 and sample.dtype.kind in "bi"


def _numbers(first: Sequence, second: Sequence) -> np.ndarray:
    """One row of numbers per run; texts and other things are numbered in alphabetical order."""
    both = [*first, *second]
    tuples = all(isinstance(x, (tuple, list, np.ndarray)) for x in both)
    lengths = {np.size(x) for x in both} if tuples else {1}
    if len(lengths) > 1:  # of different lengths: compared as wholes
        columns = [[str(x) for x in both]]
    elif tuples:
        columns = list(zip(*(np.ravel(np.asarray(x, object)) for x in both), strict=True))
    else:
        columns = [both]
    return np.stack([_column(column) for column in columns], axis=1)


def _column(values: Sequence) -> np.ndarray:
    try:
        return np.nan_to_num(np.asarray(values, float), nan=-1.2345e300)  # one value like others
    except (TypeError, ValueError):
        names = np.array([str(value) for value in values])
        codes = np.unique(names, return_inverse=True)[1]
        if codes.max() >= max(50, len(values) // FEW):  # as `coded` counts
            raise InputError(
                f"black box: {codes.max() + 1} different texts in {len(values)} runs; allowed: "
                "numbers, vectors of them, or few texts"
            ) from None
        return codes.astype(float)


def _binned(rows: np.ndarray, runs: int, half: int) -> Coded:
    learn = np.r_[rows[:half], rows[runs : runs + half]]
    if rows.shape[1] == 1:
        score, learned, what = rows[:, 0], learn[:, 0], "outcome"
    else:
        from sklearn.ensemble import HistGradientBoostingClassifier

        model = HistGradientBoostingClassifier(max_iter=60, random_state=0)
        model.fit(np.clip(learn, -1e300, 1e300), np.repeat([0, 1], half))
        score = model.decision_function(np.clip(rows, -1e300, 1e300))
        learned = np.r_[score[:half], score[runs : runs + half]]
        what = "score of a classifier"
    bins = int(np.clip(half // 300, 2, MOST_BINS))
    edges = np.unique(np.quantile(learned, np.linspace(0, 1, bins + 1)[1:-1]))
    codes = np.searchsorted(edges, score)  # code i: in (edges[i-1], edges[i]]
    ends = np.r_[-np.inf, edges, np.inf]

    def said(event: np.ndarray) -> str:
        chosen = np.sort(event)
        starts = chosen[np.r_[True, np.diff(chosen) > 1]]
        stops = chosen[np.r_[np.diff(chosen) > 1, True]]
        parts = [f"({ends[a]:.6g}, {ends[b + 1]:.6g}]" for a, b in zip(starts, stops, strict=True)]
        return f"{what} in {_listed(parts, ' or ')}"

    return Coded(codes[:runs], codes[runs:], said)


def _listed(items: list, between: str = ", ", most: int = 8) -> str:
    shown = between.join(map(str, items[:most]))
    return shown + (f" and {len(items) - most} more" if len(items) > most else "")
