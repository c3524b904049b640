"""What KL's claims share: verdicts from certified counterexamples, from proofs and from tables."""

from fractions import Fraction as F
from functools import partial

import numpy as np

from dpbandits.audit.balls import delta_at, precisely, shown
from dpbandits.core import ledger
from dpbandits.core.errors import require_proof
from dpbandits.core.ledger import Verdict
from dpbandits.core.points import ROUNDING, points

ADD_REMOVE = "one record added or removed"
LABEL = "one label flipped"
PAGE = "docs/proofs/KL.md"
TIGHTNESS = "figures/kl/tightness.csv"
ATTACKS = "figures/kl/attacks.csv"
COUNTEREXAMPLES = "figures/kl/counterexamples.csv"
TESTS = "tests/offline/test_kl_claims.py"
STEPS = "tests/offline/test_repaired.py"
claim = partial(ledger.claim, reads=("attacks",))  # a search stands behind most rows: `attacked`


def refuted(crossing, repaired: str, method: str = "proof", **more) -> Verdict:
    """`violated` by a proved crossing, with the first printed step that fails there."""
    require_proof(crossing.proved, f"the counterexample {crossing.words}")
    at = "" if crossing.epsilon is None else f" at eps={shown(crossing.epsilon)}"
    what = crossing.quantity
    evidence = (COUNTEREXAMPLES, PAGE, TESTS, *more.pop("evidence", ()))
    factor = crossing.measured / crossing.allowed if crossing.allowed > 0 else None
    beyond = f"by a factor {shown(factor, 3)}" if factor is not None else "where 0 is allowed"
    defaults = {
        "scope": "one data set and its neighbour, in ball arithmetic at 192 bits",
        "method": "certified",
        "proof_step": crossing.broken,
        "points": crossing_points(crossing),
    }
    return Verdict.refuted(
        measured=f"{what} {shown(crossing.measured)}{at}",
        bound=f"{what} at most {shown(crossing.allowed)}{at}",
        slack=f"exceeded {beyond}",
        evidence=evidence,
        counterexample=crossing.words,
        repaired=repaired,
        repaired_method=method,
        **(defaults | more),
    )


def crossing_points(crossing):
    """The exact delta(eps) of the counterexample's pair, against what is allowed from eps on.

    A bound on the pure loss allows delta = 0 from there on; without a pair, the two numbers.
    """
    if crossing.pair is None:
        return _numbers(crossing)
    promised = crossing.allowed if crossing.epsilon is None else crossing.epsilon
    limit = 0.0 if crossing.epsilon is None else float(crossing.allowed.mid())
    start = float(promised.mid())
    end = 1.1 * float(crossing.measured.mid()) if crossing.epsilon is None else 2 * start or 1.0
    near = [float(b.epsilon) for b in crossing.repaired if b.epsilon < 3 * end]
    end = max([end, *(1.1 * e for e in near)])
    own = near if len(crossing.repaired) < 9 else []
    steps = [start + (end - start) * i / 8 for i in range(9)]
    grid = sorted({*(start * i / 8 for i in range(8)), *steps, *own})
    true = [crossing.repaired_delta(e * (1 + ROUNDING)) for e in grid]
    levels = [promised if e == start else F(e).limit_denominator(10**6) for e in grid]
    return points(
        grid,
        [max(0.0, float(precisely(delta_at)(*crossing.pair, e).mid())) for e in levels],
        at_most=np.where(np.array(grid) >= start, limit, np.nan),
        repaired=true,
        panel="the counterexample's pair",
        axes=("ε", "exact δ(ε), both directions"),
    )


def _numbers(crossing):
    measured, allowed = (float(x.mid()) for x in (crossing.measured, crossing.allowed))
    true = crossing.repaired_delta(0.0)
    axes = ("", crossing.quantity)
    return points(["the counterexample"], [measured], at_most=allowed, repaired=true, axes=axes)


def tightness_points(tables, id: str):
    """Exact loss over bound on designed data sets, and on those a search found for this bound."""
    rows = tables("tightness").query("claim == @id")
    found = {"95% of the data sets": rows["q95"], "worst data set": rows["worst"]}
    return points(
        [f"{row.family} ({row.data_sets:,})" for row in rows.itertuples()],
        {name: np.clip(ratios, 1e-9, 1e9) for name, ratios in found.items()},
        at_most=1,
        panel="over data sets",
        axes=("", "exact loss / bound (within 1e±9)"),
        log="y",
    )


def proved(tables, id: str, section: str, bound: str, method: str = "proof", **more) -> Verdict:
    """`holds` by a written proof; the tightness table beside it may refuse."""
    rows = tables("tightness").query("claim == @id")
    worst, count = float(rows["worst"].max()), int(rows["data_sets"].sum())
    agrees = len(rows) > 0 and rows["crossed"].sum() == 0
    require_proof(agrees, f"{id}: the tightness table contradicts the proof: look at it")
    return Verdict.proved(
        method=method,
        scope=f"all data sets: {PAGE}, {section}; {count} designed and searched data sets agree",
        measured=f"worst exact loss / bound = {worst:.3g}",
        bound=bound,
        slack=f"the bound is at least {1 / worst:.3g} times the exact loss on all of them",
        evidence=(PAGE, TIGHTNESS, TESTS, STEPS, *more.pop("evidence", ())),
        points=tightness_points(tables, id),
        **more,
    )


def attacked(tables, name: str) -> str:
    """How near to equality a search brought a repaired bound, and with which budget."""
    rows = tables("attacks")
    own = rows[rows["bound"].isin((name, f"{name} (small delta)"))]
    require_proof(len(own) > 0 and own["crossed"].sum() == 0, f"{name}: the attack crosses it")
    parts = []
    for bound, part in own.groupby("bound", sort=False):
        best = part.loc[part["ratio"].idxmax()]
        small = " where $10^{-6} \\le \\delta \\le 0.1$" if bound != name else ""
        where = f" (d = {best['dimension']})" if best["dimension"] else ""
        parts.append(f"true/bound {best['ratio']:.4f}{small}{where}")
    count = int(own["instances"].sum())
    return (
        f"{'; '.join(parts)}; no crossing in {count:,} adversarial instances: {ATTACKS}, rows "
        f"`{name}`, has the nearest"
    )
