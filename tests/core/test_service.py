"""Learners in a service: what is late, lost, double, out of order, sold out, of other units, or of
one person several times, and files that others write, too."""

import json
import math
import re

import numpy as np
import pytest
from scratch import ROOT
from test_learner import DEPLOYED, PRIVATE, World, learner, state

import dpbandits as dp
from dpbandits.audit.replayed.functions import FunctionParams
from dpbandits.audit.replayed.learners import audit_learner_class
from dpbandits.core.algorithms import algorithms
from dpbandits.core.zcdp import largest_rho
from dpbandits.kernel.estimator import estimate
from dpbandits.kernel.problem import UscaSetting

ROUNDS, DELAY = 90, 12
CONTEXTUAL = [name for name in PRIVATE if algorithms()[name].learner.takes_context]
BANDITS = [name for name in PRIVATE if name not in CONTEXTUAL]
SHORT = {"usca": {"horizon": 60}, "dp-se": {"horizon": 2, "arms": 2}}
LONG = {"dp-se": 1000}  # its first epoch


class Kept:
    """A port that keeps what it releases; with `given` outputs it gives these again."""

    def __init__(self, port, given=None):
        self.port, self.given, self.values, self.outputs = port, given, [], []

    def __getattr__(self, method):
        def release(value, *args, **options):
            self.values.append(np.copy(value))
            output = getattr(self.port, method)(value, *args, **options)
            self.outputs.append(output if self.given is None else self.given[len(self.outputs)])
            return self.outputs[-1]

        return release


def serve(name, records, given=None, delay=DELAY):
    """(actions, port) of a run in which the reward of round t is X and comes before action t + w,
    for records[t] = (X, w), or never, if w is None."""
    one = learner(name, delay=delay, **SHORT.get(name, {}))
    one.algorithm.noise = port = Kept(one.algorithm.noise, given)
    world, actions, inbox = World(name), [], {}
    for t, (X, wait) in enumerate(records, 1):
        for reward, ticket in inbox.pop(t, ()):
            one.update(reward, ticket=ticket)
        actions.append(one.act(*world.context(t)))
        if one.algorithm.over:
            break
        if wait is not None:
            inbox.setdefault(t + wait, []).append((X, actions[-1].ticket))
    return actions, port


def records_for(name, seed):
    rng = np.random.default_rng([seed, 9])
    full = getattr(algorithms()[name].learner, "full_information", False)
    rounds = LONG.get(name, ROUNDS)
    rewards = rng.integers(0, 2, (rounds, 3) if full else rounds).astype(float)
    waits = [[1, 5, DELAY, DELAY + 3, None][k] for k in rng.integers(0, 5, rounds)]
    return list(zip(rewards, waits, strict=True))


@pytest.mark.parametrize("name", PRIVATE)
def test_values_and_arrivals_of_rewards_change_one_release_and_no_decision(name):
    """Neighbours change, delay and drop one record. With the same releases all is decided alike,
    and of a bandit at most one release moves, by at most 1."""
    records = records_for(name, 1)
    actions, port = serve(name, records)
    assert len(port.outputs) >= 1
    moved = 0
    for t in range(0, len(records), len(records) // 10):
        X, wait = records[t]
        for other in ((1 - X, wait), (X, 1 if wait is None else DELAY + 7), (1 - X, 2), (X, None)):
            changed = [*records[:t], other, *records[t + 1 :]]
            again, replayed = serve(name, changed, port.outputs)
            same = list(zip(actions, again, strict=True))
            assert all(a == b for s, (a, b) in enumerate(same) if name not in CONTEXTUAL or s != t)
            assert len(replayed.values) == len(port.values)
            if name in BANDITS:
                steps = zip(port.values, replayed.values, strict=True)
                sizes = [np.abs(after - before).max() for before, after in steps]
                assert np.count_nonzero(sizes) <= 1
                assert max(sizes) <= 1
                moved += max(sizes) > 0
    assert moved or name in CONTEXTUAL


def test_by_order_of_arrival_a_late_reward_would_decide():
    """What is fixed: a click at once or a zero not yet, round 4 fed, and the next action differs.
    Given all releases, it may not; a learner without delay= refuses to go on instead."""
    one = learner("anytime-lazy-ucb", arms=2)
    for reward in (1.0, 1.0):
        one.act()
        one.update(reward)
    one.act()
    with pytest.raises(dp.InputError, match=r"round 3 is missing.*delay="):
        one.act()
    for delay in (1, 2, 5):
        records = [(1.0, 1), (1.0, 1), (1.0, 1), (1.0, 1), (1.0, 1), (1.0, 1)]
        actions, port = serve("anytime-lazy-ucb", records, delay=delay)
        records[2] = (0.0, 3)
        assert serve("anytime-lazy-ucb", records, port.outputs, delay=delay)[0] == actions


def test_rewards_enter_in_the_order_of_their_rounds():
    """Each after `delay` rounds, out of order, one lost (0), one too late (ignored, counted)."""
    one = learner("lazy-dp-ts", delay=3, epsilon=1e6)
    entered, update = [], one.algorithm.update
    one.algorithm.update = lambda J, X: (entered.append((one.rounds, J, X)), update(J, X))
    played = [one.act() for _ in range(3)]
    first, second, third = (arm.ticket for arm in played)
    assert played == [0, 1, 2]  # in turn
    assert one.update(0.75, second)
    assert not one.update(0.5, second)  # the first one stays
    assert not one.update(0.25, "x" * 22)  # of another learner, or over
    assert one.update(0.25, first)
    with pytest.raises(dp.InputError, match="ticket is missing"):
        one.update(0.25)
    with pytest.raises(dp.InputError, match=r"arm\.ticket"):
        one.update(0.25, ticket=3)
    for _ in range(3):
        played.append(one.act())
    assert entered == [(4, 0, 0.25), (5, 1, 0.75)]  # each before the next action
    played.append(one.act())
    assert entered[2:] == [(6, 2, 0.0)]
    assert not one.update(1.0, third)
    assert (one.late, list(one.store.rounds)) == (3, [4, 5, 6, 7])
    assert len({arm.ticket for arm in played}) == 7


def test_lost_rewards_block_nothing_and_memory_is_bounded():
    """10% are lost, the very first one too, in 3,000 rounds; 100 rounds at most are waited for."""
    for name in ("lazy-dp-ts", "dp-imed"):
        one, rng = learner(name, delay=100), np.random.default_rng(3)
        for t in range(1, 3001):
            action = one.act()
            if t > 1 and rng.random() < 0.9:
                one.update(float(rng.random() < 0.2 + 0.3 * action), ticket=action.ticket)
            assert len(one.store.rounds) == len(one.store.tickets) <= 101
        assert one.plays[2] > 2000


@pytest.mark.parametrize("name", PRIVATE)
def test_act_draws_no_noise(name):
    """Without delay: what an action rests on has been in the store before it."""
    one, world = learner(name, **SHORT.get(name, {})), World(name)
    one.algorithm.noise = port = Kept(one.algorithm.noise)
    for t in range(LONG.get(name, ROUNDS)):
        before = len(port.outputs)
        action = one.act(*world.context(t))
        assert len(port.outputs) == before
        if one.algorithm.over:
            break
        one.update(world.reward(t, action))
    assert port.outputs


def test_the_range_of_rewards_is_public_and_said(tmp_path):
    """Euros from -10 to 40: scaled, so that different rewards stay different; others are refused or
    clipped, and the promise says which."""
    euros, plain = learner("lazy-dp-ts", reward_range=(-10, 40)), learner("lazy-dp-ts")
    for X in (5, 10, 20, 50, 0):
        for one, reward in ((euros, X - 10), (plain, X / 50)):
            one.act()
            one.update(reward)
    assert state(euros) == state(plain)
    assert euros.privacy.rewards == "from -10 to 40; others are refused"
    clipped = learner("lazy-dp-ts", reward_range=(-1, 1), rewards="clip")
    assert clipped.privacy.rewards == "from -1 to 1; others are clipped to this range"
    assert clipped.privacy.rewards in str(clipped.privacy)
    for name, wrong in (("dp-signs", (0, 1)), ("lazy-dp-ts", (1, 1)), ("lazy-dp-ts", (0, 1, 2))):
        with pytest.raises(dp.InputError, match="reward_range"):
            learner(name, reward_range=wrong)
    exact = learner("lazy-dp-ts", reward_range=(0, 3), noise="exact", seed=None)
    exact.act()
    exact.update(1)  # a third is rounded to the grid
    kept = learner("lazy-dp-ts", reward_range=(-10, 40), delay=1, store=tmp_path / "bandits.db")
    assert kept.privacy.rewards == euros.privacy.rewards


def test_a_person_with_several_rewards():
    """Pure: epsilon/k for each of k rewards; by rho: rho/k^2. The promise is that of one person."""
    one = learner("lazy-dp-ts", epsilon=3.0, contributions=3)
    assert (one.algorithm.epsilon, one.privacy.epsilon) == (1.0, 3.0)
    assert "at most 3 rounds" in one.privacy.person
    assert "more than 3 rounds" in one.privacy.not_covered[0]
    for k in (2, 10):
        signs = learner("dp-signs", contributions=k)
        wished = largest_rho(2.0, 0.001) / k**2
        assert signs.algorithm.rho <= wished
        assert signs.algorithm.rho == pytest.approx(wished, rel=1e-9)
        assert (signs.privacy.epsilon, signs.privacy.delta) == (2.0, 0.001)
    with pytest.raises(dp.InputError, match="contributions"):
        learner("lazy-dp-ts", contributions=0)


@pytest.mark.parametrize("name", DEPLOYED)
def test_only_arms_that_are_allowed_are_played(name):
    if name == "usca":
        with pytest.raises(dp.InputError, match="takes no allowed="):
            learner(name, allowed_by="public").act(0.5, allowed=[1])
        return
    one, world, rng = (
        learner(name, delay=4, allowed_by="public"),
        World(name),
        np.random.default_rng(8),
    )
    for t in range(200):
        allowed = rng.permutation(3)[: rng.integers(1, 4)]
        action = one.act(*world.context(t), allowed=allowed)
        assert action in allowed
        one.update(world.reward(t, action), action.ticket)
    assert min(one.plays) > 20
    before = state(one), one.rounds
    for wrong in ([], [3], ["0"], 1, [0.5]):
        with pytest.raises(dp.InputError, match="whole numbers from 0 to 2"):
            one.act(*world.context(0), allowed=wrong)
    assert (state(one), one.rounds) == before


def test_a_sold_out_arm_comes_back():
    """The best one, and its phase goes on."""
    for name in ("lazy-dp-ts", "dp-imed", "adap-ucb", "na-imed", "anytime-lazy-ucb"):
        one, rng = learner(name, epsilon=20.0), np.random.default_rng(1)
        for t in range(3000):
            away = 1000 <= t < 1500
            action = one.act(allowed=[0, 1] if away else None)
            one.update(float(rng.random() < [0.1, 0.5, 0.9][action]))
        assert one.plays[1] > 300
        assert one.plays[2] > 1800


@pytest.mark.parametrize("name", BANDITS)
def test_arms_can_be_added(name):
    if not algorithms()[name].learner.grows:
        with pytest.raises(dp.InputError, match="needs all arms from the start"):
            learner(name).add_arm()
        return
    one, rng = learner(name, epsilon=20.0), np.random.default_rng(2)
    for t in range(2000):
        if t == 500:
            before = one.estimates()["mean"]
            assert one.add_arm() == 3
            assert one.estimates()["mean"] == [*before, None]
        action = one.act()
        assert t != 500 or action == 3
        one.update(float(rng.random() < [0.1, 0.2, 0.3, 0.9][action]))
    assert one.plays[3] > 800


@pytest.mark.parametrize("name", BANDITS)
def test_another_process_adds_an_arm(name, tmp_path):
    """The arguments stay those with which it was made."""
    if algorithms()[name].learner.grows:
        one, two = (learner(name, store=tmp_path / "bandits.db") for _ in range(2))
        one.add_arm()
        played = []
        for t in range(60):
            played.append((one, two)[t % 2].act(person=dp.ONCE))
            (one, two)[t % 3 == 0].update(0.5, played[-1].ticket)
        assert 3 in played
        assert len(two.estimates()["plays"]) == 4
        assert state(learner(name, store=tmp_path / "bandits.db")) == state(one)


@pytest.mark.parametrize("added", [1, 30])
@pytest.mark.parametrize("name", BANDITS)
def test_an_arm_is_added_while_others_are_new(name, added):
    """All are played, also where first batches become shorter with one more arm."""
    if not algorithms()[name].learner.grows:
        return
    one = learner(name, epsilon=0.1, horizon=1500)
    for t in range(400):
        if t == added:
            assert one.add_arm() == 3
        one.act()
        one.update(0.5)
    assert min(one.plays) > 0
    assert None not in one.estimates().get("mean", ())


def test_estimates_are_what_was_released():
    one = learner("anytime-lazy-ucb", reward_range=(10, 20), noise="exact", seed=None, epsilon=1.0)
    assert one.estimates() == {"plays": [0, 0, 0], "mean": [None] * 3, "noise": [None] * 3}
    one.algorithm.noise = port = Kept(one.algorithm.noise)
    for _ in range(3):
        one.act()
        one.update(15.0)
    shown = one.estimates()
    assert shown["mean"] == pytest.approx([10 + 10 * X for X in port.outputs])
    assert shown["noise"] == pytest.approx([10 * math.sqrt(2)] * 3)
    assert shown["plays"] == [1, 1, 1]
    json.dumps(shown)
    assert set(learner("dp-signs").estimates()) == {"theta"}
    assert learner("usca").estimates() == {}
    assert set(learner("rnm-ftnl").estimates()) == {"plays"}
    one = learner("dp-se", horizon=1000)
    one.act()
    one.update(1.0)
    assert one.estimates()["mean"] == one.estimates()["noise"] == [None] * 3
    while one.algorithm.e == 1:
        one.act()
        one.update(1.0)
    assert None not in one.estimates()["mean"] + one.estimates()["noise"]


@pytest.mark.parametrize("name", PRIVATE)
def test_a_delayed_learner_goes_on_from_its_file(name, tmp_path):
    world = World(name)

    def run(**options):
        one, actions = learner(name, delay=5, **options), []
        for t in range(80):
            if options and t % 9 == 0:
                one = learner(name, delay=5, **options)
            actions.append(one.act(*world.context(t), person=dp.ONCE))
            if t % 4 and t > 2:
                one.update(world.reward(t - 2, actions[t - 2]), actions[t - 2].ticket)
        return actions, one.late, one.plays

    assert run(store=tmp_path / "bandits.db") == run()


def test_an_algorithm_of_ones_own(tmp_path):
    """That of docs/how-to/extend.md; replayed, it loses epsilon, with half of the noise more."""
    page, names = (ROOT / "docs/how-to/extend.md").read_text("utf-8"), {"__name__": "own"}
    exec(re.findall(r"```python\n(.*?)```", page, re.DOTALL)[1], names)
    Batches = names["Batches"]
    for noisy, within in ((1, True), (2, False)):
        audited = audit_learner_class(
            lambda epsilon, noise, rng, n=noisy: Batches(3, n * epsilon, noise, rng),
            FunctionParams(records=80, tries=20, runs=0),
        )
        assert audited.within == within
    options = {"arms": 3, "epsilon": 2.0, "delay": 4, "store": tmp_path / "bandits.db"}
    one = dp.learner(Batches, **options)
    assert one.privacy.theorem == "claimed by its author"
    for _ in range(300):
        action = one.act(person=dp.ONCE)
        one.update([0.1, 0.5, 0.9][action], action.ticket)
    assert one.plays[2] > 100
    with pytest.raises(dp.InputError, match='has algorithm = "Batches", not "Other"'):
        dp.learner(type("Other", (Batches,), {}), **options)
    assert state(dp.learner(Batches, **options)) == state(one)


def test_usca_takes_the_mean_by_the_matrix_that_calibrates():
    """At tau = 2e-9 any other way moves scores by more than the range, by rounding."""
    setting = UscaSetting(grid=5, tau=2e-9, lengthscale=3.0)
    Z, worst = np.zeros(25), 0.0
    Z[[3, 12, 17]] = 40.0
    rng = np.random.default_rng(4)
    for _ in range(50):
        cells, rewards = rng.integers(0, 25, 60), rng.uniform(-1.1, 1.1, 60)
        rewards[0] = setting.bound
        first = estimate(setting, cells, rewards, Z, 2, with_range=True)
        rewards[0] = -setting.bound
        second = estimate(setting, cells, rewards, Z, 2, with_range=True)
        moved = (second.mean - first.mean).reshape(5, 5)
        most = 2 * setting.bound * first.largest_range
        worst = max(worst, np.ptp(moved, axis=0).max() / most)
    assert 0 < worst < 1 + 1e-14
