"""Check refutations of printed theorems. Needs Python 3.10 or newer and nothing else:

    python3 -I certificates/check.py [FILE...]          (no file: every *.json beside this one)

A certificate names a printed statement, parameters that meet its hypotheses, two neighbouring data
sets and an event. This program computes the law of the mechanism from the paper's definition and
the bound from the printed theorem, checks every hypothesis, and proves that the printed inequality
fails there. Of a file it trusts the parameters only: enclosures in it must agree with its own.
Numbers are exact rationals, or intervals with rational ends that are rounded outwards; exp, ln and
sqrt are enclosed by series with a bounded rest and by integer square roots. The papers: KL (private
by KL-regularization), FL (FLIPHAT), US (USCA), HU (private online learning, stochastic).
Each theorem belongs to one claim and one reading of it: a certificate under any other name is
refused. Each line of the output says whether the sides were computed from data sets, or only an
inequality between numbers was checked; the last line counts both.
To follow one file, start at `check`, at the end: STATEMENTS says which function judges its
"theorem", an entry of the table KL or NUMERIC or a function of its own. In both tables formulas
are texts, in the paper's letters. The sections, in order:

    intervals                          arithmetic that encloses; exp, ln, sqrt
    what a certificate is written in   exact numbers, counts, neighbouring data sets, (eps, delta)
    KL                                 the policies from their data; the table KL; `policy`
    HU and FL                          noisy maxima, Peeling and N-IHT with Laplace noise
    inequalities between numbers       the table NUMERIC, what its formulas use; `numeric`
    a file                             who judges which theorem; `check`, `main`
"""

# ruff: noqa: E731 (one-line functions are given names: a reader should see all in one file)
import json
import re
import sys
from collections import Counter
from fractions import Fraction
from math import comb, factorial, isqrt, prod
from pathlib import Path
from types import SimpleNamespace

BITS = 256  # significant bits that an end of an interval keeps


class Refused(Exception):
    """The certificate proves nothing: a hypothesis fails, or it is not well formed."""


def need(condition, words):
    if not condition:
        raise Refused(words)


# --- intervals ----------------------------------------------------------------------------------
def _cut(x, up):
    """x rounded to BITS significant bits, up or down."""
    n, d = x.numerator, x.denominator
    if max(n.bit_length(), d.bit_length()) <= BITS:
        return x
    k = BITS + d.bit_length() - n.bit_length()  # to multiples of 2^-k
    n, d, unit = (n << k, d, 1 << k) if k > 0 else (n, d << -k, Fraction(1, 1 << -k))
    return Fraction(-(-n // d) if up else n // d, unit)


class Interval:
    """All reals from lo to hi. `a > b` is true only if it is so for all members of both."""

    def __init__(self, lo, hi=None):
        self.lo, self.hi = _cut(Fraction(lo), False), _cut(Fraction(lo if hi is None else hi), True)

    __add__ = __radd__ = lambda a, b: Interval(a.lo + iv(b).lo, a.hi + iv(b).hi)
    __neg__ = lambda a: Interval(-a.hi, -a.lo)
    __sub__ = lambda a, b: a + -iv(b)
    __rsub__ = lambda a, b: iv(b) - a
    __rtruediv__ = lambda a, b: iv(b) / a
    __gt__ = lambda a, b: a.lo > iv(b).hi
    __lt__ = lambda a, b: a.hi < iv(b).lo

    def __mul__(self, other):
        other = iv(other)
        if self.lo >= 0 and other.lo >= 0:
            return Interval(self.lo * other.lo, self.hi * other.hi)
        ends = [a * b for a in (self.lo, self.hi) for b in (other.lo, other.hi)]
        return Interval(min(ends), max(ends))

    def __truediv__(self, other):
        other = iv(other)
        need(other.lo > 0 or other.hi < 0, "a division by what may be zero")
        return self * Interval(1 / other.hi, 1 / other.lo)

    __rmul__ = __mul__


iv = lambda x: x if isinstance(x, Interval) else Interval(x)


def exp(x):
    """Taylor at x/2^k <= 1/4, then k squarings; the rest is below twice the last term kept."""
    if iv(x).lo != iv(x).hi:
        return Interval(exp(iv(x).lo).lo, exp(iv(x).hi).hi)
    x = iv(x).lo
    if x < 0:
        return Interval(0, exp(-(10**4)).hi) if x < -(10**4) else 1 / exp(-x)
    need(x <= 10**4, "an exponential beyond e^10000")
    k = int(x).bit_length() + 2
    r, term, value, n = Interval(x / (1 << k)), iv(1), iv(1), 0
    while term.hi > Fraction(1, 1 << (BITS + 16)):
        n, term = n + 1, term * r / (n + 1)
        value = value + term
    value = value + Interval(0, 2 * term.hi)
    for _ in range(k):
        value = value * value
    return value


def ln(x):
    """k ln 2 + ln m; ln m = 2 sum of z^n/n over odd n, z = (m - 1)/(m + 1), |z| <= 1/3."""
    need(iv(x).lo > 0, "a logarithm of what may not be positive")
    if iv(x).lo != iv(x).hi:
        return Interval(ln(iv(x).lo).lo, ln(iv(x).hi).hi)
    x = iv(x).lo
    k = 0 if x == 2 else x.numerator.bit_length() - x.denominator.bit_length()
    m = x / Fraction(2) ** k
    power = value = Interval((m - 1) / (m + 1))
    square = power * power
    for n in range(3, 2 * BITS // 3, 2):
        power = power * square
        value = value + power / n
    rest = max(abs(power.lo), abs(power.hi))  # geometric
    return 2 * (value + Interval(-rest, rest)) + (k * ln(2) if k else 0)


def sqrt(x):
    if iv(x).lo != iv(x).hi:
        return Interval(sqrt(iv(x).lo).lo, sqrt(iv(x).hi).hi)
    x = iv(x).lo
    n, d = isqrt(x.numerator), isqrt(x.denominator)
    if (n * n, d * d) == (x.numerator, x.denominator):
        return iv(Fraction(n, d))
    shift = max(0, BITS + x.denominator.bit_length() - x.numerator.bit_length())
    low = isqrt((x.numerator << 2 * shift) // x.denominator)
    return Interval(Fraction(low, 1 << shift), Fraction(low + 1, 1 << shift))


# --- what a certificate is written in -----------------------------------------------------------
def exact(x):
    """Rationals from text in lowest terms, "-3" or "22/7"; lists become tuples."""
    if isinstance(x, list):
        return tuple(map(exact, x))
    well = isinstance(x, str) and re.fullmatch(r"-?[0-9]{1,999}(/[1-9][0-9]{0,999})?", x)
    need(well and str(Fraction(x)) == x, f"not an exact number in lowest terms: {x!r:.99}")
    return Fraction(x)


def stated(x):
    """An end of an enclosure, a decimal number or a fraction, of limited size."""
    decimal = r"-?[0-9./]{1,1999}([eE][+-]?[0-9]{1,4})?"
    well = isinstance(x, str) and re.fullmatch(decimal, x)
    need(well, f"no such number: {x!r:.99}")
    return Fraction(x)


def unique(pairs):
    """A JSON object in which no key stands twice."""
    need(len(dict(pairs)) == len(pairs), f"a key stands twice: {[key for key, _ in pairs]}")
    return dict(pairs)


def parameters(names, given):
    """All are there, none is negative; those marked # count something: whole, from 1, up to the
    number after # (the computation takes as many steps; a larger count is refused)."""
    known = {name.split("#")[0]: name.split("#")[1:] for name in names.split()}
    need(set(given) == set(known), f"parameters: {' '.join(known)}")
    need(all(x >= 0 for x in given.values() if isinstance(x, Fraction)), "a negative parameter")
    for name, x in given.items():
        count = isinstance(x, Fraction) and x.denominator == 1 and x >= 1
        within = count and x <= int("".join(known[name]) or x)
        need(within or not known[name], f"{name} is not a count, or too large: {x}")


whole = lambda n, least=0: need(type(n) is int and n >= least, f"no such integer: {n!r:.99}") or n
positive = lambda *numbers: need(all(x > 0 for x in numbers), "a parameter is not positive")
dot = lambda x, y: sum(a * b for a, b in zip(x, y, strict=True))
short = lambda v: need(dot(v, v) <= 1, "a feature vector longer than 1") or v
at_most = lambda n, most: need(n <= most, f"too large to be checked: {n} > {most}") or n
exactly = lambda facts: {
    k: x if isinstance(x, list | Interval) else Fraction(x) for k, x in facts.items()
}
spread = lambda runs: (
    at_most(sum(whole(n, 1) for _, n in runs), 10**6)
    and [value for x, n in runs for value in [exact(x)] * n]
)


def neighbours(kind, data, neighbour):
    """The records that only one of them has; [..., n] stands for n records [...]."""
    here, there = Counter(), Counter()
    for rows, found in ((data, here), (neighbour, there)):
        for *record, count in rows:
            found[json.dumps(record)] += whole(count, 1)
    only = (here - there, there - here)
    sizes = [0, 1] if kind == "added or removed" else [1, 1]
    need(sorted(part.total() for part in only) == sizes, f"no neighbours: one record {kind}")
    old, new = (json.loads(*part) if part else None for part in only)
    need(kind != "by label" or (old[:2] == new[:2] and old[2] == 1 - new[2]), "not one label")
    return old, new


def promise(p, q, epsilon, delta):
    """P <= e^eps Q + delta for an event; if delta = 0, as ln(P/Q) <= eps."""
    p, q, epsilon, delta = map(iv, (p, q, epsilon, delta))
    pure = delta.hi == 0 and q.lo > 0
    left, right = (ln(p / q), epsilon) if pure else (p - exp(epsilon) * q, delta)
    return {"P": p, "Q": q, "epsilon": epsilon, "delta": delta, "left": left, "right": right}


# --- KL: policies (8), (10), (11) ---------------------------------------------------------------
def softmax(weights, scores, eta):
    """pi(a) proportional to pi0(a) exp(score_a/eta)."""
    need(min(weights) > 0 and sum(weights) == 1, "pi0 is no distribution")
    top = max(iv(s).hi for s in scores if s is not None)  # None: an arm that is never played
    weighted = zip(weights, scores, strict=True)
    masses = [iv(0) if s is None else w * exp((iv(s) - top) / eta) for w, s in weighted]
    return [m / sum(masses) for m in masses]


def bandit(rows, b):
    """Policy (8): mean - beta0/sqrt(N); an arm without records is not played."""
    arms, count, rewards = range(len(b.pi0)), Counter(), Counter()
    for arm, reward, n in rows:
        need(0 <= exact(reward) <= b.R, "a reward outside [0, R]")
        count[whole(arm)] += whole(n, 1)
        rewards[arm] += n * exact(reward)
    need(set(count) <= set(arms), "no such arm")
    counts, means = [count[a] for a in arms], [rewards[a] / max(1, count[a]) for a in arms]
    scores = [m - b.beta0 / sqrt(n) if n else None for m, n in zip(means, counts, strict=True)]
    facts = {"A": len(arms), "most": max(counts), "least": min(counts)}
    return softmax(b.pi0, scores, b.eta), facts | {"counts": counts, "means": means}


def featured(vectors, estimate, b):
    """Policies (10) and (11): theta'phi - beta0 |phi|_{Sigma^-1}, theta = estimate(Sigma)."""
    actions, axes = [short(a) for a in b.actions], range(len(b.actions[0]))
    products = [[sum(n * v[i] * v[j] for v, n in vectors.items()) for i in axes] for j in axes]
    need(not any(products[i][j] for i in axes for j in axes if i != j), "Sigma must be diagonal")
    sigma = [b.penalty + products[i][i] for i in axes]
    theta, inverse = estimate(sigma), [1 / s for s in sigma]
    squares = [dot([x * x for x in a], inverse) for a in actions]
    scores = [dot(theta, a) - b.beta0 * sqrt(w) for a, w in zip(actions, squares, strict=True)]
    facts = {"n": sum(vectors.values()), "d": len(sigma), "l": min(sigma), "A": len(actions)}
    return softmax(b.pi0, scores, b.eta), facts | {"narrowest": min(squares), "squares": squares}


def linear(rows, b):
    """Rows [phi, reward, how many]; theta = Sigma^-1 sum of reward phi."""
    vectors, moment = Counter(), [Fraction(0)] * len(b.actions[0])
    for phi, reward, n in rows:
        phi, reward = short(exact(phi)), exact(reward)
        need(0 <= reward <= b.R, "a reward outside [0, R]")
        vectors[phi] += whole(n, 1)
        moment = [m + n * reward * x for m, x in zip(moment, phi, strict=True)]
    return featured(vectors, lambda sigma: [m / s for m, s in zip(moment, sigma, strict=True)], b)


def rlhf(rows, b):
    """Rows [phi of the first answer, of the second, label, how many]; theta = the MLE."""
    vectors, axes = Counter(), [Counter() for _ in b.actions[0]]
    for first, second, label, n in rows:
        z = tuple(u - v for u, v in zip(short(exact(first)), short(exact(second)), strict=True))
        need(whole(label) <= 1, "a label is 0 or 1")
        vectors[z] += whole(n, 1)
        (place,) = [i for i, x in enumerate(z) if x]  # here differences must lie on the axes
        axes[place][z[place] * (2 * label - 1)] += n
    theta = [likeliest(axis, b.B) for axis in axes]
    need(sum(t * t for t in theta) < b.B**2, "the MLE leaves the ball of radius B")
    law, facts = featured(vectors, lambda sigma: theta, b)
    return law, facts | {"longest": max(dot(z, z) for z in vectors)}


def likeliest(signed, radius):
    """The MLE on one axis: where the decreasing score, sum of n z/(1 + e^(z theta)), is zero."""
    score = lambda theta: sum(n * z / (1 + exp(z * theta)) for z, n in signed.items())
    lo, hi = -radius, radius
    need(score(lo) > 0 and score(hi) < 0, "the MLE leaves the ball of radius B")
    for _ in range(64):
        middle, value = (lo + hi) / 2, score((lo + hi) / 2)
        if value.lo == value.hi == 0:
            return iv(middle)
        need(value > 0 or value < 0, "the sign of the score is not decided")
        lo, hi = (middle, hi) if value > 0 else (lo, middle)
    return Interval(lo, hi)


# The printed (epsilon, delta) of a data set D with n records, d features, |A| = A actions,
# l = lambda_min(D), penalty = lambda, narrowest = min_a |phi(x, a)|_{Sigma^-1} squared, and longest
# = max |phi(x, a^1) - phi(x, a^2)| squared over its records.
BRACKET_2 = "(2*(1 + sqrt(n*d/(l - 1)))*R/sqrt(l - 1) + beta0/(l - 1))"
APPENDIX_2 = "((1 + sqrt(n*d/(l - 1)))*R/sqrt(l) + beta0/(2*(l - 1)))"
LABELS = "((2 + 2*exp(2*B))*sqrt(l)/(l - penalty))"
RECORDS = "((1 + exp(2*B))*sqrt(l)/(l - penalty) + 2*beta0/(l - 1))"
COR_2 = "k1*d/(n*eta)*(2*R*(1 + sqrt(k1)*d) + beta0*sqrt(k1*d/n))"
COR_3 = "(2 + 2*exp(2*B))*k1*d/(n*eta)"
PURE, AT_0 = "/(eta*sqrt(l))", "/(eta*sqrt(lambda0))"
RARE = "A*exp(epsilon)*exp(beta0/eta*(sqrt(narrowest) - 1/sqrt(lambda0)))"
SHRUNK = "A*exp(epsilon)*exp(beta0/eta*sqrt(d/n)*(1 - sqrt(c*k1)))"
BANDIT = (bandit, "R eta beta0 pi0", "added or removed")
LINEAR = (linear, "R eta beta0 penalty pi0 actions", "added or removed")
RECORD = (rlhf, "B eta beta0 penalty pi0 actions", "added or removed")
LABEL = (*RECORD[:2], "by label")
KL = {  # theorem: setting, further parameters, hypothesis, epsilon, delta
    "KL-T1 pure": (BANDIT, "", "least > 1",
        "(4*R/(least - 1) + beta0/((least - 1)*sqrt(least - 1)))/eta", "0"),
    "KL-T1 approx": (BANDIT, "N0", "N0 > 0", "(4*R/N0 + beta0/(N0*sqrt(N0)))/eta",
        "A*exp(4*R/(eta*N0) + beta0/eta*(1/sqrt(most) - 1/sqrt(N0) + 1/(N0*sqrt(N0))))"),
    "KL-C1": (BANDIT, "k", "k > 0", "(4*k*R + k*sqrt(k)*beta0/sqrt(most))/(eta*most)",
        "A*exp(-beta0/eta*(sqrt(k) - 1)/sqrt(most) + 4*k*R/most"  # no 1/eta, as printed
        " + beta0/eta*k*sqrt(k)/(most*sqrt(most)))"),
    "KL-R1": (BANDIT, "loss rest", "eta**4*(most + least)**3 == 1 and beta0 >= 1", "loss", "rest"),
    "KL-T2 pure": (LINEAR, "", "l > 1", BRACKET_2 + PURE, "0"),
    "KL-T2 pure-appendix": (LINEAR, "", "l > 1", APPENDIX_2 + PURE, "0"),
    "KL-T2 approx": (LINEAR, "lambda0", "l > 1", BRACKET_2 + AT_0, RARE),
    "KL-C2 pure": (LINEAR, "k1", "l >= 1 + n/(k1*d)", COR_2, "0"),
    "KL-C2 approx": (LINEAR, "k1 c", "l >= 1 + n/(k1*d) and c < 1", "c*" + COR_2, SHRUNK),
    "KL-T3 pure": (LABEL, "", "l > penalty", LABELS + PURE, "0"),
    "KL-T3 pure-unit": (LABEL, "", "l > penalty and longest <= 1", LABELS + PURE, "0"),
    "KL-T3 approx": (LABEL, "lambda0", "l > penalty < lambda0", LABELS + AT_0, RARE),
    "KL-T4 pure": (RECORD, "", "l > penalty and l > 1", RECORDS + PURE, "0"),
    "KL-T4 approx": (RECORD, "lambda0", "l > penalty < lambda0 and l > 1", RECORDS + AT_0, RARE),
    "KL-C3 pure": (LABEL, "k1", "l >= penalty + n/(k1*d)", COR_3, "0"),
    "KL-C3 approx": (LABEL, "k1 c", "l >= penalty + n/(k1*d) and c < 1", "c*" + COR_3, SHRUNK),
}  # fmt: skip


def policy(theorem, data, neighbour, event, first, **given):
    """A printed (eps, delta) of the action drawn at D = `data`; either law may come `first`."""
    (law, names, kind), more, hypothesis, epsilon, delta = KL[theorem]
    parameters(f"{names} {more}", given)
    positive(*(x for x in given.values() if isinstance(x, Fraction)))
    neighbours(kind, data, neighbour)
    (here, facts), (there, _) = (law(rows, SimpleNamespace(**given)) for rows in (data, neighbour))
    known = given | exactly(facts) | {"sqrt": sqrt, "exp": exp}
    need(eval(hypothesis, known), "the hypothesis of the statement fails")
    known["epsilon"] = iv(eval(epsilon, known))
    laws = {"data": (here, there), "neighbour": (there, here)}[first]
    need(len(set(event)) == len(event), "an outcome stands twice in the event")
    p, q = (sum(law[whole(a)] for a in event) for law in laws)
    return promise(p, q, known["epsilon"], eval(delta, known))


# --- HU and FL: Laplace noise -------------------------------------------------------------------
# tail: P(W - W' > x), or P(W > x) for of = 1; W, W' standard Laplace. noise_scale: Algorithm 3's xi
tail = lambda x, of=2: (1 + x * (of - 1) / 2) * exp(-x) / 2 if iv(x).lo >= 0 else 1 - tail(-x, of)
noise_scale = lambda sensitivity, s, epsilon, delta: (
    positive(s, epsilon, delta, sensitivity, 1 - delta)
    or sensitivity * 2 * sqrt(3 * s * ln(1 / delta)) / epsilon
)


def rnm_ftnl(theorem, data, neighbour, event, epsilon):
    """Algorithm 4, K = 2; rows [epoch, rewards, how many]. Event [s, j]: after epoch s, play j."""
    (s, j), (old, new), chances = event, neighbours("replaced", data, neighbour), []
    at_most(whole(s), 1000)
    need(old[0] == new[0] and j in (0, 1) and epsilon > 0, "the vector must stay in its epoch")
    for rows in (data, neighbour):
        rounds, lead = Counter(), 0
        for epoch, rewards, n in rows:
            need(len(rewards) == 2 and set(rewards) <= {0, 1}, "rewards are 0 or 1, K = 2")
            rounds[whole(epoch)] += n
            lead += n * (rewards[j] - rewards[1 - j]) * (epoch == s)
        need(rounds == {epoch: 2**epoch for epoch in range(s + 1)}, "epochs 0..s of 2^epoch rounds")
        chances.append(tail(-lead * epsilon))
    return promise(*chances, epsilon, 0)


def peeling(theorem, data, neighbour, event, s, epsilon, delta, sensitivity):
    """Lemma A.2; event: the first s coordinates are selected, all released at a level or above."""
    # in each round one is left that beats all others; at D' one left must beat the highest other
    v, w, k = spread(data), spread(neighbour), int(s)
    need(len(v) > k == s and min(v + w) >= 0, "v >= 0, longer than s")
    need(max(abs(x - y) for x, y in zip(v, w, strict=True)) <= sensitivity, "no neighbours")
    xi, level = noise_scale(sensitivity, s, epsilon, delta), exact(event)
    each = 1 - sum(n * tail((min(v[:k]) - x) / xi) for x, n in Counter(v[k:]).items())
    reach = tail((max(w[k:]) - max(w[:k])) / xi)
    p, q = (prod(tail((level - x) / xi, of=1) for x in y[:k]) for y in (v, w))
    return promise(p * prod([each] * k), q * prod([reach] * k) * factorial(k), epsilon, delta)


def niht(theorem, data, neighbour, event, s, epsilon, delta, eta, R, x_max, b_max):
    """Algorithm 1, M = 1; rows [x in runs, y, how many]; event: k pairs of estimates are in order.
    For FL-T5.1 and FL-RDP a row is a user of an episode of 2^l rounds, whose arms share x and y;
    (i, j) is read off the action of a user of the next whose arms have the contexts e_i and e_j."""
    (old, new), (k, pairs), found = neighbours("replaced", data, neighbour), event, []
    at_most(len(pairs), 1000)
    n, chosen = sum(row[-1] for row in data), {i for pair in pairs for i in pair}
    readers = theorem == "FL-S4" or (n & (n - 1) == 0 and n >= len(pairs) and x_max >= 1)
    need(readers and len(chosen) == 2 * len(pairs) == s, "no such pairs of s coordinates")
    need(theorem != "FL-RDP" or old[0] == new[0], "only a reward may differ")
    xi = noise_scale(eta * (R + x_max * b_max) / n, s, epsilon, delta)
    for rows in (data, neighbour):
        step = [Fraction(0)] * len(spread(rows[0][0]))  # -eta times the gradient at 0
        for runs, y, count in rows:
            x, y = spread(runs), max(-R, min(R, exact(y)))
            need(max(map(abs, x)) <= x_max, "a context beyond x_max")
            one = 2 * eta * count * y / n
            step = [u + one * z if z else u for u, z in zip(step, x, strict=True)]
        size, rest = [abs(step[i]) for i in chosen], set(range(len(step))) - chosen
        lead, room = min(size) - max(abs(step[i]) for i in rest), (b_max - sum(size)) / s
        positive(lead, room, R, b_max)  # so they are selected, and not projected, but for `slip`
        slip = s * (len(rest) * tail(lead / xi) + exp(-room / xi))
        law = [iv(1)]  # of the number of pairs in order
        for i, j in pairs:
            p = tail((step[j] - step[i]) / xi)
            law = [u * (1 - p) + v * p for u, v in zip([*law, 0], [0, *law], strict=True)]
        found.append(Interval((sum(law[k:]) - slip).lo, (sum(law[k:]) + slip).hi))
    return promise(*found, epsilon, delta)


# --- inequalities between numbers ---------------------------------------------------------------
# Each is left <= right, as printed, at one instance; for O(...) with the constant 10^6 or 10^-6.
PI = Interval(*(Fraction(314159265358979323846264338327 + k, 10**29) for k in (0, 1)))
POWERS = [Fraction(2) ** k for k in range(64)]
XI = "*2*sqrt(3*s*ln(1/delta))/epsilon"  # FL, Algorithm 3
RHO = "exp(4*ln(20)/3)*epsilon*epsilon/ln(1/delta)"  # FL, the printed bound on rho_0
PSI_0 = "m*(m + 1)*(2*m + 1)/6"  # FL, Psi_0(T) = 1 + 4 + ... + m^2, m = floor(ln T) + 1
J_0 = PSI_0 + "*sqrt((2*s)**3*ln(1/delta))*ln(d)/epsilon"  # FL, Theorem 5.6, s = s*
# US: the kernel (1 + cos pi x cos pi x')/2 on [0, 1], x uniform, has the eigenfunctions 1 and
# sqrt(2) cos(pi x), so F^2 = 2, and the eigenvalues 1/2 and 1/4.
COSINE = {Fraction(n, 6): Fraction(c, 2) for n, c in ((0, 2), (2, 1), (3, 0), (4, -1), (6, -2))}
# US, circle: lambda_0 = 1/2, lambda_j = LAMBDA/j^2, sums over J < j <= 2 J: US.md, 3, 5. gamma_T is
# between integrals of ln(1 + T LAMBDA/x^2), from 1 to T/2 (T equally spaced points) and from 0 on.
CIRCLE, LAMBDA = "T# J# p delta", "(3/(2*PI*PI))"
LOW, SQUARES = f"({LAMBDA}*(1/(J + 1) - 1/(2*J + 1)))", f"(7*{LAMBDA}*{LAMBDA}/(24*J*J*J))"
MISSED = f"4*{SQUARES}/({LOW}*{LOW})"  # Chebyshev
MOST = "(sqrt(3*T/2) + ln(1 + T/2)/2)"  # of gamma_T
SHARE = f"(T/(T/({MOST} - ln(1 + {LAMBDA}*T) - 2 - 2*{LAMBDA}) + 1))"  # T/K, at least
SURE = "((1 + sqrt(3*T/2))/T*ln(2*(1 + sqrt(3*T/2))*(T + 2)/(T*delta)))"  # L u of US.md, 2
# US: k(c, c') = c c', c = 1 with chance F^-2, else 0; T = M F^2 = |U_T|, f = B c/2: US.md, 5
FEW = ("F M# B tau delta", "F > 1 and M*F*F % 1 == 0 and 324 <= delta*M and"
    " 16*ln(1 + M*F*F/tau)*ln(4/delta) < 2*M*F*F*tau and"  # T >= 16 gamma_T ln(4/delta)/tau
    " 2/sqrt(2*PI*M*(1 - 1/(F*F))) + 1/M < 1 - delta")  # fmt: skip
FEW_GAP = "beta_1(delta{}, B, tau, 1/(F*F), F*F)*sqrt(ln(1 + M*F*F/tau)/(2*M))/F"
UNLIKELY = "A*exp(beta0/eta*(1/sqrt(most) - 1/sqrt(N0)))"  # KL, (12)
RARE_ARMS = "sum(p for p, n in zip(here, counts, strict=True) if n <= N0)"
NUMERIC = {  # parameters (# marks a count), hypothesis, the two sides of the printed left <= right
    "KL-P1b": ("epsilon delta", "delta < 1", "1", "exp(epsilon)*((n_there == n) + delta)"),
    "KL-L1-events": ("outcomes#", "outcomes > 1", "1", "1/outcomes"),
    "KL-L1-partition": ("pi0 safe",  # policy (7), eta = 1, Delta = 0 on the safe ones
        "all(scores[int(a)] == scores_there[int(a)] for a in safe)"
        " and set(safe) <= set(range(len(pi0)))",
        "sum(here[int(a)] - there[int(a)] for a in safe)", "1 - sum(here[int(a)] for a in safe)"),
    "KL-B12": ("N0 " + BANDIT[1], "N0 > 0", RARE_ARMS, UNLIKELY),
    "KL-C21": (LINEAR[1], "l > 1", "n/l", "(n - 1)/(l - 1)"),
    "KL-C22": (LINEAR[1], "1", "sqrt((1 + 1/l)*narrowest)", "sqrt(narrowest_there)"),
    "FL-C3": ("E", "1", "(E*E + 1)/2", "E"),
    "KL-C23": ("l", "l > 1", "1/(2*sqrt(l))", "1/(2*l)"),  # over |phi|_{Sigma^-1}, |phi_0| = 1
    "KL-D30": ("n# p q a B",  # n records e1, n e2, shares p and q with label 1; add (a, a), 1
        "1 <= 2*p < 2*q and 2*a*a <= 1 and n*p % 1 == n*q % 1 == 0"  # the left side rises
        " and logit(p + a/n)*logit(p + a/n) + logit(q + a/n)*logit(q + a/n) < B*B",
        "(logit(q + shift(n, p, q, a)) - logit(q) - logit(p + shift(n, p, q, a)) + logit(p))"
        "/(2*(2 + exp(2*B) + exp(-2*B)))", "0"),  # phi = (1, -1)/2 is orthogonal to (a, a)
    "KL-B-mean": (BANDIT[1], "least > 1", "most_there*R*(1/(most - 1) - 1/most)", "R/(most - 1)"),
    "KL-S4.1": (BANDIT[1], "least > 0", "here[0]", "there[0]"),  # arm 0 loses its only record
    "KL-R1-scales": ("A# beta0 eta k R n# most#", "most < n < 2*most and k > 1",
        KL["KL-C1"][4], "10**6*exp(-beta0/eta*sqrt(k)/sqrt(n))"),
    "KL-B12-reference": ("N0 " + BANDIT[1],  # as if ln pi0 were multiplied by eta
        "N0 > 0 and A == 2 and counts[0] < counts[1]"
        " and means[0] + ln(pi0[0]) < means[1] + ln(pi0[1]) - beta0/sqrt(counts[1])",
        RARE_ARMS, UNLIKELY),
    "KL-D33": (RECORD[1], "l > 4", "sqrt(narrowest_there/narrowest) - 1", "2/(l - 1)"),
    "KL-S3.2": ("r1 r2", "r1 > r2", "1/(1 + exp(exp(r2) - exp(r1)))", "1/(1 + exp(r2 - r1))"),
    "KL-S4.2": ("small " + LINEAR[1], "1 < l < n/d and l < sqrt(n)/10**6", "small",
        BRACKET_2 + PURE),  # were sqrt(n) needed, no bound on the loss could be small
    "KL-S4.3": ("B", "B > 0", "1/(1 + exp(B))", "0"),  # the gradient, smallest at theta = B
    "KL-S4.3-ball": ("n# zeros# B", "zeros + 1 < n", "ln(1 + 1/zeros)", "(2 + 2*exp(2*B))/4/n"),
    "KL-S4.4-composition": ("draws#9999 k slack " + BANDIT[1],  # the last arm: the rare one
        "here[-1].hi == 0", "1 - prod([1 - there[-1]]*int(draws))", "k*there[-1] + slack"),
    "KL-S4.4-inexact": ("factor error delta",  # e^eps, e^eps^
        "distance(here, there, factor) <= delta and distance(rough, rough_there, 1) <= 1"
        " and 1 <= min(factor, error) and all(x <= error*y and y <= error*x"
        " for x, y in zip(here + there, rough + rough_there, strict=True))",
        "rough[0] - factor*error**2*rough_there[0]", "delta"),
    "HU-L23": ("epsilon", "0 < epsilon <= 1", "stays(exp(epsilon))", "iv(1)/125"),
    "HU-S5-minimax": ("bits# T epsilon", "bits*ln(2)/(100*epsilon*epsilon) < T",  # K = 2^bits
        "bits*ln(2)/epsilon/10**6", "T"),
    "HU-S7-witness": ("levels# copies#", "levels in POWERS and copies in POWERS",
        "1 + (levels - 1)*(1 + ln(copies))/ln(levels*copies + 1)",
        "1 + (levels - 1)/ln(levels + 1)"),
    "HU-T9": ("K# gap epsilon", "epsilon < gap <= 1 < K",
        "(ln(K) - 1 + 1/K)/(exp(2*epsilon) - 1)", "10**6*ln(K)/gap"),  # Theorem L at 2 epsilon
    "HU-F17": ("n#9999", "n > 1", "1 - 1/iv(2**n)", "n*(n/(n - 1))**(n - 1)/2**n"),  # 1/n
    "FL-E2-M": ("N#", "1", "N", "28*10**6*ln(2*N)"),
    "FL-E3": ("L#", "1", "2*L", "10**6"), "FL-R3": ("T#", "1", "prod([ln(T)]*3)", "sqrt(T)"),
    "FL-E3-log": ("N# delta", "exp(1)*delta < 1 < N", "ln(ln(N)/delta)", "ln(1/delta)*ln(N)"),
    "FL-T4.1": ("n# start M#", "M - 1 < 28*ln(n) < M", "((start - 1)/2**M)**2", "2/n"),
    "FL-P5.5": ("s# epsilon delta eta n# steps# x_max b_max beta", "sum(map(abs, beta)) <= b_max",
        # sigma = 0: the noise is there, beta* is demanded
        "eta*2*x_max*b_max/n*2*steps*sqrt(3*s*ln(steps/delta))/epsilon", "0"),
    "FL-LD.1": ("v v_hat inside s_hat# c worst",  # s = d: all is kept, at any noise
        "all(i in inside for i, x in enumerate(v) if x)"
        " and sum(map(bool, v_hat)) <= s_hat <= len(v) and set(inside) <= set(range(len(v)))",
        "0", "(1 + 1/c)*(len(set(inside)) - len(v))/(len(set(inside)) - s_hat)"
        "*sum((x - y)**2 for x, y in zip(v, v_hat, strict=True)) + 4*(1 + c)*worst"),
    "FL-LD.2": ("theta release c c1 c2 worst", "sum(map(bool, theta)) > 1",  # s = 1, theta = theta*
        "sum(x*x for x in theta) - max(x*x for x in theta) + release**2",  # one is kept
        "(1 + c1)*release**2 + 4*(1 + 1/c1)*(1 + 1/c2)*(1 + c)*worst"),
    "FL-T4.1c": ("h11 h12 h22 eta target m1 m2", "h12*h12 < h11*h22",
        "(m1 - eta*(h11*(m1 - target) + h12*m2) - target)**2", "((1 - eta*h11)*(m1 - target))**2"),
    "FL-B1": ("L", "L > 0", "L/sqrt(ln(2))", "sqrt(L/ln(2))"), "HU-S2.2": ("p", "p < 1", "p", "0"),
    "FL-A5.2c": ("h", "0 < h <= 1", "sqrt(2*h)/(PI*h)", "10**6"),  # x_max = 1: P/h in a plane
    "FL-E2": ("d#", "d in POWERS", "union(2*d*normal(2*sqrt(ln(d)), 1/(d*d)))", "2/(d*d)"),
    "FL-E4": ("N#", "1", "union(2*N*normal(sqrt(2*ln(N)), 1/N))", "1/N"),
    "FL-Crho": ("epsilon delta", "epsilon*epsilon < ln(1/delta)",
        f"epsilon - sqrt({RHO}*ln(1/delta)) - {RHO}/4 + 5*sqrt(sqrt({RHO}))", "0"),
    "FL-C4b": ("epsilon delta q rho", "epsilon + 5*sqrt(sqrt(rho)) < sqrt(rho*ln(1/delta)) + rho/4",
        "ln(1 - delta + delta*((1 - q)*(1 - q)/q + q*q/(1 - q)))", "rho/2"),
    "FL-ABS": ("s# d# m#", "1 <= s < d and m in POWERS",  # J_0 over Theorem 3.2's term, s = s*
        f"2*sqrt(iv(2))*s*{PSI_0}*ln(d)/ln(d/s)", "10**6*s*ln(d)"),
    "FL-PSI-forms": ("m#", "1", "2*(1 - exp(-m))*m*m*m*m", "150*10**6"),  # alpha = 1, T = e^m:
        # E.3.1 against 10^6 times Section 5, sum_n n^4/2^n = 150
    "FL-T5.6": ("s# d# m# epsilon delta", "d > 1 and m in POWERS",  # Theorem H1, alpha = 0
        "exp((m - 1)/2)/12", f"10**6*(2*s*ln(d) + 2*s*sqrt(ln(d)) + {J_0})"),
        # sigma = x_max = b_max = 1
    "FL-T3.2": ("T# s# d# epsilon delta", "s < d and delta < 1",  # any policy, x_max = b_max = 1
        "sqrt(s*ln(1/delta))*ln(d/s)/epsilon/10**6", "2*T"),
    "FL-T3.2 proof": ("bits# s# epsilon delta sigma", "sigma > 0",  # d = 2^bits s; any policy
        "sqrt(s*ln(1/delta))*bits*ln(2)/epsilon/10**6",
        "sigma*sqrt(s*bits*ln(2)*ln(1/delta)/(PI*exp(4*ln(20)/3)))/epsilon"),
    "US-A2.3": ("j#", "1", "2*j + 1", "10**6"),  # Legendre: P_j(1)^2/E P_j^2
    "US-L4.4": ("T# tau delta K#",  # the data: `hub`
        "K - 1 < T/gamma and T/gamma < K and 16*gamma*ln(1/delta) < T*tau and chance > delta",
        "least", "28*sqrt(gamma*ln(1/delta)/(T*tau))/17"),
    "US-L4.4 spectrum": ("n# tau count#999 delta K#",  # n equally likely points, T = n tau
        "K - 1 < 2*tau/ln(2) < K and ln(2)*ln(1/delta)/2 < tau*tau/16"
        " and 1 - exp(-n*comb(int(n*tau*K), int(count))/n**int(count)"
        "*exp((n*tau*K - count)*ln(1 - 1/n))) > delta",
        "2*tau/(count/K + tau)", "1 + 28*sqrt(ln(2)*ln(1/delta)/2)/17/tau"),
    "US-L4.4 fixed": (CIRCLE,  # T >= every printed N1bar with C_p F^2 >= 1, and the proof's own
        f"p > 0 and T % 2 == 0 and {MISSED} < 1 - p - delta and 16*ln(1/delta) < sqrt(sqrt(T))"
        f" and 16*{MOST}*ln(1/delta) < T",
        f"sqrt({SHARE}*{LOW}/4)/(1 + T*{LAMBDA}/((J + 1)*(J + 1)) + sqrt(2/p*(2*{SHARE}*{SQUARES}"
        f"/{LOW} + {LAMBDA}/(2*J)*{MOST}*{MOST}/(T*T))))", f"28*sqrt({MOST}*ln(1/delta)/T)/17"),
    "US-S6.3-norm real": (CIRCLE,  # b_1(delta) < 1/9 of US.md, 2, with N <= 1 + sqrt(3 T/2)
        f"p > 0 and {MISSED} < 1 - p - 2*delta and {SURE}/3 + sqrt({SURE}*{SURE}/9 + 2*{SURE})"
        " < Fraction(1, 9)",
        f"sqrt(T*{LOW}/4)/(1 + T*{LAMBDA}/((J + 1)*(J + 1)) + sqrt(2/p*{MOST}*{SQUARES}/{LOW}))",
        "iv(5)/3"),
    "US-S4-identical": ("T#99 K#99 at", "1",
        "sum(p for k, p in coins(T*K) if k == K*at)", "sum(p for k, p in coins(T) if k == at)"),
    "US-N1": ("T# tau delta constant",
        "constant >= 1 and ln(1/delta)/(32*constant) < sqrt(sqrt(T))",
        "sqrt(ln(1 + T/tau)/2*ln(1/delta)/(T*tau))", "1/4"),
    "US-S3-variance": ("tau", "tau < 1", "(1 - 1/(1 + tau))/tau", "1 - 1/(1 + tau)"),
    "US-A2.7": ("ratio delta", "delta < 1", "1 - 2*(ratio + ln(1/delta))/sqrt(2*PI)", "delta"),
    "US-L6.2": ("B norm tau delta x z",  # T = K = 1, f = norm k(., 0); x_1 and z_1 in ranges
        "norm < B and (x[1] - x[0])*(z[1] - z[0]) > delta and x[1] > x[0] and ln(1 + 1/tau) > 2",
        "norm*gap(tau, 1, *(Interval(COSINE[v], COSINE[u]) for u, v in (x, z)))",
        "beta_1(delta, B, tau)*sqrt(ln(1 + 1/tau)/2)"),
    # For every T at once, epsilon = share gamma_T/T; f = k(., 0)/2, no noise, L_f >= pi/4, tau =
    # B = D_0 = 1, |U_T| = 2T: gamma_T <= ln(1 + T/2) <= sqrt(T/2), so sqrt(gamma_T/T) <= T^(-1/4),
    # and ln T <= 4/e T^(1/4); beta_1 of delta/(24 T) grows by `slope` when ln T grows by ln 2.
    "US-T4.1": ("share delta L_f", "delta < 1 and L_f > Fraction(11, 14)", "0",
        "10*(11/iv(3) + beta_1(delta/24, 1, 1) + 3*(beta_1(delta/48, 1, 1)"
        " - beta_1(delta/24, 1, 1))/(2*ln(2)))"
        " + 1296/iv(13)/share*(ln(5184*L_f*share/13) + ln(3/delta))"),
    "US-S8.2-uniform": ("contexts#9999 delta", "delta < 1", "1 - (1 - delta)**contexts", "delta"),
    "US-S6.3-norm": ("a b e tau", "e*e < (a - tau)*(b - tau) and 81*e*e < a*b and tau < b < a",
        "sqrt(((a - tau)/a)**2 + (e/b)**2)", "iv(5)/3"),
    "US-S6.3-variance": ("tau root", "root >= 100",  # circle, root^2 = T lambda_1/tau, for all T
        "tau*(root*PI - 4)", "216*PI*root/13"),
    "US-S7.1": ("n# tau", "n in POWERS", "1/(1/n + tau)", "54*ln(1 + 1/tau)/26"),
    "US-L4.3": (*FEW, "B/(4*(2*M + tau))", "11*B/(3*M*F*F) + " + FEW_GAP.format("/(4*M*F*F)")),
    "US-L6.2 rare": (*FEW, "B/(4*(2*M + tau)*(1 + tau))", FEW_GAP.format("")),
    "US-T4.1 order": ("bits#", "bits > 22", "exp(3*ln((bits - 3)/20)/8)", "2*10**6"),  # US.md, 12
    "US-A2.8": ("h", "h > 0", "sqrt(2/h - 1)", "10**6"),  # 1 - e^-h >= h - h^2/2
    "US-S6.3-beta": ("T# tau", "tau > 0", "tau/(T + tau)", "0"),  # k = 1, no noise: |f - mu_T|/|f|
}  # fmt: skip
NUMERIC["US-L4.3 order"], KL["KL-ABS corollaries"] = NUMERIC["US-T4.1 order"], KL["KL-C2 approx"]
HELPERS = {  # normal: at most P(N(0, 1) > x), density = e^(-x^2/2); union: of independent events
    "normal": lambda x, density: density / sqrt(2 * PI) / x * (1 - 1 / (x * x)),
    "union": lambda m: m * (1 - m / 2) if m < 1 else -1,  # equal chances with sum m; Bonferroni
    "logit": lambda p: ln(p / (1 - p)),
    "distance": lambda p, q, factor: max(  # delta at e^epsilon = factor, of two laws
        sum(max(0, u - factor * v) for u, v in zip(*pair, strict=True))
        for pair in ((p, q), (q, p)) if min(p + q) >= 0 and sum(p) == sum(q) == 1),
    "coins": lambda n: [(k, Fraction(comb(int(n), k), 2 ** int(n))) for k in range(int(n) + 1)],
    "gap": lambda tau, w, x, z: iv(((1 + x * w) / 2 * (((1 + x * w) / 2  # at least mubar - mu
        - (1 + z * w) * (1 + z * x) / 4 / (tau + (1 + z * z) / 2)) / tau
        - 1 / (tau + (1 + x * x) / 2))).lo),
    "beta_1": lambda delta, B, tau, up=2, F2=2: (  # Lemma 6.2, R = 0; as printed, up is 1/F2
        (sqrt(Fraction(162, 13) * up * B**3) + Fraction(81, 52) * F2) * ln(8 / delta)
        + Fraction(28, 17) * ln(4 / delta) / tau + 2 * B * sqrt(Fraction(108, 13) * F2 * tau)),
    "shift": lambda n, p, q, a, s=0: [  # KL-D30: s = a sigma(-(a, a)'theta)/n; even steps are below
        s := a/n/(1 + exp(a*ln((p + s)*(q + s)/(1 - p - s)/(1 - q - s)))) for _ in range(20)][-1],
}  # fmt: skip


def stays(growth):
    """HU-L23, t = 5, no rewards: P(|noise of arm 2| > 3 ln 5/eps | it stays), growth = e^eps.
    It leaves by winning rounds 3 and 4: theta ~ Beta(m + 1, 2 - m), m = clip(noise + 3 ln t/eps)
    to [0, 1]. m rises with the noise, and the chance of arm 2 is 1/2 + (m_2 - m_1)/3 at 0 and 1.
    """
    low, high = Fraction(1, 128), 1 - growth / 54  # m = 0 in both rounds; m = 1; else in between
    classes = [(low, 0, 0), (1 - low - high, 0, 1), (high, 1, 1)]
    stay = lambda m, m_2: 1 - (Fraction(1, 2) + Fraction(m_2 - m, 3)) ** 2
    least = sum(p * stay(m, m_2) for p, m, _ in classes for m_2 in (0, 1)) / 250
    return least / sum(p * q * stay(m, m_2) for p, _, m in classes for q, m_2, _ in classes)


# rows [anything, how many], whose number is told; scores; laws of a policy and of an inexact one
counted = lambda rows, b: (None, {"n": sum(whole(n, 1) for _, n in rows)})
scored = lambda rows, b: (softmax(b.pi0, exact(rows), 1), {"scores": list(exact(rows))})
inexact = lambda x, b: (at_most(len(x), 2), exact(x[0]), {"rough": list(exact(x[1]))})[1:]


def hub(rows, b):
    """Row [alpha, beta, n]: k = alpha + beta c.c', contexts uniform on n corners of a simplex.
    gamma_T: as many contexts at each corner (Jensen's inequality, and ln det is concave). With the
    probability `chance` Pearson's statistic of the TK draws is at least half of its mean n - 1 (its
    variance is below 2(n - 1): Chebyshev) and no corner has twice its mean h K (Chernoff); then the
    norm is at least `least` (Cauchy and Schwarz, twice: docs/proofs/US.md, 3)."""
    ((alpha, beta, n),) = rows
    alpha, beta, h = exact(alpha), exact(beta), b.T / whole(n, 2)
    need(min(alpha, beta) > 0 and alpha + beta <= 1 and h % 1 == 0, "no such kernel, or n, or T")
    gain = ln(1 + (b.T * alpha + h * beta) / b.tau) + (n - 1) * ln(1 + beta * h / b.tau)
    least = sqrt(alpha * beta * h * (n - 1) / (2 * b.K)) / (2 * beta * h + b.tau)
    chance = 1 - Fraction(8, n - 1) - n * exp(-h * b.K / 3)
    return None, {"gamma": gain / 2, "chance": chance, "least": least}


DATA = {  # entries of NUMERIC about data sets: the law of the mechanism, what neighbours are
    "KL-P1b": (counted, BANDIT[2]), "KL-L1-partition": (scored, ""),
    **dict.fromkeys(("KL-B-mean", "KL-S4.1", "KL-S4.4-composition"), BANDIT[::2]),
    **dict.fromkeys(("KL-B12", "KL-B12-reference"), (bandit, "")), "KL-C22": LINEAR[::2],
    **dict.fromkeys(("KL-C21", "KL-S4.2"), (linear, "")), "KL-D33": RECORD[::2],
    "KL-S4.4-inexact": (inexact, ""), "US-L4.4": (hub, ""),
}  # fmt: skip


def numeric(theorem, data=None, neighbour=None, **given):
    names, hypothesis, left, right = NUMERIC[theorem]
    parameters(names, given)
    known = globals() | HELPERS | given
    need(theorem in DATA or data is neighbour is None, "this statement is not about data sets")
    law, kind = DATA.get(theorem, (None, ""))
    need(not kind or neighbours(kind, data, neighbour), "no neighbours")
    for rows, place, end in ((data, "here", ""), (neighbour, "there", "_there")):
        if rows is not None:  # the laws, and what is counted in the data
            known[place], facts = law(rows, SimpleNamespace(**given))
            known |= {name + end: x for name, x in exactly(facts).items()}
    need(eval(hypothesis, known), "the hypothesis of the statement fails")
    return {"left": iv(eval(left, known)), "right": iv(eval(right, known))}


# --- a file -------------------------------------------------------------------------------------
STATEMENTS = dict.fromkeys(KL, policy) | dict.fromkeys(NUMERIC, numeric) | {"FL-LA.2": peeling}
STATEMENTS |= dict.fromkeys(("FL-S4", "FL-T5.1", "FL-RDP"), niht)
STATEMENTS |= dict.fromkeys(("HU-T8", "HU-ABS"), rnm_ftnl)
# The one claim and reading of each theorem; "X" and "X y" not named here are X and X-y, printed.
READINGS = {
    "KL-C2 pure": ("KL-C2", "pure-part"), "KL-C2 approx": ("KL-C2", "printed"),
    "KL-C3 pure": ("KL-C3", "printed"), "KL-C3 approx": ("KL-C3", "approximate-part"),
    "KL-T3 pure-unit": ("KL-T3-pure", "unit-differences"),
    "KL-S4.4-composition": ("KL-S4.4-composition", "k-constant"),
    "HU-L23": ("HU-L23", "step (46)"),
    "HU-S7-witness": ("HU-S7-witness", "first form"),
    "FL-T3.2 proof": ("FL-T3.2", "proof"),
    "US-L4.3 order": ("US-L4.3", "order"), "US-L4.4 spectrum": ("US-L4.4", "spectrum"),
    "US-L4.4 fixed": ("US-L4.4", "fixed-kernel"),
    "US-S6.3-norm real": ("US-S6.3-norm", "real-draws"),
    "US-L6.2 rare": ("US-L6.2", "with-omitted-hypothesis"),
    "US-T4.1 order": ("US-T4.1", "order"),
    "KL-ABS corollaries": ("KL-ABS", "corollaries"),
}  # fmt: skip
OWNER = {name: (name.replace(" ", "-"), "printed") for name in STATEMENTS} | READINGS


def check(path):
    """One line on what the certificate proves."""
    with path.open("rb") as file:  # it may be a device without an end
        text = file.read(10**5 + 1)
    at_most(len(text), 10**5)
    c = json.loads(text.decode("utf-8"), object_pairs_hook=unique)
    c.pop("python", None)  # for people, as are three of these
    texts = [c.pop(key) for key in ("claim", "reading", "statement", "fails", "step")]
    need(all(isinstance(text, str) for text in texts), "statement, fails and step are texts")
    claim, reading, _, fails, _ = texts
    owner = OWNER.get(c["theorem"])
    need(owner == (claim, reading), f"theorem {c['theorem']} belongs to {owner}, not to this row")
    label = claim + ("." + re.sub(r"\W+", "-", reading).strip("-")) * (reading != "printed")
    need(path.name == f"{label}.json", f"the file of {label} is {label}.json")
    given, stored = {k: exact(x) for k, x in c.pop("given").items()}, c.pop("enclosures")
    sides = STATEMENTS[c["theorem"]](**c, **given)
    need(set(stored) == set(sides), f"enclosures must be of: {sorted(sides)}")
    for name, (lo, hi) in ((name, map(stated, x)) for name, x in stored.items()):
        need(lo <= sides[name].lo and sides[name].hi <= hi, f"{name} is not enclosed")
        need((hi - lo) * 10**9 <= max(abs(lo), abs(hi)), f"the enclosure of {name} is too wide")
    need(sides["left"] > sides["right"], "the printed inequality is not violated")
    left, right = float(sides["left"].lo), float(sides["right"].hi)
    how = "computed from data" if "data" in c else "inequality between numbers"
    return f"{label} ({how}): left >= {left:.6g}, right <= {right:.6g}; fails: {fails!r}"


def main(names):
    paths, proved = [Path(x) for x in names] or sorted(Path(__file__).parent.glob("*.json")), []
    for path in paths:
        try:
            proved.append(check(path))
            print("proved ", proved[-1])
        except Exception as error:  # whatever goes wrong, nothing is proved
            line = f"{path.stem}: {type(error).__name__}: {error}"
            print("REFUSED", repr(line)[1:-1])  # a text of the file cannot begin a line of its own
    data = sum(line.partition(": left")[0].endswith("data)") for line in proved)
    numbers, refused = len(proved) - data, len(paths) - len(proved)
    print(f"{data} computed from data, {numbers} inequalities between numbers, {refused} refused")
    return int(refused > 0 or not paths)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
