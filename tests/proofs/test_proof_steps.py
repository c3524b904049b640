"""Each `proof_step` of the ledger at its own counterexample: it fails there, no earlier one does.

A step claims left <= right; the last of each list is the one that the ledger names. Statements on
limits are taken at explicit finite numbers. A part for each paper: a function for each step, then
the rows that name it. KL's steps with a certificate are evaluated in ball arithmetic, in
tests/offline/test_kl_claims.py and, here, test_kl_earlier_steps.py; that each row of the ledger is
in one of the lists is test_every_step.py.
"""

import math

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import eigsh
from scipy.special import erfc
from scipy.stats import binom, norm

from dpbandits.core.claims import get_claim
from dpbandits.kernel import refutations, theory
from dpbandits.kernel.claims.sampled import sides
from dpbandits.sparse.claims.estimation import step_c
from dpbandits.sparse.claims.lower_bound import root
from dpbandits.sparse.theory import printed_non_private, psi

ROUNDING = 1e-12


# --- FL ---------------------------------------------------------------------------------------


def psi_2_norm():
    """X = L e_1, L = 4: E exp(<u, X>^2/lambda^2) <= 2."""
    length = 4.0
    true = brentq(lambda x: math.exp(length**2 / x**2) - 2, 1, 100)
    claimed = math.sqrt(length / math.log(2))
    return [
        ("E e^(..) <= e^(L^2/..)", true, length / math.sqrt(math.log(2))),
        ("root", true, claimed),
    ]


def one_delta_for_all():
    epsilon, delta, q, small = 1.0, 0.01, 1e-12, 1e-3
    rho = root(epsilon, delta) ** 4
    xi = epsilon - math.sqrt(rho * math.log(1 / delta))
    at_small = xi + math.sqrt(rho * math.log(1 / small))

    def spent(eps):  # the event: the bit, not flipped
        return delta * (1 - q) - math.exp(eps) * delta * q

    return [("(eps, delta)-DP", spent(epsilon), delta), ("at every delta", spent(at_small), small)]


def choice_of_rho():
    log, epsilon, base = math.log(100), 0.1, 20 ** (1 / 3)
    last = 20 * (epsilon**2 / log) ** -0.75
    return [
        ("eps^2 < ln(1/delta)", epsilon**2, log),
        ("c^3", 20, base**3),
        ("c^3 >", last, base**3),
    ]


def gradient_tail():
    d = 512
    gamma = math.sqrt(2 * math.log(d))
    level = math.sqrt(gamma**2 + 2 * math.log(d))
    chance = -math.expm1(d * math.log1p(-erfc(level / math.sqrt(2))))
    bound = 2 * math.exp(-(gamma**2) / 2)
    return [("(16)", chance, bound), ("its value", bound, 2 * math.exp(-2 * math.log(d)))]


def clipped_rewards():
    n = 4096
    single = erfc(math.sqrt(2 * math.log(n)) / math.sqrt(2))
    union = -math.expm1(n * math.log1p(-single))
    exponential = n * math.exp(-2 * math.log(n) / 2)
    return [("union", union, n * single), ("tail", n * single, exponential),
            ("value", exponential, 1 / n)]  # fmt: skip


def advanced_composition():
    s, delta, epsilon = 10, 0.01, 100.0
    each = epsilon / (2 * math.sqrt(3 * s * math.log(1 / delta)))
    losses = np.repeat([2 * each, each], s)  # a selection, a release
    first = math.sqrt(2 * math.log(1 / delta) * np.sum(losses**2))
    return [("first order", first, epsilon), ("both", first + losses @ np.expm1(losses), epsilon)]


def sensitivity():
    """FL-S4's records: x = x_max on ten coordinates, y = R against -R, theta = 0."""
    clip, b_max = 12.0, 3.44
    x_max = math.sqrt(2 * math.log(400))
    x = np.full(10, x_max)
    moved = np.abs(2 * clip * x - -2 * clip * x).max()
    return [("|x|", np.abs(x).max(), x_max), ("a gradient", 2 * clip * x_max, 2 * clip * x_max),
            ("B", moved, clip + x_max * b_max)]  # fmt: skip


def hidden_clip():
    x_max, b_max, n = 3.46, 4.0, 4096
    printed = 0.0 * math.sqrt(2 * math.log(n))  # sigma = 0
    full = (x_max * b_max + printed) ** 2
    return [("R^2", full, (x_max * b_max) ** 2), ("R^2 by 2 sigma^2 ln N", full, printed**2)]


def two_psi():
    """alpha = 1, T = 2^40: the sum over the episodes, then each of its logarithms as ln T."""
    late = 40 * math.log(2)
    summed = sum(n**4 / 2**n for n in range(41))
    return [("the sum converges", summed, 150), ("(ln T)^4 in each", 2 * late**4, summed)]


def regret_of_the_class():
    """The policy that always errs, |beta_t - beta*|^2 = 4 s* r^2, at ln d = 10^5; constant 1/10."""
    r, true, horizon, sd = 0.01, 5, 10**4, 10**-2.5
    error = 4 * true * r**2
    regret = 2 / math.sqrt(math.pi) * sd * r * math.sqrt(true) * horizon
    without = 0.1 * horizon * error / (r * math.sqrt(true))
    return [("with sigma_X", sd * without, regret), ("(6)", without, regret)]


def size_of_the_class():
    """r for eps -> 0, at FL-T3.2's d, s*, T: the packing is fine, the class is left."""
    d, true, horizon, epsilon, sigma, b_max = 400, 5, 10**4, 1e-8, 0.1, 1.0
    sd, log = 1 / math.sqrt(math.log(d)), math.log(d / true)
    r = sigma * math.sqrt(true) * log / (20 * epsilon * sd * horizon)
    distance = 10 * epsilon * 2 * horizon * sd / sigma * math.sqrt(true) * r
    return [("10 eps D", distance, true * log), ("|beta*|_1", true * r, b_max)]


def columns():
    left, printed, _ = step_c(2.0)
    inside = step_c(0.0)
    return [("(a) projection", 1.0, 2.0), ("where theta^m is on I", inside[0], inside[1]),
            ("(c)", left, printed)]  # fmt: skip


def exponent_of_t():
    episodes = int(math.log2(1e8))
    summed = sum(2 ** (e / 2) for e in range(episodes + 1))
    proof = math.sqrt(1e8) - 1
    return [
        ("E.3.1", summed, 4 * proof),
        ("statement", proof, printed_non_private(0, 1e8, 2, 1, 0) / math.sqrt(math.log(2))),
    ]


def logarithms_of_t():
    late, early = psi(0.0, 1e48), psi(0.0, 1e3)
    cube = (math.log(1e48) + 2) ** 3 / 3 + (math.log(1e48) + 1) ** 2
    return [("G4", late, cube), ("no ln^3 T", late, 10 * early)]


def printed_thresholds():
    horizon = 20_000
    return [("T > 1", 1, horizon), ("ln^3 T", math.log(horizon) ** 3, math.sqrt(horizon))]


def observed_histories():
    """e^eps = 2: one record of the history changed; then user 1's bit, and with it an action."""
    odds = 2.0
    chance = [odds**k for k in range(3)]  # of saying 1, over p: by bit + action
    high = (chance[1] + odds * chance[2]) / (1 + odds)
    low = (odds * chance[0] + chance[1]) / (1 + odds)
    return [("DP in the history", chance[2] / chance[1], odds), ("(i), (ii)", high / low, odds)]


def cost_of_bad_events():
    lengths = 2.0 ** np.arange(1, 200)
    each = lengths[1:] / lengths[:-1]
    return [("2 per episode", each.max(), 2), ("O(1), here 100", each.sum(), 100)]


def first_episode():
    log = math.log(100)
    return [("N = 3", math.log(math.log(3)) + log, log * math.log(3)),
            ("N = 2", math.log(math.log(2)) + log, log * math.log(2))]  # fmt: skip


def steps_of_an_episode():
    n = 2.0**40
    steps = 28 * math.log(2 * n)
    return [("ln N", math.log(n), steps), ("N, constant 10^-6", 1e-6 * n, steps)]


def far_start():
    """Steps (a) to (f): each halves the distance; then (14)."""
    start, target = 2.0**140, 1.0
    once = (start - target) / 2
    return [
        ("(a) |theta*|_1 <= C", target, start),
        ("(f)", once**2, (1 - 1 / 28) * (start - target) ** 2),
        ("(14)", (start - target) ** 2, 2 * target**2),
    ]


FL = {
    "FL-R3": printed_thresholds, "FL-C3": observed_histories, "FL-E3": cost_of_bad_events,
    "FL-E3-log": first_episode, "FL-E2-M": steps_of_an_episode, "FL-T4.1": far_start,
    "FL-ABS": logarithms_of_t, "FL-B1": psi_2_norm, "FL-C4b": one_delta_for_all,
    "FL-Crho": choice_of_rho, "FL-E2": gradient_tail, "FL-E4": clipped_rewards,
    "FL-LA.2": advanced_composition, "FL-S4": sensitivity, "FL-T5.1": sensitivity,
    "FL-RDP": sensitivity, "FL-P5.5": hidden_clip, "FL-PSI-forms": two_psi,
    "FL-T3.2": size_of_the_class,
    "FL-T3.2.proof": regret_of_the_class, "FL-T4.1c": columns, "FL-T5.6": exponent_of_t,
    "FL-LD.1": lambda: [("|v^|_0 <= s^", 1, 1), ("s^ <= |I|", 1, 2), ("s <= |I|", 3, 2)],
    "FL-T4.1.start at 0": columns,  # it holds, by another way than the printed one
    "FL-LD.2": lambda: [("|theta*|_0 <= s*", 2, 2), ("s* <= s", 2, 1)],
}  # fmt: skip


# --- HU ---------------------------------------------------------------------------------------


def difference_of_laplaces(x: float) -> float:
    """P(L1 - L2 > x), both of scale 1, x >= 0."""
    return (2 + x) * math.exp(-x) / 4


def claim_3_9():
    """K = 2, eps = 0.5: action 1 has to make up 62 = 63 - 1; rows that add, rows that replace."""
    epsilon = 0.5
    behind = [difference_of_laplaces(epsilon * gap) for gap in (62, 63, 64)]
    added = math.log(behind[0] / behind[1])
    return [
        ("one count moves", added, epsilon),
        ("one moves up, one down", math.log(behind[0] / behind[2]), epsilon),
    ]


def noise_that_stays():
    t = 5  # eps = 1
    fresh = math.exp(-3 * math.log(t)) / 2  # P(Lap(1/eps) < -3 ln t/eps)
    given_o_j = get_claim("HU-L23").certificates()["step (46)"]["enclosures"]["left"][0]
    return [("without O_j", fresh, t**-3), ("(46)", float(given_o_j), t**-3)]


def small_gaps_only():
    arms, horizon = 10, 1
    gap = math.sqrt(math.log(arms) / horizon)
    return [("eps", gap / 10, gap), ("gap < 1/4", gap, 0.25)]


def equal_gaps():
    gap, epsilon = 0.5, 0.1
    brackets = 1  # all actions are in one
    true = 1 + math.floor(math.log2(gap / max(gap, epsilon)))
    return [
        ("1 + floor(log2)", brackets, true),
        ("ln", brackets, math.log(gap / max(gap, epsilon))),
    ]


def wrong_way_round():
    n, a = 10, 0.1
    bound = math.exp(-n * (math.log(2) + a * math.log(a) + (1 - a) * math.log(1 - a)))
    return [("X <= a", binom.cdf(1, n, 0.5), bound), ("X >= a", binom.sf(0, n, 0.5), bound)]


def misprint_24():
    pulls = [2 ** (d + 1) - 1 for d in (5, 6)]
    return [("first line", pulls[1], 2**7 - 1), ("(24), second line", pulls[1], pulls[0])]


HU = {
    "HU-F17": wrong_way_round, "HU-T3.step (24)": misprint_24,
    "HU-T8": claim_3_9, "HU-ABS": claim_3_9, "HU-L23.step (46)": noise_that_stays,
    "HU-S5-minimax": small_gaps_only, "HU-T9": equal_gaps,
    "HU-C10b": equal_gaps, "HU-C11": equal_gaps,  # both hold; they cite the form that does not
}  # fmt: skip


# --- US ---------------------------------------------------------------------------------------


def legendre():
    top = np.sqrt(2 * np.arange(10_001) + 1)  # |psi_j| <= psi_j(1)
    return [("each is bounded", top[-1], math.sqrt(20_001)), ("F = 100 for all", top.max(), 100)]


def clipping():
    delta = 0.8
    chance = float(2 * norm.sf(0.01 + math.log(1 / delta)))
    union = 2 * math.exp(-(math.log(1 / delta) ** 2) / 2)
    return [("union", chance, union), ("its value", union, delta)]


def norm_of_the_hub():
    """The relative norm at a draw of the counterexample's own kernel, and the plain norm."""
    found = refutations.hub_conditions() | {"bound": sides("US-L4.4")[1]}
    n, multiple, horizon = 2000, found["K"], found["T"]
    spoke = 1 / 40
    counts = np.random.default_rng(1).multinomial(horizon * multiple, np.full(n, 1 / n)) / multiple
    hub = math.sqrt((1 - spoke) * spoke)

    def operator(visits):
        matrix = np.diag(np.append((1 - spoke) * visits.sum(), spoke * visits) + 1.0)
        matrix[0, 1:] = matrix[1:, 0] = hub * visits
        return matrix

    drawn, mean = operator(counts), operator(np.full(n, horizon / n))
    pencil = {"M": csc_matrix(mean), "return_eigenvectors": False}
    low = eigsh(csc_matrix(drawn), 1, sigma=0, **pencil)[0]  # Z~^-1 Z has the inverses
    high = eigsh(csc_matrix(drawn), 1, which="LA", **pencil)[0]
    error = np.linalg.solve(drawn, mean - drawn)
    image = error @ np.append(1.0, np.zeros(n))  # of the hub's unit vector: below the norm
    interval = max(1 / low - 1, 1 - 1 / high)
    fixed = abs(image[0])  # the quadratic form of one fixed g
    return [("one fixed g", fixed, found["bound"]), ("eigenvalues", interval, found["bound"]),
            ("norm", np.linalg.norm(image), found["bound"])]  # fmt: skip


def fixed_kernel():
    """The relative norm's bound b of Section 2 at T = 2^30, delta = 0.05, and the plain norm."""
    least, bound = sides("US-L4.4", "fixed-kernel")
    horizon, gamma = 2.0**30, math.sqrt(1.5 * 2**30)  # gamma_T to 1%
    law = theory.Effective((1 + gamma) / horizon, 1 + gamma, 1.0, horizon, 1.0)
    relative = theory.relative_spectral_bound(law, math.ceil(horizon / gamma), 0.05)
    return [("relative norm", relative, bound), ("norm", least, bound)]


def union_over_the_ball():
    found = refutations.atom_conditions()
    arms, trials = 10**6, found["T"] * found["K"]
    single = float(binom.cdf(found["count"], trials, 1 / arms))
    some = -math.expm1(arms * math.log1p(-float(binom.pmf(found["count"], trials, 1 / arms))))
    return [("one g", single, found["delta"]), ("the ball", some, found["delta"])]


def surrogate_of_one_point():
    """T = K = 1, tau = 1e-7, k = (1 + cos cos)/2 of mean squares 1/2, 1/4: z = 1, phi = (1, -1)."""
    tau, phi = 1e-7, np.array([1.0, -1.0]) / math.sqrt(2)
    mean, drawn = np.diag([0.5 + tau, 0.25 + tau]), np.outer(phi, phi) + tau * np.eye(2)
    largest = np.linalg.eigvals(np.linalg.solve(drawn, mean)).real.max()
    return [
        ("sigmabar^2 <= 1/tau", phi @ np.linalg.solve(drawn, phi), 1 / tau),
        ("3/2", largest, 1.5),
    ]


def implied_threshold():
    steps = []
    for found in refutations.n1bar_counterexamples():
        steps.append(("N1bar <= T", found["n1bar"], found["T"]))
    return [*steps, ("1/4", refutations.n1bar_counterexamples()[0]["value"], 0.25)]


def order_and_norm():
    tilde, hat = np.diag([400.0, 1.0]), np.array([[400.0, 2.0], [2.0, 1.0]])
    order = np.linalg.eigvalsh(5 / 3 * np.linalg.inv(hat) - 1.5 * np.linalg.inv(tilde)).min()
    image = np.linalg.solve(tilde, (hat - np.eye(2) / 2) @ [1.0, 0.0])
    return [("3/2 Z^-1 < 5/3 Z^^-1", -order, 0), ("the norm", np.linalg.norm(image), 5 / 3)]


def lost_tau():
    """Per T, with N/T for sup phi' Z^^-1 phi; F^2 = 2, c = 10^4, as in the counterexample."""
    scale, tau = 1e4, 100.0
    eigen = scale / np.arange(1, 10**6) ** 2.0
    weight = np.where(np.arange(len(eigen)) == 0, 1, 2)
    dimension, gain = weight @ (eigen / (1 + eigen)), weight @ np.log1p(eigen) / 2
    bound = 108 * 2 * gain / 13
    return [("(7)", dimension, bound), ("sigma_T^2", tau * dimension, bound)]


def quoted():
    return [("quoted", *sides("US-S7.1"))]


def uniform_contexts():
    delta = 0.1
    return [("each context", delta, delta), ("all 100", 1 - (1 - delta) ** 100, delta)]


def negative_logarithm():
    """B = D_0 = 1, F^2 = 2, L_f = 4/5, delta = 1/10, epsilon = 10^-5 gamma_T/T."""
    radius = 2592 * 2 * 0.8 / 13 * 1e-5
    return [("the volume", min(1.0, radius), 1.0), ("ln >= 0", 0.0, math.log(radius * 30))]


def substituted_variance():
    """(13) to (15) over B, at m = M of US-L4.3's counterexample: Q_i at n = M records."""
    f, m, b, tau = 1e8, 1e4, 1e16, 1e-12
    gamma = 0.5 * math.log1p(m * f**2 / tau)
    variance, rate = 1 / (m + tau), gamma / (m * f**2)  # phi' Z~^-1 phi, gamma_T/T
    return [
        ("(13) |Q_i| <= V_0", 0.5 * variance, variance),
        ("(14)", 0.25 * m * variance**2, variance),
        ("81/13", variance, 81 * f**2 / 13 * rate),
        ("(15)", math.sqrt(2 * variance), math.sqrt(162 * b / (13 * f**2) * rate)),
    ]


def dropped_logarithm():
    """Per sqrt(gamma_T/T), 2^(10^19) bumps: Lemma 6.3's own coefficient allows it, 10^6 not."""
    logs = 4e19 * math.log(2)
    needed = (1e19 / 20) ** 0.375
    return [("ln(|U_T|/delta)", needed, logs), ("O(1)", needed, 2e6)]


def lost_bias():
    return [("mu_T = T/(T + tau)", 1 - 1000 / 1001, 1 / 1001 + 1e-15), ("beta = 0", 1 / 1001, 0)]


def line_of_the_variance():
    """Lemma 3.1, which holds: K = 2, tau = 1, Phi = (1, 1), phi(w) = 1; the lines of sigmabar^2."""
    both = np.ones((1, 2))
    inner = (both @ np.linalg.inv(both.T @ both + 2 * np.eye(2)) @ both.T).item()
    lines = [1 / (2 / 2 + 1), (2 + 2 - 2) / (2 + 2), 1 - 2 / (2 + 2), 1 - inner / 4, 1 - inner]
    return [
        ("its end", abs(lines[4] - lines[0]), 0),
        *((f"line {i}", abs(lines[i] - lines[0]), 0) for i in (1, 2)),
        ("1/(K^2 tau)", abs(lines[3] - lines[0]), 0),
    ]


US = {
    "US-L4.3": substituted_variance, "US-L6.2.with-omitted-hypothesis": substituted_variance,
    "US-L4.3.order": dropped_logarithm, "US-T4.1.order": dropped_logarithm,
    "US-S6.3-beta": lost_bias,
    "US-A2.3": legendre, "US-A2.7": clipping, "US-L4.4": norm_of_the_hub,
    "US-L4.4.spectrum": union_over_the_ball, "US-L6.2": surrogate_of_one_point,
    "US-N1": implied_threshold, "US-S6.3-norm": order_and_norm,
    "US-L4.4.fixed-kernel": fixed_kernel, "US-S6.3-norm.real-draws": order_and_norm,
    "US-S6.3-variance": lost_tau,
    "US-L3.1": line_of_the_variance,
    "US-S7.1": quoted, "US-S8.2-uniform": uniform_contexts, "US-T4.1": negative_logarithm,
}  # fmt: skip


# --- KL: what has no certificate of steps ---------------------------------------------------------


def swaps_keep_the_size():
    return [("loss of a swap", math.log(5 / 5), 0), ("a removal is swaps", abs(5 - 4), 0)]


def width_read_as_root():
    """n = 10^20, l = n^(2/5), d = 1; the constant 10 for 'of order'."""
    n, floor = 1e20, 1e8
    true = math.sqrt(n / (floor - 1)) / math.sqrt(floor * (floor - 1))
    order = math.sqrt(n) / floor**1.5
    return [("order", true, 2 * order), ("read as sqrt(n)/l", math.sqrt(n) / floor, 10 * true)]


KL = {"KL-P1b": swaps_keep_the_size, "KL-S4.2": width_read_as_root}

STEPS = FL | HU | US | KL


@pytest.mark.parametrize("row", STEPS)
def test_the_named_step_fails_at_its_counterexample_and_none_before(row):
    *before, (_, left, right) = STEPS[row]()
    assert left > right + ROUNDING * abs(right)
    for name, small, large in before:
        assert small <= large + ROUNDING * abs(large), name
