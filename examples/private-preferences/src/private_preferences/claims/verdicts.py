"""Randomised labels (in fractions), VPO's regression, and the rate that PPKL's abstract states."""

from fractions import Fraction
from math import log

from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import points_of
from dpbandits.reproduction.proofs import require_proof

ROUNDING = 1e-9
KEEP = {odds: odds / (1 + odds) for odds in map(Fraction, ("101/100", "3/2", "3", "20", "1000"))}
LABEL_FLIPS, SMALL = "ours: label flips", "epsilon at most 1"


def randomised_response_is_private(tables) -> Finding:
    """The larger over the smaller probability of a report is e^eps."""
    require_proof(all(k / (1 - k) == odds for odds, k in KEEP.items()), "PP-RR")
    losses = [log(odds) for odds in KEEP]
    return Finding("holds", {"count": len(KEEP)}, points_of(losses, at_most=losses))


def corrected_loss_is_unbiased(tables) -> Finding:
    """The loss is affine in the weight (r + keep - 1) c of the report, whose mean must be y."""
    pairs = [(k, y) for k in KEEP.values() for y in (0, 1)]
    bias = [(k * y + (1 - k) * (1 - y) + k - 1) / (2 * k - 1) - y for k, y in pairs]
    require_proof(not any(bias), f"PP-UNBIASED: {bias}")
    found = points_of([float(b) for b in bias], at_least=0, at_most=0)
    return Finding("holds", {"count": len(bias)}, found)


def regression_is_private(tables):
    """What is promised covers the proved bound, and no search exceeds that one."""
    table = tables("promises").assign(promise=lambda t: t["epsilon"])
    table.loc[table["neighbours"] == "flip", "promise"] /= 2
    names = {"replace": "printed", "flip": LABEL_FLIPS}
    return {names[kind]: _private(rows) for kind, rows in table.groupby("neighbours")}


def _private(rows) -> Finding:
    share, reach = rows["bound"] / rows["epsilon"], (rows["found"] / rows["bound"]).max()
    worst = max((rows["bound"] / rows["promise"]).max(), reach)
    require_proof(worst <= 1 + ROUNDING, f"PP-VPO: {worst:.6g}")
    found = points_of(rows[["bound", "found"]], at_most=rows[["promise"]])
    numbers = {"share": share.max(), "least": share.min(), "reach": reach}
    return Finding("holds", numbers | {"instances": rows["instances"].sum()}, found)


def gap_shrinks_as_printed(tables):
    """The constant that the printed rate needs, relative to what it needs at epsilon = 1."""
    table = tables("rate")
    require_proof((table["floor"] <= table["gap"]).all(), "PP-RATE: PPKL is below the floor")
    table["least"] = table["floor"] / table["printed"]
    table["needed"] = table["gap"] / table["printed"]
    table["mended"] = table["gap"] / table["repaired"]
    at_one = table[table["epsilon"] == 1].set_index("n")
    few, many = (table[table["n"] == n].copy() for n in (table["n"].min(), table["n"].max()))
    beyond = []
    for rows, column, who in ((few, "least", "any method"), (many, "needed", "PPKL")):
        rows["limit"] = at_one.loc[rows["n"].iloc[0], column]
        named = {"what": "gap × n(e^ε − 1)²", "series": f"{who}, n = {rows['n'].iloc[0]}"}
        named |= {"x": "ε", "at": rows["epsilon"]}
        beyond.append(points_of(rows[column], at_most=rows["limit"], **named))
    worst, last = few.iloc[few["least"].argmax()], many.iloc[many["needed"].argmax()]
    small = table[table["epsilon"] <= 1]
    numbers = {
        "n": int(worst["n"]), "floor": worst["floor"], "epsilon": worst["epsilon"],
        "times": worst["least"] / worst["limit"], "own": last["gap"],
        "more": last["needed"] / last["limit"], "mended": table["mended"].max(),
        "needed": small["needed"].max(), "most": table["n"].max(),
    }  # fmt: skip
    return {
        "printed": Finding("violated", numbers, beyond),
        SMALL: Finding("consistent", numbers, points_of(small["needed"])),
    }
