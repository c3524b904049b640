"""What the plot of a claim shows: measured points, and what the statement allows at each.

    Verdict(..., points=(
        points([0.5, 1, 2], losses, at_most=[0.5, 1, 2], axes=("eps", "privacy loss"), log="xy"),
    ))

`low` and `high` enclose what was measured: a certified interval, a band at the confidence of the
verdict, or nothing (an exact number). A point is `beyond` the statement if all of that range is.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

COLUMNS = (
    *("panel", "x_label", "y_label", "log", "series", "x", "measured", "low", "high"),
    *("at_least", "at_most", "beyond"),
)
ROUNDING = 1e-9  # of numbers that are exact but for double rounding


def points(
    x: Sequence,
    measured: Sequence[float],
    *,
    axes: tuple[str, str],
    panel: str = "",
    series: str | Sequence[str] = "",
    low=None,
    high=None,
    at_least=np.nan,
    at_most=np.nan,
    log: str = "",
) -> pd.DataFrame:
    """Points of one panel. `x` holds numbers or names; `at_least`, `at_most`: none where NaN."""
    measured = np.asarray(measured, float)
    low = measured if low is None else np.asarray(low, float)
    high = measured if high is None else np.asarray(high, float)
    frame = pd.DataFrame(
        {
            "x": [v if isinstance(v, str) else f"{float(v):.6g}" for v in x],
            "measured": measured,
            "low": low,
            "high": high,
            "at_least": at_least,
            "at_most": at_most,
        }
    )
    frame[["at_least", "at_most"]] = frame[["at_least", "at_most"]].astype(float)
    frame["beyond"] = (frame["low"] - frame["at_most"] > ROUNDING * frame["at_most"].abs()) | (
        frame["at_least"] - frame["high"] > ROUNDING * frame["at_least"].abs()
    )
    frame["series"] = series if isinstance(series, str) else list(series)
    frame = frame.assign(panel=panel, x_label=axes[0], y_label=axes[1], log=log)
    return frame[list(COLUMNS)]


def joined(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """All points of a claim; refused if there are none, or one is not a number."""
    frame = pd.concat(list(parts), ignore_index=True) if parts else pd.DataFrame(columns=COLUMNS)
    if frame.empty or not np.isfinite(frame["measured"]).all():
        raise ValueError("the plot of a claim needs points, each with a finite measured value")
    return frame
