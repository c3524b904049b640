"""The points of a claim: measured values, and what the statement allows at each.

    points([0.5, 1, 2], losses, at_most=[0.5, 1, 2], axes=("eps", "privacy loss"), log="xy")
    curves(table, "t", z=5, at_most="bound", series="ε = {epsilon:g}", axes=("t", "regret"))

`low` and `high` enclose the measured value: a certified interval, a band at the confidence of the
verdict, or the value itself if it is exact. A point is `beyond` the statement if its whole interval
is. `repaired` is what the corrected statement allows, on the same side as the printed one; a point
beyond it is refused. A repair that narrows the hypotheses or changes the algorithm says nothing at
the counterexample, and has no number there.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

LIMITS = ("at_least", "at_most", "repaired_bound")
COLUMNS = ["panel", "x_label", "y_label", "log", "series", "x", "measured", "low", "high"]
COLUMNS += [*LIMITS, "beyond"]
ENDS = {"low", "high", "spread", "at_least", "at_most", "repaired"}
ROUNDING = 1e-9  # relative error of numbers that are exact up to double precision


def points(
    x: Sequence, measured: Sequence[float] | dict[str, Sequence[float]], *, axes: tuple[str, str],
    panel: str | Sequence[str] = "", series: str | Sequence[str] = "", low=None, high=None,
    spread=0.0, at_least=np.nan, at_most=np.nan, repaired=np.nan, log: str = "",
) -> pd.DataFrame:  # fmt: skip
    """The points of one panel.
    x: numbers or names. measured: a sequence, or several over the same x by the names of their
    series. spread: half the width of the interval, if `low` and `high` are not given. at_least,
    at_most, repaired: NaN where there is no limit."""
    if isinstance(measured, dict):
        series = [name for name, curve in measured.items() for _ in curve]
        x, measured = [*x] * len(measured), np.concatenate([*measured.values()])
    measured = np.asarray(measured, float)
    low = measured - spread if low is None else np.asarray(low, float)
    high = measured + spread if high is None else np.asarray(high, float)
    names = [v if isinstance(v, str) else f"{float(v):.6g}" for v in x]
    values = {"x": names, "measured": measured, "low": low, "high": high}
    limits = {"at_least": at_least, "at_most": at_most, "repaired_bound": repaired}
    frame = pd.DataFrame(values | limits).astype(dict.fromkeys(LIMITS, float))
    frame["beyond"] = _above(frame, "at_most") | _below(frame, "at_least")
    if (_above if is_upper(frame) else _below)(frame, "repaired_bound").any():
        raise ValueError("a point lies beyond the repaired bound")
    frame = frame.assign(panel=panel, x_label=axes[0], y_label=axes[1], log=log, series=series)
    return frame[COLUMNS]


def curves(
    rows: pd.DataFrame, x: str, measured: str = "mean", *,
    z: float = 0.0, series: str = "", panel: str = "", **options,
) -> pd.DataFrame:  # fmt: skip
    """The points of a table, one curve after another.
    x, measured: names of columns; also the limits and interval ends in `options` may be. series,
    panel: format strings of the columns. z: the intervals have z standard errors to each side."""
    records = rows.to_dict("records")
    names = {"series": [series.format(**r) for r in records]}
    names |= {"panel": [panel.format(**r) for r in records]}
    values = {k: rows[v] if k in ENDS and isinstance(v, str) else v for k, v in options.items()}
    if z:
        values["spread"] = z * rows["sem"]
    frame = points(rows[x], rows[measured], **names, **values)
    curve = frame.groupby(["panel", "series"], sort=False).ngroup()
    return frame.iloc[curve.argsort(kind="stable")]


def is_upper(frame: pd.DataFrame) -> bool:
    """Whether the printed and the repaired bound are upper bounds."""
    return bool(frame["at_most"].notna().any() or frame["at_least"].isna().all())


def _above(frame: pd.DataFrame, limit: str) -> pd.Series:
    return frame["low"] - frame[limit] > ROUNDING * frame[limit].abs()


def _below(frame: pd.DataFrame, limit: str) -> pd.Series:
    return frame[limit] - frame["high"] > ROUNDING * frame[limit].abs()


def largest_ratio(parts: Sequence[pd.DataFrame]) -> tuple[float, str]:
    """The largest ratio of the true value to what the statement allows, at a point beyond it (of a
    lower bound: of what it demands to the true value), inf where 0 or less is allowed; and of which
    quantity it is, at which point.
    Finite ratios come first: a curve may pass through points at which 0 is allowed. NaN if no point
    is beyond."""
    ratios = [(np.nan, "")]
    for part in parts:
        beyond = part[part["beyond"]]
        above = beyond[_above(beyond, "at_most")]
        below = beyond[_below(beyond, "at_least")]
        for rows, over, under in ((above, "low", "at_most"), (below, "at_least", "high")):
            for _, row in rows.iterrows():
                ratio = row[over] / row[under] if row[under] > 0 else np.inf
                place = f"{row['x_label']} = {row['x']}" if row["x_label"] else row["x"]
                names = row["y_label"], row["panel"], row["series"], place
                ratios.append((ratio, "; ".join(name for name in names if name)))
    finite = [ratio for ratio in ratios if np.isfinite(ratio[0])]
    return max(finite or ratios[1:] or ratios, key=lambda ratio: ratio[0])


def joined(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """All points of a claim in one table; refused if there are none, or one is not a number."""
    frame = pd.concat(list(parts), ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)
    if frame.empty or not np.isfinite(frame["measured"]).all():
        raise ValueError("the plot of a claim needs points, each with a finite measured value")
    return frame
