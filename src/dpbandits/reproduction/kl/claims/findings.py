"""Findings from certified counterexamples, from proofs beside tables, and from attacks."""

from fractions import Fraction as F

import numpy as np

from dpbandits.audit.balls import at_certificate_precision, delta_at
from dpbandits.core.errors import require_proof
from dpbandits.reproduction.kl.counterexamples import COUNTEREXAMPLES
from dpbandits.reproduction.kl.counterexamples.counterexample import Counterexample
from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import ROUNDING, points


def refuted(name: str, tables, attack: str = "") -> Finding:
    """A proved counterexample, and how near the attack came to the corrected bound, if one did."""
    near = attacked(tables, attack) if attack else {}
    return crossed(COUNTEREXAMPLES[name](), name, **near)


def crossed(counterexample: Counterexample, name: str, **numbers) -> Finding:
    require_proof(counterexample.proved and counterexample.broken, f"{name}: the counterexample")
    left, right = (float(x.mid()) for x in (counterexample.measured, counterexample.allowed))
    numbers |= {"left": left, "right": right, "ratio": left / right if right else float("inf")}
    if counterexample.epsilon is not None:
        numbers["epsilon"] = float(counterexample.epsilon.mid())
    return Finding("violated", numbers, counterexample_points(counterexample))


def counterexample_points(counterexample: Counterexample):
    """The exact delta(eps) of the counterexample's pair, against what is allowed from eps on.

    A bound on the pure loss allows delta = 0 from there on, and the loss itself is a point, too;
    without a pair, the two numbers.
    """
    measured, allowed = (float(x.mid()) for x in (counterexample.measured, counterexample.allowed))
    pure = counterexample.epsilon is None
    number = {"at_most": allowed, "axes": ("", counterexample.quantity)}
    if counterexample.pair is None:
        corrected = counterexample.repaired_delta(0.0)
        return points(["the counterexample"], [measured], repaired=corrected, **number)
    promised = counterexample.allowed if pure else counterexample.epsilon
    start, limit = float(promised.mid()), 0.0 if pure else allowed
    end = 1.1 * measured if pure else 2 * start or 1.0
    near = [float(b.epsilon) for b in counterexample.repaired if b.epsilon < 3 * end]
    end = max([end, *(1.1 * e for e in near)])
    steps = [start + (end - start) * i / 8 for i in range(9)]
    corrected = near if len(counterexample.repaired) < 9 else []
    grid = sorted({*(start * i / 8 for i in range(8)), *steps, *corrected})
    levels = [promised if e == start else F(e).limit_denominator(10**6) for e in grid]
    delta = at_certificate_precision(delta_at)
    curve = points(
        grid,
        [max(0.0, float(delta(*counterexample.pair, e).mid())) for e in levels],
        at_most=np.where(np.array(grid) >= start, limit, np.nan),
        repaired=[counterexample.repaired_delta(e * (1 + ROUNDING)) for e in grid],
        panel="the counterexample's pair",
        axes=("ε", "exact δ(ε), both directions"),
    )
    loss = [points(["the counterexample"], [measured], panel="its loss", **number)] if pure else []
    return (*loss, curve)


def proved(id: str, tables, attack: str = "") -> Finding:
    """The finding of a claim with a written proof; refused if the table kl/tightness contradicts
    it."""
    rows = tables("tightness").query("claim == @id")
    worst, count = float(rows["worst"].max()), int(rows["data_sets"].sum())
    agrees = len(rows) > 0 and rows["crossed"].sum() == 0
    require_proof(agrees, f"{id}: the tightness table contradicts the proof: look at it")
    numbers = {"worst": worst, "count": count, "slack": 1 / worst}
    numbers |= attacked(tables, attack) if attack else {}
    return Finding(numbers=numbers, points=tightness_points(tables, id))


def tightness_points(tables, id: str):
    """Exact loss over bound on random instances, and on the climb from the best of them."""
    rows = tables("tightness").query("claim == @id")
    series = {"95% of the data sets": rows["q95"], "worst data set": rows["worst"]}
    return points(
        [f"{row.family} ({row.data_sets:,})" for row in rows.itertuples()],
        {name: np.clip(ratios, 1e-9, 1e9) for name, ratios in series.items()},
        at_most=1,
        panel="over data sets",
        axes=("", "exact loss / bound (within 1e±9)"),
        log="y",
    )


def attacked(tables, name: str) -> dict[str, float]:
    """How near to equality a search brought a repaired bound, where, over how many instances."""
    rows = tables("attacks")
    rows = rows[rows["bound"].isin((name, f"{name} (small delta)"))]
    require_proof(len(rows) > 0 and rows["crossed"].sum() == 0, f"{name}: the attack crosses it")
    numbers = {"instances": int(rows["instances"].sum())}
    for bound, part in rows.groupby("bound"):
        best, key = part.loc[part["ratio"].idxmax()], "near" if bound == name else "small"
        numbers |= {key: float(best["ratio"]), f"{key}_d": int(best["dimension"])}
    return numbers
