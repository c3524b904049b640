"""Learners: what they refuse, that saving and loading changes nothing, and what they promise."""

import math

import numpy as np
import pytest

import dpbandits as dp
from dpbandits.core.algorithms import algorithms, get_algorithm
from dpbandits.core.columns import packed

SPARSE = {"arms": 3, "d": 8, "sparsity": 2, "delta": 0.001}
SETTINGS = {
    "dp-se": {"arms": 3, "horizon": 500},
    "fliphat": SPARSE | {"b_max": 2.0, "step_size": 0.05},
    "dp-signs": SPARSE,
    "dp-linear": {"arms": 3, "d": 1, "delta": 0.001},
    "leaky-linear": {"arms": 3, "d": 1, "delta": 0.001},
    "usca": {"horizon": 120, "grid": 5, "reward_noise": 0.2},
}
DEPLOYED = [name for name, entry in algorithms().items() if entry.learner]
PRIVATE = [name for name in DEPLOYED if algorithms()[name].private]


def learner(algorithm, epsilon=2.0, **options):
    setting = SETTINGS.get(algorithm, {"arms": 3})
    if not get_algorithm(algorithm).private:
        epsilon, options = math.inf, options | {"allow_not_private": True}
    if "store" in options:
        options = {"delay": 1} | options
    return dp.learner(
        algorithm, epsilon=epsilon, **{"noise": "simulated", "seed": 7} | setting | options
    )


class World:
    """Contexts and rewards of each round, the same however often they are asked for."""

    def __init__(self, name):
        self.name = name

    def context(self, t):
        rng = np.random.default_rng([t, 1])
        if self.name in ("fliphat", "dp-signs"):
            return (rng.standard_normal((3, 8)),)
        if self.name.endswith("-linear"):
            return (rng.standard_normal(1),)
        return (rng.random(),) if self.name == "usca" else ()

    def reward(self, t, action):
        rng = np.random.default_rng([t, 2])
        if self.name in FULL:
            return (rng.random(3) < [0.2, 0.5, 0.8]).astype(float)
        return float(rng.random() < 0.2 + 0.2 * (action % 3))


FULL = ("rnm-ftnl", "ftnl", "ftl")


def play(a_learner, world, first, last, between=lambda learner, t: learner):
    actions = []
    for t in range(first, last):
        a_learner = between(a_learner, t)
        actions.append(a_learner.act(*world.context(t), person=dp.ONCE))
        if not a_learner.algorithm.over:
            a_learner.update(world.reward(t, actions[-1]), actions[-1].ticket)
    return actions


@pytest.mark.parametrize("name", DEPLOYED)
def test_a_stored_learner_goes_on_exactly(name, tmp_path):
    """Two objects in turn and a new one before every seventh round, also between an action and its
    reward."""
    world, rounds, made = World(name), 121, []

    def stored(a_learner, t):
        if t % 7 == 0:
            made.append(learner(name, store=tmp_path / "bandits.db"))
        return made[-(t % 2) :][0]

    straight = play(learner(name, delay=1), world, 0, rounds)
    assert play(None, world, 0, rounds, stored) == straight
    assert len(set(straight)) > 1
    one = learner(name, store=tmp_path / "bandits.db", name="other")
    action = one.act(*world.context(0), person=dp.ONCE)
    again = learner(name, store=tmp_path / "bandits.db", name="other")
    assert again.update(world.reward(0, action), action.ticket)
    assert not one.update(world.reward(0, action), action.ticket)
    assert state(again) == state(one)


def state(a_learner):
    a_learner.estimates()  # reads what others have written
    kept = a_learner.state()
    return str({key: packed(kept[key]) for key in kept if key[0] != "@"})


NAN = math.nan


class Strange:
    def __array__(self, *arguments, **options):
        raise RuntimeError("patient 4711")

    __float__ = __iter__ = __array__


WRONG_REWARDS = [
    ("lazy-dp-ts", (4711.5,)), ("lazy-dp-ts", (NAN,)), ("lazy-dp-ts", ("patient 4711",)),
    ("rnm-ftnl", ([0.5, 0.5],)), ("dp-signs", (math.inf,)), ("rnm-ftnl", ([0, 1, Strange()],)),
    ("rnm-ftnl", (np.ma.array([1, 0, 1], mask=[0, 0, 1]),)),
]  # fmt: skip
WRONG_CONTEXTS = [
    ("lazy-dp-ts", (1.0,)), ("fliphat", (np.zeros((3, 7)),)), ("usca", (4711,)),
    ("dp-signs", ("patient 4711",)), ("usca", (Strange(),)), ("dp-linear", ([10**400],)),
    ("dp-linear", (np.ma.array([4711.0], mask=[True]),)),
]  # fmt: skip


def refused(call, *arguments):
    with pytest.raises(dp.InputError) as error:
        call(*arguments)
    assert "\n" not in str(error.value)
    assert "4711" not in str(error.value)


@pytest.mark.parametrize(("name", "arguments"), WRONG_REWARDS)
def test_wrong_rewards_change_nothing(name, arguments):
    one = learner(name)
    one.act(*World(name).context(0))
    before = state(one)
    refused(one.update, *arguments)
    assert state(one) == before
    one.update(World(name).reward(0, 0))  # the right one is still taken


@pytest.mark.parametrize(("name", "arguments"), WRONG_CONTEXTS)
def test_wrong_contexts_change_nothing(name, arguments):
    one = learner(name)
    before = state(one)
    refused(one.act, *arguments)
    assert (state(one), one.rounds) == (before, 0)


@pytest.mark.parametrize("name", DEPLOYED)
def test_a_reward_comes_once_and_after_its_action(name):
    one, world = learner(name), World(name)
    refused(one.update, 0.5)
    one.act(*world.context(0))
    one.update(world.reward(0, 0))
    before = state(one)
    refused(one.update, world.reward(0, 0))
    assert state(one) == before


@pytest.mark.parametrize(("name", "options"), [
    ("lazy\ndp", {}), ("ucb1", {"arms": 3}), ("lazy-dp-ts", {"arms": 1, "epsilon": 1.0}),
    ("rnm-ftnl", {"arms": 3, "epsilon": 1.0, "variant": "printed"}),
    ("lazy-dp-ts", {"arms": 3, "epsilon": 1.0, "seed": 3}), ("private-gp-ucb", {"epsilon": 1.0}),
    ("fliphat", SPARSE | {"epsilon": 1.0, "b_max": 1.0, "preset": "released"}),
    ("usca", {"epsilon": 1.0, "horizon": 5, "calibration": "printed"}),
], ids=str)  # fmt: skip
def test_learners_that_are_refused(name, options):
    refused(lambda: dp.learner(name, **options))


def test_rewards_can_be_clipped():
    one, two = learner("lazy-dp-ts", rewards="clip"), learner("lazy-dp-ts")
    for each, reward in ((one, 7.0), (two, 1.0)):
        each.act()
        each.update(reward)
    assert state(one) == state(two)
    one.act()
    with pytest.raises(dp.InputError, match="reward: allowed: one number from 0 to 1"):
        one.update(NAN)


@pytest.mark.parametrize("name", PRIVATE)
def test_the_promise_names_its_notion_theorem_and_limits(name):
    privacy = learner(name, epsilon=1.5).privacy
    entry = get_algorithm(name)
    assert (privacy.epsilon, privacy.notion) == (1.5, entry.notion.name)
    assert privacy.delta == (0.001 if "delta" in SETTINGS.get(name, ()) else 0.0)
    assert privacy.theorem
    assert privacy.theorem not in ("HU-T8", "FL-T5.1")  # refuted
    said = vars(privacy)
    assert all(said[key] for key in ("neighbours", "person", "rewards", "delay", "arms", "copies"))
    assert len(privacy.not_covered) >= 4
