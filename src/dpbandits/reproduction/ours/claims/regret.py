"""Checks of our own algorithms' regret: what is proved, and beside the published ones."""

import math

import numpy as np
import pandas as pd

from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import points_of
from dpbandits.reproduction.statistics import LEVEL, NORMAL_95, Interval, quantile
from dpbandits.stochastic.divergences import d_eps
from dpbandits.stochastic.noisy_sums import log_density

OURS, RANDOM = "na-imed", "random-arm"
LEVEL_WITHIN = 1.05  # two means are level if the interval of their ratio is within 5%


def lemma_5(tables) -> Finding:
    """Lemma 5 of docs/proofs/OURS.md: the density of a sum of mean mu under another mean y."""
    mu, y, epsilon, sizes = 0.5, 0.75, 0.5, 2 ** np.arange(0, 11)
    density = [math.exp(log_density(mu * b, int(b), y, epsilon)) for b in sizes]
    bound = np.exp(-sizes * d_eps(mu, y, epsilon))
    return Finding("holds", {}, points_of(density, at_most=bound))


def compared(tables, rivals: list[str]) -> pd.DataFrame:
    """The rows of these rivals in hu/which, with `ratio` over na-imed and its 95% interval.
    Sizes at which random play is level with na-imed are left out."""
    keys = ["family", "epsilon", "t"]
    rows = tables("hu/which")
    idle = rows[rows["algorithm"] == RANDOM].set_index(keys)
    learnt = idle["ratio_low"] > LEVEL_WITHIN
    rows = rows[rows["algorithm"].isin(rivals)]
    return rows[learnt.reindex(pd.MultiIndex.from_frame(rows[keys])).to_numpy()]


def beside(tables, rivals: list[str]) -> Finding:
    """The mean regret of some rivals over that of na-imed at each size. Beyond: a rival has less by
    more than 5%, at the level of all claims."""
    rows = compared(tables, rivals)
    worse = rows[rows["ratio_high"] < 1 / LEVEL_WITHIN]
    places = (
        f"{r.algorithm} ({r.family}, ε = {r.epsilon:g}, T = {r.t:g})" for r in worse.itertuples()
    )
    numbers = {"where": ", ".join(places) or "nowhere", "ratios": averages(rows)}
    numbers["who"] = rivals[0] if len(rivals) == 1 else "private rivals"
    ratios = (rows[name] for name in ("ratio", "ratio_low", "ratio_high"))
    return beside_limit(*ratios, numbers, against="behind", at_least=1 / LEVEL_WITHIN)


def beside_limit(ratio, low, high, numbers: dict, against: str, **limit: float) -> Finding:
    """Ratios with their 95% intervals beside the least or largest that is stated, at the level of
    all claims; how many are above, level and below, each with its whole interval. Open where a 95%
    interval speaks `against` the statement and no interval at the level does."""
    level = (low >= 1 / LEVEL_WITHIN) & (high <= LEVEL_WITHIN)
    kinds = {"ahead": low > LEVEL_WITHIN, "level": level, "behind": high < 1 / LEVEL_WITHIN}
    counts = {name: int(which.sum()) for name, which in kinds.items()}
    numbers |= counts | {"open": len(ratio) - sum(counts.values())}
    numbers |= {"all": len(ratio), "all level": LEVEL}
    wider = (high / ratio) ** (quantile(len(ratio)) / NORMAL_95)
    points = points_of(ratio, low=ratio / wider, high=ratio * wider, **limit)
    undecided = counts[against] and not points["beyond"].any()
    return Finding("untestable" if undecided else "", numbers, points)


def averaged(rows: pd.DataFrame) -> pd.DataFrame:
    """The geometric mean of the ratios over families, with its 95% interval, by algorithm, epsilon
    and T."""
    logs = pd.DataFrame({
        "ratio": np.log(rows["ratio"]), "square": np.log(rows["ratio_high"] / rows["ratio"]) ** 2
    })  # fmt: skip
    groups = logs.groupby([rows[key] for key in ("algorithm", "epsilon", "t")], sort=False)
    mean, half = groups["ratio"].mean(), np.sqrt(groups["square"].sum()) / groups.size()
    return np.exp(pd.DataFrame({"ratio": mean, "low": mean - half, "high": mean + half}))


def averages(rows: pd.DataFrame) -> str:
    texts = []
    for (name, epsilon), part in averaged(rows).groupby(["algorithm", "epsilon"], sort=False):
        lines = (f"{Interval(*own)} (T = {t:g})" for (*_, t), own in part.sort_index().iterrows())
        texts.append(f"{name}, ε = {epsilon:g}: {', '.join(lines)}")
    return "; ".join(texts)
