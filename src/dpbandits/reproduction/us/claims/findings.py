"""Checks of US's sensitivity and privacy claims, by the exact losses for random Z."""

from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import curves
from dpbandits.reproduction.proofs import require_proof
from dpbandits.reproduction.us.claims.sampled import numbers_of

LABELS = {
    "loss_over_epsilon": r"exact loss / $\varepsilon$",
    "loss_at_least_noise": r"exact loss / $\varepsilon$, least noise",
    "sensitivity_over_bound": r"sensitivity / $2B\sup\bar\sigma^2$",
}


def within(tables, column: str, proof: str) -> Finding:
    """A column of the table us/privacy is at most 1, as a proof says. The plot has the range over
    the draws of Z, with the marker at the largest; `attained`: how near two data sets come."""
    data = tables("privacy")
    worst, least = data[column].max(), data[column].min()
    longest = data[data["t"] == data["t"].max()]
    numbers = {"worst": worst, "least": least, "slack": 1 - worst}
    numbers["cases"] = len(data[["setting", "t", "run"]].drop_duplicates())
    numbers |= {"longest": longest["t"].iloc[0], "attained": longest["attained"].min()}
    numbers |= {"closest": longest["attained"].max()} | numbers_of(data)
    rounded = worst <= 1 + 1e-9  # rounding alone contradicts nothing
    require_proof(rounded, f"{proof}: {worst:.10g} of what it allows")
    ends = data.groupby(["setting", "t"], sort=False)[column].agg(["min", "max"]).reset_index()
    axes = ("$T$", f"{LABELS[column]}, worst neighbours")
    options = {"low": "min", "at_most": 1, "series": "{setting}", "axes": axes, "log": "x"}
    return Finding("holds", numbers, curves(ends, "t", "max", **options))
