"""Findings from certified counterexamples, from proofs beside tables, and from attacks.

Bounds are read per data set D, over D's worst neighbour, both directions. `attack` is that of the
table kl/attacks on what is true.
"""

import math
from dataclasses import replace
from fractions import Fraction as F

import numpy as np

from dpbandits.reproduction.kl import corollaries
from dpbandits.reproduction.kl.counterexamples import COUNTEREXAMPLES, bandit
from dpbandits.reproduction.kl.counterexamples.counterexample import Counterexample
from dpbandits.reproduction.kl.finite_laws import delta_at
from dpbandits.reproduction.kl.summaries import most_exceeded
from dpbandits.reproduction.ledger.claims import Finding
from dpbandits.reproduction.ledger.points import ROUNDING, points_of
from dpbandits.reproduction.proofs import at_certificate_precision, require_proof
from dpbandits.reproduction.statistics import fit_power


def refuted(tables, name: str, attack: str = "", curve: str = "", loss: str = "") -> Finding:
    """A proved counterexample, and how near the attack came to the corrected bound, if one did;
    curve, loss: the part of kl/delta_curves, of kl/loss_vs, that must obey the corrected bound."""
    near = attacked(tables, attack) if attack else {}
    near |= under_curve(tables, curve) if curve else {}
    near |= along(tables, loss) if loss else {}
    return crossed(COUNTEREXAMPLES[name](), name, **near)


def under_curve(tables, problem: str) -> dict[str, float]:
    """In how many cases of kl/delta_curves the exact delta exceeds the printed one, and where by
    the largest factor; it never exceeds the corrected one."""
    data = tables("delta_curves")
    data = data[data["case"].str.startswith(problem)]
    exact, allowed = (data[data["quantity"] == name] for name in ("exact", "repaired"))
    both = exact.merge(allowed, on=["case", "epsilon"], suffixes=("", "_allowed"))
    kept = both["delta"] <= both["delta_allowed"] * (1 + ROUNDING)
    require_proof(len(both) > 0 and kept.all(), f"{problem}: a curve crosses the corrected bound")
    found = [most_exceeded(own) for _, own in data.groupby("case")]
    over = [place for place in found if place]
    at, true, printed = max(over, key=lambda place: place[1] / place[2], default=[math.nan] * 3)
    seen = {"drawn_at": at, "drawn": true, "drawn_allowed": printed}
    return {"exceeded": len(over), "cases": len(found)} | seen


def along(tables, problem: str, kept: bool = False) -> dict[str, float]:
    """The power of n that the mean exact loss of kl/loss_vs has, and the largest share of the
    printed bound of a data set; each obeys the corrected bound, and the printed one if that is
    proved (kept)."""
    data = tables("loss_vs")
    label = "label " if problem == "label" else ""
    data = data[data["problem"] == (problem if not label else "rlhf")]
    printed, mended = (
        data.loc[data["quantity"] == f"{label}{name}", "exact_over"]
        for name in ("theorem", "repaired")
    )
    held = [mended.max()] + [printed.max()] * kept
    require_proof(max(held) <= 1 + ROUNDING, f"{problem}: kl/loss_vs contradicts the proof")
    over_n = data[(data["quantity"] == f"exact {label}loss") & (data["varied"] == "n")]
    power, _ = fit_power(over_n["value"].to_numpy(float), over_n["epsilon"].to_numpy())
    return {"power": power, "share": printed.max()}


def informative(tables, name: str, attack: str, **more) -> Finding:
    """With the eps above which Theorem 1 as repaired promises less than 1/2."""
    known = bandit.MOST, float(bandit.ETA), float(bandit.BETA0)
    found = refuted(tables, name, attack, **more)
    zero = corollaries.corrected_theorem1_threshold(*known)
    return replace(found, numbers=found.numbers | {"zero": zero})


def both_factors(tables, name: str, attack: str, loss: str = "") -> Finding:
    """With a bound that lacks only Lemma 1's factor 2, the full bound, and, for Theorem 4 at
    l = 81, lambda = 1, B = 1/10, (31) and Lemma 1 mended and (33) as printed."""
    (mended,) = (float(s.right.mid()) for s in COUNTEREXAMPLES[name]().steps if s.name == "Lemma 1")
    without = (4 * (1 + math.exp(0.2)) / 80 + 4 / (9 * 80)) / 0.01
    found = refuted(tables, name, attack, loss=loss)
    more = {"mended": mended, "both": 2 * mended, "without_33": without}
    return replace(found, numbers=found.numbers | more)


def crossed(counterexample: Counterexample, name: str, **numbers) -> Finding:
    require_proof(counterexample.proved and counterexample.broken, f"{name}: the counterexample")
    left, right = (float(x.mid()) for x in (counterexample.measured, counterexample.allowed))
    numbers |= {"left": left, "right": right, "ratio": left / right if right else float("inf")}
    if counterexample.epsilon is not None:
        numbers["epsilon"] = float(counterexample.epsilon.mid())
    return Finding("violated", numbers, values_of(counterexample))


def values_of(counterexample: Counterexample):
    """The exact delta(eps) of the counterexample's pair, against what is allowed from eps on.
    A bound on the pure loss allows delta = 0 from there on, and the loss itself is a value, too;
    without a pair, the two numbers."""
    measured, allowed = (float(x.mid()) for x in (counterexample.measured, counterexample.allowed))
    pure = counterexample.epsilon is None
    what, at = counterexample.quantity, ["the counterexample"]
    if counterexample.pair is None:
        corrected = counterexample.repaired_delta(0.0)
        return points_of([measured], at_most=allowed, repaired=corrected, what=what, at=at)
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
    curve = points_of(
        [max(0.0, float(delta(*counterexample.pair, e).mid())) for e in levels],
        at_most=np.where(np.array(grid) >= start, limit, np.nan),
        repaired=[counterexample.repaired_delta(e * (1 + ROUNDING)) for e in grid],
        what="exact δ(ε), both directions; the counterexample's pair",
        x="ε",
        at=grid,
    )
    loss = points_of([measured], at_most=allowed, what=f"{what}; its loss", at=at)
    return (loss, curve) if pure else curve


def proved(tables, id: str, attack: str = "", loss: str = "") -> Finding:
    """The finding of a claim with a written proof; refused if the table kl/tightness, or the part
    `loss` of kl/loss_vs, contradicts it."""
    rows = tables("tightness").query("claim == @id")
    worst, count = float(rows["worst"].max()), int(rows["data_sets"].sum())
    agrees = len(rows) > 0 and rows["crossed"].sum() == 0
    require_proof(agrees, f"{id}: the tightness table contradicts the proof: look at it")
    numbers = {"worst": worst, "count": count, "slack": 1 / worst}
    numbers |= attacked(tables, attack) if attack else {}
    numbers |= along(tables, loss, kept=True) if loss else {}
    return Finding(numbers=numbers, points=loss_over_bound(tables, id))


def loss_over_bound(tables, id: str):
    """The largest on random instances, and on the climb from the best of them."""
    return points_of(tables("tightness").query("claim == @id")["worst"], at_most=1)


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
