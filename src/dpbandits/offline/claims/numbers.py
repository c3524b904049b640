"""KL's refuted inequalities between numbers: parameters, and both sides as Python."""

from dataclasses import replace
from fractions import Fraction as F

from dpbandits.audit.balls import precisely
from dpbandits.core.certificates import both_sides, inequality
from dpbandits.offline.engine.crossing import Crossing, Step
from dpbandits.offline.theory import Bound

EVEN = (F(1, 2), F(1, 2))
NUMERIC = {  # claim: what would have to hold, the step that fails, parameters, both sides
    "KL-P1b": (
        "P(n; D) <= e^epsilon P(n; D') + e^epsilon delta: the mechanism tells the number of "
        "records, n at D and n - 1 at D', and never differs at swap neighbours",
        "no proof is printed; data sets of different sizes are never linked by swaps",
        {"epsilon": 1, "delta": F(1, 10)},
        "left, right = 1, exp(epsilon) * delta",
    ),
    "KL-L1-events": (
        "delta <= 1/outcomes, each single one of `outcomes` moving from 1/outcomes to 0",
        "deltas are added per action, not per event",
        {"outcomes": 50},
        "left, right = 1, 1 / outcomes",
    ),
    "KL-L1-partition": (
        "P(E; D') <= P(E; D) + delta0, E all but the safe actions, whose weights e^(r/eta) are "
        "the same at D and D': epsilon is 2 Delta/eta = 0",
        "Delta bounds nothing on the unlikely actions, yet their sum at D' is bounded by it",
        {"pi0": EVEN, "weights": (F(1, 1024), 1), "weights_there": (1024, 1), "safe": [1]},
        """
def share(w):  # of the safe actions
    masses = [p * x for p, x in zip(pi0, w)]
    return sum(masses[int(a)] for a in safe) / sum(masses)
left, right = share(weights) - share(weights_there), 1 - share(weights)
""",
    ),
    "KL-DEF1": (
        "P(an arm; D') <= e^epsilon 0 + 1/2, both arms with one record at D', rewards 1 and 0",
        "Definition 1 asks for all data sets: one without a record of an arm never plays it",
        {"eta": 1},
        "left, right = exp(1 / eta) / (1 + exp(1 / eta)), 1 / 2",
    ),
    "KL-B12": (
        "P(N(a) <= N0) <= |A| exp(beta0/eta (1/sqrt(max N) - 1/sqrt(N0))), rewards 1 (few) and 0",
        "max_a f - max_a (f - beta0 g) <= beta0 min_a g holds for one and the same action only",
        {"few": 2, "most": 10000, "N0": 400, "beta0": F(6, 5), "eta": F(1, 100)},
        """
left = 1 / (1 + exp((beta0 / sqrt(few) - beta0 / sqrt(most) - 1) / eta))
right = 2 * exp(beta0 / eta * (1 / sqrt(most) - 1 / sqrt(N0)))
""",
    ),
    "KL-C21": (
        "n/l <= (n - 1)/(l - 1)",
        "the last inequality of (21) is true for l >= n only",
        {"n": 1, "l": 3},
        "left, right = n / l, (n - 1) / (l - 1)",
    ),
    "KL-C22": (
        "sqrt(1 + 1/l) |phi|_{Sigma^-1} <= |phi|_{Sigma_-^-1}, records e1 and e2, phi = e2",
        "removing a record widens only the directions that it covered",
        {"penalty": 1},
        "left, right = sqrt(1 + 1 / (penalty + 1)) / sqrt(penalty + 1), 1 / sqrt(penalty + 1)",
    ),
    "KL-D30": (
        "gamma |(theta(D+) - theta(D))'phi| <= 0: n records of difference e1 and n of e2, shares p "
        "and q with label 1; (a, a) with label 1 is added, and phi = (1, -1)/2 is orthogonal to it",
        "(29): the Loewner order is used in a bilinear form",
        {"n": 20, "p": F(1, 2), "q": F(3, 4), "a": F(1, 2), "B": 2},
        """
def logit(x):
    return log(x / (1 - x))
s = a / n / (1 + exp(B))  # at least the change of sigma(theta_i), the same on both axes
moved = logit(q + s) - logit(q) - logit(p + s) + logit(p)
left, right = moved / 2 / (2 + exp(2 * B) + exp(-2 * B)), 0
""",
    ),
    "KL-B-mean": (
        "N(D') R (1/(N - 1) - 1/N) = R/(N - 1), over R, a record added: N(D') = N + 1",
        "the equality takes N(D') = N",
        {"N": 2},
        "left, right = (N + 1) * (1 / (N - 1) - 1 / N), 1 / (N - 1)",
    ),
    "KL-B12-reference": (
        "P(N(a) <= N0) <= what the second inequality of (12) says: an arm of `few` records of mean "
        "r, pi0 = q, and one of `most` records of mean 0",
        "pi0(a) e^(f/eta) is written e^((f + ln pi0(a))/eta)",
        {"r": 1, "q": F(1, 100), "few": 1, "most": 10000, "N0": 1}
        | {"beta0": F(2, 5), "eta": F(1, 10)},
        """
lead = (r - beta0 / sqrt(few) + beta0 / sqrt(most)) / eta
left = 1 / (1 + (1 - q) / q * exp(-lead))
right = 2 * exp(beta0 / eta * (1 / sqrt(most) - 1 / sqrt(N0)))
""",
    ),
    "KL-S4.1": (
        "P(an arm with one record; D) <= e^epsilon P(it; D') = 0, the record removed; the other "
        "arm leads by `lead`",
        "the theorem asks min N > 1, the text min N > 0",
        {"lead": F(1, 10), "eta": 1},
        "left, right = 1 / (1 + exp(lead / eta)), 0",
    ),
    "KL-R1-scales": (
        "Corollary 1's own delta <= 10^6 exp(-beta0 sqrt(k)/(eta sqrt(n)))",
        "sqrt(k) - 1 over sqrt(max N) is read as sqrt(k) over sqrt(n)",
        {"A": 2, "beta0": 1, "eta": F(1, 10**5), "k": 4, "R": 1, "n": 10**6, "most": 10**6 - 1},
        """
rate = beta0 / eta
rest = 4 * k * R / most + rate * k * sqrt(k) / (most * sqrt(most))
left = A * exp(-rate * (sqrt(k) - 1) / sqrt(most) + rest)
right = 10**6 * exp(-rate * sqrt(k) / sqrt(n))
""",
    ),
    "KL-C2-width": (
        "min |phi|_{Sigma^-1} <= sqrt(d/n): `few` of n records are e1, the others e2, actions e1 "
        "and -e1",
        "the data's coverage is taken for that of the actions at one context",
        {"penalty": 1, "few": 100, "n": 10**6},
        "left, right = 1 / sqrt(penalty + few), sqrt(2 / n)",
    ),
    "KL-D33": (
        "1/sqrt(l - 4) - 1/sqrt(l) <= 2/(l - 1)/sqrt(l), d = 1, differences of norm 2",
        "a record moves lambda_min by up to 4, not by 1",
        {"l": 81},
        "left, right = 1 / sqrt(l - 4) - 1 / sqrt(l), 2 / (l - 1) / sqrt(l)",
    ),
    "KL-S3.2": (
        "sigma(e^r1 - e^r2) is the Bradley-Terry probability sigma(r1 - r2)",
        "the formula of Section 3.2 is not that of the likelihood in Section 4.3",
        {"r1": 1, "r2": 0},
        "left, right = 1 / (1 + exp(exp(r2) - exp(r1))), 1 / (1 + exp(r2 - r1))",
    ),
    "KL-S4.2": (
        "small <= the loss of some data set with these n, d and l = lambda_min, l below "
        "sqrt(n)/10^6 (so no constant c >= 10^-6 is needed in l >= c sqrt(n))",
        "sqrt(nd/(l-1))/sqrt(l(l-1)) is of order sqrt(nd)/l^(3/2): it is read as sqrt(n)/l",
        {"n": 10**60, "d": 2, "l": 10**23, "R": 1, "eta": 1, "beta0": 1, "small": F(1, 1000)},
        """
spread = 2 * (1 + sqrt(n * d / (l - 1))) * R / sqrt(l - 1)
left, right = small, (spread + beta0 / (l - 1)) / (eta * sqrt(l))  # Theorem 2, pure, main text
""",
    ),
    "KL-S4.3": (
        "the gradient 1/(1 + e^theta) is 0 at the MLE in [-B, B]: one record, difference 1, label "
        "1; here at theta = B, where it is smallest",
        "(25): the gradient at the MLE is 0 for all data sets",
        {"B": 1},
        "left, right = 1 / (1 + exp(B)), 0",
    ),
    "KL-S4.4-composition.k-constant": (
        "P(the rare action is seen; D') <= e^epsilon 0 + k delta + delta'",
        "k stands for the number of draws in the source, not for a constant",
        {"draws": 1000, "rare": F(1, 10000), "k": 1, "slack": F(1, 1000)},
        "left, right = 1 - (1 - rare) ** int(draws), k * rare + slack",
    ),
    "KL-S4.4-inexact": (
        "P(a; D) - e^(epsilon + 2 epsilon^) P(a; D') <= delta of the inexact policy, a the first "
        "action; factor = e^epsilon, error = e^epsilon^",
        "called straightforward: the way through the exact policy also multiplies delta",
        {"here": (F(1, 10), F(9, 10)), "there": (0, 1)}
        | {"rough": (F(1, 5), F(4, 5)), "rough_there": (0, 1)}
        | {"factor": F(10, 9), "error": 2, "delta": F(1, 10)},
        "left, right = rough[0] - factor * error**2 * rough_there[0], delta",
    ),
    "KL-S4.4-baselines": (
        "P(the better arm) of the noisy means <= that of the policy, at a smaller pure loss; arms "
        "as (records of reward 1, records), true means the same, noise of one scale at all data, "
        "beta0 = 0, uniform pi0",
        "no argument is given beyond 'noise is added'",
        {"arms": ((60, 100), (50, 100)), "scale": F(1, 40), "eta": F(57, 2000)},
        """
lead = arms[0][0] / arms[0][1] - arms[1][0] / arms[1][1]
x = lead / scale  # of the difference of two Laplace variables
left, right = 1 - (1 + x / 2) * exp(-x) / 2, 1 / (1 + exp(-lead / eta))
""",
    ),
}


@precisely
def crossing(name: str, words: str, quantity: str, true: float | None = None) -> Crossing:
    """Its two sides as balls, for its row of the ledger, and what is true in the right one's place.

    `true` is in floats; a repair that says nothing at these numbers has none.
    """
    _, step, given, python = NUMERIC[name]
    left, right = both_sides(given, python).values()
    found = Crossing(left, right, words, steps=(Step(step, left, right),), quantity=quantity)
    return found if true is None else replace(found, repaired=(Bound(0.0, true),))


@precisely
def refuted(name: str) -> dict:
    return inequality(name.removesuffix(".k-constant"), *NUMERIC[name])
