"""Claims, bounds and figures: certificates against plain numbers, and checks that can refute."""

import math

import numpy as np
import pandas as pd
import pytest

from dpbandits.core.files import write_csv
from dpbandits.core.ledger import claims, get_claim
from dpbandits.kernel import theory
from dpbandits.kernel.engine import certificates
from dpbandits.kernel.problem import KernelSetting, problem_of
from dpbandits.kernel.studies import spectral
from dpbandits.pipeline import jobs
from dpbandits.pipeline.config import read_yaml
from dpbandits.pipeline.figures import figures
from dpbandits.pipeline.ledger import check_claims
from dpbandits.pipeline.plan import Plan

IDS = ["L3.1", "L4.2", "L4.3", "L4.4", "N1", "L6.2", "L7.1", "L7.2", "T7.3", "L8.1", "T4.1"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """All tables of this paper at scale smoke."""
    out = tmp_path_factory.mktemp("us") / "tables"
    config = read_yaml("config/config.yaml") | {"papers": ["us"], "scale": "smoke"}
    plan = Plan.load(config)
    for name in plan.papers["us"].experiments:
        parts = [jobs.simulate(job) for job in plan.jobs_of("us", name)]
        labels = jobs.label_columns(plan.jobs_of("us", name)[0])
        write_csv(jobs.summarise(parts, labels), out / f"{name}.csv")
    for name, config in plan.papers["us"].studies.items():
        write_csv(jobs.compute_study(f"us/{name}", plan.params(config)), out / f"{name}.csv")
    return out


def test_every_claim_has_a_verdict_at_smoke_scale(folder):
    ours = [id for id in claims() if id.startswith("US-")]
    assert sorted(ours) == sorted(f"US-{id}" for id in IDS)
    rows = check_claims(ours, folder)[0].set_index("id")["verdict"]
    assert {rows[f"US-{id}"] for id in ("L3.1", "L4.2", "L7.2", "T7.3", "L8.1")} == {"holds"}
    assert {rows[f"US-{id}"] for id in ("N1", "L6.2", "T4.1")} == {"violated"}


def test_every_figure_draws(folder):
    """Made, not rendered: the pipeline's own tests write the files."""
    ours = [f for f in figures().values() if f.paper == "us" and f.folder == "tables"]
    for entry in ours:
        drawing = entry.make(lambda name: pd.read_csv(folder / f"{name}.csv"))
        assert len(drawing.data) > 0
        assert len(drawing.we_see) > 40
    assert len(ours) == 9


def altered(folder, name, **columns):
    def tables(asked):
        table = pd.read_csv(folder / f"{asked}.csv")
        return table.assign(**columns) if asked == name else table

    return tables


@pytest.mark.parametrize(
    ("id", "table", "columns", "verdict"),
    [
        ("US-L7.2", "privacy", {"loss_over_epsilon": 1.01}, "untestable"),
        ("US-L4.2", "privacy", {"sensitivity_over_bound": 1.01}, "untestable"),
        ("US-L7.1", "gamma", {"runs": 100, "exceed": 60}, "rejected"),
        ("US-L4.3", "estimation_error", {"runs": 100, "exceed": 60}, "rejected"),
        ("US-L4.4", "spectral", {"exceed": 0, "condition": 0.1, "n1bar": 1.0}, "consistent"),
        ("US-L4.4", "spectral", {"exceed": 30, "condition": 0.1, "n1bar": 1.0}, "rejected"),
        ("US-L4.4", "spectral", {"condition": 0.9}, "untestable"),
    ],
)
def test_checks_can_go_either_way(folder, id, table, columns, verdict):
    assert get_claim(id).check(altered(folder, table, **columns)).verdict == verdict


@pytest.mark.parametrize("printed", ["statement", "proof"])
def test_lemma_6_2_counterexample_by_simulation(printed):
    """The printed formulas at 4,000 random (x_1, z): more than 1/9 - 5 se are above the bound."""
    found = certificates.lemma_6_2_counterexample(printed)
    b, tau, delta = found["B"], found["tau"], found["delta"]
    rng = np.random.default_rng(0)
    c, s = np.cos(np.pi * rng.random(4000)), np.cos(np.pi * rng.random(4000))
    k = lambda u, v: (1 + u * v) / 2  # noqa: E731
    y = b * k(1, c)
    gamma = 0.5 * math.log1p(1 / tau)
    assert math.ceil(1 / gamma) == 1  # K
    mubar = (k(1, c) - k(1, s) * k(s, c) / (tau + k(s, s))) * y / tau
    mu = k(1, c) * y / (tau + k(c, c))
    bound = theory.beta_1(delta, b, math.sqrt(2), 0.0, tau, printed) * math.sqrt(gamma)
    assert bound == pytest.approx(found["bound"], rel=1e-6)
    share = np.mean(np.abs(mu - mubar) > bound)
    assert share > 1 / 9 - 5 * math.sqrt(1 / 9 * 8 / 9 / 4000)
    assert share > delta


def test_theorem_8_2_counterexample_in_floating_point():
    """theory.py, written from the paper apart from the certificate, is negative there as well."""
    for horizon in (1000, 10**6):
        found = certificates.theorem_8_2_is_negative(horizon)
        gamma = 0.5 * math.log1p(horizon)  # the certificate's lower end
        setting = KernelSetting(norm=1.0, noise=0.0, lengthscale=2 / math.pi)  # L_f = pi/2
        bound = theory.error_rate_bound(
            setting, gamma, horizon, found["epsilon"], 0.1, math.sqrt(2), horizon**2
        )
        assert bound.total < 0
        assert bound.second == pytest.approx(found["bound"], rel=1e-3)


def test_n1bar_counterexamples_use_the_printed_forms():
    forms = theory.n1bar_forms(2.0, 1.0, math.sqrt(2), 0.01)
    found = certificates.n1bar_counterexamples()
    assert len(found) == 4
    for case, value in zip(found, forms.values(), strict=True):
        assert case["n1bar"] == pytest.approx(value, rel=1e-3)
        assert case["T"] > value
        gamma = 0.5 * math.log1p(case["T"] / case["tau"])
        assert theory.proof_condition(gamma, case["T"], case["tau"], 0.01) > 0.25


def test_spectral_norm_by_definition():
    """sup |(Z~^-1 Z - Id) g| over the unit ball in Euclidean coordinates, on a dense example."""
    setting = KernelSetting(kernel="cosine", grid=8)
    problem, spectrum = problem_of(setting), theory.spectrum_of(setting)
    rows = spectral.cosine_rows(setting, problem.points)
    average = (rows.T * problem.cell_law) @ rows
    assert np.abs(average - np.diag(spectrum.values)).max() < 1e-14  # Lambda is exact on midpoints
    operator, eigen = spectral._norms(setting, spectrum, rows, 300, np.random.default_rng(0))
    fresh, multiple = spectral.estimator.draw_fresh(problem, np.random.default_rng(0), 300)
    tilde = (rows.T * fresh) @ rows / multiple + np.eye(64)
    product = np.linalg.inv(tilde) @ (300 * average + np.eye(64))
    assert operator == pytest.approx(np.linalg.svd(product - np.eye(64))[1][0], rel=1e-9)
    assert eigen == pytest.approx(np.abs(np.linalg.eigvals(product) - 1).max(), rel=1e-9)


def test_numeric_spectrum_agrees_with_the_exact_one():
    setting = KernelSetting(kernel="cosine", grid=9, dim=1)
    exact = theory.spectrum_of(setting)
    law = np.sqrt(problem_of(setting).cell_law)
    points = problem_of(setting).points
    dense = law[:, None] * theory.kernel_matrix(setting, points, points) * law
    assert np.abs(np.linalg.eigvalsh(dense)[::-1] - exact.values).max() < 1e-14


def test_lipschitz_constants_bound_the_drawn_functions():
    for kernel in ("se", "matern32", "matern52", "cosine"):
        setting = KernelSetting(kernel=kernel, grid=60)
        slope = np.abs(np.diff(problem_of(setting).values, axis=0)).max() * 60
        assert 0.05 * theory.lipschitz(setting) < slope <= theory.lipschitz(setting)
