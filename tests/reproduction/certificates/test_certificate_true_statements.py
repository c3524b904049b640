"""check.py does not prove that true statements are false: random valid instances, all events."""

import itertools
import math
import random
from fractions import Fraction as F

import pytest

RUNS = 5


def rational(source, low, high, parts=24) -> F:
    return F(source.randint(int(low * parts), int(high * parts)), parts)


def text(x):
    return [text(y) for y in x] if isinstance(x, list | tuple) else str(x)


def weights(source, actions: int) -> list[str]:
    parts = [source.randint(1, 9) for _ in range(actions)]
    return [str(F(p, sum(parts))) for p in parts]


def bandit(source):
    """(arms, parameters, records) of a data set with two records of each arm at least."""
    arms = source.randint(2, 3)
    rows = [[a, text(rational(source, 0, 1)), source.randint(2, 6)] for a in range(arms)]
    rows += [[a, text(rational(source, 0, 1)), source.randint(1, 6)] for a in range(arms)]
    given = {"R": F(1), "eta": rational(source, 0.1, 1), "beta0": rational(source, 0.1, 2)}
    return arms, given | {"pi0": tuple(map(F, weights(source, arms)))}, rows


def linear(source):
    """(actions, parameters, records), features along the axes: Sigma is diagonal."""
    d = source.randint(1, 2)
    rows = []
    for i in range(d):
        for _ in range(2):
            phi = [text(rational(source, -1, 1)) if i == j else "0" for j in range(d)]
            rows.append([phi, text(rational(source, 0, 1)), source.randint(4, 30)])
    actions = tuple(tuple(rational(source, -0.6, 0.6) for _ in range(d)) for _ in range(2))
    given = {"R": F(1), "eta": rational(source, 0.1, 1), "beta0": rational(source, 0.1, 2)}
    given |= {"penalty": rational(source, 2, 4), "actions": actions, "pi0": (F(1, 3), F(2, 3))}
    return 2, given, rows


def without_one(source, rows):
    which = source.randrange(len(rows))
    return [
        [*row[:-1], row[-1] - (i == which)] for i, row in enumerate(rows) if row[-1] > (i == which)
    ]


def assert_not_refuted(check, theorem, actions, given, data, neighbour):
    for size in range(1, actions):
        for event in itertools.combinations(range(actions), size):
            for first in ("data", "neighbour"):
                sides = check.STATEMENTS[theorem](
                    theorem=theorem, data=data, neighbour=neighbour,
                    event=list(event), first=first, **given,
                )  # fmt: skip
                assert not sides["left"] > sides["right"], (theorem, given, data, neighbour, event)


def test_pure_part_of_theorem_1(check):
    source = random.Random(1)
    for _ in range(RUNS):
        arms, given, rows = bandit(source)
        pair = [rows, without_one(source, rows)]
        for data, neighbour in (pair, pair[::-1]):
            assert_not_refuted(check, "KL-T1 pure", arms, given, data, neighbour)


def test_pure_parts_of_theorem_2_and_corollary_2(check):
    source = random.Random(2)
    for _ in range(RUNS):
        actions, given, rows = linear(source)
        other = without_one(source, rows)
        assert_not_refuted(check, "KL-T2 pure", actions, given, rows, other)
        assert_not_refuted(check, "KL-T2 pure", actions, given, other, rows)
        n, d = sum(row[-1] for row in rows), len(rows[0][0])
        sums = [sum(row[-1] * F(row[0][i]) ** 2 for row in rows) for i in range(d)]
        smallest = given["penalty"] + min(sums)
        covering = given | {"k1": n / (d * (smallest - 1))}
        assert_not_refuted(check, "KL-C2 pure", actions, covering, rows, other)


@pytest.mark.parametrize("event", [[2, 0], [2, 1]])
def test_rnm_ftnl_loses_at_most_twice_epsilon(check, event):
    source = random.Random(6)
    for _ in range(15):
        vectors = [[source.randint(0, 1), source.randint(0, 1)] for _ in range(7)]
        epochs = [0, 1, 1, 2, 2, 2, 2]
        data = [[s, v, 1] for s, v in zip(epochs, vectors, strict=True)]
        other = [list(row) for row in data]
        which = source.randrange(7)
        other[which][1] = [1 - source.randint(0, 1), 1 - source.randint(0, 1)]
        if other == data:
            continue
        epsilon = rational(source, 0.1, 3)
        sides = check.STATEMENTS["HU-T8"](
            theorem="", data=data, neighbour=other, event=event, epsilon=epsilon
        )
        assert not sides["left"] > 2 * epsilon


def test_peeling_where_the_pure_loss_proves_lemma_a2(check):
    """s <= (4/3) ln(1/delta): any vectors, any level."""
    source = random.Random(7)
    for _ in range(15):
        s, d = source.randint(1, 4), source.randint(5, 9)
        v = [rational(source, 1, 4) for _ in range(d)]
        w = [x + rational(source, -1, 1) for x in v]
        sides = check.STATEMENTS["FL-LA.2"](
            theorem="", data=[[text(x), 1] for x in v], neighbour=[[text(x), 1] for x in w],
            event=text(rational(source, 0, 5)), s=F(s), epsilon=rational(source, 0.2, 60),
            delta=F(1, 100), sensitivity=F(1),
        )  # fmt: skip
        assert not sides["left"] > sides["right"]


POLICY = {"R": F(1), "eta": F(1), "beta0": F(1)}
TRUE = {  # parameters at which the inequality of a refuted statement is true
    "KL-L1-partition": {"safe": (F(1),), "pi0": (F(1, 2), F(1, 2)), "data": ["1", "0"]}
    | {"neighbour": ["0", "0"]},  # the rest has at most the mass delta0 at D' too
    "KL-S4.4-composition": {"draws": F(50), "k": F(50), "slack": F(1, 1000), **POLICY}
    | {
        "data": [[0, "0", 1]],
        "neighbour": [[0, "0", 1], [1, "0", 1]],
        "pi0": (F(99, 100), F(1, 100)),
    },
    "KL-B12": {"N0": F(4), "pi0": (F(1, 2), F(1, 2)), **POLICY}  # the rare arm looks worse
    | {"data": [[0, "0", 4], [1, "1", 10000]]},
    "FL-LD.1": {"v": (F(2), F(-1), F(1, 2)), "v_hat": (F(2), F(0), F(0)), "s_hat": F(1)}
    | {"inside": (F(0), F(1), F(2)), "c": F(1), "worst": F(1, 4)},  # s = d = |I|
    "US-N1": {"T": F(10**4), "tau": F(1), "delta": F(1, 20), "constant": F(1)},
    "FL-B1": {"L": F(1, 2)},
    "FL-C3": {"E": F(1)},
    "FL-R3": {"T": F(10**9)},
    "FL-E3": {"L": F(10)},
    "FL-E3-log": {"N": F(3), "delta": F(1, 100)},
    "FL-E2-M": {"N": F(1024)},
    "FL-T4.1": {"n": F(100), "start": F(10), "M": F(129)},
    "HU-F17": {"n": F(2)},  # kl(1/2, 1/2) = 0
    "HU-S2.2": {"p": F(0)},
    "FL-Crho": {"epsilon": F(40), "delta": F(1, 10**700)},
    "FL-C4b": {"epsilon": F(1), "delta": F(1, 100), "q": F(1, 3), "rho": F(12)},
    "FL-T4.1c": dict.fromkeys(("h11", "h22", "target", "m1"), F(1))
    | {"h12": F(0), "eta": F(1, 3), "m2": F(2)},
    "US-A2.7": {"ratio": F(1), "delta": F(1, 10)},
    "US-S7.1": {"n": F(1024), "tau": F(1)},
    "US-S6.3-norm": {"a": F(400), "b": F(1), "e": F(1), "tau": F(1, 2)},
    "KL-C21": {"penalty": F(1, 2), "pi0": (F(1),), "actions": ((F(1),),), **POLICY}  # n >= l
    | {"data": [[["1/2"], "0", 10]]},
    "KL-S4.2": {"penalty": F(1), "pi0": (F(1),), "actions": ((F(1), F(0)),), **POLICY}
    | {"small": F(1, 1000), "data": [[["1", "0"], "0", 10**30], [["0", "1"], "0", 10**8]]},
    "HU-S5-minimax": {"bits": F(10), "T": F(100), "epsilon": F(1)},
    "HU-S7-witness": {"levels": F(8), "copies": F(1)},
    "HU-T9": {"K": F(10), "gap": F(1, 10), "epsilon": F(1, 100)},
    "FL-ABS": {"s": F(5), "d": F(400), "m": F(64)},
    "FL-PSI-forms": {"m": F(8)},
    "FL-T5.6": {"s": F(1), "d": F(400), "m": F(16), "epsilon": F(1), "delta": F(1, 100)},
    "FL-T3.2": {"T": F(10**4), "s": F(5), "d": F(400), "epsilon": F(1), "delta": F(1, 100)},
    "US-A2.3": {"j": F(10)},
    "US-L4.4": dict(zip(("T", "tau", "delta", "K"), map(F, (2000, 1, F(1, 20), 84)), strict=True))
    | {"data": [["39/40", "1/40", 100]]},  # what is certain there is below the bound
    "US-S8.2-uniform": {"contexts": F(1), "delta": F(1, 10)},
    "US-L4.4 spectrum": dict(
        zip(("n", "tau", "count", "delta", "K"), map(F, (10**6, 4, 40, F(1, 10), 12)), strict=True)
    ),
    "US-S4-identical": {"T": F(2), "K": F(2), "at": F(1)},
    "US-L4.4 fixed": {"T": F(2**24), "J": F(10**5), "p": F(1, 20), "delta": F(1, 20)},
    "US-S6.3-norm real": {"T": F(2**24), "J": F(10**7), "p": F(1, 20), "delta": F(1, 80)},
    "US-S6.3-variance": {"tau": F(1), "root": F(100)},
}


@pytest.mark.parametrize("theorem", TRUE)
def test_refuted_inequalities_where_they_are_true(check, theorem):
    sides = check.STATEMENTS[theorem](theorem=theorem, **TRUE[theorem])
    assert not sides["left"] > sides["right"]


def test_lower_bounds_of_normal_tails(check):
    """Compared with the complementary error function."""
    for x in (1.5, 2.0, 3.0, 6.0):
        exact = F(x)
        bound = check.HELPERS["normal"](check.iv(exact), check.exp(-exact * exact / 2))
        true = math.erfc(x / math.sqrt(2)) / 2
        assert 0.5 * true < float(bound.lo) <= float(bound.hi) < true
    pi = F(31415926535897932384626433832795, 10**31)  # to 31 digits
    assert check.PI.lo < pi < check.PI.hi
