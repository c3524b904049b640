"""FL's proofs: the steps that the ledger names, for test_proof_steps.py.

Each function returns [(name of a step, its left side, its right side), ...] at a counterexample.
"""

import math

import numpy as np
from scipy.optimize import brentq
from scipy.special import erfc

from dpbandits.reproduction.fl.claims.estimation import step_c
from dpbandits.reproduction.fl.claims.lower_bound import root
from dpbandits.reproduction.fl.theory import printed_non_private, psi


def psi_2_norm():
    """X = L e_1, L = 4: E exp(<u, X>^2/lambda^2) <= 2."""
    length = 4.0
    true = brentq(lambda x: math.exp(length**2 / x**2) - 2, 1, 100)
    claimed = math.sqrt(length / math.log(2))
    return [("E e^(..) <= e^(L^2/..)", true, length / math.sqrt(math.log(2))),
            ("root", true, claimed)]  # fmt: skip


def one_delta_for_all():
    epsilon, delta, q, small = 1.0, 0.01, 1e-12, 1e-3
    rho = root(epsilon, delta) ** 4
    xi = epsilon - math.sqrt(rho * math.log(1 / delta))
    at_small = xi + math.sqrt(rho * math.log(1 / small))

    def delta_of_event(eps):  # the event: the bit, not flipped
        return delta * (1 - q) - math.exp(eps) * delta * q

    return [("(eps, delta)-DP", delta_of_event(epsilon), delta),
            ("at every delta", delta_of_event(at_small), small)]  # fmt: skip


def choice_of_rho():
    log, epsilon, base = math.log(100), 0.1, 20 ** (1 / 3)
    last = 20 * (epsilon**2 / log) ** -0.75
    return [("eps^2 < ln(1/delta)", epsilon**2, log),
            ("c^3", 20, base**3),
            ("c^3 >", last, base**3)]  # fmt: skip


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
    return [("(a) |theta*|_1 <= C", target, start),
            ("(f)", once**2, (1 - 1 / 28) * (start - target) ** 2),
            ("(14)", (start - target) ** 2, 2 * target**2)]  # fmt: skip


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
