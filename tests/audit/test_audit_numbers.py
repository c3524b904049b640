"""The auditors' numbers compared with stored ones: losses, worst pairs, calibrated noise, bounds.

The other tests of this folder check numbers by another method; this one notices every change. After
an intended change run this file as a script, with tests/helpers in PYTHONPATH: it writes
numbers.json again; review its difference.
Random numbers have fixed seeds, and the tolerance 1e-11 is far above rounding.
"""

from dpbandits.reproduction import processor

processor.pin()  # before NumPy: the arithmetic of jobs

import json
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from flint import arb
from plain import seeded

from dpbandits.audit.computed import balls, laplace
from dpbandits.audit.computed.selection import two_levels
from dpbandits.audit.sampled import blackbox, function
from dpbandits.core.mechanisms import CALIBRATORS, MECHANISMS, named
from dpbandits.core.models import parse
from dpbandits.reproduction.fl.studies.lemma_a2 import lemma
from dpbandits.reproduction.hu.mechanisms import lazy
from dpbandits.sparse.mechanisms import niht, peeling

NUMBERS = Path(__file__).with_name("numbers.json")
RNM = {"scale": 1.5, "arms": 3, "rounds": 3, "adjacency": "replace"}
PEELING = {"s": 3, "d": 8, "epsilon": 2.0, "delta": 0.1}
NIHT = niht.SMALL | {"epsilon": 2.0, "delta": 0.1}
LAZY = {"algorithm": "anytime-lazy-ucb", "epsilon": 1.5, "horizon": 5}
AUDITS = {  # beside the registered examples: (mechanism, keys, at)
    "rnm, one way": ("rnm", RNM | {"adjacency": "add-remove"}, (0.1, 0.4)),
    "rnm, two arms": ("rnm", RNM | {"arms": 2, "rounds": 100, "scale": 7.0}, (0.05, 0.2)),
    "rnm, many arms": ("rnm", RNM | {"arms": 11, "rounds": 60, "scale": 4.0}, (0.1, 0.3)),
    "rnm, little noise": ("rnm", RNM | {"scale": 0.04}, (20.0,)),
    "peeling, all": ("peeling", PEELING | {"d": 3}, (0.0, 0.7)),
    "peeling, far": ("peeling", PEELING | {"s": 1, "d": 2, "epsilon": 9.0}, (3.0, 6.6)),
    "niht, one step": ("niht", NIHT | {"steps": 1}, (0.5, 3.0)),
    "niht, few records": ("niht", NIHT | {"n": 12, "d": 4}, (0.5,)),
    "niht, all coordinates": ("niht", NIHT | {"d": 3, "variant": "corrected"}, (0.1,)),
    "niht, too many": ("niht", NIHT | {"s": 31, "steps": 10, "epsilon": 20}, (10.0,)),
    "laplace, little noise": ("laplace", {"scale": 0.02, "releases": 10}, (400.0, 499.0)),
    "laplace, many": ("laplace", {"scale": 5.0, "releases": 30}, (0.0, 2.0, 5.9)),
    "lazy, thompson": ("lazy", LAZY | {"algorithm": "lazy-dp-ts"}, (0.2,)),
    "lazy, thompson that clips": (
        "lazy",
        LAZY | {"algorithm": "lazy-dp-ts", "epsilon": 8.0},
        (2.0,),
    ),
    "lazy, six rounds": ("lazy", LAZY | {"horizon": 6}, (0.2,)),
    "lazy, full information": ("lazy", LAZY | {"algorithm": "rnm-ftnl", "horizon": 20}, (0.5,)),
}
EXAMPLES = ("laplace", "lazy", "niht", "peeling", "rnm")
TARGETS = {
    "rnm, few": ("rnm", {"arms": 3, "rounds": 3, "adjacency": "replace"}, 0.6, 0.02),
    "rnm, two": ("rnm", {"arms": 2, "rounds": 30, "adjacency": "add-remove"}, 0.6, 0.02),
    "rnm, many": ("rnm", {"arms": 12, "rounds": 9, "adjacency": "replace"}, 0.6, 0.02),
    "peeling": ("peeling", {"s": 2, "d": 9}, 0.6, 0.02),
    "niht": ("niht", niht.SMALL | {"s": 2}, 0.6, 0.02),
    "niht, pure": ("niht", niht.SMALL | {"s": 2}, 0.6, 0.0),
    "laplace": ("laplace", {"sensitivity": 2.0, "releases": 3}, 0.6, 0.02),
    "laplace, tiny epsilon": ("laplace", {"releases": 4}, 1e-6, 0.3),
    "rnm, two, tiny epsilon": ("rnm", {"arms": 2, "rounds": 9, "adjacency": "replace"}, 1e-6, 0.3),
    "peeling, tiny epsilon": ("peeling", {"s": 2, "d": 3}, 1e-6, 0.3),
}


def ball(x) -> list[float]:
    return [balls.lower(x), balls.upper(x)]


def audit(name, keys, at):
    entry = MECHANISMS.get(name)
    return entry.compute(parse(entry.params, keys, name), at).as_json()


def calibrate(name, keys, epsilon, delta):
    entry = CALIBRATORS.get(name)
    result = entry.compute(parse(entry.params, keys, name), epsilon, delta)
    return result.as_json() | {"audit": result.audited.as_json()}


def samples(kind: int):
    """Pairs of 900 outcomes of every kind: numbers, few values, vectors, texts."""
    g = seeded(5, kind)
    if kind == 0:
        return g.laplace(size=900), 1 + g.laplace(size=900)
    if kind == 1:
        return g.integers(0, 4, 900), g.binomial(3, 0.7, 900)
    if kind == 2:
        return g.normal(size=(900, 2)), g.normal((1.5, 0), size=(900, 2))
    return [list("aab")[i] for i in g.integers(0, 3, 900)], [list("abc")[i % 3] for i in range(900)]


def noisy(data, generator):
    return round(sum(data) + generator.laplace(), 1)


def searched():
    params = function.FunctionParams(data=[0, 1, 2], values=[0, 4], runs=1000, delta=0.01, seed=3)
    return function.audit_function(noisy, params).as_json()


def powers():
    few = [blackbox.detectable(e, d, n, 0.99) for e, d, n in ((1, 0, 999), (0.2, 0.05, 400))]
    return [*few, blackbox.clopper_pearson(3, 40, 0.01), blackbox.log_ratio(30, 3, 40, 0.1, 0.01)]


def deep():
    ratio = arb(1) / 7
    return {
        "composed": [ball(peeling.composed_upper(ratio, s, r, 0.9)) for s, r in ((3, 0), (2, 1))],
        "too little noise": ball(peeling.composed_upper(1e4, 3, 3, 1.0)),
        "responses": ball(peeling.delta_upper(ratio, 61, 400, 12.0)),
        "releases": [ball(laplace.composed_delta(0.5, n, 0.25)) for n in (0, 1, 2, 7)],
        "sums": [ball(niht.sum_tail(n, arb(t))) for n, t in ((1, 0.5), (6, 2), (6, -2))],
        "epochs": [lazy.longest_epoch(v, t) for v in ("phase", "prefix") for t in (1, 2, 57, 999)],
        "lower": [ball(peeling.delta_lower(ratio, 2, d, 0.3)[0]) for d in (3, 9)],
        "levels": [ball(two_levels(arb(g), 2, 3)) for g in (-1, 0, 2)],
    }


def lemmas():
    names = ("delta", "s", "d", "epsilon", "verdict", "delta_at_least", "delta_at_most")
    rows = []
    for s, epsilon in ((2, 1.0), (2, 60.0), (7, 1.0), (7, 60.0)):
        verdict, low, high = lemma(s, 40, epsilon, 0.01)
        bounds = (max(0.0, balls.lower(low)), balls.as_delta(high))
        rows.append((0.01, s, 40, epsilon, verdict, *bounds))
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def examples(name):
    """The audits of all registered examples, and samples of both neighbours."""
    results, entry = [], MECHANISMS.get(name)
    for keys in entry.examples:
        params = parse(entry.params, keys, name)
        results.append(entry.compute(params, (0.0, 0.3, 0.9)).as_json())
        if entry.sample:
            samples = [entry.sample(params, which, 300, seeded(7, which)) for which in (0, 1)]
            results.append(["".join(map(str, x)) for x in samples])
    return results


CASES = {
    **{f"audit {k}": (lambda c=c: audit(*c)) for k, c in AUDITS.items()},
    **{f"calibrate {k}": (lambda c=c: calibrate(*c)) for k, c in TARGETS.items()},
    **{f"bound {k}": (lambda k=k: asdict(blackbox.lower_bound(*samples(k)))) for k in range(4)},
    "search": searched,
    "powers": powers,
    "deep": deep,
    "lemmas": lemmas,
    **{f"examples {k}": (lambda k=k: examples(k)) for k in EXAMPLES},
}


def flat(value, path=""):
    """{path: number or text}."""
    if isinstance(value, dict):
        items = [(named(k) if isinstance(k, float) else k, v) for k, v in value.items()]
    elif isinstance(value, list | tuple | np.ndarray):
        items = list(enumerate(value))
    else:
        value = value.item() if isinstance(value, np.generic) else value
        return {path: value if isinstance(value, str | bool | None) else float(value)}
    return {p: x for k, v in items for p, x in flat(v, f"{path}/{k}").items()}


@pytest.mark.parametrize("case", CASES)
def test_numbers_are_the_stored_ones(case):
    expected, actual = json.loads(NUMBERS.read_text())[case], flat(CASES[case]())
    assert actual.keys() == expected.keys()
    for path, value in expected.items():
        exact = not isinstance(value, float)
        assert actual[path] == (value if exact else pytest.approx(value, rel=1e-11, abs=0))


if __name__ == "__main__":
    numbers = {case: flat(make()) for case, make in CASES.items()}
    NUMBERS.write_text(json.dumps(numbers, indent=0) + "\n")
