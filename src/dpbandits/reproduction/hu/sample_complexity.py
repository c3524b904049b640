"""T*, the private sample complexity of the best arm (docs/proofs/INFERENCE.md, Theorems B and C):
1/T* = max over proportions w of min over b, p of w_a d_eps(mu_a, p) + w_b d_eps(mu_b, p)."""

import math

import numpy as np
from scipy.optimize import brentq, minimize_scalar


def tilt(r: float, y: float, epsilon: float) -> float:
    """The t, |t| <= eps, that attains d_eps(r, y)."""
    if r == y:
        return 0.0
    logits = [
        math.inf if q >= 1 else -math.inf if q <= 0 else math.log(q / (1 - q)) for q in (r, y)
    ]
    return min(max(logits[0] - logits[1], -epsilon), epsilon)


def d_eps(r: float, y: float, epsilon: float) -> float:
    """max over |t| <= eps of t r - ln(1 - y + y e^t)."""
    t = tilt(r, y, epsilon)
    return t * r - math.log1p(y * math.expm1(t))


def slope(r: float, y: float, epsilon: float) -> float:
    """|d/dy d_eps(r, y)|."""
    grown = math.expm1(tilt(r, y, epsilon))
    return abs(grown / (1 + y * grown))


def proportions(means: tuple[float, ...], epsilon: float) -> tuple[float, np.ndarray]:
    """(T*, the share of each arm in the plays); one arm is best."""
    first, best = int(np.argmax(means)), max(means)
    others = [b for k, b in enumerate(means) if k != first]

    def meeting(p: float, b: float) -> tuple[float, float]:
        """(plays of b, evidence) for each play of the best arm, if p is where they meet."""
        share = slope(best, p, epsilon) / max(slope(b, p, epsilon), 1e-300)
        return share, d_eps(best, p, epsilon) + share * d_eps(b, p, epsilon)

    def plays(evidence: float, b: float) -> float:
        low, high = b + 1e-12 * (best - b), best - 1e-12 * (best - b)
        if meeting(high, b)[1] >= evidence:  # d_eps is linear there: they meet at the best mean
            return evidence / d_eps(b, best, epsilon)
        return meeting(brentq(lambda p: meeting(p, b)[1] - evidence, low, high, xtol=1e-15), b)[0]

    def total(share: float) -> float:
        return (1 + sum(plays(most * share, b) for b in others)) / (most * share)

    most = min(d_eps(best, b, epsilon) for b in others)
    found = minimize_scalar(
        total, bounds=(1e-6, 1 - 1e-9), method="bounded", options={"xatol": 1e-10}
    )
    each = np.insert([plays(most * found.x, b) for b in others], first, 1.0)
    return float(found.fun), each / each.sum()


def fewest_plays(means: tuple[float, ...], epsilon: float, error: float) -> float:
    """What no private rule can beat on average: T* kl(1 - error, error)."""
    kl = (1 - 2 * error) * np.log((1 - error) / error)
    return proportions(means, epsilon)[0] * float(kl)
