"""US's counterexamples by another method than that of their certificates."""

import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from dpbandits.kernel.problem import KernelSetting, problem_of
from dpbandits.reproduction.ledger.claims import get_claim
from dpbandits.reproduction.us import exact_arithmetic, theory
from dpbandits.reproduction.us.claims.sampled import share_of_all
from dpbandits.reproduction.us.studies import spectral


def test_theorem_8_2_counterexample_in_floating_point():
    """The bound of theory.py is below that of the certificate at every T."""
    setting = KernelSetting(norm=1.0, noise=0.0, lengthscale=1.25)  # B = 1, L_f = 0.8
    for horizon in (1, 1000, 10**6, 10**12):
        for gamma in (0.5 * math.log1p(horizon), math.log1p(horizon / 2)):
            known = {"F": math.sqrt(2), "grids": 2 * horizon}
            epsilon = 1e-5 * gamma / horizon
            terms = theory.error_rate_bound(setting, gamma, horizon, epsilon, 0.1, **known)
            assert sum(terms) <= get_claim("US-T4.1").sides()[1] < 0


def test_n1bar_counterexamples():
    cases = exact_arithmetic.n1bar_counterexamples()
    assert len(cases) == 4
    for case in cases:
        assert case["T"] > case["n1bar"]
        gamma = 0.5 * math.log1p(case["T"] / case["tau"])
        assert theory.proof_condition(gamma, case["T"], case["tau"], 0.01) > 0.25


def test_norms_of_lemma_6_1_by_their_definitions():
    setting = KernelSetting(kernel="cosine", grid=8)
    problem, spectrum = problem_of(setting), theory.spectrum_of(setting)
    rows = spectral.cosine_rows(setting, problem.points)
    average = (rows.T * problem.cell_law) @ rows
    assert np.abs(average - np.diag(spectrum.values)).max() < 1e-14  # Lambda is exact on midpoints
    operator, eigen, relative = spectral.norms_of(
        setting, spectrum, rows, 300, np.random.default_rng(0)
    )
    Z, K = spectral.draw_Z(problem, np.random.default_rng(0), 300)
    tilde = (rows.T * Z) @ rows / K + np.eye(64)
    product = np.linalg.inv(tilde) @ (300 * average + np.eye(64))
    assert operator == pytest.approx(np.linalg.svd(product - np.eye(64))[1][0], rel=1e-9)
    z = np.sqrt(np.linalg.inv(300 * average + np.eye(64)).diagonal())
    inside = np.linalg.eigvalsh(z[:, None] * tilde * z) - 1
    assert relative == pytest.approx(np.abs(inside).max(), rel=1e-9)
    assert eigen == pytest.approx(np.abs(np.linalg.eigvals(product) - 1).max(), rel=1e-9)


def test_interval_of_a_share_has_the_level_of_all_claims():
    """Two-sided: at its lower end as many are above with half the level."""
    rows = pd.DataFrame({"exceed": [30], "runs": [100], "delta": [0.1]})
    (point,) = share_of_all(rows).to_dict("records")
    assert binom.sf(29, 100, point["low"]) == pytest.approx(5e-7, rel=1e-6)
    assert binom.cdf(30, 100, point["high"]) == pytest.approx(5e-7, rel=1e-6)


def test_no_paper_has_a_level_of_its_own():
    """One LEVEL, that of statistics.py."""
    folder = Path(theory.__file__).parents[1]
    levels = re.compile(r"^LEVEL *= *1e-", re.MULTILINE)
    own = [path for path in folder.rglob("*.py") if levels.search(path.read_text())]
    assert [path.name for path in own] == ["statistics.py"]
