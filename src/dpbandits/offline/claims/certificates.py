"""KL's refutations as certificates: the data sets at which printed bounds fail, in exact numbers.

The enclosures are computed with python-flint and the formulas of theory.py; certificates/check.py
computes them once more, with neither.
"""

from fractions import Fraction as F
from functools import partial

from flint import arb

from dpbandits.audit.balls import ball, policy, precisely
from dpbandits.core.certificates import certificate, promise, text
from dpbandits.offline import theory
from dpbandits.offline.claims.numbers import NUMERIC, refuted
from dpbandits.offline.engine.refuted_cases import CASES, EVEN

PURE = "P(E; first data set) <= e^epsilon P(E; the other)"
APPROXIMATE = "P(E; first data set) <= e^epsilon P(E; the other) + delta"


def _bandit(given: dict, rows: list):
    """Policy (8) and what the bounds read of its data."""
    counts, sums = {}, {}
    for arm, reward, n in rows:
        counts[arm] = counts.get(arm, 0) + n
        sums[arm] = sums.get(arm, 0) + n * reward
    arms = sorted(counts)
    scores = [
        ball(F(sums[a], counts[a])) - ball(given["beta0"]) / ball(counts[a]).sqrt() for a in arms
    ]
    return policy(scores, given["eta"], given["pi0"]), {"most": max(counts.values())}


def _features(given: dict, vectors: list, estimate):
    """Policies (10) and (11) on orthogonal features, Sigma being diagonal."""
    axes, actions = range(len(given["actions"][0])), given["actions"]
    sigma = [given["penalty"] + sum(F(v[i]) ** 2 * n for v, n in vectors) for i in axes]
    theta = [estimate(i, sigma[i]) for i in axes]
    widths = [ball(sum(F(a[i]) ** 2 / sigma[i] for i in axes)).sqrt() for a in actions]
    means = [sum((ball(theta[i]) * ball(a[i]) for i in axes), arb(0)) for a in actions]
    scores = [m - ball(given["beta0"]) * w for m, w in zip(means, widths, strict=True)]
    facts = {"n": sum(n for _, n in vectors), "d": len(sigma), "l": min(sigma)}
    narrowest = min(widths, key=lambda w: float(w.mid()))
    return policy(scores, given["eta"], given["pi0"]), {**facts, "narrowest": narrowest}


def _linear_law(given: dict, rows: list):
    def least_squares(i, sigma):
        return sum(F(phi[i]) * reward * n for phi, reward, n in rows) / sigma

    return _features(given, [(phi, n) for phi, _, n in rows], least_squares)


def _preference_law(given: dict, rows: list):
    """Records of an axis share one difference z there: its MLE is ln(won/lost)/z."""
    signed = [([F(u) - F(v) for u, v in zip(a, b, strict=True)], y, n) for a, b, y, n in rows]

    def likeliest(i, _):
        (size,) = {z[i] for z, _, _ in signed if z[i]}
        won = sum(n for z, y, n in signed if z[i] and y)
        lost = sum(n for z, y, n in signed if z[i] and not y)
        return ball(F(won, lost)).log() / ball(size)

    return _features(given, [(z, n) for z, _, n in signed], likeliest)


def _bound(theorem: str, g: dict, f: dict) -> theory.Bound:
    g = {k: v if k in ("pi0", "actions") else ball(v) for k, v in g.items()}
    f = {k: ball(v) for k, v in f.items()}
    arms, eta, beta0 = len(g["pi0"]), g["eta"], g["beta0"]
    rows = (f.get("n"), f.get("d"))
    floor = (f.get("l"), g.get("penalty"))
    return {
        "KL-T1 approx": lambda: theory.theorem1_approx(arms, f["most"], eta, beta0, g["N0"]),
        "KL-C1": lambda: theory.corollary1(arms, f["most"], eta, beta0, g["k"]),
        "KL-T2 pure-appendix": lambda: theory.theorem2_pure_appendix(*rows, f["l"], eta, beta0),
        "KL-T2 approx": lambda: theory.theorem2_approx(
            arms, *rows, f["l"], f["narrowest"], eta, beta0, g["lambda0"]
        ),
        "KL-C2 approx": lambda: theory.corollary2_approx(arms, *rows, g["k1"], eta, beta0, g["c"]),
        "KL-T3 pure": lambda: theory.theorem3_pure(*floor, eta, g["B"]),
        "KL-T3 approx": lambda: theory.theorem3_approx(
            arms, *floor, f["narrowest"], eta, beta0, g["B"], g["lambda0"]
        ),
        "KL-T4 pure": lambda: theory.theorem4_pure(*floor, eta, beta0, g["B"]),
        "KL-T4 approx": lambda: theory.theorem4_approx(
            arms, *floor, f["narrowest"], eta, beta0, g["B"], g["lambda0"]
        ),
        "KL-C3 pure": lambda: theory.corollary3_pure(*rows, g["k1"], eta, g["B"]),
        "KL-C3 approx": lambda: theory.corollary3_approx(
            arms, *rows, g["k1"], eta, beta0, g["B"], g["c"]
        ),
    }[theorem]()


@precisely
def _policy_certificate(claim: str) -> dict:
    case = CASES[claim]
    law = _bandit if "R" in case.given and "actions" not in case.given else None
    law = law or (_preference_law if "B" in case.given else _linear_law)
    (here, facts), (there, _) = law(case.given, case.data), law(case.given, case.neighbour)
    bound = _bound(case.theorem, case.given, facts)
    sides = [  # of the events "this action" and both orders of the laws, the clearest
        (promise(p[a], q[a], bound.epsilon, bound.delta), a, first)
        for p, q, first in ((here, there, "data"), (there, here, "neighbour"))
        for a in range(len(p))
    ]
    enclosures, action, first = max(sides, key=lambda side: float(side[0]["left"][0]))
    return certificate(
        case.theorem,
        fails=PURE if bound.delta == 0.0 else APPROXIMATE,
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
    whole = {0} if not isinstance(rows[0][0], list) else set()  # an arm
    whole |= {len(rows[0]) - 1} | ({2} if len(rows[0]) == 4 else set())  # how many; a label
    return [[x if i in whole else text(x) for i, x in enumerate(row)] for row in rows]


# --- statements on any mechanism ----------------------------------------------------------------


@precisely
def _counting() -> dict:
    sizes = {"epsilon": 1, "delta": F(1, 10)}
    allowed = ball(sizes["epsilon"]).exp() * ball(sizes["delta"])
    return certificate(
        "KL-P1b",
        fails="P(E; D) <= e^epsilon P(E; D') + e^epsilon delta",
        step="no proof is printed; data sets of different sizes are never linked by swaps",
        given=sizes,
        data=[["a", 1], ["b", 1]],
        neighbour=[["a", 1]],
        event=2,
        enclosures=promise(1, 0, ball(sizes["epsilon"]), allowed),
    )


@precisely
def _partition() -> dict:
    """Action 1 is safe and never moves; action 0 is unlikely at D, likely at D'."""
    weight = F(1, 1024)
    rare = ball(weight / (1 + weight))
    return certificate(
        "KL-L1-partition",
        fails="P(E; D') <= P(E; D) + delta0, epsilon being 2 Delta/eta = 0",
        step="Delta bounds nothing on the unlikely actions, yet their sum at D' is bounded by it",
        given={"pi0": EVEN, "weights": (weight, 1), "weights_there": (1 / weight, 1)},
        safe=[1],
        event=[0],
        enclosures=promise(1 - rare, rare, arb(0), rare),
    )


@precisely
def _inexact() -> dict:
    """The inexact policy doubles the probability of an action without records at D'."""
    rare = F(1, 10)
    given = {
        "here": (rare, 1 - rare),
        "there": (0, 1),
        "rough": (2 * rare, 1 - 2 * rare),
        "rough_there": (0, 1),
        "factor": 1 / (1 - rare),
        "error": 2,
        "delta": rare,
    }
    epsilon = ball(given["factor"] * given["error"] ** 2).log()
    return certificate(
        "KL-S4.4-inexact",
        fails="P(E; D) <= e^(epsilon + 2 epsilon^) P(E; D') + delta",
        step="called straightforward: the way through the exact policy also multiplies delta",
        given=given,
        event=[0],
        enclosures=promise(ball(2 * rare), arb(0), epsilon, ball(rare)),
    )


@precisely
def _composition() -> dict:
    draws, rare, k, slack = 1000, F(1, 10000), 1, F(1, 1000)
    return certificate(
        "KL-S4.4-composition",
        fails="P(the rare action is seen; D') <= e^epsilon 0 + k delta + delta'",
        step="k stands for the number of draws in the source, not for a constant",
        given={"draws": draws, "rare": rare, "k": k, "slack": slack},
        enclosures=promise(ball(1 - (1 - rare) ** draws), 0, 0, ball(k * rare + slack)),
    )


REFUTATIONS = {
    **{claim: partial(_policy_certificate, claim) for claim in CASES},
    "KL-P1b": _counting,
    "KL-L1-partition": _partition,
    "KL-S4.4-inexact": _inexact,
    "KL-S4.4-composition.k-constant": _composition,
    **{claim: partial(refuted, claim) for claim in NUMERIC},
}
