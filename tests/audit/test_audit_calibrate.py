"""Calibrated noise meets its target when audited again, and less noise does not."""

import pytest

from dpbandits.audit import exponential, laplace, niht, peeling, rnm
from dpbandits.core.errors import InputError
from dpbandits.core.mechanisms import CALIBRATORS
from dpbandits.core.models import parse

TARGETS = [(1.0, 0.0), (0.7, 0.01)]


def delta_or_pure(loss, epsilon, delta):
    return loss.delta_at[epsilon] - delta if delta > 0 else loss.pure_epsilon - epsilon


@pytest.mark.parametrize(("epsilon", "delta"), TARGETS)
@pytest.mark.parametrize("arms", [2, 3, 12])
@pytest.mark.parametrize("adjacency", ["replace", "add-remove"])
def test_rnm(arms, adjacency, epsilon, delta):
    sizes = {"arms": arms, "rounds": 8, "adjacency": adjacency}
    found = rnm.calibrate_rnm(rnm.RnmTarget(**sizes), epsilon, delta)
    scale = found.noise["scale"]
    again = rnm.audit_rnm(rnm.RnmParams(scale=scale, **sizes), [epsilon])
    less = rnm.audit_rnm(rnm.RnmParams(scale=scale * 0.99, **sizes), [epsilon])
    assert delta_or_pure(again, epsilon, delta) <= 0 < delta_or_pure(less, epsilon, delta)
    assert found.audited_epsilon <= epsilon
    assert found.audited.method == again.method or delta == 0


def test_report_noisy_max_needs_twice_the_noise_under_replacement():
    sizes = {"arms": 5, "rounds": 10**6}
    for adjacency, factor in (("replace", 2), ("add-remove", 1)):
        target = rnm.RnmTarget(adjacency=adjacency, **sizes)
        scale = rnm.calibrate_rnm(target, 0.5).noise["scale"]
        assert scale == pytest.approx(factor / 0.5, rel=1e-5)


@pytest.mark.parametrize(("epsilon", "delta"), TARGETS)
@pytest.mark.parametrize("releases", [1, 6])
def test_laplace(releases, epsilon, delta):
    found = laplace.calibrate_laplace(
        laplace.LaplaceTarget(sensitivity=2.0, releases=releases), epsilon, delta
    )
    keys = {"sensitivity": 2.0, "releases": releases}
    for factor, passes in ((1.0, True), (1 - 1e-5, False)):
        params = laplace.LaplaceParams(scale=found.noise["scale"] * factor, **keys)
        loss = laplace.audit_laplace(params, [epsilon])
        assert (delta_or_pure(loss, epsilon, delta) <= 0) is passes
    assert found.audited_epsilon == pytest.approx(epsilon, rel=1e-4)


def test_laplace_at_pure_target_is_sensitivity_over_epsilon():
    found = laplace.calibrate_laplace(laplace.LaplaceTarget(sensitivity=3.0), 0.5)
    assert found.noise["scale"] == pytest.approx(6.0, rel=1e-9)
    assert found.audited_epsilon <= 0.5


def test_exponential_gains_from_delta():
    target = exponential.ExponentialTarget(actions=10)
    assert exponential.calibrate_exponential(target, 0.8).noise["epsilon"] == pytest.approx(0.8)
    relaxed = exponential.calibrate_exponential(target, 0.8, 0.01).noise["epsilon"]
    assert relaxed > 0.8
    assert float(exponential.delta(relaxed, 0.8)) == pytest.approx(0.01, rel=1e-4)


@pytest.mark.parametrize(("epsilon", "delta"), TARGETS)
@pytest.mark.parametrize(("s", "d"), [(1, 2), (4, 4), (5, 100)])
def test_peeling(s, d, epsilon, delta):
    target = peeling.PeelingTarget(s=s, d=d)
    found = peeling.calibrate_peeling(target, epsilon, delta)
    for factor, passes in ((1.0, True), (0.999, False)):
        loss = peeling.audit_upper(
            peeling.arb(1 / (found.noise["scale"] * factor)), s, d, [epsilon]
        )
        slack = delta_or_pure(loss, epsilon, delta)
        assert (slack <= 1e-9) is passes


def test_niht():
    sizes = {
        "x_max": 3.0,
        "reward_clip": 12.0,
        "b_max": 3.5,
        "n": 1024,
        "d": 50,
        "steps": 3,
        "s": 4,
    }
    target = niht.NihtTarget(**sizes)
    pure = niht.calibrate_niht(target, 1.0)
    relaxed = niht.calibrate_niht(target, 1.0, 0.01)
    assert pure.audited.pure_epsilon <= 1.0
    assert relaxed.audited.delta_at[1.0] <= 0.01
    assert relaxed.noise["scale"] < pure.noise["scale"]


@pytest.mark.parametrize(("epsilon", "delta"), [(0.0, 0.0), (1.0, 1.0), (1.0, -0.1)])
def test_wrong_targets(epsilon, delta):
    with pytest.raises(InputError):
        laplace.calibrate_laplace(laplace.LaplaceTarget(), epsilon, delta)


NIHT = {"x_max": 3, "reward_clip": 12, "b_max": 3.5, "n": 4096, "d": 40, "steps": 2, "s": 5}


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("laplace", {"releases": 20}),
        ("rnm", {"arms": 2, "rounds": 64, "adjacency": "replace"}),
        ("rnm", {"arms": 3, "rounds": 4, "adjacency": "replace"}),
        ("rnm", {"arms": 30, "rounds": 4, "adjacency": "add-remove"}),
        ("peeling", {"s": 2, "d": 3}),
        ("niht", NIHT),
    ],
)
def test_a_large_delta_asks_for_little_noise_however_small_epsilon_is(name, keys):
    """The pure noise for eps = 1e-6 is a million times that of eps = 1; with delta = 0.3, no."""
    entry = CALIBRATORS.all()[name]
    params = parse(entry.params, keys, "test")
    tiny, small = (entry.compute(params, epsilon, 0.3).noise["scale"] for epsilon in (1e-6, 0.01))
    assert small * (1 - 1e-4) <= tiny <= 1.1 * small


def test_an_epsilon_out_of_reach_is_one_line():
    entry = CALIBRATORS.all()["exponential"]
    with pytest.raises(InputError, match="epsilon = 600"):
        entry.compute(entry.params(), 600.0, 0.0)
