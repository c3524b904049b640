"""HU's refutations as certificates: of Theorem 8 by two reward sequences, and inequalities."""

from fractions import Fraction
from functools import partial

from flint import arb

from dpbandits.audit.balls import precisely, precision
from dpbandits.audit.rnm import worst_counts
from dpbandits.audit.selection import selection_probabilities
from dpbandits.core.certificates import certificate, inequality, promise

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


NUMERIC = {  # claim: what would have to hold, the step that fails, parameters, both sides
    "HU-L23.step-46": (
        "P(|noise of arm 2| > 3 ln 5/epsilon | arm 2 is still in its epoch 0) <= 1/125, t = 5, "
        "K = 2, all rewards 0; left is at most that (m taken at the ends of each class)",
        "(46) treats the noise as independent of O_j(t-1); an arm with very low noise stays longer",
        {"epsilon": 1},
        """
high, low = 1 - exp(epsilon) / 54, 1 / 128  # P(m = 1), P(m = 0) in rounds 3 and 4, of an arm
classes = [(low, 0, 0), (1 - low - high, 0, 1), (high, 1, 1)]  # chance, least and largest m
def stay(m, m_2):  # arm 2 wins a round with probability 1/2 + (m_2 - m)/3
    return 1 - (1 / 2 + 1 / 3 * (m_2 - m)) ** 2
least = sum(p * stay(m, m_2) for p, m, _ in classes for m_2 in (0, 1)) / 250
left = least / sum(p * q * stay(m, m_2) for p, _, m in classes for q, m_2, _ in classes)
right = 1 / 125
""",
    ),
    "HU-S5-minimax": (
        "10^-6 ln K/epsilon <= the regret of any learner, at most T; K = 2^bits",
        "Delta_min = sqrt(ln K/T) < 1/4, which Theorem 12 needs, was dropped",
        {"bits": 2 * 10**10, "T": 1, "epsilon": 11800},
        "left, right = bits * log(2) / epsilon / 10**6, T",
    ),
    "HU-S7-bound": (
        "10^-6 (ln K/Delta_min + ln K ln T/epsilon) <= Theorem 9's first form, over (K - 1)/"
        "epsilon: gaps 2^-1 to 2^-(K-1), epsilon = Delta_min, T = Delta_min^-2, K = 2^bits; "
        "left without its first term, right with ln K <= K - 1",
        "the cruder second form, with |J_l| <= K, is taken for the bound's order",
        {"bits": 3 * 10**6},
        "left, right = 2 * bits * log(2) ** 2 / 10**6, 2",
    ),
    "HU-S7-witness": (
        "Theorem 9's first form over ln K/epsilon is largest for one action per level: so many "
        "doubling levels with so many copies, epsilon = Delta_min",
        "no proof is given",
        {"levels": 8, "copies": 256},
        """
left = levels * (1 + log(copies)) / log(levels * copies + 1)
right = levels / log(levels + 1)
""",
    ),
    "HU-F17": (
        "P(X >= a) <= exp(-n kl(a, 1/2)), X the mean of n fair coins, a = 1/n",
        "the tail is printed the wrong way round",
        {"n": 10},
        """
a = 1 / n
left = 1 - exp(-n * log(2))
right = exp(-n * (log(2) + a * log(a) + (1 - a) * log(1 - a)))
""",
    ),
    "HU-S2.2": (
        "P(y) <= e^epsilon P'(y) = 0 for laws (1 - p, p), (1, 0) and the second outcome y, though "
        "both printed divergences are at most epsilon = ln(1/(1 - p))",
        "the maximum leaves out what Q' never yields",
        {"p": Fraction(1, 2)},
        "left, right = p, 0",
    ),
    "HU-T3.step-24": (
        "omega^(d + 1) <= omega^(d), omega^(r) = 2^(r + 1) - 1, D = 2^d",
        "(24), second line: omega^(d_j) is written for omega^(d_j + 1)",
        {"D": 2**5},
        "left, right = 4 * D - 1, 2 * D - 1",
    ),
    "HU-T9": (
        "the regret <= 10^6 ln K/Delta_min: equal gaps above epsilon, where the printed logarithm "
        "is 0; left is below the regret of every 2 epsilon-DP learner (Theorem L)",
        "end of D.2: the number of brackets with Delta_(l) > epsilon is taken as ln(Delta_max/max("
        "Delta_min, epsilon, 1/T)); for equal gaps it is 1, not 0",
        {"K": 10, "gap": Fraction(1, 10), "epsilon": Fraction(1, 10**8)},
        "left, right = (log(K) - 1 + 1 / K) / (exp(2 * epsilon) - 1), 10**6 * log(K) / gap",
    ),
}


@precisely
def _numeric(name: str) -> dict:
    return inequality(name.partition(".step")[0], *NUMERIC[name])


REFUTATIONS = {
    "HU-T8": theorem_8,
    "HU-ABS": partial(theorem_8, "HU-ABS"),
    **{name: partial(_numeric, name) for name in NUMERIC},
}
