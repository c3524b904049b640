"""Renyi divergence and rho of zCDP, against sums in floating point, closed forms and known laws."""

import math
from itertools import product

import numpy as np
import pytest
from flint import arb
from plain import seeded
from scipy.integrate import quad

from dpbandits.audit import renyi
from dpbandits.audit.balls import lower, upper
from dpbandits.audit.laplace import LaplaceParams, LaplaceTarget, audit_laplace, calibrate_laplace
from dpbandits.audit.rnm import RnmParams, RnmTarget, audit_rnm, calibrate_rnm
from dpbandits.audit.selection import selection_probabilities
from dpbandits.core.errors import InputError
from dpbandits.core.mechanisms import BOUNDS, MECHANISMS


def divergence(p, q, alpha):
    return math.log(sum(a**alpha * b ** (1 - alpha) for a, b in zip(p, q, strict=True))) / (
        alpha - 1
    )


def rho_on_a_grid(p, q):
    """The largest D_alpha/alpha on a fine grid of alphas and at 1, over both directions."""
    alphas = 1 + np.geomspace(1e-5, 300, 20_001)
    found = 0.0
    for a, b in ((p, q), (q, p)):
        ratio = np.log(a) - np.log(b)
        terms = np.log(a)[:, None] + (alphas - 1) * ratio[:, None]
        top = terms.max(axis=0)
        cumulant = top + np.log(np.exp(terms - top).sum(axis=0))
        found = max(found, (cumulant / alphas / (alphas - 1)).max(), (a * ratio).sum())
    return found


@pytest.mark.parametrize("case", range(8))
def test_renyi_and_rho_of_random_laws(case):
    p, q = (seeded(5, case, i).dirichlet(np.full(4, 0.7)) + 1e-6 for i in range(2))
    p, q = p / p.sum(), q / q.sum()
    for alpha in (1.5, 2, 9):
        plain = max(divergence(p, q, alpha), divergence(q, p, alpha))
        assert upper(renyi.renyi_divergence(p, q, alpha)) == pytest.approx(plain, rel=1e-9)
    rho = renyi.rho(p, q)
    assert upper(rho) == pytest.approx(rho_on_a_grid(p, q), rel=1e-7)
    assert upper(rho) <= lower(rho) * (1 + 1e-8)


@pytest.mark.parametrize("epsilon", [0.1, 1, 5])
def test_randomised_response_has_rho_epsilon_tanh(epsilon):
    """Its KL divergence, which is below eps^2/2 (Bun and Steinke 2016)."""
    rho = renyi.rho(*renyi.response(arb(epsilon)))
    assert lower(rho) <= epsilon * math.tanh(epsilon / 2) * (1 + 1e-12)
    assert upper(rho) == pytest.approx(epsilon * math.tanh(epsilon / 2), rel=1e-7)


def test_an_impossible_outcome_and_equal_laws():
    assert not renyi.rho([1, 0], [0.5, 0.5]).is_finite()
    assert upper(renyi.rho([0.25, 0.75], [0.25, 0.75])) < 1e-80


@pytest.mark.parametrize(("scale", "alpha"), [(0.7, 2), (1.0, 1.25), (3.0, 20)])
def test_laplace_by_quadrature(scale, alpha):
    density = lambda x, at: math.exp(-abs(x - at) / scale) / (2 * scale)  # noqa: E731
    power = lambda x: density(x, 0) ** alpha * density(x, 1) ** (1 - alpha)  # noqa: E731
    total = sum(quad(power, *ends)[0] for ends in ((-60, 0), (0, 1), (1, 60)))
    audited = audit_laplace(LaplaceParams(scale=scale, releases=2), (), (alpha,))
    assert audited.renyi_at[alpha] == pytest.approx(2 * math.log(total) / (alpha - 1), rel=1e-6)


@pytest.mark.parametrize("noise", ["laplace", "exponential", "gumbel"])
@pytest.mark.parametrize("adjacency", ["replace", "add-remove"])
@pytest.mark.parametrize(("arms", "rounds"), [(2, 4), (3, 2)])
def test_rnm_against_all_pairs(noise, adjacency, arms, rounds):
    scale = 0.8
    counts = list(product(range(rounds + 1), repeat=arms))
    law = {c: np.array(list(map(float, selection_probabilities(c, scale, noise)))) for c in counts}
    found, at_2 = 0.0, 0.0
    for before, after in product(counts, repeat=2):
        moves = {b - a for a, b in zip(before, after, strict=True)}
        if moves <= {-1, 0, 1} and (adjacency == "replace" or len({0, *moves}) <= 2):
            found = max(found, rho_on_a_grid(law[before], law[after]))
            at_2 = max(at_2, divergence(law[before], law[after], 2))
    keys = {"scale": scale, "arms": arms, "rounds": rounds, "adjacency": adjacency, "noise": noise}
    audited = audit_rnm(RnmParams(**keys), (), (2,))
    assert audited.method == "certified"
    assert audited.rho_at_least == pytest.approx(found, rel=1e-7)
    assert audited.rho_at_most == pytest.approx(found, rel=1e-7)
    assert audited.renyi_at[2] == pytest.approx(at_2, rel=1e-9)


@pytest.mark.parametrize("noise", ["laplace", "exponential", "gumbel"])
def test_bounds_of_many_arms_hold_what_few_arms_lose(noise):
    keys = {"scale": 1.5, "adjacency": "replace", "noise": noise, "rounds": 40}
    many = audit_rnm(RnmParams(arms=12, **keys), (), (2,))
    few = audit_rnm(RnmParams(arms=2, **keys), (), (2,))
    assert many.method == "bound"
    assert few.rho_at_least <= many.rho_at_least * (1 + 1e-4) <= many.rho_at_most * (1 + 1e-4)
    assert few.renyi_at[2] <= many.renyi_at[2]


def test_permute_and_flip_is_not_concentrated_as_the_exponential_mechanism():
    """With little loss its rho is four times eta^2/8; Gumbel noise stays below it."""
    for noise, times in (("gumbel", 1.0), ("exponential", 4.0), ("laplace", 1.0)):
        keys = {"scale": 50, "arms": 2, "rounds": 3, "adjacency": "replace", "noise": noise}
        bound = BOUNDS.get("rnm").compute(RnmParams(**keys), (), (2,)).rho
        assert bound["found"] == pytest.approx(times * bound["exponential_mechanism"], rel=0.02)
        assert bound["at_most"] < bound["any_pure_DP"]
        assert (bound["found"] > bound["exponential_mechanism"]) == (noise == "exponential")


@pytest.mark.parametrize(
    ("calibrate", "params", "audit"),
    [
        (calibrate_laplace, LaplaceTarget(releases=3), audit_laplace),
        (calibrate_rnm, RnmTarget(arms=2, rounds=5, adjacency="replace"), audit_rnm),
        (calibrate_rnm, RnmTarget(arms=9, rounds=50, adjacency="replace", noise="gumbel"), None),
    ],
)
def test_calibrated_to_a_rho(calibrate, params, audit):
    result = calibrate(params, target_rho=0.2)
    assert 0.2 * (1 - 1e-4) < result.audited.rho_at_most <= 0.2
    if audit:  # a little less noise is not enough
        keys = params.model_dump() | {"scale": 0.999 * result.noise["scale"]}
        model = {audit_laplace: LaplaceParams, audit_rnm: RnmParams}[audit]
        assert audit(model(**keys), (), (2,)).rho_at_least > 0.2


def test_an_audit_without_renyi_divergence_refuses_an_alpha():
    entry = MECHANISMS.get("niht")
    with pytest.raises(InputError, match="no audit of Renyi"):
        entry.compute(entry.params(**entry.examples[0]), (), (2,))
