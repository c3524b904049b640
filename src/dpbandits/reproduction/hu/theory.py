"""HU's bounds as functions, with the constants of the printed proofs.

Where a proof writes O(1) we complete it from its own inequalities and say so; `log` of the paper's
epochs is base 2, `ln` natural. Gaps of 0, those of the best arms, are ignored.
"""

import math
from functools import cache

import numpy as np


def positive(gaps) -> np.ndarray:
    gaps = np.asarray(gaps, dtype=float)
    return gaps[gaps > 0]


def gaps_of(means) -> np.ndarray:
    """The positive gaps."""
    return positive(max(means) - np.asarray(means, dtype=float))


def sufficient_epoch(gap: float, epsilon: float, horizon: float, constant: float) -> int:
    """d_j = ceil(log2(constant ln T/(gap min(gap, eps)))): constant 24 in B.2, 72 in Lemma 20."""
    return int(np.ceil(np.log2(constant * np.log(horizon) / (gap * min(gap, epsilon)))))


LEMMA_19 = 0.4
"""The O(1) of Lemma 19, summed over all s > d_j (docs/proofs/HU.md)."""


def lemma_19_term(s: int, last: float = 1e6) -> float:
    """Lemma 19's bound of P(r_j(T) = s) omega^(s+1), whatever T (its proof's step 4)."""
    t = np.arange(2.0**s, last)
    later = 4 * np.log(last) / last**2  # at least the sum over the rounds after `last`
    total = ((np.log2(t) + 2) * (t**-3 / 2 + t**-6)).sum() + later
    return float((2.0 ** (s + 2) - 1) * total)


def lazy_ucb_pulls(gap: float, epsilon: float, horizon: float) -> float:
    """Theorem 3, (24): omega^(d_j + 1) and Lemma 19 for the epochs beyond d_j."""
    return 2.0 ** (sufficient_epoch(gap, epsilon, horizon, 24) + 2) - 1 + LEMMA_19


def lazy_ucb_bound(means, epsilon: float, horizon: float) -> float:
    """Theorem 3's instance-dependent bound; an arm has at most `horizon` pulls."""
    gaps = gaps_of(means)
    return float(sum(g * min(horizon, lazy_ucb_pulls(g, epsilon, horizon)) for g in gaps))


def lazy_ucb_worst_case(arms: int, epsilon: float, horizon: float) -> float:
    """Theorem 3's instance-independent bound, (31), whatever the gaps.
    Gaps up to Delta* = sqrt(K ln T/T) cost at most T Delta*; any other arm, by (24) and
    2^d_j <= 48 ln T/(gap min(gap, eps)), at most 192 ln T/min(Delta*, eps) + 0.4."""
    critical = np.sqrt(arms * np.log(horizon) / horizon)
    each = 4 * 48 * np.log(horizon) / min(critical, epsilon) + LEMMA_19
    return float(min(horizon, horizon * critical + (arms - 1) * each))


@cache
def overestimation(best: float, y: float, n: int) -> float:
    """E[P(theta <= y)/P(theta > y)] of (40), theta | S ~ Beta(S + 1, n - S + 1), S ~ Binomial(n,
    best); P(theta > y) = P(Binomial(n + 1, y) <= S) by Fact 18.
    The ratio grows fast as S falls, so the sum starts far below n y (docs/proofs/HU.md, T.3). The
    terms that are left out are less than 1e-6 of it, as the test with all S shows."""
    from scipy.special import betainc

    margin = 7 * np.sqrt(n) + 40
    low, high = int(n * y - margin - 10 / (best - y)), int(n * best + margin)
    s = np.arange(max(0, low), min(n, high) + 1)
    below = np.logaddexp.accumulate(log_binomial(s, n + 1, y))
    with np.errstate(divide="ignore"):
        log_ratio = np.log(betainc(s + 1, n + 1 - s, y)) - below
    return float(np.exp(log_binomial(s, n, best) + log_ratio).sum())


def log_binomial(k: np.ndarray, n: int, p: float) -> np.ndarray:
    """ln P(Binomial(n, p) = k), without the second that scipy.stats takes to load."""
    from scipy.special import gammaln, xlog1py, xlogy

    log_choose = gammaln(n + 1) - (gammaln(k + 1) + gammaln(n - k + 1))
    return log_choose + xlogy(k, p) + xlog1py(n - k, -p)


SHARES = np.linspace(0.05, 0.95, 37)  # a/shift in Theorem T, of which the best is taken


def overestimation_bound(shift: float, n: float) -> float:
    """Theorem T of docs/proofs/HU.md: a bound of `overestimation` for every best = y + shift."""
    a = SHARES * shift
    steep = 1 / -np.expm1(-4 * a)
    outside = steep + np.minimum(steep, 1 + np.sqrt(np.pi * n / 8))
    between = 1 + np.sqrt(np.pi * n) / 2
    total = np.exp(-2 * n * a**2) * outside + np.exp(-n * a**2) * between
    return float(min(1 / shift, (total / ((n + 1) * (shift - a))).min()))


def over_epochs(ratio, horizon: float) -> float:
    """(39): sum over r of 2^(r+1) ratio(2^r), up to where terms are below 1e-6 of the sum."""
    total = 0.0
    for r in range(int(np.log2(horizon)) + 1):
        term = 2.0 ** (r + 1) * ratio(2**r)
        total += term
        if term < 1e-6 * total:
            break
    return total


def optimism_pulls(best: float, gap: float, horizon: float) -> float:
    """omega_2 by (39), y = best - gap/6."""
    return over_epochs(lambda n: overestimation(best, best - gap / 6, n), horizon)


def optimism_bound(gap: float, horizon: float) -> float:
    """omega_2 by Theorem T, whatever the means. The gap times this bound falls as the gap grows."""
    return over_epochs(lambda n: overestimation_bound(gap / 6, n), horizon)


def bad_events(arms: int, last: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The rounds t = K + 1..last, and bounds of P(C_j fails), P(G_j fails) in each.
    (45), and in place of (46), which is false, a union over the epochs (docs/proofs/HU.md)."""
    t = np.arange(arms + 1.0, last + 1)
    epochs = np.floor(np.log2(t - 1)) + 1
    return t, 2 * epochs * t**-6.0, epochs * t**-3.0


@cache
def bad_event_pulls(arms: int, last: float) -> tuple[float, float]:
    """Lemmas 22 and 23: the sums of both bounds, up to round 10^5; the rest is below 1e-8."""
    _, confidence, laplace = bad_events(arms, min(last, 1e5))
    return float(confidence.sum()), float(laplace.sum())


def lazy_ts_pulls(best: float, gap: float, epsilon: float, horizon: float, arms: int) -> float:
    """Theorem 5, (32): omega_1 by Lemma 20, omega_2 by (39), omega_3 by Lemmas 22, 23, and 1."""
    d = sufficient_epoch(gap, epsilon, horizon, 72)
    omega_1 = 2.0 ** (d + 2) - 2 + 1
    confidence, laplace = bad_event_pulls(arms, horizon)
    return omega_1 + optimism_pulls(best, gap, horizon) + confidence + 2 * laplace + 1


def lazy_ts_bound(means, epsilon: float, horizon: float) -> float:
    """Theorem 5's instance-dependent bound, numerically explicit."""
    best, arms, gaps = max(means), len(means), gaps_of(means)
    pulls = {g: lazy_ts_pulls(best, g, epsilon, horizon, arms) for g in set(gaps)}
    return float(sum(g * min(horizon, pulls[g]) for g in gaps))


def lazy_ts_worst_case(arms: int, epsilon: float, horizon: float) -> float:
    """Theorem 5's instance-independent bound, as `lazy_ucb_worst_case`: 2^d_j <= 144 ln T/(..)."""
    critical = np.sqrt(arms * np.log(horizon) / horizon)
    confidence, laplace = bad_event_pulls(arms, horizon)
    each = 4 * 144 * np.log(horizon) / min(critical, epsilon)
    each += critical * optimism_bound(critical, horizon)
    each += confidence + 2 * laplace + 1
    return float(min(horizon, horizon * critical + (arms - 1) * each))


def brackets(gaps) -> list[tuple[float, int]]:
    """(9): (Delta_(l), |J_l|) of the brackets [2^(l-1), 2^l) Delta_min that are not empty."""
    gaps = positive(gaps)
    level = np.floor(np.log2(gaps / gaps.min()) + 1e-12).astype(int)
    return [(gaps.min() * 2.0**k, int((level == k).sum())) for k in np.unique(level)]


def rnm_ftnl_bound(gaps, epsilon: float, horizon: float) -> float:
    """Theorem 9 by D.2: sum of 256 (1 + ln|J_l|)/min(Delta_(l), eps), and 1 for gaps below 1/T."""
    gaps = positive(gaps)
    large = gaps[gaps > 1 / horizon]
    tiny = 1.0 if len(large) < len(gaps) else 0.0
    if len(large) == 0:
        return tiny
    return tiny + sum(256 * (1 + np.log(n)) / min(d, epsilon) for d, n in brackets(large))


def corollary_11_bound(arms: int, epsilon: float, horizon: float) -> float:
    """T Delta* + (55) with Delta_min = Delta* = sqrt(ln K/T) and gaps up to 1."""
    critical = np.sqrt(np.log(arms) / horizon)
    levels = max(0.0, np.ceil(np.log2(1 / max(critical, epsilon, 1 / horizon))))
    weight = 1 + np.log(arms)
    return float(horizon * critical + 512 * weight / critical + 256 * weight * levels / epsilon + 1)


def corollary_11_rate(arms: int, epsilon: float, horizon: float) -> float:
    """sqrt(T ln K) + ln K ln T/eps, without a constant."""
    k = np.log(arms)
    return float(np.sqrt(horizon * k) + k * np.log(horizon) / epsilon)


def packing_means(arms: int, gap: float) -> dict[str, list[float]]:
    """D.3: every mean 1/2 but that of the best action, 1/2 + gap, if that is the first or last."""
    others = [0.5] * (arms - 1)
    return {"first": [0.5 + gap, *others], "last": [*others, 0.5 + gap]}


def lower_bound_rounds(arms: int, gap: float, epsilon: float) -> float:
    """m* = ln K/(10 eps gap): until then no private learner finds the best action (D.3)."""
    return float(np.log(arms) / (10 * epsilon * gap))


def noise_tail_bound(r: int, gap: float, epsilon: float) -> float:
    """Lemma 24: 2 exp(-2^r gap min(gap, eps)/8)."""
    return float(2 * np.exp(-(2.0**r) * gap * min(gap, epsilon) / 8))


# --- The optimal rate of private full information: Theorems O, L and M of docs/proofs/HU.md -------
# A schedule decides how many rounds are played by the noisy leader of exactly m observations;
# WEIGHT bounds the expected number of these rounds, for every m. `prefix` doubles its epochs and
# draws m from the last half of the epoch before; `phase` makes epochs e times as long as the one
# before, from a random start. eta = eps/2 is the rate of the noise (Gumbel or exponential).
WEIGHT = {"prefix": 4.0, "phase": math.e}
FIRST = {"prefix": 1.0, "phase": 2 - math.log(2)}  # expected rounds before the first leader


def theorem_o_bound(arms: int, gap: float, epsilon: float, schedule: str) -> float:
    """Theorem O: the regret at any T on any instance whose smallest gap is `gap`."""
    if gap >= epsilon / 2:
        decided = 4 * math.log(arms) / epsilon
    else:
        decided = 4 * (1 + math.log(arms)) / gap - 4 / epsilon
    return FIRST[schedule] + WEIGHT[schedule] * decided


def theorem_o_instance_bound(gaps, epsilon: float, schedule: str) -> float:
    """Theorem O's proof evaluated for these gaps, at the best split into small and large ones."""
    gaps = np.sort(np.asarray(gaps, dtype=float))
    gaps = gaps[gaps > 0]
    splits = [s for s in range(len(gaps) + 1) if s in (0, len(gaps)) or gaps[s - 1] < gaps[s]]
    eta = epsilon / 2
    decided = min(_small_gaps(gaps[:s], eta) + _large_gaps(gaps[s:], eta) for s in splits)
    return float(FIRST[schedule] * gaps.max(initial=0) + WEIGHT[schedule] * decided)


def _large_gaps(gaps: np.ndarray, eta: float) -> float:
    """(O.2), for large gaps: the sum over m and over these arms of Delta_j p_j(m) is at most the
    initial potential ln(1 + n) over its expected decrease per unit of regret."""
    if len(gaps) == 0:
        return 0.0
    fall = math.sinh(eta) - (math.cosh(eta) - 1) / gaps[0]
    return math.log1p(len(gaps)) / fall if fall > 0 else math.inf


def _small_gaps(gaps: np.ndarray, eta: float) -> float:
    """(O.3), the same for small gaps: the integral over x of sum_m P(gap of the leader >= x)
    (layer-cake formula)."""
    total, below = 0.0, 0.0
    for i in np.flatnonzero(np.diff(gaps, prepend=0.0)):
        total += (gaps[i] - below) * (1 + math.log(len(gaps) - i)) / decay_exponent(gaps[i], eta)
        below = gaps[i]
    return total


def decay_exponent(gap: float, eta: float) -> float:
    """-ln min over 0 <= x <= eta of cosh x - gap sinh x: the exponent in E exp(-x D) <= e^-decay
    for |D| <= 1, E D >= gap."""
    x = min(math.atanh(gap), eta) if gap < 1 else eta
    return -math.log(math.cosh(x) - gap * math.sinh(x))


def phase_weight(m: int) -> float:
    """Expected rounds that `phase` decides by exactly m rewards: int_m^{m+1} floor(e y)/y dy."""
    cuts = np.arange(math.floor(math.e * m) + 1, math.ceil(math.e * (m + 1))) / math.e
    edges = np.concatenate([[m], cuts, [m + 1]])
    rounds = np.floor(math.e * (edges[1:] + edges[:-1]) / 2)
    return float(rounds @ np.log(edges[1:] / edges[:-1]))


def prefix_weight(m: int) -> float:
    """Expected rounds that `prefix` decides by exactly m rewards: 2 for m = 1, else 4."""
    return 2.0 if m == 1 else 4.0


EXACT_WEIGHT = {"prefix": prefix_weight, "phase": phase_weight}


def theorem_l_bound(arms: int, gap: float, epsilon: float, horizon: float = math.inf) -> float:
    """Theorem L: gap x sum over t <= T of (1 - c^(t-1)/K)_+, c = 1 + gap (e^eps - 1)."""
    return _lower(arms, gap, math.log1p(gap * math.expm1(epsilon)), horizon)


def theorem_m_bound(arms: int, gap: float, horizon: float = math.inf) -> float:
    """Theorem M: the same with sqrt(K) in place of K and c = sqrt(1 + 4 gap^2)."""
    return _lower(math.sqrt(arms), gap, math.log1p(4 * gap**2) / 2, horizon)


def _lower(arms: float, gap: float, rate: float, horizon: float) -> float:
    rounds = min(horizon, math.floor(math.log(arms) / rate) + 1)
    return gap * (rounds - math.expm1(rounds * rate) / math.expm1(rate) / arms)
