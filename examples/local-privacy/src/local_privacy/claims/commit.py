"""Checks of both claims, with the exact numbers of the study."""

from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import points

ROUNDING = 1e-9


def private(tables):
    table = tables("commit").drop_duplicates("epsilon")
    e, loss = table["epsilon"], table["loss"]
    drawn = points(e, loss, at_most=e, axes=("ε", "loss of a report"), log="xy")
    return _finding(loss / e, len(table), drawn)


def errs_rarely(tables):
    table = tables("commit")
    series = [f"ε = {epsilon:g}" for epsilon in table["epsilon"]]
    axes = ("pulls of each arm", "probability of a wrong choice")
    drawn = points(
        table["pulls"], table["wrong"], at_most=table["bound"], series=series, axes=axes, log="xy"
    )
    return _finding(table["wrong"] / table["bound"], len(table), drawn)


def _finding(ratio, count, drawn):
    if ratio.max() > 1 + ROUNDING:
        raise ValueError(f"found {ratio.max():.6g} of the bound")
    return Finding("holds", {"ratio": ratio.max(), "count": count}, drawn)
