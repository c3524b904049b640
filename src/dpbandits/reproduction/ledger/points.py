"""What a check measured, and what the statement allows there. A check draws nothing.

    points_of(losses, at_most=epsilons)
    of_means(rows, 5, at_most=rows["bound"])  # intervals of five standard errors to each side

`low` and `high` enclose the measured value: a certified interval, a band at the confidence of the
verdict, or the value itself if it is exact. A value is `beyond` the statement if its whole interval
is. `repaired` is what the corrected statement allows, on the same side as the printed one; a value
beyond it is refused. A repair that narrows the hypotheses or changes the algorithm says nothing at
the counterexample, and has no number there.
`what`, `series`, `x` and `at` name a value where the reading fails (by how much, of which quantity,
where: `largest_ratio`) or where a figure draws it (plots.claims.curve).
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

LIMITS = ("at_least", "at_most", "repaired")
NUMBERS = ("measured", "low", "high", *LIMITS)
COLUMNS = ("what", "series", "x", "at", *NUMBERS, "beyond")
ROUNDING = 1e-9  # relative error of numbers that are exact up to double precision


def points_of(
    values, *, low=None, high=None, spread=0.0, at_least=np.nan, at_most=np.nan, repaired=np.nan,
    what: str = "", series="", x: str = "", at="",
) -> pd.DataFrame:  # fmt: skip
    """One row per value, which may be a table of them; all else has the same shape, or less.
    spread: half the width of the interval, if its ends are not given. what: the quantity. series:
    the names of its curves. x, at: the name and the values of what it is a function of."""
    values = np.asarray(values, float)
    low, high = values - spread if low is None else low, values + spread if high is None else high
    given = dict(zip(NUMBERS, (values, low, high, at_least, at_most, repaired), strict=True))
    numbers = {name: np.asarray(part, float) for name, part in given.items()}
    texts = {"series": np.asarray(series, object), "at": np.vectorize(_text, otypes=[object])(at)}
    parts = {
        n: np.broadcast_to(part, values.shape).ravel() for n, part in (numbers | texts).items()
    }
    frame = pd.DataFrame(parts).assign(what=what, x=x)
    frame["beyond"] = _above(frame, "at_most") | _below(frame, "at_least")
    if (_above if is_upper(frame) else _below)(frame, "repaired").any():
        raise ValueError("a value lies beyond the repaired bound")
    return frame[[*COLUMNS]]


def _text(value) -> str:
    return value if isinstance(value, str) else f"{float(value):.6g}"


def of_means(rows: pd.DataFrame, z: float, **limits) -> pd.DataFrame:
    """Of means in a table, with intervals of z standard errors to each side."""
    return points_of(rows["mean"], spread=z * rows["sem"], **limits)


def is_upper(frame: pd.DataFrame) -> bool:
    """Whether the printed and the repaired bound are upper bounds."""
    return bool(frame["at_most"].notna().any() or frame["at_least"].isna().all())


def _above(frame: pd.DataFrame, limit: str) -> pd.Series:
    return frame["low"] - frame[limit] > ROUNDING * frame[limit].abs()


def _below(frame: pd.DataFrame, limit: str) -> pd.Series:
    return frame[limit] - frame["high"] > ROUNDING * frame[limit].abs()


def largest_ratio(parts: Sequence[pd.DataFrame]) -> tuple[float, str]:
    """The largest ratio of the true value to what the statement allows, at a value beyond it (of a
    lower bound: of what it demands to the true value), inf where 0 or less is allowed; and of which
    quantity it is, where.
    Finite ratios come first: a curve may pass through places at which 0 is allowed. NaN if no value
    is beyond."""
    ratios = [(np.nan, "")]
    for part in parts:
        beyond = part[part["beyond"]]
        above = beyond[_above(beyond, "at_most")]
        below = beyond[_below(beyond, "at_least")]
        for rows, over, under in ((above, "low", "at_most"), (below, "at_least", "high")):
            for _, row in rows.iterrows():
                ratio = row[over] / row[under] if row[under] > 0 else np.inf
                place = f"{row['x']} = {row['at']}" if row["x"] else row["at"]
                names = row["what"], row["series"], place
                ratios.append((ratio, "; ".join(name for name in names if name)))
    finite = [ratio for ratio in ratios if np.isfinite(ratio[0])]
    return max(finite or ratios[1:] or ratios, key=lambda ratio: ratio[0])


def joined(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """All values of a reading in one table; refused if there are none, or one is not a number."""
    frame = pd.concat(list(parts), ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)
    if frame.empty or not np.isfinite(frame["measured"]).all():
        raise ValueError("a reading needs values, each finite")
    return frame
