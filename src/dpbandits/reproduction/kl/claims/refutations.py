"""KL's refutations as certificates: the data sets at which printed bounds fail, in exact numbers.

The enclosures are those of the counterexamples, by python-flint and the formulas of theory.py;
certificates/check.py computes them from the data, with neither.
"""

from functools import partial

from flint import arb

from dpbandits.reproduction.kl.counterexamples import COUNTEREXAMPLES
from dpbandits.reproduction.ledger.certificates import certificate, promise, text
from dpbandits.reproduction.proofs import at_certificate_precision

PURE = "P(E; first data set) <= e^epsilon P(E; the other)"
APPROXIMATE = "P(E; first data set) <= e^epsilon P(E; the other) + delta"
THEOREMS = {  # row: theorem in check.py
    "KL-T1-approx": "KL-T1 approx",
    "KL-C1": "KL-C1",
    "KL-R1": "KL-R1",
    "KL-T2-pure-appendix": "KL-T2 pure-appendix",
    "KL-T2-approx": "KL-T2 approx",
    "KL-C2": "KL-C2 approx",
    "KL-T3-pure": "KL-T3 pure",
    "KL-T3-approx": "KL-T3 approx",
    "KL-T4-pure": "KL-T4 pure",
    "KL-T4-approx": "KL-T4 approx",
    "KL-T3-pure.unit-differences": "KL-T3 pure-unit",
    "KL-C3.approximate-part": "KL-C3 approx",
    "KL-C3": "KL-C3 pure",
    "KL-ABS.corollaries": "KL-ABS corollaries",
}
SHARED = {"KL-ABS.corollaries": "KL-C2"}  # rows with the counterexample of another row
NEARLY = arb(1, 2.0**-99)  # an exact 1/2 has no decimals around it that others could confirm


@at_certificate_precision
def _policy_certificate(row: str) -> dict:
    counterexample = COUNTEREXAMPLES[SHARED.get(row, row)]()
    data, neighbour = map(_as_text, counterexample.rows)
    law, neighbour_law = ([x * NEARLY for x in law] for law in counterexample.pair)
    epsilon, delta, fails = counterexample.epsilon, counterexample.allowed, APPROXIMATE
    if epsilon is None:
        epsilon, delta, fails = counterexample.allowed, arb(0), PURE
    sides = [  # of the events "this action" and both orders of the laws, the clearest
        (promise(p[a], q[a], epsilon, delta), a, first)
        for p, q, first in ((law, neighbour_law, "data"), (neighbour_law, law, "neighbour"))
        for a in range(len(p))
    ]
    enclosures, action, first = max(sides, key=lambda side: float(side[0]["left"][0]))
    return certificate(
        THEOREMS[row],
        fails=fails,
        given=counterexample.given,
        data=data,
        neighbour=neighbour,
        event=[action],
        first=first,
        enclosures=enclosures,
    )


def _as_text(rows: list) -> list:
    """Rewards and features as exact text; arms, labels and multiplicities stay integers."""
    whole = {2, len(rows[0]) - 1}  # the column of labels, and that of multiplicities
    whole |= set() if isinstance(rows[0][0], list) else {0}  # the column of arms
    return [[x if i in whole else text(x) for i, x in enumerate(row)] for row in rows]


REFUTATIONS = {row: partial(_policy_certificate, row) for row in THEOREMS}

DRAWN = "the policy draws one of these actions"
LINEAR = "[features of the action, reward, number of such records]"
RLHF = "[features of one action, of the other, label (1: the first is preferred), number of such]"
EXPLAINED = {  # the beginning of a claim's id -> what a row of its data says, and what its event is
    **dict.fromkeys(
        ("KL-T1", "KL-C1", "KL-R1", "KL-B", "KL-S4.1", "KL-S4.4-composition"),
        ("[action, reward, number of records]", DRAWN),
    ),
    **dict.fromkeys(("KL-T2", "KL-C2", "KL-ABS", "KL-S4.2"), (LINEAR, DRAWN)),
    **dict.fromkeys(("KL-T3", "KL-T4", "KL-C3", "KL-D33"), (RLHF, DRAWN)),
}
