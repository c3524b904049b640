"""A refutation in a few lines of plain Python: its numbers, then the computation.

Each snippet computes `left` and `right`, the two sides of the inequality that fails.
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
_EPOCHS = """
def chance(rows):  # Lap(1/epsilon) noise makes up for `behind` rewards of the last epoch
    s, j = event
    behind = sum(k * (x[1 - j] - x[j]) for epoch, x, k in rows if epoch == s)
    return (1 + epsilon * behind / 2) * exp(-epsilon * behind) / 2

left, right = log(chance(data) / chance(neighbour)), epsilon
"""
_XI = "xi = {sensitivity} * 2 * sqrt(3 * s * log(1 / delta)) / epsilon  # Algorithm 3"
_STEP = f"""
n = sum(k for _, _, k in data)
{_XI.format(sensitivity="eta * (R + x_max * b_max) / n")}
gap = 4 * eta * R * x_max / n / xi  # within each pair of estimates: + at D, - at D'
lose, (least, pairs) = (1 + gap / 2) * exp(-gap) / 2, event
m = len(pairs)
p, q = (  # probabilities of at least `least` of m pairs
    sum(comb(m, k) * w**k * (1 - w) ** (m - k) for k in range(least, m + 1))
    for w in (1 - lose, lose)
)
left, right = p - exp(epsilon) * q, delta
"""
BODIES = {  # theorem of a certificate -> Python from its numbers to `left` and `right`
    **dict.fromkeys(("KL-T1", "KL-C1", "KL-R1"), _SOFTMAX + _BANDIT + _COMPARE),
    **dict.fromkeys(("KL-T2", "KL-C2", "KL-ABS"), _SOFTMAX + _LINEAR + _COMPARE),
    **dict.fromkeys(("KL-T3", "KL-T4", "KL-C3"), _SOFTMAX + _RLHF + _COMPARE),
    **dict.fromkeys(("HU-T8", "HU-ABS"), _EPOCHS),
    **dict.fromkeys(("FL-S4", "FL-T5.1", "FL-RDP"), _STEP),
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
}


def snippet(certificate: dict[str, Any]) -> str:
    """Python that computes both sides of a certificate's inequality."""
    parts = [name for name in ("data", "neighbour", "event", "first") if name in certificate]
    values = certificate["given"] | {name: certificate[name] for name in parts}
    sides = certificate["enclosures"]
    printed = {name: sides[name][0] for name in ("epsilon", "delta") if name in sides}
    lines = [f"{name} = {_code(x)}" for name, x in values.items()]
    lines += [f"{name} = {x}  # printed" for name, x in printed.items() if name not in values]
    assignments = "\n".join(lines)
    body = "\n".join(certificate.get("python", ())) or BODIES[certificate["theorem"].split()[0]]
    return f"""from math import comb, exp, factorial, log, pi, sqrt

{assignments}
{body}
print(left, ">", right)"""


def reading_of_tables(paths: list[str]) -> str:
    """Python that prints the tables behind the verdict of a statistical row."""
    return f"""import csv

for path in {paths!r}:
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            print(row)"""


def _code(x) -> str:
    """A value of a certificate as Python: "22/7" becomes 22/7, and other text a string."""
    if isinstance(x, list):
        return f"[{', '.join(map(_code, x))}]"
    number = isinstance(x, int) or x.replace("/", "").lstrip("-").isdigit()
    return str(x) if number else repr(x)
