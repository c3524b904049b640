"""What KL's tables say; for figures and claims."""

import numpy as np
import pandas as pd


def best_means(data: pd.DataFrame, measure: str = "reward") -> pd.DataFrame:
    """By problem and epsilon of kl/utility_vs_privacy: the largest mean measure of a mechanism that
    adds noise, and of a regularised policy."""
    rows = data[data["measure"] == measure]
    own = rows["mechanism"].str.startswith("KL").map({True: "regularised", False: "noise"})
    return rows.groupby(["problem", "epsilon", own])["mean"].max().unstack()


def most_exceeded(case: pd.DataFrame) -> tuple[float, float, float] | None:
    """The pair of a printed theorem, of a case of kl/delta_curves, that the exact delta exceeds by
    the largest factor, of those with delta from 1e-8: (epsilon, exact delta, printed delta); None
    if none is exceeded."""
    exact, printed = (case[case["quantity"] == name] for name in ("exact", "theorem"))
    printed = printed[printed["delta"] >= 1e-8]
    there = np.interp(printed["epsilon"], exact["epsilon"], exact["delta"])
    over = printed.assign(there=there)[there > printed["delta"]]
    if over.empty:
        return None
    most = over.loc[(over["there"] / over["delta"]).idxmax()]
    return tuple(map(float, most[["epsilon", "there", "delta"]]))
