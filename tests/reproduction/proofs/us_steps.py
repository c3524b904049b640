"""US's proofs: the steps that the ledger names, for test_proof_steps.py.

Each function returns [(name of a step, its left side, its right side), ...] at a counterexample.
"""

import math

import numpy as np
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import eigsh
from scipy.stats import binom, norm

from dpbandits.reproduction.ledger.claims import get_claim
from dpbandits.reproduction.us import exact_arithmetic, theory


def legendre():
    top = np.sqrt(2 * np.arange(10_001) + 1)  # |psi_j| <= psi_j(1)
    return [("each is bounded", top[-1], math.sqrt(20_001)), ("F = 100 for all", top.max(), 100)]


def clipping():
    delta = 0.8
    chance = float(2 * norm.sf(0.01 + math.log(1 / delta)))
    union = 2 * math.exp(-(math.log(1 / delta) ** 2) / 2)
    return [("union", chance, union), ("its value", union, delta)]


def norm_of_the_hub():
    """The relative norm and the norm at a draw of the counterexample's kernel."""
    case, bound = exact_arithmetic.hub_conditions(), get_claim("US-L4.4").sides()[1]
    n, multiple, horizon = 2000, case["K"], case["T"]
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
    image = error @ np.append(1.0, np.zeros(n))  # of the hub's unit vector g
    interval = max(1 / low - 1, 1 - 1 / high)
    return [("one fixed g", abs(image[0]), bound), ("eigenvalues", interval, bound),
            ("norm", np.linalg.norm(image), bound)]  # fmt: skip


def fixed_kernel():
    """The bound b of Section 2 on the relative norm at T = 2^30, delta = 0.05, and the norm."""
    least, bound = get_claim("US-L4.4").sides("fixed-kernel")
    horizon, gamma = 2.0**30, math.sqrt(1.5 * 2**30)  # gamma_T to 1%
    effective = theory.Effective((1 + gamma) / horizon, 1 + gamma, 1.0, horizon, 1.0)
    relative = theory.corrected_spectral_bound(effective, math.ceil(horizon / gamma), 0.05)
    return [("relative norm", relative, bound), ("norm", least, bound)]


def union_over_the_ball():
    case = exact_arithmetic.atom_conditions()
    arms, trials = 10**6, case["T"] * case["K"]
    single = float(binom.cdf(case["count"], trials, 1 / arms))
    some = -math.expm1(arms * math.log1p(-float(binom.pmf(case["count"], trials, 1 / arms))))
    return [("one g", single, case["delta"]), ("the ball", some, case["delta"])]


def surrogate_of_one_point():
    """T = K = 1, tau = 1e-7, k = (1 + cos cos)/2 of mean squares 1/2, 1/4: z = 1, phi = (1, -1)."""
    tau, phi = 1e-7, np.array([1.0, -1.0]) / math.sqrt(2)
    mean, drawn = np.diag([0.5 + tau, 0.25 + tau]), np.outer(phi, phi) + tau * np.eye(2)
    largest = np.linalg.eigvals(np.linalg.solve(drawn, mean)).real.max()
    return [("sigmabar^2 <= 1/tau", phi @ np.linalg.solve(drawn, phi), 1 / tau),
            ("3/2", largest, 1.5)]  # fmt: skip


def implied_threshold():
    cases = exact_arithmetic.n1bar_counterexamples()
    steps = [("N1bar <= T", case["n1bar"], case["T"]) for case in cases]
    return [*steps, ("1/4", cases[0]["value"], 0.25)]


def order_and_norm():
    tilde, hat = np.diag([400.0, 1.0]), np.array([[400.0, 2.0], [2.0, 1.0]])
    order = np.linalg.eigvalsh(5 / 3 * np.linalg.inv(hat) - 1.5 * np.linalg.inv(tilde)).min()
    image = np.linalg.solve(tilde, (hat - np.eye(2) / 2) @ [1.0, 0.0])
    return [("3/2 Z^-1 < 5/3 Z^^-1", -order, 0), ("the norm", np.linalg.norm(image), 5 / 3)]


def lost_tau():
    """Divided by T, with N/T for sup phi' Z^^-1 phi; F^2 = 2, c = 10^4 as in the counterexample."""
    scale, tau = 1e4, 100.0
    eigen = scale / np.arange(1, 10**6) ** 2.0
    weight = np.where(np.arange(len(eigen)) == 0, 1, 2)
    dimension, gain = weight @ (eigen / (1 + eigen)), weight @ np.log1p(eigen) / 2
    bound = 108 * 2 * gain / 13
    return [("(7)", dimension, bound), ("sigma_T^2", tau * dimension, bound)]


def quoted():
    return [("quoted", *get_claim("US-S7.1").sides())]


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
    return [("(13) |Q_i| <= V_0", 0.5 * variance, variance),
            ("(14)", 0.25 * m * variance**2, variance),
            ("81/13", variance, 81 * f**2 / 13 * rate),
            ("(15)", math.sqrt(2 * variance), math.sqrt(162 * b / (13 * f**2) * rate))]  # fmt: skip


def dropped_logarithm():
    """In units of sqrt(gamma_T/T), 2^(10^19) bumps: below Lemma 6.3's coefficient, above 2 10^6."""
    logs = 4e19 * math.log(2)
    needed = (1e19 / 20) ** 0.375
    return [("ln(|U_T|/delta)", needed, logs), ("O(1)", needed, 2e6)]


def lost_bias():
    return [("mu_T = T/(T + tau)", 1 - 1000 / 1001, 1 / 1001 + 1e-15), ("beta = 0", 1 / 1001, 0)]


def line_of_the_variance():
    """The lines of sigmabar^2 in the proof of Lemma 3.1, which holds: K = 2, tau = 1, Phi = (1, 1),
    phi(w) = 1."""
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
