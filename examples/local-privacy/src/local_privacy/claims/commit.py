"""Checks of both claims, with the exact numbers of the study."""

from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import points_of

ROUNDING = 1e-9


def private(tables):
    table = tables("commit").drop_duplicates("epsilon")
    e, loss = table["epsilon"], table["loss"]
    return _finding(loss / e, len(table), points_of(loss, at_most=e))


def errs_rarely(tables):
    table = tables("commit")
    found = points_of(table["wrong"], at_most=table["bound"])
    return _finding(table["wrong"] / table["bound"], len(table), found)


def _finding(ratio, count, found):
    if ratio.max() > 1 + ROUNDING:
        raise ValueError(f"found {ratio.max():.6g} of the bound")
    return Finding("holds", {"ratio": ratio.max(), "count": count}, found)
