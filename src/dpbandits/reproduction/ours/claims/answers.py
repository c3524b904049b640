"""Checks of what we say of intervals, of the best arm and of when `na-tt` ends."""

import pandas as pd

from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import points_of
from dpbandits.reproduction.statistics import LEVEL, quantile, ratio

OURS, RIVALS, TOP = "na-tt", ["dp-se-best", "adap-tt"], "dp-tt"


def coverage(tables) -> Finding:
    """The share of runs in which anything that is said is ever wrong, of each rule."""
    rows, promised = tables("hu/coverage"), 0.05
    usual = rows[rows["statement"] == "usual"]["mean"]
    said = rows[rows["statement"] != "usual"]
    numbers = {"rules": rows["rule"].nunique(), "runs": int(rows["runs"].min())}
    numbers |= {"most": said["mean"].max(), "promised": promised}
    numbers |= {"usual least": usual.min(), "usual most": usual.max()}
    return Finding("holds", numbers, points_of(said["mean"].to_numpy(), at_most=promised))


def ends(tables) -> pd.DataFrame:
    """The mean rounds of each rule until its end."""
    rows = tables("hu/stopping")
    return rows[(rows["metric"] == "stopped") & rows["algorithm"].isin([OURS, *RIVALS, TOP])]


def lower_bound(tables) -> Finding:
    """Mean rounds over the lower bound, of each rule, instance and epsilon."""
    bound = tables("hu/stopping_bound").astype({"epsilon": float})
    rows = ends(tables).astype({"epsilon": float}).merge(bound, on=["setting", "epsilon"])
    over = (rows["mean"] / rows["plays"]).to_numpy()
    numbers = {"least": over.min(), "most": over.max()}
    return Finding("holds", numbers, points_of(over, at_least=1.0))


def sooner(tables) -> Finding:
    """Mean rounds of the better rival over those of na-tt, as independent means; those of DP-TT,
    whose threshold is not proved, are reported."""
    rows, keys = ends(tables), ["setting", "epsilon"]
    own = rows[rows["algorithm"] == OURS].set_index(keys)[["mean", "sem"]]
    rivals = rows[rows["algorithm"].isin(RIVALS)].sort_values("mean")
    rivals = rivals.drop_duplicates(keys).set_index(keys).loc[own.index]
    between = vars(ratio(rivals, own, z=quantile(len(own))))
    top = rows[rows["algorithm"] == TOP].set_index(keys).loc[own.index, "mean"] / own["mean"]
    answers = tables("hu/stopping")
    answers = answers[answers["metric"] == "answer"]
    endless = abs(min(answers[answers["algorithm"] == TOP]["mean"].min(), 0))  # -1: no end
    answers = answers[answers["algorithm"] == OURS]
    wrong = round((answers["mean"] * answers["runs"]).abs().sum())  # 0 if each answer is arm 0
    numbers = {"least": between["value"].min(), "most": between["value"].max(), "wrong": wrong}
    numbers |= {"runs": int(answers["runs"].sum()), "all level": LEVEL}
    numbers |= {"DP-TT least": top.min(), "DP-TT most": top.max(), "sooner": int((top < 1).sum())}
    numbers |= {"points": len(top), "DP-TT endless": endless}
    limits = {"low": between["low"], "high": between["high"], "at_least": 1.0}
    return Finding(numbers=numbers, points=points_of(between["value"], **limits))
