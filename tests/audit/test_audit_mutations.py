"""Our own algorithms and their driver, each with one line changed: every change is seen."""

import inspect
import sys
import textwrap

import pytest

from dpbandits.audit.replayed.learners import audit_learner
from dpbandits.core.algorithms import get_algorithm
from dpbandits.core.learner import Learner

SMALL = {"arms": 2, "horizon": 8, "tries": 120, "transcripts": 2}
KEYS = {
    "dp-se": {"arms": 2, "horizon": 3000, "epsilon": 20, "tries": 8, "transcripts": 1},
    "rnm-ftnl": {"variant": "corrected", "horizon": 7, "tries": 120, "transcripts": 2},
    "dp-linear": {"arms": 2, "d": 1, "delta": 0.01, "horizon": 20, "tries": 60, "transcripts": 2},
    "na-imed": {"arms": 2, "horizon": 30, "tries": 60, "transcripts": 2},
    "driver": SMALL | {"delay": 2, "horizon": 10},
}
SCALE = "1 / self.epsilon", "0.5 / self.epsilon"  # half of the noise
KEEP = "self.rewards[J], self.total[J] = 0, 0", "self.rewards[J] = 0"  # a batch is not reset
HALF = KEEP[0], "self.rewards[J], self.total[J] = 0, self.total[J] / 2"
EXACT = "self.release(J, total,", "self.release(J, self.total[J],"  # shown without noise
TWICE = "self.total[J] += X", "self.total[J] += 2 * X"
BOTH = "self.total[J] += X", "self.total += X"  # in the sums of all arms
STOP = (
    "if self.rewards[J] >= self.length[J]:",
    (
        "if self.rewards[J] >= self.length[J] or self.total[J] >= 2:"  # at a true sum
    ),
)
SKIP = "self.rewards[J] += 1", "self.rewards[J] += int(X > 0)"  # rewards of 0 do not count
MUTATIONS = [
    *(("anytime-lazy-ucb", "update", *m) for m in (SCALE, KEEP, EXACT, TWICE, BOTH, STOP)),
    ("lazy-dp-ts", "update", *SCALE),
    ("lazy-dp-ts", "update", *HALF),
    ("lazy-dp-ts", "index", "mu_tilde + bonus / n", "mu_tilde + self.total.sum() + bonus / n"),
    *(("na-imed", "update", *m) for m in (SCALE, KEEP, SKIP)),
    ("dp-klucb", "update", *SCALE),
    ("dp-klucb", "release", "self.S[i] += total", "self.S[i] += self.total[i] + 0 * total"),
    ("dp-imed", "update", *KEEP),
    ("adap-ucb", "update", *TWICE),
    ("adap-klucb", "update", *SCALE),
    ("adap-klucb", "update", *BOTH),
    ("dp-se", "eliminate", *SCALE),
    ("dp-se", "eliminate", "= mu = total /", "= mu = self.total[S] /"),
    ("rnm-ftnl", "update", "self.form.scale, law", "self.form.scale / 2, law"),
    ("rnm-ftnl", "update", "self.Phi += X", "self.Phi += 2 * X"),
    ("rnm-ftnl", "update", 'self.noise.argmax(self.Phi, self.form.scale, law, name="Phi")',
     "int(self.Phi.argmax())"),
    ("rnm-ftnl", "begin_epoch", "self.Phi, self.i, self.rounds = np.zeros(self.K), 0, 2**self.s",
     "self.Phi, self.i, self.rounds = getattr(self, 'Phi', np.zeros(self.K)), 0, 2**self.s"),
    ("dp-linear", "release", "self.noise.gaussian(self.sums, self.scale,",
     "self.noise.gaussian(self.sums, self.scale / 2,"),
    ("dp-linear", "release", "self.sums = np.zeros_like(self.sums)", "pass"),
    ("dp-linear", "update", "min(max(r, 0.0), 1.0)", "r"),
    ("driver", "_update", "store.take(ticket, X)",
     "(due := store.tickets.get(ticket)) and (store.remove(due), self._count(due, X)) != ()"),
    ("driver", "_update", "store.take(ticket, X)", "store.take(ticket, 3 * X)"),
    ("driver", "_settle", "due.reward = self.algorithm.missing", "return due"),
]  # fmt: skip
HARMLESS = [  # arms are compared only when all batches are empty: `total` is 0 then
    ("dp-klucb", "index", "mu, n, level = self.mu,", "mu, n, level = self.mu + self.total / 9,"),
    ("adap-ucb", "index", "return mu +", "return mu + self.total +"),
]
ANSWERS: dict = {}


def mutated(monkeypatch, name, method, old, new, **more) -> str:
    cls = Learner if name == "driver" else get_algorithm(name).learner
    algorithm = "anytime-lazy-ucb" if name == "driver" else name
    source = textwrap.dedent(inspect.getsource(getattr(cls, method)))
    assert old in source
    names = dict(vars(sys.modules[getattr(cls, method).__module__]))
    made: dict = {}
    exec(compile(source.replace(old, new), f"{method}.py", "exec"), names, made)
    monkeypatch.setattr(cls, method, made[method])
    found = audit_learner(algorithm, {"epsilon": 1.0} | KEYS.get(name, SMALL) | more)
    assert "Error" not in found.verdict, found.verdict  # a line that does not run
    return found.answer


@pytest.mark.parametrize("place", range(len(MUTATIONS)))
def test_no_leak_is_seen_only_without_the_mutation(place, monkeypatch):
    ANSWERS[place] = mutated(monkeypatch, *MUTATIONS[place], runs=0)
    assert ANSWERS[place] != "no leak seen", MUTATIONS[place]


@pytest.mark.parametrize("place", range(len(HARMLESS)))
def test_mutations_that_lose_nothing(place, monkeypatch):
    assert mutated(monkeypatch, *HARMLESS[place], runs=0) == "no leak seen"


def test_most_are_refuted_or_suspected():
    found = [answer in ("refuted", "suspected") for answer in ANSWERS.values()]
    assert sum(found) >= 0.8 * len(found)


@pytest.mark.parametrize("name", sorted({name for name, *_ in MUTATIONS}))
def test_without_a_mutation_no_leak_is_seen(name):
    algorithm = "anytime-lazy-ucb" if name == "driver" else name
    keys = {"epsilon": 1.0} | KEYS.get(name, SMALL)
    found = audit_learner(algorithm, keys | {"runs": 0})
    assert found.within, found.verdict
