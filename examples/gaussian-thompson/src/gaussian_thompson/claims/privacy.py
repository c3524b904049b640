"""The exact losses of short runs must not exceed the guarantee proved in docs/proofs/TS.md."""

from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import points
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
    return Finding("holds", numbers, tuple(_points(table)))


def _points(table):
    """For each b and c: the mu of the exact loss, and its guarantee, over the decisions."""
    worst = table.groupby(["pre_pulls", "variance", "decisions"], as_index=False).max()
    for (b, c), rows in worst.groupby(["pre_pulls", "variance"]):
        yield points(
            rows["decisions"],
            rows["mu"],
            at_most=rows["bound"],
            panel=f"b = {b}",
            series=f"c = {c:g}",
            axes=("decisions after the replaced reward", "μ of the exact loss"),
        )
