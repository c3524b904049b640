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
from dpbandits.offline.engine.refuted_cases import CASES

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
        "KL-R1": lambda: theory.Bound(g["loss"], g["rest"]),  # (eps, delta) on the way to (0, 0)
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


REFUTATIONS = {
    **{claim: partial(_policy_certificate, claim) for claim in CASES},
    **{claim: partial(refuted, claim) for claim in NUMERIC},
}
