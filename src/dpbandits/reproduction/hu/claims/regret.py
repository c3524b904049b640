"""Checks of the regret bounds of HU's lazy algorithms: the proofs, and the runs beside them."""

import math

import numpy as np
import pandas as pd

from dpbandits.reproduction.hu import theory
from dpbandits.reproduction.hu.summaries import Z_CLAIM
from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import curves, points
from dpbandits.reproduction.proofs import require_proof
from dpbandits.stochastic.divergences import d_eps
from dpbandits.stochastic.noisy_sums import log_density


def anytime_lazy_ucb_regret(tables) -> dict[str, Finding]:
    bounds = theory.lazy_ucb_bound, theory.lazy_ucb_worst_case
    found = regret_beside_bounds(tables, "anytime-lazy-ucb", "Theorem 3", *bounds)
    return {"printed": found, "ours: na-imed": na_imed_evidence()}


def na_imed_evidence() -> Finding:
    """Lemma 5 of docs/proofs/OURS.md: the density of a sum of mean mu under another mean y."""
    mu, y, epsilon, sizes = 0.5, 0.75, 0.5, 2 ** np.arange(0, 11)
    density = [math.exp(log_density(mu * b, int(b), y, epsilon)) for b in sizes]
    bound = np.exp(-sizes * d_eps(mu, y, epsilon))
    require_proof(np.all(density <= bound), "OURS.md, Lemma 5: a density crosses its bound")
    axes = ("plays in a batch", "density of their sum under a mean of 3/4")
    return Finding("holds", {}, points(sizes, density, at_most=bound, axes=axes, log="xy"))


def lazy_dp_ts_regret(tables) -> Finding:
    bounds = theory.lazy_ts_bound, theory.lazy_ts_worst_case
    return regret_beside_bounds(tables, "lazy-dp-ts", "Theorem 5", *bounds)


def regret_beside_bounds(tables, algorithm: str, proof: str, instance_bound, worst_case) -> Finding:
    """The theorem is proved; a mean significantly above a bound contradicts the proof.

    The bounds are instance_bound(means, epsilon, t) and worst_case(arms, epsilon, t).
    """
    texts = tables("bounds").groupby("setting")["means"].first()
    means = {name: np.array(text.split(), dtype=float) for name, text in texts.items()}
    rows = pd.concat([tables("fig1_long"), tables("fig2_long")])
    rows = rows[(rows["algorithm"] == algorithm) & (rows["metric"] == "regret")]
    rows = rows[rows["t"] >= 10]
    cases = [(means[row["setting"]], row["epsilon"], row["t"]) for _, row in rows.iterrows()]
    rows = rows.assign(bound=[instance_bound(*case) for case in cases])
    worst_cases = [worst_case(len(arms), epsilon, t) for arms, epsilon, t in cases]
    low = rows["mean"] - Z_CLAIM * rows["sem"]
    share, share_any = float((low / rows["bound"]).max()), float((low / worst_cases).max())
    most = max(share, share_any)
    require_proof(most <= 1, f"{proof}: simulated regret is {most:.4g} of its bound")
    numbers = {
        "instances": len(means),
        "epsilons": ", ".join(f"{e:g}" for e in rows["epsilon"].unique()),
        "horizon": rows["t"].max(),
        "runs": rows["runs"].max(),
        "share": share,
        "at end": (rows["mean"] / rows["bound"])[rows["t"] == rows["t"].max()].max(),
        "share_any": share_any,
        "slack": 1 / share,
        "growth": growth(rows, means),
    }
    drawn = curves(
        rows, "t", z=Z_CLAIM, at_most="bound", log="xy",
        series="ε = {epsilon:g}", panel="{setting} instance", axes=("t", "regret"),
    )  # fmt: skip
    return Finding("holds", numbers, drawn)


def growth(rows: pd.DataFrame, means: dict) -> str:
    """Range over panels of regret/(sum of ln t/min(gap, eps)) at three times."""
    texts = []
    times = np.unique(rows["t"])
    for time in (1e3, 1e6, 1e9):
        t = times[np.argmin(np.abs(np.log(times / time)))]
        ratios = []
        for _, row in rows[rows["t"] == t].iterrows():
            gaps = theory.gaps_of(means[row["setting"]])
            ratios.append(row["mean"] / (np.log(t) / np.minimum(gaps, row["epsilon"])).sum())
        texts.append(f"{min(ratios):.3g} to {max(ratios):.3g} at t = {t:.3g}")
    return ", ".join(texts)
