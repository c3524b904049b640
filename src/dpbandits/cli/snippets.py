"""A refutation in a few lines of plain Python: its numbers, then what is done with them.

A snippet ends in `left` and `right`, the two sides of the inequality that fails.
"""

from typing import Any

_POLICY = """
    scores = [sum(t * x for t, x in zip(theta, a)) for a in actions]
    widths = [sqrt(sum(x * x / s for x, s in zip(a, sigma))) for a in actions]
    scores = [r - beta0 * w for r, w in zip(scores, widths)]
    return softmax(scores)
"""
_SOFTMAX = """
def softmax(scores):
    weights = [p * exp((r - max(scores)) / eta) for p, r in zip(pi0, scores)]
    return [w / sum(weights) for w in weights]
"""
_COMPARE = """
p, q = (sum(law(rows)[a] for a in event) for rows in (data, neighbour))
if first == "neighbour":
    p, q = q, p
left, right = (p - exp(epsilon) * q, delta) if delta else (log(p / q), epsilon)
"""
_BANDIT = """
def law(rows):  # policy (8)
    n = [sum(k for arm, _, k in rows if arm == a) for a in range(len(pi0))]
    total = [sum(r * k for arm, r, k in rows if arm == a) for a in range(len(pi0))]
    return softmax([s / m - beta0 / sqrt(m) for s, m in zip(total, n)])
"""
_LINEAR = (
    """
def law(rows):  # policy (10)
    axes = range(len(actions[0]))
    sigma = [penalty + sum(k * phi[i] ** 2 for phi, _, k in rows) for i in axes]
    theta = [sum(k * r * phi[i] for phi, r, k in rows) / sigma[i] for i in axes]"""
    + _POLICY
)
_RLHF = (
    """
def law(rows):  # policy (11); one difference z per axis, so the MLE is ln(won/lost)/z
    axes, z = range(len(actions[0])), [([u - v for u, v in zip(a, b)], y, k) for a, b, y, k in rows]
    sigma = [penalty + sum(k * d[i] ** 2 for d, _, k in z) for i in axes]
    won = [sum(k for d, y, k in z if d[i] and y) for i in axes]
    lost = [sum(k for d, y, k in z if d[i] and not y) for i in axes]
    theta = [log(won[i] / lost[i]) / max(d[i] for d, _, _ in z) for i in axes]"""
    + _POLICY
)
_XI = "xi = {sensitivity} * 2 * sqrt(3 * s * log(1 / delta)) / epsilon  # Algorithm 3"
_STEP = f"""
n = sum(k for _, _, k in data)
{_XI.format(sensitivity="eta * (R + x_max * b_max) / n")}
gap = 4 * eta * R * x_max / n / xi  # of each pair of estimates: + at D, - at the neighbour
lose, (least, pairs) = (1 + gap / 2) * exp(-gap) / 2, event
m = len(pairs)
p, q = (  # of at least so many of m pairs
    sum(comb(m, k) * w**k * (1 - w) ** (m - k) for k in range(least, m + 1))
    for w in (1 - lose, lose)
)
left, right = p - exp(epsilon) * q, delta
"""
BODIES = {
    "KL-T1": _SOFTMAX + _BANDIT + _COMPARE,
    "KL-C1": _SOFTMAX + _BANDIT + _COMPARE,
    "KL-T2": _SOFTMAX + _LINEAR + _COMPARE,
    "KL-C2": _SOFTMAX + _LINEAR + _COMPARE,
    "KL-T3": _SOFTMAX + _RLHF + _COMPARE,
    "KL-T4": _SOFTMAX + _RLHF + _COMPARE,
    "KL-C3": _SOFTMAX + _RLHF + _COMPARE,
    "KL-P1b": """
p, q = (float(sum(k for _, k in rows) == event) for rows in (data, neighbour))
left, right = p - exp(epsilon) * q, exp(epsilon) * delta
""",
    "KL-L1-partition": """
here, there = ([p * w for p, w in zip(pi0, x)] for x in (weights, weights_there))
p, q = sum(there[a] for a in event) / sum(there), sum(here[a] for a in event) / sum(here)
left, right = p - q, 1 - sum(here[a] for a in safe) / sum(here)
""",
    "KL-S4.4-inexact": """
p, q = (sum(law[a] for a in event) for law in (rough, rough_there))
left, right = p - factor * error**2 * q, delta
""",
    "KL-S4.4-composition": """
left, right = 1 - (1 - rare) ** draws, k * rare + slack
""",
    "KL-L1-events": """
left, right = 1.0, 1 / outcomes
""",
    "KL-DEF1": """
left, right = exp(1 / eta) / (1 + exp(1 / eta)), 1 / 2
""",
    "KL-B12": """
left = 1 / (1 + exp((beta0 / sqrt(few) - beta0 / sqrt(most) - 1) / eta))
right = 2 * exp(beta0 / eta * (1 / sqrt(most) - 1 / sqrt(N0)))
""",
    "KL-C21": """
left, right = n / l, (n - 1) / (l - 1)
""",
    "KL-C22": """
left, right = sqrt(1 + 1 / (penalty + 1)) / sqrt(penalty + 1), 1 / sqrt(penalty + 1)
""",
    "KL-D33": """
left, right = 1 / sqrt(l - 4) - 1 / sqrt(l), 2 / (l - 1) / sqrt(l)
""",
    "KL-S3.2": """
left, right = 1 / (1 + exp(exp(r2) - exp(r1))), 1 / (1 + exp(r2 - r1))
""",
    "HU-T8": """
def chance(rows):  # Lap(1/epsilon) noise makes up for `behind` rewards of the last epoch
    s, j = event
    behind = sum(k * (x[1 - j] - x[j]) for epoch, x, k in rows if epoch == s)
    return (1 + epsilon * behind / 2) * exp(-epsilon * behind) / 2

left, right = log(chance(data) / chance(neighbour)), epsilon
""",
    "FL-LA.2": f"""
{_XI.format(sensitivity="sensitivity")}

def tail(x):  # of the difference of two Laplace variables
    return (1 + x / 2) * exp(-x) / 2

(high, s), (other, _) = data[0], data[1]
(moved, _), (raised, _) = neighbour[0], neighbour[1]
p = (1 - tail((high - other) / xi)) ** s * (1 - exp((event - high) / xi) / 2) ** s
log_q = log(factorial(s)) + s * (log(tail((raised - moved) / xi)) + (moved - event) / xi - log(2))
left, right = p - exp(epsilon + log_q), delta
""",
    "FL-S4": _STEP,
    "FL-T5.1": _STEP,
    "FL-RDP": _STEP,
    "FL-LD.1": """
left, size, s = 0.0, len(inside), len(v)  # all of v is kept
right = (1 + 1 / c) * (size - s) / (size - s_hat) * sum((x - y) ** 2 for x, y in zip(v, v_hat))
right += 4 * (1 + c) * worst
""",
    "FL-LD.2": """
left = sum(x * x for x in theta) - max(x * x for x in theta) + release**2  # one is kept
right = (1 + c1) * release**2 + 4 * (1 + 1 / c1) * (1 + 1 / c2) * (1 + c) * worst
""",
    "FL-T4.1c": """
left = (m1 - eta * (h11 * (m1 - target) + h12 * m2) - target) ** 2
right = ((1 - eta * h11) * (m1 - target)) ** 2
""",
    "FL-B1": """
left, right = L / sqrt(log(2)), sqrt(L / log(2))
""",
    "FL-E2": """
x = 2 * sqrt(log(d))  # P(N(0,1) > x) is at least exp(-x^2/2)/sqrt(2 pi) (1/x - 1/x^3)
m = 2 * d * exp(-x * x / 2) / sqrt(2 * pi) * (1 / x - 1 / x**3)
left, right = m - m * m / 2, 2 / d**2
""",
    "FL-E4": """
x = sqrt(2 * log(N))  # P(N(0,1) > x) is at least exp(-x^2/2)/sqrt(2 pi) (1/x - 1/x^3)
m = 2 * N * exp(-x * x / 2) / sqrt(2 * pi) * (1 / x - 1 / x**3)
left, right = m - m * m / 2, 1 / N
""",
    "FL-Crho": """
rho = 20 ** (4 / 3) * epsilon**2 / log(1 / delta)  # the printed bound on the root of f
left, right = epsilon - sqrt(rho * log(1 / delta)) - rho / 4 + 5 * rho**0.25, 0.0
""",
    "FL-C4b": """
assert epsilon + 5 * rho**0.25 < sqrt(rho * log(1 / delta)) + rho / 4  # rho_0 < rho
left, right = log(1 - delta + delta * ((1 - q) ** 2 / q + q**2 / (1 - q))), rho / 2
""",
    "US-S3-variance": """
left, right = (1 - 1 / (1 + tau)) / tau, 1 - 1 / (1 + tau)
""",
    "US-A2.7": """
left, right = 1 - 2 * (ratio + log(1 / delta)) / sqrt(2 * pi), delta
""",
    "US-S8.2-uniform": """
left, right = 1 - (1 - delta) ** n, delta
""",
    "US-S6.3-norm": """
left, right = sqrt(((a - tau) / a) ** 2 + (e / b) ** 2), 5 / 3
""",
    "US-S7.1": """
left, right = 1 / (1 / n + tau), 54 * log(1 + 1 / tau) / 26
""",
    "FL-P5.5": f"""
{_XI.format(sensitivity="eta * 2 * x_max * b_max / n")}
left, right = xi, 0.0  # sigma = 0
""",
    "US-N1": """
gamma = log(1 + T / tau) / 2  # at least
assert T > (log(1 / delta) / (16 * constant * 2)) ** 4  # N1bar, F^2 = 2
left, right = sqrt(gamma * log(1 / delta) / (T * tau)), 1 / 4
""",
    "US-L6.2": """
def k(s, t):  # of s = cos(pi x), t = cos(pi x')
    return (1 + s * t) / 2

x, z = cos(pi * event[0][1]), cos(pi * event[1][0])  # the ends where the gap is least
mu_bar = norm * k(x, 1) / tau * (k(x, 1) - k(z, 1) * k(z, x) / (tau + k(z, z)))
mu, gamma = norm / (tau + k(x, x)), log(1 + 1 / tau) / 2  # mu: at most
beta = (sqrt(162 * B**3 / 13 * 2) + 81 * 2 / 52) * log(8 / delta) + 28 / 17 * log(4 / delta) / tau
left, right = mu_bar - mu, (beta + 2 * B * sqrt(108 * 2 * tau / 13)) * sqrt(gamma)
""",
    "US-T4.1": """
C = 648 * 2 / 13

def bound(T):  # of Theorem 8.2 at epsilon = share gamma_T/T, with gamma_T at most
    gamma, d = log(1 + T / 2), delta / (24 * T)
    beta = (sqrt(162 * 2 / 13) + 81 / 26) * log(8 / d) + 28 / 17 * log(4 / d) + 2 * sqrt(216 / 13)
    first = 10 * (11 / 3 / T + beta * sqrt(gamma / T))
    return first + C / share * (log(4 * C * L_f * share) + log(3 / delta))

left, right = 0.0, max(bound(10**k) for k in range(16))
""",
}


BODIES["HU-ABS"] = BODIES["HU-T8"]


def snippet(certificate: dict[str, Any]) -> str:
    """Python that computes both sides anew."""
    values = {
        **certificate["given"],
        **{name: certificate[name] for name in ("data", "neighbour", "event", "safe", "first")
           if name in certificate},
    }  # fmt: skip
    sides = certificate["enclosures"]
    bound = {name: sides[name][0] for name in ("epsilon", "delta") if name in sides}
    lines = [f"{name} = {_code(x)}" for name, x in values.items()]
    lines += [f"{name} = {x}  # printed" for name, x in bound.items() if name not in values]
    body = BODIES[certificate["theorem"].split()[0]]
    return f"""from math import comb, cos, exp, factorial, log, pi, sqrt

{chr(10).join(lines)}
{body}
print(left, ">", right)"""


def _code(x) -> str:
    """Exact text as Python numbers: "22/7" is 22/7; what is no number stays text."""
    if isinstance(x, list):
        return f"[{', '.join(map(_code, x))}]"
    number = isinstance(x, int) or x.replace("/", "").lstrip("-").isdigit()
    return str(x) if number else repr(x)
