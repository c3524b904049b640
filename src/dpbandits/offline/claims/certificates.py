"""KL's refutations as certificates: the data sets at which printed bounds fail, in exact numbers.

The enclosures are those of the counterexamples, by python-flint and the formulas of theory.py, at
the data sets of refuted_cases; certificates/check.py computes them from these data, with neither.
"""

from functools import partial

from flint import arb

from dpbandits.audit.balls import ball, precisely
from dpbandits.core.certificates import certificate, promise, text
from dpbandits.offline.claims.numbers import NUMERIC, refuted
from dpbandits.offline.engine.refuted_cases import CASES
from dpbandits.offline.studies.counterexamples import COUNTEREXAMPLES

PURE = "P(E; first data set) <= e^epsilon P(E; the other)"
APPROXIMATE = "P(E; first data set) <= e^epsilon P(E; the other) + delta"
NEARLY = arb(1, 2.0**-99)  # an exact 1/2 has no decimals around it that others could confirm


@precisely
def _policy_certificate(claim: str) -> dict:
    case, found = CASES[claim], COUNTEREXAMPLES[claim.replace(".", " ")]()
    here, there = ([x * NEARLY for x in law] for law in found.pair)
    pure = found.epsilon is None
    epsilon, delta = (found.allowed, arb(0)) if pure else (found.epsilon, found.allowed)
    if claim == "KL-R1":  # (eps, delta) on the way to (0, 0), neither of which is reached
        epsilon, delta = ball(case.given["loss"]), ball(case.given["rest"])
    sides = [  # of the events "this action" and both orders of the laws, the clearest
        (promise(p[a], q[a], epsilon, delta), a, first)
        for p, q, first in ((here, there, "data"), (there, here, "neighbour"))
        for a in range(len(p))
    ]
    enclosures, action, first = max(sides, key=lambda side: float(side[0]["left"][0]))
    return certificate(
        case.theorem,
        fails=PURE if pure else APPROXIMATE,
        step=case.step,
        given=case.given,
        data=_rows(case.data),
        neighbour=_rows(case.neighbour),
        event=[action],
        first=first,
        enclosures=enclosures,
    )


def _rows(rows: list) -> list:
    """Rewards and features as exact text; arms, labels and multiplicities stay integers."""
    whole = {2, len(rows[0]) - 1}  # a label or how many; how many
    whole |= set() if isinstance(rows[0][0], list) else {0}  # an arm
    return [[x if i in whole else text(x) for i, x in enumerate(row)] for row in rows]


REFUTATIONS = {
    **{claim: partial(_policy_certificate, claim) for claim in CASES},
    **{claim: partial(refuted, claim) for claim in NUMERIC},
}
