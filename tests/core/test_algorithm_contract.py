"""The contract of every registered algorithm, installed packages included."""

import math

import numpy as np
import pytest
from scratch import ROOT

from dpbandits.audit.replay import audit_learner
from dpbandits.core.algorithms import algorithms, get_algorithm, run
from dpbandits.core.documents import read_yaml
from dpbandits.core.errors import InputError
from dpbandits.core.learner import Learner
from dpbandits.core.models import canonical, parse
from dpbandits.core.notions import Notion
from dpbandits.core.trajectories import log_spaced
from dpbandits.reproduction.pipeline.plan import Plan

PLAN = Plan(read_yaml(ROOT / "config/config.yaml") | {"scale": "smoke"})
PAPER = {name: entry.paper for name, entry in algorithms().items()}
CELLS = {}  # the first smoke cell of each algorithm in the config, as an example
for job in PLAN.jobs.values():
    for cell in job.cells:
        CELLS.setdefault(cell.algorithm, cell)
NAMES = sorted(algorithms())
for name in NAMES:  # an algorithm that only studies run, or a new one: an example of its paper
    known = get_algorithm(name).setting.model_fields
    of_paper = (c for c in list(CELLS.values()) if PAPER[c.algorithm] == PAPER[name])
    CELLS.setdefault(name, next(c for c in of_paper if c.setting.keys() <= known.keys()))


def short(name: str, seeds: range, checkpoints=None, setting=None, epsilon=None):
    cell = CELLS[name]
    horizon = min(cell.horizon, 300)
    rounds = log_spaced(horizon, 6) if checkpoints is None else checkpoints
    setting = cell.setting if setting is None else setting
    if epsilon is None:
        epsilon = 1.0 if get_algorithm(name).private else math.inf
    return run(name, setting, epsilon, horizon, seeds, rounds)


@pytest.mark.parametrize("name", NAMES)
class TestContract:
    def test_shape_and_range_of_regret(self, name):
        regret = short(name, range(3)).regret
        assert regret.shape[0] == 3
        assert np.isfinite(regret).all()
        assert (regret >= 0).all()

    def test_a_seed_does_not_depend_on_its_block(self, name):
        together = short(name, range(4)).regret
        alone = short(name, range(2, 3)).regret
        np.testing.assert_array_equal(together[2:3], alone)

    def test_a_seed_does_not_depend_on_the_checkpoints(self, name):
        horizon = min(CELLS[name].horizon, 300)
        rounds = [horizon // 15, horizon // 2, horizon]
        many = short(name, range(2), checkpoints=rounds).regret
        one = short(name, range(2), checkpoints=rounds[1:2]).regret
        np.testing.assert_array_equal(many[:, 1:2], one)

    def test_defaults_written_out_change_nothing(self, name):
        entry, cell = get_algorithm(name), CELLS[name]
        setting = parse(entry.setting, cell.setting, "setting")
        full = setting.model_dump(mode="json", by_alias=True)
        assert canonical(parse(entry.setting, full, "setting")) == canonical(setting)
        regret = short(name, range(2), setting=full).regret
        np.testing.assert_array_equal(regret, short(name, range(2)).regret)

    def test_privacy_is_claimed_or_refused(self, name):
        entry = get_algorithm(name)
        if entry.private:
            assert entry.claim
            assert isinstance(entry.notion, Notion)
            assert entry.real_epsilon(CELLS[name].setting, 1.0) >= 1.0
            assert short(name, range(2), epsilon=math.inf).regret.shape[0] == 2
        else:
            with pytest.raises(InputError, match="not private"):
                short(name, range(2), epsilon=1.0)


# --- learners -----------------------------------------------------------------------------------
AUDITED = {  # of a learner: a run in which something is noised; others: `audited` of their class
    "rnm-ftnl": {"horizon": 3},
    "ftnl": {"horizon": 3},
    "adap-klucb": {"horizon": 5},
    "dp-klucb": {"horizon": 5},
    "dp-imed": {"horizon": 5},
    "dp-se": {"horizon": 3000, "epsilon": 20, "tries": 8, "transcripts": 1},
    "fliphat": {"horizon": 8, "arms": 2, "d": 3, "sparsity": 2, "b_max": 1, "delta": 0.01,
                "tries": 200},
    "dp-signs": {"horizon": 6, "arms": 2, "d": 2, "sparsity": 1, "delta": 0.1, "tries": 8,
                 "epsilon": 10},
    "usca": {"horizon": 4, "grid": 4, "tries": 100},
}  # fmt: skip
LEARNERS = [n for n in NAMES if get_algorithm(n).learner and get_algorithm(n).private]


def audited(name, delay):
    """(what its audit found, the epsilon that it really claims); None, if it claims nothing."""
    entry = get_algorithm(name)
    own = AUDITED.get(name, getattr(entry.learner, "audited", {}))
    keys = {"epsilon": 1.0, "horizon": 6} | own
    if delay is not None:
        keys |= {"delay": delay, "horizon": keys["horizon"] + delay + 2}
        for key, most in (("transcripts", 2), ("tries", 60)):
            keys[key] = min(most, keys.get(key, most))
    variants = ("variant", "preset")
    setting = {k: v for k, v in CELLS[name].setting.items() if k not in variants}
    setting |= {k: own[k] for k in variants if k in own}
    real = entry.real_epsilon(setting, keys["epsilon"])
    return None if math.isinf(real) else (audit_learner(name, keys | {"claim": real}), real)


@pytest.mark.parametrize("name", ["lazy-dp-ts", "dp-signs"])
def test_the_audit_finds_a_driver_that_counts_rewards_as_they_come(name, monkeypatch):
    def update(self, reward, ticket):
        if played := self.pending.pop(ticket, None):
            played.reward = self._read_reward(reward)
            self._count(played)

    assert audited(name, 2)[0].within
    monkeypatch.setattr(Learner, "update", update)
    broken, _ = audited(name, 2)
    assert broken.finding
    assert not broken.within


@pytest.mark.parametrize(("name", "delay"), [(n, d) for n in LEARNERS for d in (None, 2)])
def test_a_learner_loses_at_most_what_it_promises(name, delay):
    """The grey-box audit: it is replayed on neighbours; where its claim is false, what holds. With
    a delay it is behind the driver, and a neighbour changes, delays or drops a reward."""
    entry = get_algorithm(name)
    found = audited(name, delay)
    if found is None:
        pytest.skip("it does not claim to be private")
    result, real = found
    assert not result.finding, result.finding
    assert result.epsilon > 0, (
        f"{name}: nothing moved; let its class have audited = {{'horizon': 99}}"
    )
    if entry.notion.parameter == "epsilon":
        assert result.within, f"{name}: {result.verdict}"
    else:
        rho = real if entry.notion.parameter == "rho" else real**2 / 2  # mu
        assert result.rho <= rho * (1 + 1e-9), f"{name}: rho = {result.rho} of {result.quantity}"
    assert not result.above_declared
