"""KL's refutations as certificates: the data sets at which printed bounds fail, in exact numbers.

The enclosures are those of the counterexamples, by python-flint and the formulas of theory.py;
certificates/check.py computes them from the data, with neither.
"""

from functools import partial

from flint import arb

from dpbandits.audit.balls import ball, precisely
from dpbandits.core.certificates import certificate, promise, text
from dpbandits.offline.claims.numbers import NUMERIC, refuted
from dpbandits.offline.studies.counterexamples import COUNTEREXAMPLES

PURE = "P(E; first data set) <= e^epsilon P(E; the other)"
APPROXIMATE = "P(E; first data set) <= e^epsilon P(E; the other) + delta"
SQUARE = "the third line of (23) lacks the square of |phi_0| (its end is true); then "
LOEWNER = "(29): the Loewner order is used in a bilinear form, for y'phi < 0 too; then "
LEADER = (
    "max_a f(a) - max_a [f(a) - beta0 g(a)] is bounded by beta0 min_a g(a), which is true only if "
    "the best-looking action is also the best covered one"
)
HALF = "|phi_1 - phi_2| <= 1 is used, but the difference of two feature vectors has norm up to 2"
LEMMA = "the final epsilon is Delta/eta: Lemma 1's 2 Delta/eta is left out"
VANISHES = (
    "Corollary 1's own delta does not vanish at beta0/eta = 1.2 sqrt(n); beyond it (12) fails"
)
CASES = {  # row: theorem in check.py, the step of the proof that fails
    "KL-T1-approx": ("KL-T1 approx", LEADER),
    "KL-C1": ("KL-C1", LEADER),
    "KL-R1": ("KL-R1", VANISHES),
    "KL-T2-pure-appendix": (
        "KL-T2 pure-appendix",
        "the last display of Appendix C: Lemma 1's factor 2 is left out",
    ),
    "KL-T2-approx": ("KL-T2 approx", SQUARE + LEADER),
    "KL-C2": ("KL-C2 approx", SQUARE + LEADER),
    "KL-T3-pure": ("KL-T3 pure", LOEWNER + HALF),
    "KL-T3-approx": ("KL-T3 approx", LOEWNER + LEADER),
    "KL-T4-pure": ("KL-T4 pure", LOEWNER + HALF),
    "KL-T4-approx": ("KL-T4 approx", LEADER),
    "KL-T3-pure.unit-differences": ("KL-T3 pure", LOEWNER + LEMMA),
    "KL-C3.approximate-part": ("KL-C3 approx", LOEWNER + LEADER),
    "KL-C3": ("KL-C3 pure", LOEWNER + HALF),
}
NEARLY = arb(1, 2.0**-99)  # an exact 1/2 has no decimals around it that others could confirm


@precisely
def _policy_certificate(claim: str) -> dict:
    (theorem, step), found = CASES[claim], COUNTEREXAMPLES[claim.replace(".", " ")]()
    data, neighbour = map(_rows, found.rows)
    here, there = ([x * NEARLY for x in law] for law in found.pair)
    pure = found.epsilon is None
    epsilon, delta = (found.allowed, arb(0)) if pure else (found.epsilon, found.allowed)
    if claim == "KL-R1":  # (eps, delta) on the way to (0, 0), neither of which is reached
        epsilon, delta = ball(found.given["loss"]), ball(found.given["rest"])
    sides = [  # of the events "this action" and both orders of the laws, the clearest
        (promise(p[a], q[a], epsilon, delta), a, first)
        for p, q, first in ((here, there, "data"), (there, here, "neighbour"))
        for a in range(len(p))
    ]
    enclosures, action, first = max(sides, key=lambda side: float(side[0]["left"][0]))
    return certificate(
        theorem,
        fails=PURE if pure else APPROXIMATE,
        step=step,
        given=found.given,
        data=data,
        neighbour=neighbour,
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
