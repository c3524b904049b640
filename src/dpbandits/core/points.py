"""What the plot of a claim shows: measured points, and what the statement allows at each.

    points([0.5, 1, 2], losses, at_most=[0.5, 1, 2], axes=("eps", "privacy loss"), log="xy")
    curves(table, "t", z=5, at_most="bound", series="ε = {epsilon:g}", axes=("t", "regret"))

`low` and `high` enclose what was measured: a certified interval, a band at the confidence of the
verdict, or nothing (an exact number). A point is `beyond` the statement if all of that range is.
`repaired` is what the true statement allows there, on the same side as the printed one; a point
beyond it is refused. Where a repair narrows the hypotheses or changes the algorithm it allows no
number at the counterexample, and none is given.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

COLUMNS = (
    *("panel", "x_label", "y_label", "log", "series", "x", "measured", "low", "high"),
    *("at_least", "at_most", "repaired_bound", "beyond"),
)
ENDS = {"low", "high", "spread", "at_least", "at_most", "repaired"}
LIMITS = ["at_least", "at_most", "repaired_bound"]
ROUNDING = 1e-9  # of numbers that are exact but for double rounding


def points(
    x: Sequence,
    measured: Sequence[float] | dict[str, Sequence[float]],
    *,
    axes: tuple[str, str],
    panel: str | Sequence[str] = "",
    series: str | Sequence[str] = "",
    low=None,
    high=None,
    spread=0.0,
    at_least=np.nan,
    at_most=np.nan,
    repaired=np.nan,
    log: str = "",
) -> pd.DataFrame:
    """Points of one panel. `x` holds numbers or names; `at_least`, `at_most`: none where NaN.

    `measured` may be several curves over the same x, by the names of their series.
    `spread`: how far `low` and `high` are from what was measured, if they are not given.
    """
    if isinstance(measured, dict):
        series = [name for name, curve in measured.items() for _ in curve]
        x, measured = [*x] * len(measured), np.concatenate([*measured.values()])
    measured = np.asarray(measured, float)
    low = measured - spread if low is None else np.asarray(low, float)
    high = measured + spread if high is None else np.asarray(high, float)
    frame = pd.DataFrame(
        {
            "x": [v if isinstance(v, str) else f"{float(v):.6g}" for v in x],
            "measured": measured,
            "low": low,
            "high": high,
            "at_least": at_least,
            "at_most": at_most,
            "repaired_bound": repaired,
        }
    )
    frame[LIMITS] = frame[LIMITS].astype(float)
    frame["beyond"] = _above(frame, "at_most") | _below(frame, "at_least")
    if (_above if is_upper(frame) else _below)(frame, "repaired_bound").any():
        raise ValueError("a point lies beyond the repaired bound")
    frame = frame.assign(panel=panel, x_label=axes[0], y_label=axes[1], log=log, series=series)
    return frame[list(COLUMNS)]


def curves(
    rows: pd.DataFrame, x: str, measured: str = "mean", *,
    z: float = 0.0, series: str = "", panel: str = "", **options,
) -> pd.DataFrame:  # fmt: skip
    """The rows of a table, one curve after another; series and panel are formats of its columns.

    An end or a limit may be the name of a column; the spread is that of z standard errors.
    """
    named = [[text.format(**row) for row in rows.to_dict("records")] for text in (series, panel)]
    given = {k: rows[v] if k in ENDS and isinstance(v, str) else v for k, v in options.items()}
    given |= {"spread": z * rows["sem"]} if z else {}
    found = points(rows[x], rows[measured], series=named[0], panel=named[1], **given)
    curve = found.groupby(["panel", "series"], sort=False).ngroup()
    return found.iloc[curve.argsort(kind="stable")]


def is_upper(frame: pd.DataFrame) -> bool:
    """Is the repaired bound one from above? So is the printed one."""
    return bool(frame["at_most"].notna().any() or frame["at_least"].isna().all())


def _above(frame: pd.DataFrame, limit: str) -> pd.Series:
    return frame["low"] - frame[limit] > ROUNDING * frame[limit].abs()


def _below(frame: pd.DataFrame, limit: str) -> pd.Series:
    return frame[limit] - frame["high"] > ROUNDING * frame[limit].abs()


def joined(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """All points of a claim; refused if there are none, or one is not a number."""
    frame = pd.concat(list(parts), ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)
    if frame.empty or not np.isfinite(frame["measured"]).all():
        raise ValueError("the plot of a claim needs points, each with a finite measured value")
    return frame
