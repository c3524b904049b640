"""What a check measured, and what the statement allows there. A check draws nothing.

    evidence(losses, at_most=epsilons)
    of_means(rows, 5, at_most=rows["bound"])  # intervals of five standard errors to each side

A value is `beyond` the statement if its whole interval is; `repaired` is what the corrected
statement allows, on the same side. `what`, `x`, `at` and `series` name a value where the reading
fails (by how much, of which quantity, where) or where a figure draws it (plots.claims.curve).
"""

import numpy as np
import pandas as pd

from dpbandits.reproduction.ledger.points import COLUMNS, LIMITS, _above, _below, is_upper


def evidence(
    values, *, low=None, high=None, spread=0.0, at_least=np.nan, at_most=np.nan, repaired=np.nan,
    what: str = "", x: str = "", at=(), series: str = "",
) -> pd.DataFrame:  # fmt: skip
    """One row per value. spread: half the width of the interval, if its ends are not given."""
    values = np.asarray(values, float)
    low, high = values - spread if low is None else low, values + spread if high is None else high
    numbers = {"measured": values, "low": low, "high": high}
    numbers |= {"at_least": at_least, "at_most": at_most, "repaired_bound": repaired}
    flat = {name: np.broadcast_to(part, values.shape).ravel() for name, part in numbers.items()}
    frame = pd.DataFrame(flat).astype(dict.fromkeys(LIMITS, float))
    frame["beyond"] = _above(frame, "at_most") | _below(frame, "at_least")
    if (_above if is_upper(frame) else _below)(frame, "repaired_bound").any():
        raise ValueError("a value lies beyond the repaired bound")
    names = [v if isinstance(v, str) else f"{float(v):.6g}" for v in at] or ""
    frame = frame.assign(panel="", log="", x_label=x, y_label=what, series=series, x=names)
    return frame[COLUMNS]


def of_means(rows: pd.DataFrame, z: float, **limits) -> pd.DataFrame:
    """Of means in a table, with intervals of z standard errors to each side."""
    return evidence(rows["mean"], spread=z * rows["sem"], **limits)
