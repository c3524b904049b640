"""What learners are told in public, what they tell, and what they warn of: arms that can be played,
suggestions, probabilities, ranges of contexts, delta, what several learners lose together."""

import math
import re
import warnings

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta
from test_learner import DEPLOYED, PRIVATE, World, learner, state

import dpbandits as dp
from dpbandits.audit.replayed.functions import FunctionParams, audit_function
from dpbandits.core.algorithms import get_algorithm
from dpbandits.core.gaussian import delta_of, largest_rho
from dpbandits.core.port import SimulatedNoise
from dpbandits.sparse.dp_linear import DpLinear, LinearProblem
from dpbandits.stochastic.thompson import chance_of_largest

JOINT = [name for name in PRIVATE if get_algorithm(name).notion.joint]
PLAIN = [name for name in DEPLOYED if name not in JOINT]
GROWING = ("na-imed", "dp-imed", "dp-klucb", "lazy-dp-ts", "adap-ucb", "anytime-lazy-ucb")


# --- arms that can be played --------------------------------------------------------------------
@pytest.mark.parametrize("name", JOINT)
def test_a_joint_learner_refuses_arms_that_may_depend_on_actions(name):
    one, world = learner(name), World(name)
    before = state(one)
    for call in (
        lambda: one.act(*world.context(0), allowed=[0]),
        lambda: one.suggest(*world.context(0), allowed=[0]),
        lambda: one.retire(0),
    ):
        with pytest.raises(dp.InputError, match="public" if name != "usca" else "usca"):
            call()
    assert (state(one), one.rounds, one.retired) == (before, 0, [])
    assert "actions" in one.privacy.arms
    if name != "usca":
        public = learner(name, allowed_by="public")
        assert public.act(*world.context(0), allowed=[1]) == 1


def sold_out(stock):
    """Two people, after a first estimate; the second sees what is left. `stock`: whether arm 0 is
    gone because somebody has taken it, or because it is gone for everybody."""

    def second(contexts, generator):
        setting = LinearProblem(arms=3, d=1, delta=1e-6)
        one = DpLinear(setting, 1.0, SimulatedNoise(generator), generator)
        one.episode, one.theta = 1, np.array([[0.0, 1.0], [0.1, 0.0], [0.0, 0.0]])
        first = one.act(np.array([contexts[0]]))
        taken = first == 0 if stock == "taken" else True
        return one.act(np.array([1.0]), allowed=[1, 2] if taken else [0, 1, 2])

    return second


def test_what_is_sold_out_shows_a_context_to_the_next_person():
    """The replay audit: the second action moves with the first person's context."""
    params = FunctionParams(epsilon=100.0, data=[1.0], neighbour=[-1.0])
    broken = audit_function(sold_out("taken"), params)
    assert broken.refuted
    kept = audit_function(sold_out("public"), params)
    assert not kept.refuted
    assert not kept.suspected


@pytest.mark.parametrize("name", ["na-imed", "dp-imed"])
@pytest.mark.parametrize("how", ["retire", "allowed"])
def test_without_the_best_arm_the_best_of_the_others_is_played(name, how):
    """mu* is that of the arms that can be played, and they have a phase of their own: the index is
    computed once a phase. Of 2,000 plays, over four seeds: the mean share, of dp-imed the median,
    since it may believe in a bad start for ten thousand rounds."""
    share, computed = [], 0
    for seed in range(4):
        one, rng = learner(name, epsilon=1.0, seed=seed), np.random.default_rng(seed)
        options = {}
        for t in range(4000):
            if t == 1000:
                options = {"allowed": [0, 1]} if how == "allowed" else {}
                if how == "retire":
                    one.retire(2)
            if t == 2000:
                before, index = list(one.plays), one.algorithm.index
                count = []
                one.algorithm.index = lambda index=index, count=count: (count.append(1), index())[1]
            action = one.act(**options)
            one.update(float(rng.random() < [0.3, 0.6, 0.9][action]))
        share.append((one.plays[1] - before[1]) / 2000)
        computed += len(count)
    assert (np.mean if name == "na-imed" else np.median)(share) > 0.95
    assert computed < 4 * 300


@pytest.mark.parametrize("name", [n for n in DEPLOYED if n != "usca"])
def test_a_retired_arm_is_not_played_again(name):
    """Its rewards that are late still count; the last arm stays; another process sees it."""
    one, world = learner(name, delay=3, allowed_by="public"), World(name)
    played = []
    for t in range(60):
        if t == 20:
            one.retire(1)
            one.retire(1)
        played.append(one.act(*world.context(t), allowed=[0, 1] if t % 7 == 6 else None))
        one.update(world.reward(t, played[-1]), played[-1].ticket)
    assert 1 not in played[20:]
    assert one.suggest(*world.context(0)) != 1
    if name in PLAIN:
        assert one.estimates()["retired"] == [1]
    with pytest.raises(dp.InputError, match="not retired"):
        one.act(*world.context(0), allowed=[1])
    for wrong in (3, -1, "0", None, 0.5):
        with pytest.raises(dp.InputError, match="whole numbers"):
            one.retire(wrong)
    one.retire(0)
    with pytest.raises(dp.InputError, match="another arm is left"):
        one.retire(2)
    assert {int(one.act(*world.context(t))) for t in range(9)} == {2}


def test_a_better_arm_that_is_added_late_is_found():
    """0.09 beside 0.05 after 50,000 rounds: nearly all of the next 5,000 plays; 0.01: few."""
    for added, least, most in ((0.09, 0.9, 1.0), (0.01, 0.0, 0.2)):
        one, rng = learner("na-imed", epsilon=1.0), np.random.default_rng(1)
        for t in range(55_000):
            if t == 50_000:
                one.add_arm()
            one.update(float(rng.random() < [0.05, 0.03, 0.02, added][one.act()]))
        assert least <= one.plays[3] / 5000 <= most


def test_dp_se_goes_on_eliminating_without_a_retired_arm():
    one, rng = learner("dp-se", arms=3, horizon=30_000, epsilon=20.0), np.random.default_rng(1)
    for t in range(30_000):
        if t == 50:
            one.retire(2)
        action = one.act()
        one.update(float(rng.random() < [0.9, 0.1, 0.5][action]))
    assert one.algorithm.S.tolist() == [0]


@pytest.mark.parametrize("name", GROWING)
def test_arms_are_added_and_retired_by_several_processes(name, tmp_path):
    ones = [learner(name, store=tmp_path / "bandits.db", delay=2) for _ in range(2)]
    played = []
    for t in range(60):
        if t == 20:
            assert ones[0].add_arm() == 3
        if t == 25:
            ones[1].retire(0)
        played.append(ones[t % 2].act(person=dp.ONCE))
        ones[t % 2].update(0.5, played[-1].ticket)
    assert 3 in played
    assert 0 not in played[25:]
    again = learner(name, store=tmp_path / "bandits.db", delay=2)
    assert again.act(person=dp.ONCE) != 0
    assert state(again) == state(ones[0])


# --- suggestions and probabilities --------------------------------------------------------------
@pytest.mark.parametrize("name", DEPLOYED)
def test_a_suggestion_changes_nothing_and_is_the_best_that_was_released(name, tmp_path):
    one, world = learner(name, delay=1, store=tmp_path / "bandits.db"), World(name)
    if name == "usca":
        with pytest.raises(dp.InputError, match="its one output"):
            one.suggest(0.5)
        return
    for t in range(80):
        action = one.act(*world.context(t), person=dp.ONCE)
        one.update(world.reward(t, action), action.ticket)
    before = state(one), one.rounds, one.plays
    suggested = [one.suggest(*world.context(1)) for _ in range(3)]
    assert (state(one), one.rounds, one.plays) == before
    assert set(suggested) <= {0, 1, 2}
    if any(one.estimates().get("mean", ())):
        means = [-math.inf if x is None else x for x in one.estimates()["mean"]]
        assert set(suggested) == {means.index(max(means))}
        others = [j for j in range(3) if j != suggested[0]]
        assert one.suggest(allowed=others) == max(others, key=lambda j: means[j])


def test_the_probability_of_the_largest_draw():
    """Against quadrature; where it is small, too. They add up to 1."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        a, b = 1 + rng.exponential(10 ** rng.uniform(0, 4, 3)), 1 + rng.exponential(50, 3)
        mu = (a - 1) / (a + b - 2)
        found = [chance_of_largest(np.transpose([mu, a + b - 2]), j) for j in range(3)]
        assert sum(found) == pytest.approx(1, abs=2e-3)

        def density(y, a=a, b=b):
            return beta.pdf(y, a[0], b[0]) * beta.cdf(y, a[1], b[1]) * beta.cdf(y, a[2], b[2])

        mean, sd = a[0] / (a[0] + b[0]), beta.std(a[0], b[0])
        ends = np.clip([mean - 9 * sd, mean, mean + 9 * sd], 0, 1)
        exact = sum(quad(density, *ends[k : k + 2], limit=200)[0] for k in range(2))
        assert found[0] == pytest.approx(exact, abs=1e-3)
    assert chance_of_largest([(0.6, 4), (1, 9), (0.9, 2)], 2, [0, 2]) == pytest.approx(
        chance_of_largest([(0.6, 4), (0.9, 2)], 1)
    )


def test_propensities_are_frequencies():
    """Of 3,000 actions with one state of lazy-dp-ts: within 4 standard errors (a fixed seed)."""
    one = learner("lazy-dp-ts", epsilon=1.0)
    rng = np.random.default_rng(1)
    for _ in range(60):
        one.update(float(rng.random() < [0.3, 0.5, 0.6][one.act()]))
    counts, said, algorithm = np.zeros(3), np.full(3, np.nan), one.algorithm
    rounds, held = one.rounds, algorithm.t
    for _ in range(3000):
        one.rounds, algorithm.t, one.store.rounds = rounds, held, {}
        action = one.act()
        counts[action] += 1
        if np.isnan(said[action]):
            said[action] = action.propensity
    assert np.nansum(said) == pytest.approx(1, abs=2e-3)
    assert (abs(counts / 3000 - said) < 4 * np.sqrt(said * (1 - said) / 3000) + 1e-3).all()


def test_propensities_where_nothing_is_random_or_all_is():
    assert learner("na-imed").act().propensity is None
    assert learner("lazy-dp-ts").act().propensity == 1.0  # the first one, in turn
    linear, x = learner("dp-linear", allowed_by="public"), World("dp-linear").context(0)
    assert linear.act(*x).propensity == 1 / 3
    linear.update(0.5)
    assert linear.act(*x, allowed=[0, 2]).propensity == 1 / 2
    linear.algorithm.episode = 1
    linear.update(0.5)
    assert linear.act(*x).propensity == 1.0
    assert learner("usca").act(0.5).propensity == 1 / 5


# --- words --------------------------------------------------------------------------------------
def test_what_several_learners_lose_together():
    """Pure: epsilon each. Gaussian noise: by rho, rounded up; delta is said, too."""
    pure = learner("lazy-dp-ts", epsilon=0.5).privacy
    assert "1 for two, 5 for ten" in pure.copies
    joint = dp.learner("dp-linear", arms=2, d=2, epsilon=1.0, delta=1e-6).privacy
    rho = largest_rho(1.0, 1e-6)
    for text, factors in ((joint.copies, (2, 10)), (joint.not_covered[0], (4, 100))):
        said = [float(x) for x in re.findall(r"\(([\d.]+), 1e-06\)", text)]
        assert len(said) == 2
        for epsilon, factor in zip(said, factors, strict=True):
            assert delta_of(factor * rho, epsilon) <= 1e-6 < delta_of(factor * rho, 0.98 * epsilon)
    assert "forked process" in joint.copies
    both = dp.learner("leaky-linear", arms=2, d=2, epsilon=1.0, delta=1e-6).privacy
    assert "its delta: 2 for two, 10 for ten" in both.copies  # as some records lose pure epsilon
    assert both.not_covered[0] == joint.not_covered[0]


def test_a_large_delta_is_said_or_refused():
    options = {"arms": 2, "d": 2, "epsilon": 1.0}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dp.learner("dp-linear", delta=1e-3, **options)
    with pytest.warns(UserWarning, match=r"delta = 0\.01"):
        dp.learner("dp-linear", delta=0.01, **options)
    with pytest.raises(dp.InputError, match=r"delta = 0\.2"):
        dp.learner("dp-linear", delta=0.2, **options)
    with pytest.warns(UserWarning, match=r"delta = 0\.2"):
        dp.learner("dp-linear", delta=0.2, allow_not_private=True, **options)


def test_rounds_of_a_person_are_as_many_as_the_noise_allows():
    with pytest.raises(dp.InputError, match="contributions = 1000000: allowed: fewer"):
        learner("dp-linear", contributions=10**6)
    with pytest.raises(dp.InputError, match=r"epsilon of a round = 1e-07"):
        learner("na-imed", epsilon=1.0, contributions=10**7, noise="exact", seed=None)


def test_a_misspelt_keyword_of_ours_is_named():
    with pytest.raises(dp.InputError, match="contributions"):
        dp.learner("na-imed", arms=3, epsilon=1.0, contribution=3)


# --- contexts from dictionaries -----------------------------------------------------------------
def test_dictionaries_become_vectors_of_norm_at_most_1():
    features = dp.scale({"age": (18, 90), "country": ["de", "fr", 3, None], "new": [False, True]})
    assert features.d == 7
    rng = np.random.default_rng(1)
    for _ in range(50):
        values = {
            "age": float(rng.normal(60, 50)), "country": ["de", "fr", 3, None][rng.integers(4)],
            "new": bool(rng.integers(2)),
        }  # fmt: skip
        x = features(values)
        assert (x.shape, np.linalg.norm(x) <= 1 + 1e-12) == ((7,), True)
    lowest = features({"new": True, "age": 18, "country": "fr"})
    assert lowest * math.sqrt(3) == pytest.approx([-1, 0, 1, 0, 0, 0, 1])
    assert features({"new": True, "age": -5, "country": "fr"}) == pytest.approx(lowest)
    of_numpy = {"new": np.True_, "age": np.int64(18), "country": np.array(["fr"])[0]}
    assert features(of_numpy).tolist() == lowest.tolist()
    assert features(of_numpy | {"country": np.int64(3)})[3] > 0


@pytest.mark.parametrize("values", [
    {"age": 4711}, {"age": 4711, "country": "xx"}, {"age": "4711", "country": "de"}, None, [4711],
    {"age": math.nan, "country": "de"}, {"age": 20, "country": "de", "more": 4711},
    {"age": [20], "country": "de"}, {"age": 20, "country": ["de"]}, {"age": None, "country": "de"},
], ids=str)  # fmt: skip
def test_wrong_dictionaries_are_refused_without_their_values(values):
    features = dp.scale({"age": (18, 90), "country": ["de", "fr"]})
    with pytest.raises(dp.InputError) as error:
        features(values)
    assert "4711" not in str(error.value)


@pytest.mark.parametrize("given", [
    {}, [], {"age": (3, 3)}, {"age": (3,)}, {"age": 3}, {"c": []}, {"c": ["x"]}, {"c": ["x", "x"]},
    {3: (0, 1)}, {"age": (0, math.inf)}, {"age": ("0", "1")},
], ids=str)  # fmt: skip
def test_wrong_features_are_refused(given):
    with pytest.raises(dp.InputError, match="scale"):
        dp.scale(given)


def test_contexts_of_which_most_is_lost_are_said():
    """Of dp-linear, leaky-linear and fliphat; a feature beyond its range; not where all is well."""
    rng = np.random.default_rng(1)
    for name, size in (("dp-linear", (1,)), ("leaky-linear", (1,)), ("fliphat", (3, 8))):
        for factor in (1, 1000):
            one = learner(name)
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                for _ in range(60):
                    one.act(factor * rng.standard_normal(size))
                    one.update(0.5)
            assert len(said) == (factor > 1), name
    features = dp.scale({"age": (18, 90)})
    with pytest.warns(UserWarning, match="age"):
        [features({"age": 1000}) for _ in range(50)]
