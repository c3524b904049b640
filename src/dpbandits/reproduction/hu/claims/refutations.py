"""The certificate of HU-T8 and of HU-ABS, which inherits its error: two reward sequences."""

from fractions import Fraction
from functools import partial

from flint import arb

from dpbandits.audit.computed.balls import precision
from dpbandits.audit.computed.selection import selection_probabilities
from dpbandits.reproduction.ledger.certificates import certificate, promise
from dpbandits.stochastic.mechanisms.rnm_loss import worst_counts

EPSILON, EPOCH = Fraction(1, 2), 6  # an epoch of 2^6 = 64 rounds


def theorem_8(claim: str = "HU-T8") -> dict:
    """K = 2: action 0 is the leader of epoch 6 if its noise makes up for 62 or for 64 rewards."""
    before, after = worst_counts(2, 2**EPOCH, "replace")
    scale = float(1 / EPSILON)  # exact
    with precision(512):
        chances = [selection_probabilities(counts, scale)[0] for counts in (before, after)]
    earlier = [[s, [0, 0], 2**s] for s in range(EPOCH)]
    return certificate(
        claim,
        fails="ln(P(E; D)/P(E; D')) <= epsilon, E: action 0 is played after epoch 6",
        step="Claim 3.9 of Dwork and Roth is for counts that all move the same way; here one may "
        "rise while the other falls, so that their difference moves by 2",
        given={"epsilon": EPSILON},
        data=[*earlier, [EPOCH, [1, 0], before[0]], [EPOCH, [0, 1], before[1]]],
        neighbour=[*earlier, [EPOCH, [0, 1], after[1]]],
        event=[EPOCH, 0],
        enclosures=promise(*chances, arb(1) / 2, arb(0)),
    )


REFUTATIONS = {"HU-T8": theorem_8, "HU-ABS": partial(theorem_8, "HU-ABS")}

EXPLAINED = {  # id of a claim -> what a row of its data sets says, and what its event is
    "HU": (
        "[epoch, reward vector, number of its rounds with that vector]",
        "[epoch, action]: this action is played after this epoch",
    ),
}
