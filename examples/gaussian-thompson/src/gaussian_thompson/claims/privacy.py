"""The exact losses of short runs must not exceed the guarantee proved in docs/proofs/TS.md."""

from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import points_of
from dpbandits.reproduction.proofs import require_proof

ROUNDING = 1e-9


def thompson_sampling_is_private(tables) -> Finding:
    table = tables("privacy")
    table["ratio"] = table["mu"] / table["bound"]
    worst = table.loc[table["ratio"].idxmax()]
    at = f"b = {worst['pre_pulls']:g}, c = {worst['variance']:g}, {worst['decisions']:g} decisions"
    require_proof(worst["ratio"] <= 1 + ROUNDING, f"TS-GDP: {worst['ratio']:.6g} at {at}")
    numbers = {
        "ratio": worst["ratio"],
        "slack": 1 - worst["ratio"],
        "epsilon": worst["epsilon"],
        "at": at,
        "count": len(table),
        "decisions": table["decisions"].max(),
    }
    return Finding("holds", numbers, points_of(table["mu"], at_most=table["bound"]))
