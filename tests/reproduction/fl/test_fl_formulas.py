"""FL's printed and repaired formulas at numbers that a pencil can follow: logarithms are whole.

With d = e^2, n = e^2 and the like every term is a product of small numbers, worked out in the
comments from the paper (Theorem and Proposition as named) or from docs/proofs/FL.md, not by us.
"""

import math
from types import SimpleNamespace

import numpy as np
import pytest

from dpbandits.reproduction.fl import presets, theory
from dpbandits.sparse import fliphat

E = math.e
ROOT = math.sqrt
close = pytest.approx


# Theorem 4.1, Proposition 5.5 (kappa = 2, kappa_low = 1/2, s = 3, s* = 1)


def test_theorem_e1():
    assert theory.proof_constants(1) == (54, close(8 * 54 * 105 / 53))
    assert theory.proof_constants(2) == (110, close(8 * 110 * 217 / 109))
    b2 = 8 * 110 * 217 / 109
    # 1/4 + 28 x 2 x b2 / 1000 + 15.1 x (6 + 1) x (1/2 / 1/2)^2
    found = theory.corrected_error_bound(2, 0.5, 1e-3, 0.5, 3, 1, n=4)
    assert found == close(0.25 + 0.056 * b2 + 105.7)


def test_proposition_5_5():
    # sigma^2 kappa^2 = 1: 4 x 2/(n/4) = 32/n; (3 x 2)^2 ln(2/delta) 2^3/(2 n)^2 = 36 x 24/(4 n^2)
    n = E**2
    found = theory.estimation_terms(n, 3, 1, E**2, 2, 2 / E**3, sigma=0.5, kappa=2, low=0.5)
    assert found == close((32 / n, 216 / n**2))
    assert theory.estimation_terms(n, 3, 1, E**2, 2, 2 / E**3, sigma=1) == close(
        (8 / n, 216 / n**2)
    )


def test_theorem_f1():
    # ln d = 2, M = 28 x ln(e^4) = 112; R = 2 x 1 + 2 x 0.1 x 2 = 2.4;
    # (R + x b) M s ln d/(kappa low n eps) = 4.4 x 112 x 6/(n); W = 486 (..)^2 ln(112/delta) = 2
    keys = {"sparsity": 3, "true_sparsity": 1, "x_max": 2.0, "b_max": 1.0, "sigma": 0.1}
    own, n = SimpleNamespace(**keys, d=E**2, delta=112 / E**2), E**4
    noise = 486 * (4.4 * 112 * 6 / n) ** 2 * 2
    gradient = 4 * 0.1 * 2 * ROOT(2 / n)
    expected = 1 / n + 28 * (8 * 54 * 105 / 53) * noise + 15.1 * 7 * (gradient / 0.5) ** 2
    assert theory.corrected_estimation_bound(own, n, 2.0, 0.5, 1.0) == close(expected)
    # kappa = 3 takes its part of eps, kappa_low and M: 28 x 3 x 4 = 336
    own.delta = 336 / E**2
    noise = 486 * (4.4 * 336 * 6 / (3 * 0.5 * n * 2)) ** 2 * 2
    b2 = 8 * 166 * (112 * 3 - 7) / (56 * 3 - 3)
    expected = 1 / n + 28 * 3 * b2 * noise + 15.1 * 7 * (gradient / 0.5) ** 2
    assert theory.corrected_estimation_bound(own, n, 2.0, 0.5, 3.0) == close(expected)


# Theorem 5.6 (s + s* = 4, ln d = 2: 4^2 x 2 = 32; 4^3 x 2^2 ln(1/delta)/eps^2 = 64 at eps = 2)


def test_psi():
    assert theory.psi(0, E**2.5) == close(1 + 4 + 9)  # n to floor(2.5) + 1
    assert theory.psi(1, E**1.5) == close(1 / 2 + 16 / 4)
    assert theory.psi(2, 2) == close(1 / 4)


def test_theorem_5_6():
    sizes, delta = (E**2, 3, 1, 2), 1 / E
    assert theory.regret_terms(math.inf, 9, *sizes, delta=delta) == close((32, 64))
    grown = (E**2 - 1) * ROOT(32)  # alpha = 0, T = e^4: psi = 1 + 4 + 9 + 16 + 25
    assert theory.regret_terms(0, E**4.001, *sizes, delta=delta) == close((grown, 55 * 8), rel=2e-3)
    at_one = theory.regret_terms(1, E**4.5, *sizes, delta=delta)  # ln T/2 x 32
    powers = sum(n**4 / 2**n for n in range(1, 6))
    assert at_one == close((2.25 * 32, powers * 64))
    # alpha = 3: (T^-1 - 1)/(-2) x 32^2; sum of n^8 2^-3n x 64^2
    own, private = theory.regret_terms(3, 4, *sizes, delta=delta)
    assert own == close((1 - 1 / 4) / 2 * 1024)
    assert private == close((1 / 8 + 256 / 64) * 4096)
    assert theory.regret_terms(0, 16, E**2, 3, 1, 1, delta=1 / E)[1] == close(14 * 16)  # eps = 1
    assert theory.regret_terms(math.inf, 9, E**2, 3, 1, 2, delta=E**-3)[1] == close(192)


def test_theorem_5_6_as_printed():
    assert theory.printed_non_private(0, 4, E**2, 3, 1) == close(ROOT(32) / 2)
    # alpha = 3: T^(-2)/(-2) x 32^2
    assert theory.printed_non_private(3, 4, E**2, 3, 1) == close(-1024 / 32)
    assert theory.printed_non_private(0.5, 16, E**2, 3, 1) == close(16**-0.75 * 2 * 32**0.75)


def test_remarks_2_and_3():
    # (s + s*) ln d ln(1/delta) = 4 x 2 x 3 = 24
    assert theory.privacy_threshold(math.inf, 9, E**2, 3, 1, E**-3) == close(ROOT(24))
    assert theory.privacy_threshold(0, E**2, E**2, 3, 1, E**-3) == close(8 * ROOT(24) / E)


# Theorem 3.2 and what stands in its place (ln(d/s*) = 4)


def test_theorem_3_2():
    assert theory.lower_bound(9, 4 * E**4, 4, 2, 0) == close((4 * 8 / 2, 12))
    assert theory.lower_bound(9, 4 * E**4, 4, 2, E**-9) == close((ROOT(4 * 9) * 4 / 2, 12))


def test_theorems_h1_and_h2():
    assert theory.two_point_floor(16, 0.3) == close(0.1)
    log = math.log(2)  # e^(-m eps) = 2^-m, (e^eps - 1) = 1
    assert theory.private_errors(0, log, 0.1) == 1
    assert theory.private_errors(1, log, 0.01) == close(0.5 - 0.02 * 0.5)
    assert theory.private_errors(4, log, 0.01) == close(0.25 - 0.02 * 0.75)
    assert theory.private_errors(3, log, 0.01) == theory.private_errors(4, log, 0.01)
    assert theory.private_errors(4, log, 0.3) == 0
    assert theory.private_errors(2, 2 * log, 0.01) == close(0.25 - 0.02 * 0.75 / 3)
    assert theory.private_floor(3, log, 0.01) == close(1 + 0.49 + 0.49)


# The presets: x_max = 2, b_max = 3, sigma = 1/2, eta = 1/10, s = 4


def preset(name, **more):
    keys = {"x_max": 2.0, "b_max": 3.0, "sigma": 0.5, "step_size": 0.1, "sparsity": 4}
    keys |= {"preset": name, "delta": 8 / E**3, "steps_factor": 0.5, "clip": None, "d": 50}
    return SimpleNamespace(**keys | more)


def test_the_private_presets_by_their_sensitivity(monkeypatch):
    """eta/n 4 x_max (R + P): in the first step P = 0, later C x_max = 6."""
    n = E**4.01 - 1  # floor(0.5 x 4.01) = 2 steps; R = 6 + sqrt(2 x 4.01)/2
    clip, asked = 6 + 0.5 * ROOT(8.02), []
    monkeypatch.setattr(presets, "largest_ratio", lambda *given: asked.append(given) or 0.25)
    monkeypatch.setattr(fliphat, "largest_rho", lambda *given: asked.append(given) or 0.5)
    for name, multiple in (("corrected", 4), ("zcdp", ROOT(2 * 4 / 0.5))):
        found = presets.PRESETS[name](preset(name), 2.0, n)
        unit = multiple * 0.1 / n * 8
        assert list(found[:2]) == close([clip, 3.0])
        assert found.xi == close((unit * clip, unit * (clip + 6)))
        clipped = presets.PRESETS[name](preset(name, clip=1.5), 2.0, n)
        assert (clipped.R, clipped.C) == (1.5, 3.0)
        assert clipped.xi == close((unit * 1.5, unit * 7.5))
        assert presets.PRESETS[name](preset(name, steps_factor=0.0), 2.0, n).M == 1
    delta = 8 / E**3
    assert asked[0] == (2.0, delta, 4, 50, 2)
    assert asked[3] == (2.0, delta)
    assert presets.PRESETS["corrected"](preset("corrected"), math.inf, n).xi.tolist() == [0, 0]


def test_printed_noise_is_for_a_step_of_eta_B_over_n():
    setting = presets.PresetSetting(
        d=9, sparsity=4, beta=(0.5, -1.5), preset="printed", step_size=0.5
    )
    tuning, n = setting.tuning(3.0, 100), 100
    noiseless = setting.tuning(math.inf, n)
    moved = 0.5 * (tuning.R + 2 * ROOT(2 * math.log(9))) / n
    assert presets.printed_sensitivity(setting, tuning.R, n) == close(moved)
    xi = moved * 2 * ROOT(3 * 4 * math.log(7 / 0.01)) / (3.0 / 7)
    assert tuning.xi == close(np.full(7, xi))
    assert (noiseless.M, *noiseless.xi) == (7, *[0.0] * 7)
