"""What KL's claims share: verdicts from a certified counterexample, or from a proof and a table."""

import numpy as np

from dpbandits.core.errors import require_proof
from dpbandits.core.ledger import Verdict
from dpbandits.core.points import points

ADD_REMOVE = "one record added or removed"
LABEL = "one label flipped"
TIGHTNESS = "figures/kl/tightness.csv"
COUNTEREXAMPLES = "figures/kl/counterexamples.csv"
TESTS = "tests/offline/test_kl_claims.py"
LEADER_STEP = (
    "the bound on the probability of poorly covered actions: max_a f(a) - max_a [f(a) - beta0 g(a)]"
    " is bounded by beta0 min_a g(a), which is true only if the best-looking action is also the "
    "best covered one; Lemma 1 is then used with its hypothesis at D alone"
)


def certified(crossing, proof_step: str, corrected: str, also: str = "") -> Verdict:
    """`violated` if the counterexample is proved; else the code is broken, and says so."""
    from dpbandits.audit.balls import shown

    require_proof(crossing.proved, f"the counterexample {crossing.words}")
    at = "" if crossing.epsilon is None else f" at eps={shown(crossing.epsilon)}"
    what = "pure loss" if crossing.epsilon is None else "delta"
    return Verdict(
        verdict="violated",
        method="certified",
        scope=f"one data set and its neighbour, in ball arithmetic at 192 bits{also}",
        measured=f"{what} {shown(crossing.measured)}{at}",
        bound=f"{what} at most {shown(crossing.allowed)}{at}",
        slack=f"exceeded by a factor {shown(crossing.measured / crossing.allowed, 3)}",
        evidence=(COUNTEREXAMPLES, TIGHTNESS, TESTS),
        counterexample=crossing.words,
        proof_step=proof_step,
        repaired=corrected,
        points=tuple(crossing_points(crossing)),
    )


def crossing_points(crossing, panel: str = "the counterexample's pair"):
    """The exact delta(eps) of the counterexample's pair, against what is allowed from eps on.

    A bound on the pure loss allows delta = 0 from there on.
    """
    from dpbandits.audit.balls import delta_at, precisely

    promised = crossing.allowed if crossing.epsilon is None else crossing.epsilon
    limit = 0.0 if crossing.epsilon is None else float(crossing.allowed.mid())
    start = float(promised.mid())
    end = 1.1 * float(crossing.measured.mid()) if crossing.epsilon is None else 2 * start or 1.0
    below = [start * i / 8 for i in range(8)] if start else []
    grid = below + [start + (end - start) * i / 8 for i in range(9)]
    exact = precisely(lambda e: delta_at(*crossing.pair, promised if e == start else _fraction(e)))
    yield points(
        *(grid, [max(0.0, float(exact(e).mid())) for e in grid]),
        at_most=np.where(np.array(grid) >= start, limit, np.nan),
        panel=panel,
        axes=("ε", "exact δ(ε), both directions"),
    )


def _fraction(x: float):
    from fractions import Fraction

    return Fraction(x).limit_denominator(10**6)


def tightness_points(tables, id: str):
    """Exact loss over bound on designed data sets, and on those a search found for this bound."""
    rows = tables("tightness").query("claim == @id")
    for column, name in (("q95", "95% of the data sets"), ("worst", "worst data set")):
        yield points(
            [f"{row.family} ({row.data_sets:,})" for row in rows.itertuples()],
            np.clip(rows[column], 1e-9, 1e9),
            at_most=1,
            series=name,
            panel="over data sets",
            axes=("", "exact loss / bound (within 1e±9)"),
            log="y",
        )


def proved(tables, id: str, argument: str, bound: str) -> Verdict:
    """`holds` by an argument, beside the worst ratio of the tightness table; a crossing refuses."""
    rows = tables("tightness").query("claim == @id")
    worst = float(rows["worst"].max())
    agrees = len(rows) > 0 and rows["crossed"].sum() == 0
    require_proof(agrees, f"{id}: the tightness table contradicts the proof: look at it")
    return Verdict(
        verdict="holds",
        method="exact",
        scope=f"proved in general: {argument}; {int(rows['data_sets'].sum())} designed and "
        "searched data sets agree",
        measured=f"worst exact loss / bound = {worst:.3g}",
        bound=bound,
        slack=f"the bound is at least {1 / worst:.3g} times the exact loss on all of them",
        evidence=(TIGHTNESS, TESTS),
        points=tuple(tightness_points(tables, id)),
    )


def supported(tables, bound: str, statement: str) -> str:
    """A corrected statement of ours with the worst ratio that the tightness table found for it."""
    rows = tables("tightness").query("claim == @bound")
    worst, count, crossed = rows["worst"].max(), rows["data_sets"].sum(), rows["crossed"].sum()
    return (
        f"{statement} (exact loss at most {worst:.2g} of it on {count} data sets, "
        f"crossed on {crossed})"
    )
