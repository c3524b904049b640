"""Checks of our own algorithms' regret: what is proved, and beside the published ones."""

import math

import numpy as np
import pandas as pd

from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.evidence import evidence
from dpbandits.reproduction.statistics import LEVEL, Interval, quantile, ratio
from dpbandits.stochastic.divergences import d_eps
from dpbandits.stochastic.noisy_sums import log_density

OURS, RANDOM = "na-imed", "random-arm"
LEVEL_WITHIN = 1.05  # two means are level if the interval of their ratio is within 5%


def lemma_5(tables) -> Finding:
    """Lemma 5 of docs/proofs/OURS.md: the density of a sum of mean mu under another mean y."""
    mu, y, epsilon, sizes = 0.5, 0.75, 0.5, 2 ** np.arange(0, 11)
    density = [math.exp(log_density(mu * b, int(b), y, epsilon)) for b in sizes]
    bound = np.exp(-sizes * d_eps(mu, y, epsilon))
    return Finding("holds", {}, evidence(density, at_most=bound))


def cells(tables, rivals: list[str]) -> pd.DataFrame:
    """Of each size of hu/which and each rival, the two rows: `mean` and `sem` of the rival, and
    `own mean` and `own sem`. Sizes at which random play is level with na-imed are left out."""
    keys = ["family", "epsilon", "t"]
    rows = tables("hu/which")
    own = rows[rows["algorithm"] == OURS].set_index(keys)[["mean", "sem"]].add_prefix("own ")
    idle = rows[rows["algorithm"] == RANDOM].set_index(keys)[["mean", "sem"]].join(own)
    learnt = between(idle)["low"] > LEVEL_WITHIN
    compared = rows[rows["algorithm"].isin(rivals)].join(own, on=keys)
    return compared[learnt.reindex(pd.MultiIndex.from_frame(compared[keys])).to_numpy()]


def between(rows: pd.DataFrame, **z) -> pd.DataFrame:
    """Rival over na-imed, as independent means: both met the same instances, so that the intervals
    are, if anything, too wide."""
    own = {"mean": rows["own mean"], "sem": rows["own sem"]}
    return pd.DataFrame(vars(ratio(rows, own, **z)), index=rows.index)


def beside(tables, rivals: list[str]) -> Finding:
    """The mean regret of some rivals over that of na-imed at each size. Beyond: a rival has less by
    more than 5%, at the level of all claims."""
    rows = cells(tables, rivals)
    ends = between(rows)
    kinds = {
        "ahead": ends["low"] > LEVEL_WITHIN,
        "level": (ends["low"] >= 1 / LEVEL_WITHIN) & (ends["high"] <= LEVEL_WITHIN),
        "behind": ends["high"] < 1 / LEVEL_WITHIN,
    }
    numbers = {name: int(which.sum()) for name, which in kinds.items()}
    numbers |= {"all": len(rows), "open": len(rows) - sum(numbers.values())}
    numbers |= {"all level": LEVEL, "who": rivals[0] if len(rivals) == 1 else "private rivals"}
    worse = rows[kinds["behind"]]
    places = (
        f"{r.algorithm} ({r.family}, ε = {r.epsilon:g}, T = {r.t:g})" for r in worse.itertuples()
    )
    numbers |= {"where": ", ".join(places) or "nowhere", "ratios": averages(rows, ends)}
    numbers |= {"least": ends["value"].min(), "most": ends["value"].max()}
    wide = between(rows, z=quantile(len(rows)))
    limits = {"low": wide["low"], "high": wide["high"], "at_least": 1 / LEVEL_WITHIN}
    return Finding(numbers=numbers, points=evidence(ends["value"], **limits))


def averages(rows: pd.DataFrame, ends: pd.DataFrame) -> str:
    """The geometric mean of the ratios over families, with its 95% interval, by rival, epsilon and
    T."""
    logs = np.log(ends["value"])
    table = rows.assign(log=logs, spread=(np.log(ends["high"]) - logs) ** 2)
    texts = []
    for (name, epsilon), part in table.groupby(["algorithm", "epsilon"], sort=False):
        lines = []
        for t, own in part.groupby("t"):
            middle, half = own["log"].mean(), math.sqrt(own["spread"].sum()) / len(own)
            lines.append(f"{Interval(*np.exp([middle, middle - half, middle + half]))} (T = {t:g})")
        texts.append(f"{name}, ε = {epsilon:g}: {', '.join(lines)}")
    return "; ".join(texts)
