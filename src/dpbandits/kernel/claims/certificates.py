"""US's refutations as certificates: parameters, and both sides as Python.

The enclosures are computed with python-flint; certificates/check.py computes them without it. The
kernel is (1 + cos pi x cos pi x')/2 of [0, 1] (F^2 = 2) where no other is named.
"""

from fractions import Fraction as F
from functools import partial

from dpbandits.audit.balls import precisely
from dpbandits.core.certificates import inequality

_BETA_1 = """
def beta_1(delta, B, tau):  # Lemma 6.2 without noise, with F^2 = 2 where it makes it larger
    first = (sqrt(324 / 13 * B**3) + 162 / 52) * log(8 / delta)
    return first + 28 / 17 * log(4 / delta) / tau + 2 * B * sqrt(216 / 13 * tau)
"""
_HUB_GAIN = "gamma = (log(n * h + 3 / 2 - n / 2) + (n - 1) * log(3 / 2)) / 2  # gamma_T"

_RARE = (
    "k(c, c') = c c', c = 1 with probability F^-2 and 0 else, f = B c/2, no noise, T = M F^2 = "
    "|U_T|: else one value at most of n ~ Bin(T, F^-2) would do, where Z~ has at most 2M ones"
)
_STEP_15 = "(15): sqrt(2 B V_0) has B F where B^(3/2)/F is printed"
_RARE_GIVEN = {"F": 10**8, "M": 10**4, "B": 10**16, "tau": F(1, 10**12), "delta": F(1, 10)}
_RARE_BOUND = """
T = M * F**2
def bound(delta):  # beta_1(delta) sqrt(gamma_T/T) of Lemma 6.2 without noise
    first = (sqrt(162 / 13 * B**3 / F**2) + 81 / 52 * F**2) * log(8 / delta)
    beta_1 = first + 28 / 17 * log(4 / delta) / tau + 2 * B * F * sqrt(108 / 13 * tau)
    return beta_1 * sqrt(log(1 + T / tau) / 2 / T)
"""
_FANO = (
    "error <= C (sqrt(gamma_T/T) + gamma_T/(T eps)), C = 10^6, eps >= 1, with probability above "
    "1/2 for all |f| <= 1 and any rule with uniform queries: by Fano's inequality among 2^(bits - "
    "1) bumps error/sqrt(gamma_T/T) >= left with probability 1/2 for some f (lambda_j ~ j^-4)"
)
_BUMPS = ({"bits": 10**19}, "left, right = exp(3 * log((bits - 3) / 20) / 8), 2 * 10**6")
NUMERIC = {  # claim: what would have to hold, the step that fails, parameters, both sides
    "US-N1": (
        "sqrt(gamma_T ln(1/delta)/(T tau)) <= 1/4 for T > N1bar = (ln(1/delta)/(32 C_p))^4",
        "C_p and F stand in the denominator, and tau is missing",
        {"T": 2, "tau": 1, "delta": F(1, 100), "constant": 1},
        """
gamma = log(1 + T / tau) / 2  # at least
left, right = sqrt(gamma * log(1 / delta) / (T * tau)), 1 / 4
""",
    ),
    "US-L6.2": (
        "|mu_T - mubar_T| <= beta_1(delta) sqrt(gamma_T/T) with probability 1 - delta: T = 1, f = "
        "norm k(., 0), x_1 and z_1 in the ranges x and z (cosines at their ends below)",
        "the proof uses T >= max(N1bar, Nbar), which the statement leaves out",
        {"B": 100, "norm": 99, "tau": F(1, 10**7), "delta": F(1, 20)}
        | {"x": (0, F(1, 3)), "z": (F(2, 3), 1)},
        _BETA_1
        + """
a, v = 1 / 2, -1 / 2  # cos pi x lies in [a, 1], cos pi z in [-1, v]
most = (1 + v) / 2 * (1 + v * a) / 2 / (tau + (1 + v * v) / 2)  # of k(z, 0) k(z, x)/(tau + k(z, z))
k = (1 + a) / 2  # of x and 0, at least
left = norm * k * ((k - most) / tau - 1 / (tau + (1 + a * a) / 2))
right = beta_1(delta, B, tau) * sqrt(log(1 + 1 / tau) / 2)
""",
    ),
    "US-T4.1": (
        "0 <= error rate <= the bound of Theorem 8.2, at any T and epsilon = share gamma_T/T",
        "the choice of r: its logarithm turns negative for small epsilon",
        {"share": F(1, 10**5), "delta": F(1, 10), "L_f": F(4, 5)},
        _BETA_1
        + """
each = delta / 24
slope = (beta_1(each / 2, 1, 1) - beta_1(each, 1, 1)) / log(2)  # of beta_1 in ln T
first = 10 * (11 / 3 + beta_1(each, 1, 1) + 3 * slope / 2)  # at least, at every T
C = 1296 / 13
left, right = 0, first + C / share * (log(4 * C * L_f * share) + log(3 / delta))
""",
    ),
    "US-L4.4": (
        "the norm of Z~^-1 Z - Id <= 28/17 sqrt(gamma_T ln(1/delta)/T), tau = 1, T = n h, K = "
        "ceil(T/gamma_T): left is below it with probability 1 - 8/(n-1) - n e^(-hK/3) > delta; "
        "kernel a^2 + b^2 c.c', b^2 = 1/(2h), on n equally likely corners of a simplex",
        "a bound for one fixed g is read as an operator norm; no union over g, and Z~^-1 Z is not "
        "symmetric",
        {"n": 2000, "h": 20, "delta": F(1, 20), "K": 98},
        f"""
{_HUB_GAIN}
left = sqrt((1 - 1 / (2 * h)) * (n - 1) / K) / 4
right = 28 / 17 * sqrt(gamma * log(1 / delta) / (n * h))
""",
    ),
    "US-L4.4.spectrum": (
        "each eigenvalue of Z~^-1 Z <= 1 + 28/17 sqrt(gamma_T ln(1/delta)/(T tau)), kernel 1{w = "
        "w'} on n equally likely points, T = n tau, K = ceil(2 tau/ln 2): one of count visits at "
        "most is above it, and is there with probability 1 - (1 - P(Bin(TK, 1/n) = count))^n > "
        "delta",
        "Bernstein's inequality is applied to one fixed g, with no union over the unit ball",
        {"n": 10**6, "tau": 4, "count": 22, "delta": F(1, 10), "K": 12},
        """
left = 2 * tau / (count / K + tau)
right = 1 + 28 / 17 * sqrt(log(2) * log(1 / delta) / 2) / tau
""",
    ),
    "US-S4-identical": (
        "P(first entry of Z~ - tau is `at`) <= P(that of Z^ - tau is): two equally "
        "likely orthonormal features, T and TK draws",
        "no step: only the means are used",
        {"T": 2, "K": 2, "at": F(1, 2)},
        """
left = comb(int(T * K), int(K * at)) / 2 ** int(T * K)
right = sum(comb(int(T), k) / 2 ** int(T) for k in range(int(T) + 1) if k == at)
""",
    ),
    "US-S4-same": (
        "mean square error of mubar <= 20 times that of mu_T: two equally likely orthonormal "
        "features, f = 1, no noise",
        "no step: the sentence reads a common worst-case order as equality",
        {"T": 64, "K": 2, "tau": 1},
        """
def coins(n):
    return [(k, comb(n, k) / sqrt(4**n)) for k in range(n + 1)]
levels = [(k / K + tau, p) for k, p in coins(int(T * K))]
left = sum(p * (T * (T + 1) / 4 / level**2 - T / level + 1) for level, p in levels)
right = 20 * sum(p * (tau / (k + tau)) ** 2 for k, p in coins(int(T)))
""",
    ),
    "US-A2.3": (
        "psi_j(1)^2 <= F^2 = 10^6: psi_j = sqrt(2j+1) P_j, Legendre, under the uniform law on "
        "[-1, 1], lambda_j ~ (j+1)^-3",
        "'hence': continuity bounds each eigenfunction, not all of them together",
        {"j": 500000},
        "left, right = 2 * j + 1, 10**6",
    ),
    "US-S3-variance": (
        "sigmabar^2 at the one point of Z is the posterior variance (3) there, k = 1",
        "(5) is (3) divided by tau",
        {"tau": F(1, 2)},
        "left, right = (1 - 1 / (1 + tau)) / tau, 1 - 1 / (1 + tau)",
    ),
    "US-A2.7": (
        "P(|y_1| > B + R ln(T/delta)) <= delta, T = 1, y_1 normal, B = ratio R",
        "a sub-Gaussian tail at R ln(1/delta) is not delta for delta near 1",
        {"ratio": F(1, 100), "delta": F(4, 5)},
        "left, right = 1 - 2 * (ratio + log(1 / delta)) / sqrt(2 * pi), delta",
    ),
    "US-S8.2-uniform": (
        "P(the bound fails at some context) <= delta, independent contexts",
        "a bound that holds with probability 1 - delta at each context is taken to hold at all",
        {"n": 100, "delta": F(1, 10)},
        "left, right = 1 - (1 - delta) ** int(n), delta",
    ),
    "US-S6.3-norm": (
        "|Z~^-1 (Z^ - tau) f| <= 5/3 |f|, Z = Z~ = diag(a, b), Z^ with e off the diagonal, f = e_1",
        "an order of operators says nothing of the norm of a product that is not symmetric",
        {"a": 400, "b": 1, "e": 2, "tau": F(1, 2)},
        "left, right = sqrt(((a - tau) / a) ** 2 + (e / b) ** 2), 5 / 3",
    ),
    "US-S6.3-variance": (
        "tau N <= 108/13 F^2 ln det(Id + T Lambda/tau)/2, which sigma_T^2 <= 108 F^2 gamma_T/(13 "
        "T) implies: circle, F^2 = 2, eigenvalues lambda_1/j^2 in pairs, T lambda_1/tau = root^2 "
        "(left grows faster with it)",
        "a factor tau is lost between (7) and the proof of Lemma 6.3",
        {"tau": 100, "root": 100},
        "left, right = tau * (root * pi - 4), 216 * pi * root / 13",
    ),
    "US-L7.1.every-T": (
        "phi'Z~^-1 phi <= 81 F^2 gamma_T/(13 T), T = K = 1, equally likely orthogonal points, F = "
        "1, at a point that was not drawn",
        "Lemma 6.1 needs its threshold: Z~ has rank one",
        {"tau": F(1, 1024)},
        "left, right = 1 / tau, 81 / 26 * log(1 + 1 / tau)",
    ),
    "US-L4.3": (
        f"B/(4(2M + tau)) <= the bound, if it holds with probability 1 - delta: {_RARE}",
        _STEP_15,
        _RARE_GIVEN,
        _RARE_BOUND
        + """
left, right = B / (4 * (2 * M + tau)), 11 / 3 * B / T + bound(delta / (4 * T))
""",
    ),
    "US-L6.2.with-omitted-hypothesis": (
        f"B/(4(2M + tau)(1 + tau)) <= the bound, if it holds with probability 1 - delta: {_RARE}",
        _STEP_15,
        _RARE_GIVEN,
        _RARE_BOUND + "left, right = B / (4 * (2 * M + tau) * (1 + tau)), bound(delta)",
    ),
    "US-L4.3.order": (_FANO, "a union over the points of W costs a logarithm", *_BUMPS),
    "US-T4.1.order": (_FANO, "the logarithms of Theorem 8.2 are left out", *_BUMPS),
    "US-A2.8": (
        "|f(h) - f(0)| <= 10^6 h, f = (k(., h) - k(., 0))/|k(., h) - k(., 0)|, k = exp(-|x - y|): "
        "its square over h^2 is 2 (1 - e^-h)/h^2 >= 2/h - 1",
        "what is true of smoother kernels is said of all",
        {"h": F(1, 10**13)},
        "left, right = sqrt(2 / h - 1), 10**6",
    ),
    "US-S6.3-beta": (
        "|f - mu_T| <= beta(delta) sqrt(gamma_T/T) = 0, k = 1, f = 1, no noise: R = 0",
        "the theorem quoted has B + R sqrt(2 ln(.)/tau) for beta; B is lost",
        {"T": 1000, "tau": 1},
        "left, right = tau / (T + tau), 0",
    ),
    "US-S7.1": (
        "sup phi'Z^-1 phi <= 54 F^2 gamma_T/(13 T), T = 1, n equally likely orthogonal points",
        "the lemma is quoted without its condition on T",
        {"n": 1024, "tau": F(1, 1024)},
        "left, right = 1 / (1 / n + tau), 54 * log(1 + 1 / tau) / 26",
    ),
}


@precisely
def _numeric(name: str) -> dict:
    theorem = name.removesuffix(".every-T").replace(".with-omitted-hypothesis", " rare")
    for reading in ("spectrum", "order"):
        theorem = theorem.replace(f".{reading}", f" {reading}")
    return inequality(theorem, *NUMERIC[name])


def numbers(name: str) -> dict:
    """Both sides of a certificate, for its row of the ledger."""
    sides = _numeric(name)["enclosures"]
    left, right = F(sides["left"][0]), F(sides["right"][1])
    return {"left": float(left), "right": float(right), "certified": left > right}


REFUTATIONS = {name: partial(_numeric, name) for name in NUMERIC}
