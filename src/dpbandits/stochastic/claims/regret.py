"""Checks of the regret bounds of HU's lazy algorithms: the proofs, and the runs beside them."""

import numpy as np
import pandas as pd

from dpbandits.core.claims import Finding
from dpbandits.core.points import curves
from dpbandits.stochastic import theory
from dpbandits.stochastic.readings import Z_CLAIM


def anytime_lazy_ucb_regret(tables) -> Finding:
    return regret_beside_bound(
        tables,
        "anytime-lazy-ucb",
        lambda means, e, t: theory.lazy_ucb_bound(means.max() - means, e, t),
        lambda means, e, t: theory.lazy_ucb_worst_case(len(means), e, t),
    )


def lazy_dp_ts_regret(tables) -> Finding:
    return regret_beside_bound(
        tables,
        "lazy-dp-ts",
        theory.lazy_ts_bound,
        lambda means, e, t: theory.lazy_ts_worst_case(len(means), e, t),
    )


def regret_beside_bound(tables, algorithm: str, bound, any_gaps) -> Finding:
    """The theorem is proved; a mean significantly above its bound would contradict the proof."""
    own = tables("bounds").groupby("setting")["means"].first()
    means = {name: np.array([float(mean) for mean in text.split()]) for name, text in own.items()}
    measured = pd.concat([tables("fig1_long"), tables("fig2_long")])
    own = (measured["algorithm"] == algorithm) & (measured["metric"] == "regret")
    measured = measured[own & (measured["t"] >= 10)]
    rows = [(means[r["setting"]], r["epsilon"], r["t"]) for _, r in measured.iterrows()]
    bounds, whatever = ([f(*row) for row in rows] for f in (bound, any_gaps))
    measured = measured.assign(bound=bounds)
    least = measured["mean"] - Z_CLAIM * measured["sem"]
    share, share_any = float((least / bounds).max()), float((least / whatever).max())
    numbers = {
        "instances": len(means),
        "epsilons": ", ".join(f"{e:g}" for e in measured["epsilon"].unique()),
        "horizon": measured["t"].max(),
        "runs": measured["runs"].max(),
        "share": share,
        "share_any": share_any,
        "slack": 1 / share,
        "growth": growth(measured, means),
    }
    drawn = curves(
        measured, "t", z=Z_CLAIM, at_most="bound", log="xy",
        series="ε = {epsilon:g}", panel="{setting} instance", axes=("t", "regret"),
    )  # fmt: skip
    return Finding("holds" if max(share, share_any) <= 1 else "untestable", numbers, drawn)


def growth(measured: pd.DataFrame, means: dict) -> str:
    """Range over panels of regret/(sum of ln t/min(gap, eps)) at three times."""
    said = []
    times = np.unique(measured["t"])
    for wanted in (1e3, 1e6, 1e9):
        t = times[np.argmin(np.abs(np.log(times / wanted)))]
        values = []
        for _, row in measured[measured["t"] == t].iterrows():
            arms = np.array(means[row["setting"]])
            gaps = arms.max() - arms[arms < arms.max()]
            values.append(row["mean"] / (np.log(t) / np.minimum(gaps, row["epsilon"])).sum())
        said.append(f"{min(values):.3g} to {max(values):.3g} at t = {t:.3g}")
    return ", ".join(said)
