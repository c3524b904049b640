"""The contract of every registered algorithm, installed packages included."""

import math
from dataclasses import replace

import numpy as np
import pytest

from dpbandits.audit.replayed.learners import audit_learner
from dpbandits.audit.sampled import blackbox
from dpbandits.core import algorithms as core_algorithms
from dpbandits.core.algorithms import algorithms, get_algorithm, run
from dpbandits.core.errors import InputError
from dpbandits.core.learner import Learner
from dpbandits.core.models import canonical, parse
from dpbandits.core.notions import PURE, PURE_JOINT, Notion
from dpbandits.core.trajectories import Trajectories, log_spaced

NAMES = sorted(algorithms())
EXAMPLES = (  # settings: of an algorithm the first one whose keys it has
    {"means": [0.75, 0.625, 0.5, 0.375, 0.25]},
    {"d": 20, "arms": 3, "sparsity": 3, "true_sparsity": 2},
    {"d": 2, "arms": 2},
    {"grid": 9, "noise": 0.5},
)
HORIZON = 120


def example(name: str) -> dict:
    known = get_algorithm(name).setting.model_fields
    return next(one for one in EXAMPLES if one.keys() <= known.keys())


def short(name: str, seeds: range, checkpoints=None, setting=None, epsilon=None):
    rounds = log_spaced(HORIZON, 6) if checkpoints is None else checkpoints
    setting = example(name) if setting is None else setting
    if epsilon is None:
        epsilon = 1.0 if get_algorithm(name).private else math.inf
    return run(name, setting, epsilon, HORIZON, seeds, rounds)


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
        rounds = [HORIZON // 15, HORIZON // 2, HORIZON]
        many = short(name, range(2), checkpoints=rounds).regret
        one = short(name, range(2), checkpoints=rounds[1:2]).regret
        np.testing.assert_array_equal(many[:, 1:2], one)

    def test_defaults_written_out_change_nothing(self, name):
        entry = get_algorithm(name)
        setting = parse(entry.setting, example(name), "setting")
        full = setting.model_dump(mode="json", by_alias=True)
        assert canonical(parse(entry.setting, full, "setting")) == canonical(setting)
        regret = short(name, range(2), setting=full).regret
        np.testing.assert_array_equal(regret, short(name, range(2)).regret)

    def test_privacy_is_claimed_or_refused(self, name):
        entry = get_algorithm(name)
        if entry.private:
            assert entry.claim
            assert isinstance(entry.notion, Notion)
            assert entry.real_epsilon(example(name), 1.0) >= 1.0
            assert short(name, range(2), epsilon=math.inf).regret.shape[0] == 2
        else:
            with pytest.raises(InputError, match="not private"):
                short(name, range(2), epsilon=1.0)


# --- from samples: here, where all engines are compiled ------------------------------------------
PAIRS = {  # a field of the setting: two settings between which every reward differs
    "means": ({"means": [1.0, 0.0]}, {"means": [0.0, 1.0]}),
    "beta": tuple({"d": 20, "arms": 2, "beta": [b]} for b in (1.0, -1.0)),
}


def promised(notion, epsilon, records, setting):
    """(epsilon, delta) of pure or approximate privacy where this many records differ.

    p_k = e^eps p_(k-1) + delta from p_0 = 0 is the worst chain of neighbours.
    """
    assert notion.parameter == "epsilon", f"{notion.name}: say here what it promises to a group"
    delta = 0.0
    if notion not in (PURE, PURE_JOINT):
        one = notion.delta if notion.delta is not None else setting.delta
        delta = one * sum(math.exp(k * epsilon) for k in range(records))
    return records * epsilon, delta


def attacked(entry, epsilon=1.0, horizon=3, runs=20_000, **setting):
    """(lower bound on the loss between two settings, the loss that the notion of privacy allows).

    The played actions are compared; under joint privacy, the last action alone. The last reward is
    never used: T - 1 records differ. With n runs no bound is above about ln(n/30).
    """
    pair = next(pair for key, pair in PAIRS.items() if key in entry.setting.model_fields)
    samples = []
    for which, one in enumerate(pair):
        rounds = np.arange(1, horizon + 1)
        regret = run(entry.name, one | setting, epsilon, horizon, range(runs), rounds).regret
        bad = np.diff(regret, axis=1, prepend=0.0) > 1e-9
        samples.append((bad ^ bool(which))[:, -1 if entry.notion.joint else None :])
    codes = [bits @ (1 << np.arange(bits.shape[1])) for bits in samples]
    first = entry.setting.model_validate(pair[0])  # both have the same delta
    allowed, delta = promised(entry.notion, epsilon, horizon - 1, first)
    return blackbox.lower_bound(*codes, delta=delta), allowed


def test_every_registered_private_algorithm_passes():
    """Algorithms register themselves, so a new one is audited here without being asked.

    At confidence 1 - 1e-6 a private one is refuted by chance with probability below 1e-6.
    """
    audited = [
        e for e in algorithms().values() if e.private and e.setting.model_fields.keys() & PAIRS
    ]
    assert {"anytime-lazy-ucb", "fliphat", "jdp-linucb"} <= {entry.name for entry in audited}
    for entry in audited:
        for epsilon, horizon in ((1.0, 3), (0.25, 8)):
            runs = 4000 if "means" in entry.setting.model_fields else 1000  # which are slower
            bound, allowed = attacked(entry, epsilon, horizon, runs)
            assert bound.epsilon <= allowed, f"{entry.name}: loss of at least {bound.epsilon:.3g}"


def test_a_sparse_learner_without_noise_is_refuted(monkeypatch):
    """It learns the sign of beta from the first user; 2 eps and the group's delta are allowed."""

    def simulate(setting, epsilon, horizon, streams, checkpoints):
        """A random arm, then the better one of every round."""
        regret = np.array([streams.generator(i).integers(2) for i in range(len(streams))])
        return Trajectories(np.repeat(regret[:, None] * 1.0, len(checkpoints), axis=1))

    module = "dpbandits.sparse.made_up"  # no engine has this name
    made_up = replace(get_algorithm("fliphat"), simulate=simulate, module=module)
    monkeypatch.setattr(core_algorithms, "get_algorithm", lambda name: made_up)
    bound, allowed = attacked(made_up, runs=1000)
    assert bound.epsilon > allowed
    assert bound.delta == pytest.approx(0.01 * (1 + math.e))


# --- learners -----------------------------------------------------------------------------------
AUDITED = {  # of a learner: a run in which something is noised; others: `audited` of their class
    "rnm-ftnl": {"horizon": 3},
    "ftnl": {"horizon": 3},
    "adap-klucb": {"horizon": 5},
    "dp-klucb": {"horizon": 5},
    "dp-imed": {"horizon": 5},
    "dp-se": {"horizon": 3000, "epsilon": 20, "tries": 8, "transcripts": 1},
    "na-tt": {"horizon": 23, "arms": 2, "epsilon": 4},
    "fliphat": {"horizon": 8, "arms": 2, "d": 3, "sparsity": 2, "b_max": 1, "delta": 0.01,
                "tries": 200},
    "dp-signs": {"horizon": 6, "arms": 2, "d": 2, "sparsity": 1, "delta": 0.1, "tries": 8,
                 "epsilon": 10},
    "usca": {"horizon": 4, "grid": 4, "tries": 100},
}  # fmt: skip
LEARNERS = [n for n in NAMES if get_algorithm(n).learner and get_algorithm(n).private]


def audited(name, delay):
    """(what its audit found, the epsilon that it really claims); None, if it claims nothing. No
    samples: a replay finds what moves, and samples clear nothing."""
    entry = get_algorithm(name)
    own = AUDITED.get(name, getattr(entry.learner, "audited", {}))
    keys = {"epsilon": 1.0, "horizon": 6, "runs": 0} | own
    if delay is not None:
        keys |= {"delay": delay, "horizon": keys["horizon"] + delay + 2}
        for key, most in (("transcripts", 2), ("tries", 60)):
            keys[key] = min(most, keys.get(key, most))
    setting = example(name) | {k: own[k] for k in ("variant", "preset") if k in own}
    real = entry.real_epsilon(setting, keys["epsilon"])
    return None if math.isinf(real) else (audit_learner(name, keys | {"claim": real}), real)


@pytest.mark.parametrize("name", ["lazy-dp-ts", "dp-signs"])
def test_the_audit_finds_a_driver_that_counts_rewards_as_they_come(name, monkeypatch):
    def update(self, reward, ticket):
        if played := self.store.tickets.get(ticket):
            self.store.remove(played)
            self._count(played, self.asks.reward(reward))

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
    assert not result.finding, result.verdict
    assert result.epsilon > 0, (
        f"{name}: nothing moved; let its class have audited = {{'horizon': 99}}"
    )
    if entry.notion.parameter == "epsilon":
        assert result.within, f"{name}: {result.verdict}"
    else:
        rho = real if entry.notion.parameter == "rho" else real**2 / 2  # mu
        assert result.rho <= rho * (1 + 1e-9), f"{name}: rho = {result.rho} of {result.line}"
    assert not result.above_declared
