"""FL's studies by hand: what parameters allow, rows, errors, fresh instances."""

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from flint import arb

from dpbandits.audit.peeling import delta_upper
from dpbandits.core.algorithms import get_study
from dpbandits.core.streams import Streams, key_of
from dpbandits.sparse import presets, problem, sa_lasso, theory
from dpbandits.sparse.engine import certificates
from dpbandits.sparse.problem import SparseSetting
from dpbandits.sparse.studies import bounds as bounds_study
from dpbandits.sparse.studies import constants, estimation, fresh_instances, privacy

E = math.e
ROOT = math.sqrt
close = pytest.approx

SIZES = ("n", "d", "sparsity", "true_sparsity")
FRESH = {"instances": 2, "seeds": 1, "horizon": 1, "d": 10}
ENDS = [  # of a study's parameters: what is just allowed, and just refused
    (
        bounds_study.Params,
        {"d": [2], "n": 1, "epsilon": 1e-9, "factors": [1e-9]},
        {"d": [1], "n": 0, "epsilon": 0.0, "factors": [0.0]},
    ),
    (constants.Params, {"epsilon": 1e-9, "episodes": 2}, {"epsilon": 0.0, "episodes": 1}),
    (
        estimation.Params,
        dict.fromkeys(SIZES, 1) | {"epsilon": 1e-9, "runs": 2},
        dict.fromkeys(SIZES, 0) | {"epsilon": 0.0, "runs": 1},
    ),
    (
        fresh_instances.Params,
        FRESH | {"series": ["x"], "epsilon": [1e-9]},
        {key: value - 1 for key, value in FRESH.items()} | {"series": [], "epsilon": [0.0]},
    ),
    (privacy.Params, {"d": 2, "n": 3, "epsilon": [1e-9]}, {"d": 1, "n": 2, "epsilon": [0.0]}),
    (
        sa_lasso.LassoSetting,
        {"lambda_0": 1e-9, "refit_every": 1},
        {"lambda_0": 0.0, "refit_every": 0},
    ),
]


@pytest.mark.parametrize(("model", "inside", "outside"), ENDS)
def test_ends_of_what_parameters_allow(model, inside, outside):
    model(**inside)
    for key, value in outside.items():
        with pytest.raises(ValueError, match=key):
            model(**inside | {key: value})


def test_rows_of_the_study_of_constants():
    table = get_study("fl/constants").table({"epsilon": 2.0, "episodes": 7})
    assert list(table["preset"].unique()) == ["printed", "released", "corrected", "zcdp"]
    assert list(table["n"][:7]) == [1, 2, 4, 8, 16, 32, 64]
    assert np.isnan(table["scale"][0])  # floor(1.6 ln 1) steps: none
    row = table[(table["preset"] == "released") & (table["n"] == 64)].iloc[0]
    how = presets.tuning(SparseSetting(), 2.0, 64)
    assert (row["steps"], row["clip"], row["scale"]) == (1, how.clip, how.scales[0])
    assert row["lead"] == close(2 * 1e-4 * 0.74843 / (how.scales[0] * math.log(400)))


def test_rows_of_the_study_of_bounds():
    """P(|g| > x) = erfc(x/sqrt 2); a row of d is clipped with 1 - (1 - p)^d at most."""
    table = get_study("fl/bounds").table(
        {"d": [50, 400], "n": 4096, "epsilon": 1.0, "factors": [0.5, 2.0]}
    )
    assert len(table) == 8
    row = table[(table["varied"] == "x_max") & (table["d"] == 50)].iloc[0]
    x, b = 0.5 * ROOT(2 * math.log(50)), 3.43622
    assert (row["factor"], row["x_max"], row["b_max"]) == (0.5, close(x), close(b))
    p = math.erfc(x / ROOT(2))
    assert row["clipped_entries"] == close(p)
    assert row["clipped_rows"] == close(1 - (1 - p) ** 50)
    own = bounds_study.Tuned(d=50, preset="corrected", x_factor=0.5)
    how = presets.tuning(own, 1.0, 4096)
    assert row["lead"] == close(2e-4 * 0.74843 / (how.scales[0] * math.log(50)))
    beta = np.array(problem.PUBLISHED_BETA[5])
    sd = ROOT(beta @ problem.covariance(SparseSetting(d=5, sparsity=5)) @ beta + 0.01)
    assert row["clipped_rewards"] == close(math.erfc(how.clip / sd / ROOT(2)))
    wide = table[(table["varied"] == "b_max") & (table["d"] == 400)].iloc[1]
    assert (wide["factor"], wide["b_max"]) == (2.0, close(2 * b))
    assert wide["x_max"] == close(ROOT(2 * math.log(400)))


def test_epsilons_that_accounts_grant():
    """The least eps, by the account of zCDP or of composition, at the ratio of the worst step."""
    own = SparseSetting(preset="zcdp", steps_factor=0.3, sparsity=3)
    how = presets.tuning(own, 2.0, 4096)
    assert how.steps == 2
    assert privacy.accounted_epsilon(own, how, 4096) == close(2.0, rel=1e-9)
    own = own.model_copy(update={"preset": "corrected"})
    how = presets.tuning(own, 2.0, 4096)
    assert privacy.accounted_epsilon(own, how, 4096) == close(2.0, rel=1e-6)
    # printed noise: in one step 4 x_max R eta/n over xi
    own = SparseSetting(preset="printed", sparsity=3)
    how = presets.from_text(own, 2.0, 4096, 1, 5.0)
    ratio = own.step_size / 4096 * 4 * own.x_max * 5.0 / how.scales[0]
    found = privacy.accounted_epsilon(own, how, 4096)
    assert float(delta_upper(arb(ratio), 3, 400, found * (1 + 1e-9))) <= 0.01
    assert float(delta_upper(arb(ratio), 3, 400, found * (1 - 1e-6))) > 0.01


def test_rows_of_the_study_of_privacy(monkeypatch):
    """Certified only for one step, and not for zcdp."""
    monkeypatch.setattr(privacy, "accounted_epsilon", lambda *_: 7.0)
    table = get_study("fl/privacy").table({"d": 40, "n": 4096, "epsilon": [1.0]})
    rows = table.set_index("preset")
    assert list(rows.index) == ["printed", "released", "corrected", "zcdp"]
    assert list(rows["steps"]) == [13, 1, 1, 1]
    assert list(np.isnan(rows["certified_low"])) == [True, False, False, True]
    own = SparseSetting(d=40)
    how = presets.tuning(own, 1.0, 4096)
    best = max(e.epsilon(0.01) for e in certificates.flipped_reward(own, how, 4096))
    assert rows.loc["released", "certified_low"] == best
    assert rows.loc["released", "scale"] == how.scales[0]
    assert set(rows["account_high"]) == {7.0}


def test_rows_of_the_study_of_estimation(monkeypatch):
    """One factor at a time; without privacy eps does not move; s is never below its half."""
    asked = []

    def errors(point, private):
        asked.append((point.n, point.sparsity, point.d, point.epsilon, private))
        return np.array([1.0, 3.0, 5.0])

    monkeypatch.setattr(estimation, "squared_errors", errors)
    base = {"n": 1000, "d": 400, "sparsity": 12, "true_sparsity": 5, "epsilon": 2.0, "runs": 3}
    table = get_study("fl/estimation").table(base)
    factors, fewer = (0.25, 0.5, 1, 2, 4), (0.5, 1, 2, 4)
    statistical = [
        *((int(1000 * f), 12, 400, 2.0, False) for f in factors),
        *((1000, int(12 * f), 400, 2.0, False) for f in fewer),
        *((1000, 12, int(400 * f), 2.0, False) for f in factors),
    ]
    private = [(*row[:-1], True) for row in statistical]
    assert asked == [*statistical, *private, *((1000, 12, 400, 2.0 * f, True) for f in factors)]
    row = table[(table["term"] == "private") & (table["varied"] == "epsilon")].iloc[4]
    assert (row["value"], row["mean"], row["runs"]) == (8.0, 3.0, 3)
    assert row["sem"] == close(2 / ROOT(3))
    point = estimation.Params(**base | {"epsilon": 8.0})
    own = estimation.setting_of(point)
    assert (own.d, own.sparsity, own.true_sparsity, own.preset) == (400, 12, 5, "printed")
    assert own.step_size == close(1 / 6)
    assert estimation.HIGH == 3
    assert close(1.8 / 1.1) == estimation.LOW
    kappa = 3 / (1.8 / 1.1)
    terms = theory.estimation_terms(1000, 12, 5, 400, 8.0, 0.01, 0.1, kappa, 1.8 / 1.1)
    assert row["printed"] == close(sum(terms))
    again = theory.repaired_estimation_bound(own, 1000, 8.0, 1.8 / 1.1, kappa)
    assert row["repaired"] == close(again)
    free = table[(table["term"] == "statistical") & (table["varied"] == "n")].iloc[2]
    assert free["printed"] == close(terms[0])


def test_what_an_error_is_measured_on(monkeypatch):
    """Rewards X beta* (+ noise) of n lazy rows; the squared distance of the estimate to beta*."""
    keys = {"d": 4, "sparsity": 3, "beta": (0.9, -0.5), "preset": "printed", "rho": 0.0}
    own, seen = SparseSetting(**keys, step_size=1 / 6), []

    def niht(rng, episode, how, noise_of):
        seen.append((how, episode.setting, list(episode.where), episode.rewards))
        left = episode.rewards - episode.scores[0]
        assert len(left) == 40
        assert np.std(left) == close(0.1, rel=0.4)  # sigma
        assert noise_of(0).release(3).shape == (3,)
        return own.signal + np.array([1.0, 0.0, -2.0, 0.0])

    monkeypatch.setattr(estimation, "niht", niht)
    streams = Streams(5, (0, 1))
    assert [estimation._one(own, 2.0, 40, streams, i) for i in (1, 1, 0)] == close([5, 5, 5])
    assert seen[0][:3] == (presets.tuning(own, 2.0, 40), own, [0, 1])
    same = [list(row[3]) == list(seen[0][3]) for row in seen]
    assert same == [True, True, False]


def test_errors_have_streams_of_their_point(monkeypatch):
    base = {"n": 50, "d": 20, "sparsity": 3, "true_sparsity": 2, "epsilon": 2.0, "runs": 2}
    point, seen = estimation.Params(**base), []
    monkeypatch.setattr(estimation, "_one", lambda *given: seen.append(given) or float(len(seen)))
    assert list(estimation.squared_errors(point, True)) == [1, 2]
    assert list(estimation.squared_errors(point, False)) == [3, 4]
    for (own, epsilon, n, streams, i), private in zip(seen, (1, 1, 0, 0), strict=True):
        assert own == estimation.setting_of(point)
        assert (epsilon, n) == (2.0 if private else math.inf, 50)
        assert streams == Streams(key_of("fl/estimation", point, bool(private)), (0, 1))
        assert i in (0, 1)
    assert [given[4] for given in seen] == [0, 1, 0, 1]


def test_fresh_instances_have_signals_of_their_kind_and_number(monkeypatch):
    """Each learner's regret over that of the random arm; what is not private runs at infinity."""
    seen = []

    def regret(params, name, setting, epsilon):
        seen.append((name, setting, epsilon))
        return {"random-arm": 4.0, "dp-signs": 1.0, "sa-lasso": 3.0}[name]

    monkeypatch.setattr(fresh_instances, "_regret", regret)
    series = ["dp-signs", {"id": "l", "name": "sa-lasso", "with": {"lambda_0": 2.0}}]
    keys = {"instances": 2, "seeds": 1, "horizon": 9, "d": 30, "epsilon": [0.5], "series": series}
    table = get_study("fl/fresh_instances").table(keys)
    assert list(table["mean"]) == [0.25, 0.75] * 3
    assert list(table["kind"].unique()) == ["alike", "uneven", "noisy"]
    assert list(table["best"]) == [1.0, 0.0] * 3
    place = iter(seen)
    for kind, (sizes, more) in fresh_instances.KINDS.items():
        for i in range(2):
            rng = Streams(key_of("fl/fresh_instances", kind), (i,)).generator(0)
            count = int(rng.integers(3, 9))
            beta = np.round(sizes(rng, count) * rng.choice([-1.0, 1.0], count), 5).tolist()
            setting = {"d": 30, "beta": beta, **more}
            assert 3 <= count <= 8
            assert next(place) == ("random-arm", setting, math.inf)
            assert next(place) == ("dp-signs", setting, 0.5)
            assert next(place) == ("sa-lasso", setting | {"lambda_0": 2.0}, math.inf)
    runs = []
    monkeypatch.undo()
    answer = SimpleNamespace(regret=np.array([[1.0], [2.0]]))
    monkeypatch.setattr(fresh_instances, "run", lambda *given: runs.append(given) or answer)
    params = SimpleNamespace(seeds=2, horizon=9)
    assert fresh_instances._regret(params, "x", {"d": 3}, 0.5) == 1.5
    assert runs == [("x", {"d": 3}, 0.5, 9, range(2), [9])]


def test_a_summary_of_fresh_instances_by_hand():
    rows = [("k", 0, 1.0, "a", 2.0), ("k", 0, 1.0, "b", 1.0), ("k", 0, 1.0, "free", 0.1)]
    rows += [("k", 1, 1.0, "a", 4.0), ("k", 1, 1.0, "b", 4.0), ("k", 1, 1.0, "free", 5.0)]
    data = pd.DataFrame(rows, columns=["kind", "instance", "epsilon", "algorithm", "share"])
    table = fresh_instances._summary(data, ["a", "b"]).set_index("algorithm")
    assert list(table["mean"]) == [3, 2.5, 2.55]
    assert list(table["worst"]) == [4, 4, 5]
    assert list(table["best"]) == [0.5, 1, 0.5]  # ties count; below the private ones counts
    assert table.loc["a", "low"] == close(3 - 1.96)  # sem: sqrt(2)/sqrt(2)
    assert table.loc["a", "high"] == close(3 + 1.96)
    assert set(table["instances"]) == {2}


def test_which_series_promise_something_finite_and_true():
    series = [
        SimpleNamespace(id=n, name=n, with_=w)
        for n, w in (
            ("fliphat", {"preset": "released"}), ("fliphat", {"preset": "zcdp"}),
            ("sa-lasso", {}), ("dp-signs", {}),
        )
    ]  # fmt: skip
    assert [fresh_instances._is_private(s) for s in series] == [False, True, False, True]


def test_kinds_of_fresh_signals():
    """alike: [1/2, 1]; uneven: logarithms uniform in [-1, 0]; noisy: alike, another setting."""
    for kind, (low, high), middle in (
        ("alike", (0.5, 1), 0.75), ("uneven", (0.1, 1), 10**-0.5), ("noisy", (0.5, 1), 0.75),
    ):  # fmt: skip
        sizes, more = fresh_instances.KINDS[kind]
        drawn = sizes(np.random.default_rng(1), 4001)
        assert low <= drawn.min() < 1.01 * low
        assert 0.99 * high < drawn.max() <= high
        assert np.median(drawn) == close(middle, rel=0.05)
        assert more == ({"sigma": 1.0, "rho": 0.5} if kind == "noisy" else {})
