"""The data sets at which printed bounds fail, in exact numbers, for KL's certificates."""

from dataclasses import dataclass
from fractions import Fraction as F

SQUARE = "the third line of (23) lacks the square of |phi_0| (its end is true); then "
LOEWNER = "(29): the Loewner order is used in a bilinear form, for y'phi < 0 too; then "
LEADER = (
    "max_a f(a) - max_a [f(a) - beta0 g(a)] is bounded by beta0 min_a g(a), which is true only if "
    "the best-looking action is also the best covered one"
)
HALF = "|phi_1 - phi_2| <= 1 is used, but the difference of two feature vectors has norm up to 2"
LEMMA = "the final epsilon is Delta/eta: Lemma 1's 2 Delta/eta is left out"

EVEN = (F(1, 2), F(1, 2))
LINE, AXES = ((1,), (-1,)), ((1, 0), (0, 1))  # actions
_BANDIT = {"R": 1, "eta": F(1, 100), "beta0": F(6, 5), "pi0": EVEN}
_RARE = ([[0, 1, 2], [1, 0, 10000]], [[0, 1, 1], [1, 0, 10000]])


def _pairs(won: int, lost: int, half: F = F(1)) -> list:
    """Records of one difference 2 half in d = 1, by label."""
    return [[[half], [-half], 1, won], [[half], [-half], 0, lost]]


_FLIPPED = (_pairs(10, 10), _pairs(11, 9))
_REMOVED = (_pairs(10, 10), _pairs(10, 9))


def _uneven(won: int, lost: int) -> list:
    """Differences e1 by label, and 4000000 of e2 with even labels."""
    one, two = [[F(1, 2), 0], [F(-1, 2), 0]], [[0, F(1, 2)], [0, F(-1, 2)]]
    return [[*one, 1, won], [*one, 0, lost], [*two, 1, 2000000], [*two, 0, 2000000]]


_TILTED = [[[F(1, 40), F(19, 20)], 1, 80000], [[F(-1, 40), F(19, 20)], 0, 80000]]


def _rlhf(radius, beta0=1, **more) -> dict:
    shared = {"eta": F(1, 100), "beta0": beta0, "penalty": 1, "pi0": EVEN, "actions": LINE}
    return {"B": radius, **shared, **more}


def _linear(eta, beta0, actions, **more) -> dict:
    shared = {"R": 1, "eta": eta, "beta0": beta0, "penalty": 1, "pi0": EVEN}
    return {**shared, "actions": actions, **more}


@dataclass(frozen=True)
class Case:
    """A refutation of a printed (epsilon, delta) of one data set, by this neighbour."""

    theorem: str  # in check.py
    given: dict
    data: list  # records and how often each stands there
    neighbour: list
    step: str  # the step of the proof that fails


CASES = {
    "KL-T1-approx": Case("KL-T1 approx", {**_BANDIT, "N0": 400}, *_RARE, LEADER),
    "KL-C1": Case("KL-C1", {**_BANDIT, "k": 25}, *_RARE, LEADER),
    "KL-R1": Case(
        "KL-R1",
        {**_BANDIT, "eta": F(1, 10**4), "loss": 500, "rest": 1 - F(1, 10**6)},
        [[0, 1, 2], [1, 0, 10**8 - 2]],
        [[0, 1, 1], [1, 0, 10**8 - 2]],
        "Corollary 1's own delta does not vanish at beta0/eta = 1.2 sqrt(n); beyond it (12) fails",
    ),
    "KL-T2-pure-appendix": Case(
        "KL-T2 pure-appendix",
        _linear(F(1, 20), F(1, 10), LINE),
        [[[-1], 1, 2], [[1], 1, 1]],
        [[[-1], 1, 2]],
        "the last display of Appendix C: Lemma 1's factor 2 is left out",
    ),
    "KL-T2-approx": Case(
        "KL-T2 approx",
        _linear(F(1, 50), 198, AXES, lambda0=60000),
        _TILTED,
        [*_TILTED, [[1, 0], 0, 1]],
        SQUARE + LEADER,
    ),
    "KL-C2": Case(
        "KL-C2 approx",
        _linear(F(1, 20), 198, ((1,), (0,)), k1=400, c=F(3, 40)),
        [[[F(1, 20)], 1, 39600]],
        [[[F(1, 20)], 1, 39600], [[1], 0, 1]],
        SQUARE + LEADER,
    ),
    "KL-T3-pure": Case("KL-T3 pure", _rlhf(F(1, 5)), *_FLIPPED, LOEWNER + HALF),
    "KL-T3-approx": Case(
        "KL-T3 approx",
        _rlhf(F(1, 2), F(17, 2), eta=F(1, 1000), actions=AXES, lambda0=160000),
        _uneven(242, 158),
        _uneven(241, 159),
        LOEWNER + LEADER,
    ),
    "KL-T4-pure": Case("KL-T4 pure", _rlhf(F(1, 10)), *_REMOVED, LOEWNER + HALF),
    "KL-T4-approx": Case(
        "KL-T4 approx",
        _rlhf(F(1, 2), F(343, 40), eta=F(1, 4000), actions=AXES, lambda0=160000),
        _uneven(242, 158),
        _uneven(241, 158),
        LEADER,
    ),
    "KL-T3-pure.unit-differences": Case(
        "KL-T3 pure",
        _rlhf(F(21, 100)),
        _pairs(10, 10, F(1, 2)),
        _pairs(11, 9, F(1, 2)),
        LOEWNER + LEMMA,
    ),
    "KL-C3.approximate-part": Case(
        "KL-C3 approx",
        _rlhf(F(1, 2), F(17, 2), eta=F(1, 1000), actions=AXES, k1=F(4000400, 800), c=F(1, 20)),
        _uneven(242, 158),
        _uneven(241, 159),
        LOEWNER + LEADER,
    ),
    "KL-C3": Case("KL-C3 pure", _rlhf(F(1, 5), k1=F(1, 4)), *_FLIPPED, LOEWNER + HALF),
}
