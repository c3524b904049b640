"""KL's refuted inequalities between numbers: parameters, and both sides in balls (certificates)."""

from fractions import Fraction as F

from dpbandits.audit.balls import precisely
from dpbandits.core.certificates import numeric


def _odds(x):
    """1/(1 + e^x)."""
    return 1 / (1 + x.exp())


NUMERIC = {  # claim: what would have to hold, the step that fails, parameters, left and right
    "KL-L1-events": (
        "delta <= 1/outcomes, each single one of `outcomes` moving from 1/outcomes to 0",
        "deltas are added per action, not per event",
        {"outcomes": 50},
        lambda g: (1, 1 / g.outcomes),
    ),
    "KL-DEF1": (
        "P(an arm; D') <= e^epsilon 0 + 1/2, both arms with one record at D', rewards 1 and 0",
        "Definition 1 asks for all data sets: one without a record of an arm never plays it",
        {"eta": 1},
        lambda g: ((1 / g.eta).exp() / (1 + (1 / g.eta).exp()), 0.5),
    ),
    "KL-B12": (
        "P(N(a) <= N0) <= |A| exp(beta0/eta (1/sqrt(max N) - 1/sqrt(N0))), rewards 1 (few) and 0",
        "max_a f - max_a (f - beta0 g) <= beta0 min_a g holds for one and the same action only",
        {"few": 2, "most": 10000, "N0": 400, "beta0": F(6, 5), "eta": F(1, 100)},
        lambda g: (
            _odds((g.beta0 / g.few.sqrt() - g.beta0 / g.most.sqrt() - 1) / g.eta),
            2 * (g.beta0 / g.eta * (1 / g.most.sqrt() - 1 / g.N0.sqrt())).exp(),
        ),
    ),
    "KL-C21": (
        "n/l <= (n - 1)/(l - 1)",
        "the last inequality of (21) is true for l >= n only",
        {"n": 1, "l": 3},
        lambda g: (g.n / g.l, (g.n - 1) / (g.l - 1)),
    ),
    "KL-C22": (
        "sqrt(1 + 1/l) |phi|_{Sigma^-1} <= |phi|_{Sigma_-^-1}, records e1 and e2, phi = e2",
        "removing a record widens only the directions that it covered",
        {"penalty": 1},
        lambda g: (
            (1 + 1 / (g.penalty + 1)).sqrt() / (g.penalty + 1).sqrt(),
            1 / (g.penalty + 1).sqrt(),
        ),
    ),
    "KL-D33": (
        "1/sqrt(l - 4) - 1/sqrt(l) <= 2/(l - 1)/sqrt(l), d = 1, differences of norm 2",
        "a record moves lambda_min by up to 4, not by 1",
        {"l": 81},
        lambda g: (1 / (g.l - 4).sqrt() - 1 / g.l.sqrt(), 2 / (g.l - 1) / g.l.sqrt()),
    ),
    "KL-S3.2": (
        "sigma(e^r1 - e^r2) is the Bradley-Terry probability sigma(r1 - r2)",
        "the formula of Section 3.2 is not that of the likelihood in Section 4.3",
        {"r1": 1, "r2": 0},
        lambda g: (_odds(g.r2.exp() - g.r1.exp()), _odds(g.r2 - g.r1)),
    ),
}


@precisely
def refuted(claim: str) -> dict:
    fails, step, given, sides = NUMERIC[claim]
    return numeric(claim, fails, step, given, sides)
