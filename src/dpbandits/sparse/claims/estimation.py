"""FL's estimation error: Theorem 4.1 with its step (c), and Proposition 5.5."""

import math
from dataclasses import dataclass

import numpy as np

from dpbandits.core.errors import require_proof
from dpbandits.core.ledger import Verdict
from dpbandits.core.points import points
from dpbandits.core.statistics import fit_power, quantile
from dpbandits.sparse.claims.rates import listed
from dpbandits.sparse.fliphat import peeling, project_l1
from dpbandits.sparse.presets import tuning
from dpbandits.sparse.problem import SparseSetting
from dpbandits.sparse.studies.estimation import HIGH, LOW
from dpbandits.sparse.theory import (
    estimation_terms,
    repaired_error_bound,
    repaired_estimation_bound,
)

PROOFS, TESTS = "docs/proofs/FL.md", "tests/sparse/test_sparse_proofs.py"
NOISE_SCALES = (1e-5, 1e-3, 1e-1)  # of the runs of Theorem 4.1, in turn


def niht_error(tables) -> list[Verdict]:
    return [_any_start(), _from_zero()]


def _any_start() -> Verdict:
    """kappa = 1, n = 100, b_max = 1: each step halves the distance to the target."""
    steps, starts = math.ceil(28 * math.log(100)), np.array([100.0, 120.0, 140.0, 160.0])
    return Verdict.refuted(
        method="exact",
        scope=r"$\theta^0$ is left open (Algorithm 1: any of $\mathbb R^d$), $C$ has no upper end",
        measured=r"squared error over $\frac1n$ from $\theta^0 = 2^{140}e_1$: "
        f"{100 * 4.0 ** (140 - steps):.3g}",
        bound="1, and what the noise and the gradient add, both as small as you like",
        counterexample=r"orthonormal design, $\kappa = 1$, $b_{\max} = 1$, $n = 100$, $M = "
        f"{steps}$, $s = d$, " + r"$\theta^0 = 2^{140}e_1$, $\theta^* = e_1$, $C = 2^{140}$",
        proof_step=r"(14): $|\theta^0-\theta^*|^2 \le 2b_{\max}^2$; not even $|\theta^0|_1 \le "
        r"b_{\max}$, assumed there, gives it ($\theta^0 = -\theta^*$: 4)",
        repaired=r"$\theta^0 = 0$ (the next row); or $|\theta^0|_1 \le b_{\max}$ and $M \ge "
        r"28\kappa\ln(4b_{\max}^2n)$",
        tightness="see the next row",
        evidence=(PROOFS, TESTS),
        points=points(
            starts,
            100 * 4.0 ** (starts - steps),
            at_most=2.0,
            axes=("log2 of the start", "squared error / (1/n)"),
            panel="the printed reading: any start",
            log="y",
        ),
    )


def _from_zero() -> Verdict:
    ratios = orthonormal_ratios(runs=60)
    worst = float(ratios.max())
    return Verdict.proved(
        reading="start at 0",
        statement=r"the same from $\theta^0 = 0$",
        scope=r"$\mathcal E_1$ at sparsity $2s+s^*$, $s \ge 16(14\kappa-1)"
        r"(112\kappa-7)s^*$ (at best $21840 s^*$: far outside any experiment of the paper); "
        "$C_1 = 25562$, $C_2 = 30.2$, no $\\kappa^2$ in the third term (Theorem E1)",
        measured=f"largest error over bound in {len(ratios)} runs on orthonormal designs (good "
        f"events exact), $s = 40$: {worst:.2g}",
        bound="1",
        slack=f"factor {1 / worst:.3g}: the constants are far from tight",
        evidence=(PROOFS, TESTS),
        points=[
            points(
                range(i + 1, len(ratios) + 1, 3),
                ratios[i::3],
                at_most=1,
                series=f"noise scale {scale:g}",
                axes=("run", "squared error / bound"),
                log="y",
            )
            for i, scale in enumerate(NOISE_SCALES)
        ],
        proof_step="step (c) is false (FL-T4.1c) and repaired; step (e) prints 5/7 where (d) has "
        "1/7",
    )


def step_c(u: float) -> tuple[float, float, float]:
    """(left side of (c) squared, its right side, what (d) then allows) for theta^m = (0, u).

    H = [[1, 1/2], [1/2, 1]], theta* = (1, 0), the selected set {1} = I: eta = 1/3, kappa_low = 1/2.
    """
    eta, low = 1 / 3, 0.5
    true = -1 + eta * 1 - eta * 0.5 * u
    return true**2, ((1 - eta) * -1) ** 2, 1 - eta * low / 7


def hessian_columns(tables) -> Verdict:
    sizes = (0.0, 0.5, 1.0, 2.0, 4.0)
    sides = [step_c(u) for u in sizes]
    left, right, allowed = step_c(2.0)
    second = [(2 / 3 * u + 1 / 6) ** 2 for u in sizes]  # the squared step on J less I
    require_proof(left > allowed, "FL-T4.1c: (d) is not broken")
    return Verdict.refuted(
        method="exact",
        scope="whenever $S_m$ is not a part of $I_m$; the theorem's conclusion survives",
        measured=f"squared left side {left:.6g}",
        bound=f"{right:.6g}; even the inequality that (d) draws from it, {allowed:.6g}, is broken",
        slack=f"{left - allowed:.3g}",
        evidence=(PROOFS, TESTS),
        counterexample=r"$d = 2$, $s = s^* = 1$, Hessian $(1, \frac12; \frac12, 1)$, $\theta^* = "
        r"(1, 0)$, $\theta^m = (0, 2)$, $\eta = \frac13$, noise that selects coordinate 1",
        proof_step="(c): only the columns in $I_m$ are kept, but $\\theta^m$ also lives on $S_m$",
        repaired=r"with $J = S^*\cup S_m\cup\tilde S_{m+1}$: $\theta^{m+.5}_J-\theta^* = "
        r"(I-\eta\mathcal H_{JJ})(\theta^m-\theta^*) - \eta\nabla\mathcal L(\theta^*)_J$, and "
        r"$|\theta^{m+.5}_{I_m}-\theta^*| \le |\theta^{m+.5}_J-\theta^*|$ (E1.3)",
        tightness="an identity, and equality where $I_m = J$",
        points=points(
            sizes,
            [left for left, _, _ in sides],
            at_most=allowed,
            repaired=[left + more for (left, _, _), more in zip(sides, second, strict=True)],
            axes=("theta^m on the coordinate outside of I", "squared distance after the step"),
        ),
    )


@dataclass(frozen=True)
class LaplaceNoise:
    """Given noise, for `peeling`."""

    selections: np.ndarray
    released: np.ndarray

    def selection(self, i: int) -> np.ndarray:
        return self.selections[i]

    def release(self, size: int) -> np.ndarray:
        return self.released[:size]


def orthonormal_ratios(runs: int) -> np.ndarray:
    """(squared error)/(bound of Theorem E1) for X'X/n = I, the Hessian being 2 I.

    Then N-IHT needs only the least-squares solution, whose error is N(0, sigma^2/n).
    """
    d, s, true, n, sigma = 200, 40, 2, 1000, 0.1
    ratios = []
    for seed in range(runs):
        rng = np.random.Generator(np.random.Philox(key=[41, seed]))
        scale = NOISE_SCALES[seed % 3]
        target = np.zeros(d)
        target[:true] = rng.choice([-1.0, 1.0], true)
        solution = target + sigma / np.sqrt(n) * rng.standard_normal(d)
        theta, worst = np.zeros(d), 0.0
        for _ in range(int(np.ceil(28 * np.log(2 * true**2 * n)))):
            noise = LaplaceNoise(rng.laplace(size=(s, d)), rng.laplace(size=d))
            injected = scale**2 * np.sum(np.max(np.abs(noise.selections), axis=1) ** 2)
            half = theta + 0.5 * (solution - theta)  # eta = 1/4, gradient 2 (theta - solution)
            kept = peeling(half, s, scale, noise)
            support = np.flatnonzero(kept)
            worst = max(worst, injected + np.sum((kept - half)[support] ** 2))
            theta = project_l1(kept, float(true))
        gradient = 2 * np.max(np.abs(target - solution))
        bound = repaired_error_bound(1.0, 2.0, worst, gradient, s, true, n)
        ratios.append(np.sum((theta - target) ** 2) / bound)
    return np.array(ratios)


def powers(table, term: str) -> dict[str, tuple[float, float]]:
    """Fitted power of the squared error in each factor of the study, with its standard error."""
    own = table[table["term"] == term]
    return {
        varied: fit_power(rows["value"], rows["mean"], rows["sem"])
        for varied, rows in own.groupby("varied", sort=False)
    }


def estimation_control(tables) -> Verdict:
    data = tables("estimation")
    return Verdict.refuted(
        method="exact",
        scope=r"as printed both terms carry $\sigma^2$; refuted for every $N$, $d$, $s$, "
        r"$\varepsilon$ by noiseless rewards (Assumption 5.2(c) read with its root, FL-A5.2c). The "
        "powers were measured at the rest of its form",
        measured=f"powers of the non-private error: {listed(powers(data, 'statistical'))}; of "
        f"the error with privacy: {listed(powers(data, 'private'))}",
        bound=r"non-private: $n^{-1}$, $s$ at most 1, $d$ by $\ln d$; private: $n^{-2}$ but for "
        r"logarithms, $s$ at most 2, $d$ by $\ln^2d$, $\varepsilon^{-2}$",
        slack=r"infinite at $\sigma = 0$",
        evidence=(PROOFS, TESTS, "figures/fl/estimation_error.csv"),
        counterexample=r"$\sigma = 0$: the right side is 0, yet the estimate carries Laplace noise "
        r"of scale $\xi > 0$, as $B = R + x_{\max}b_{\max}$ does not vanish: the error is positive "
        "with probability 1",
        proof_step=r"$R^2 = (x_{\max}b_{\max}+\sigma\sqrt{2\ln N})^2$ is replaced by "
        r"$2\sigma^2\ln N$ in the statement",
        repaired=r"$\frac1N + \frac{242(2s+s^*)\sigma^2x_{\max}^2\ln d}{\underline\kappa^2N} + "
        r"28\kappa b_2\cdot486\frac{B^2M^2s^2\ln^2d\ln(M/\delta)}{\bar\kappa^2N^2\varepsilon^2}$ "
        r"but for probability $\frac2N+\frac2d+2Msd^{-8}$, with $R = "
        r"x_{\max}b_{\max}+2\sigma\sqrt{\ln N}$ (Theorem F1): $B^2\ln^2N$, not $\sigma^2\ln^3N$",
        tightness="in powers only: the constants inherit those of Theorem 4.1, a factor "
        "$10^4$ and more above what is seen",
        points=(_noise_floor(), *_power_points(data)),
    )


def _noise_floor():
    """What the last release alone adds, 2 s xi^2, against the printed form as sigma falls.

    The hidden constant is set by equality at sigma = 0.1; both sides are smooth formulas.
    """
    n, epsilon, sides = 1024, 1.0, []
    for sigma in (0.1, 0.03, 0.01, 0.003, 0.001, 1e-4):
        setting = SparseSetting(preset="printed", sigma=sigma)
        scale = tuning(setting, epsilon, n).scales[0]
        printed = sum(estimation_terms(n, 10, 5, 400, epsilon, setting.delta, sigma))
        true = repaired_estimation_bound(setting, n, epsilon, LOW, HIGH / LOW)
        sides.append((sigma, 2 * setting.sparsity * scale**2, printed, true))
    sigmas, added, printed, true = (np.array(column) for column in zip(*sides, strict=True))
    return points(
        sigmas,
        added,
        at_most=printed * added[0] / printed[0],
        repaired=true,
        panel="as sigma falls (equal at 0.1)",
        axes=("sigma", "squared error of the last release"),
        log="xy",
    )


POWERS = {"n": -1, "sparsity": 1, "d": math.nan}, {"n": -2, "sparsity": 2, "epsilon": -2}


def _power_points(data):
    """Fitted powers at 1 - 1e-6 over all of them beside the printed ones (logarithms hidden)."""
    for term, printed in zip(("statistical", "private"), POWERS, strict=True):
        fits = powers(data, term)
        power = np.array([b for b, _ in fits.values()])
        error = quantile(sum(map(len, POWERS))) * np.array([sem for _, sem in fits.values()])
        yield points(
            list(fits),
            power,
            spread=error,
            at_most=[printed.get(name, math.nan) for name in fits],
            panel=f"powers of the {term} error",
            axes=("", "power; dashed: printed, up to logarithms"),
        )
