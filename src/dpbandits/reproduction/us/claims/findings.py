"""Checks of US's sensitivity and privacy claims, by the exact losses for random Z."""

from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import points_of
from dpbandits.reproduction.proofs import require_proof
from dpbandits.reproduction.us.claims.sampled import numbers_of


def within(tables, column: str, proof: str) -> Finding:
    """A column of the table us/privacy is at most 1, as a proof says. `attained`: how near
    two data sets come."""
    data = tables("privacy")
    worst, least = data[column].max(), data[column].min()
    longest = data[data["t"] == data["t"].max()]
    numbers = {"worst": worst, "least": least, "slack": 1 - worst}
    numbers["cases"] = len(data[["setting", "t", "run"]].drop_duplicates())
    numbers |= {"longest": longest["t"].iloc[0], "attained": longest["attained"].min()}
    numbers |= {"closest": longest["attained"].max()} | numbers_of(data)
    rounded = worst <= 1 + 1e-9  # rounding alone contradicts nothing
    require_proof(rounded, f"{proof}: {worst:.10g} of what it allows")
    return Finding("holds", numbers, points_of(data[column], at_most=1))
