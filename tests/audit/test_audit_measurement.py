"""What OpenDP declares, against exact laws: every promise of its installed release holds here.

Draws of OpenDP cannot be seeded: which noise it samples is judged at an error of 1e-9 a time.
"""

import json
import math
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from itertools import product

import pytest
from scratch import ROOT

from dpbandits.audit import measurement as measurement_audit
from dpbandits.audit.measurement import audit_measurement
from dpbandits.core.errors import InputError

pytest.importorskip("opendp")
SCALES = (0.3, 1.0, 2.7, 10.0, 1e3)
MEASURES = ("pure", "zcdp", "approximate")
SELECTIONS = [
    {"scale": s, "d_in": d, "measure": m, "monotonic": one_way, "arms": arms}
    for s, d, m, one_way, arms in product(SCALES, (1, 3), MEASURES, (False, True), (2, 4))
]
TOPS = [
    {"scale": s, "measure": m, "top": 2, "d_in": d}
    for s, m, d in product(SCALES, ("pure", "zcdp"), (1, 2))
]
NOISES = [
    {"scale": s, "d_in": d, "measure": m}
    for s, d, m in product((0.1, *SCALES, 7 / 3), (1, 2, 5), MEASURES)
]
CLIPPED = [keys | {"bounds": [-1, 4]} for keys in NOISES if keys["scale"] < 100]
RESPONSES = [
    {"prob": p, "categories": k}
    for p, k in product((0.5, 0.6, 2 / 3, 0.9, 0.999, 1 - 2**-40), (2, 3, 7, 100))
]
INSTANCES = [
    *(("noisy_max", keys) for keys in SELECTIONS),
    *(("noisy_top_k", keys) for keys in TOPS),
    *(("laplace", keys) for keys in NOISES),
    *(("geometric", keys) for keys in NOISES[:18] + CLIPPED),
    *(("randomized_response", keys) for keys in RESPONSES),
    *(("randomized_response_bool", keys) for keys in RESPONSES if keys["categories"] == 2),
]


def test_all_promises_of_the_installed_release_hold():
    verdicts = Counter()
    for name, keys in INSTANCES:
        promise = audit_measurement(f"opendp:{name}", keys)
        assert promise.verdict == "holds", (name, keys, promise)
        assert promise.true_at_least <= promise.true_at_most <= promise.declared
        verdicts[name, promise.measure] += 1
    page = (ROOT / "docs/auditing.md").read_text("utf-8")
    assert f"for {verdicts.total()} settings of noisy max" in page


def test_a_promise_is_met_with_nothing_to_spare():
    for name, keys in INSTANCES:
        if keys.get("measure", "pure") == "pure" and keys.get("scale", 1) <= 10:
            promise = audit_measurement(f"opendp:{name}", keys)
            assert promise.true_at_least == pytest.approx(promise.declared, rel=1e-3)


@pytest.mark.parametrize("arms", [2, 5])
@pytest.mark.parametrize("scale", [0.5, 1.0, 20.0])
def test_permute_and_flip_declared_as_the_exponential_mechanism_is_refuted(
    arms, scale, monkeypatch
):
    """The defect that OpenDP's issue 2911 reports; none of the releases that we ran has it."""
    monkeypatch.setattr(measurement_audit, "noise_sampled", lambda pure, top: "exponential")
    keys = {"scale": scale, "measure": "zcdp", "arms": arms}
    promise = audit_measurement("opendp:noisy_max", keys)
    assert promise.verdict == "violated"
    assert promise.true_at_least > promise.declared


@pytest.mark.parametrize("measure", ["zcdp", "pure"])
def test_certificate_of_a_failing_promise(measure, monkeypatch, tmp_path):
    """check.py proves it from the law alone, and refuses it where the promise is true."""
    monkeypatch.setattr(measurement_audit, "noise_sampled", lambda pure, top: "exponential")
    if measure == "pure":  # as if the map forgot that scores may move both ways
        monkeypatch.setattr(measurement_audit, "_declared", lambda measurement, p: p.d_in / p.scale)
    promise = audit_measurement("opendp:noisy_max", {"scale": 1.5, "measure": measure, "d_in": 2})
    certificate, file = promise.as_json()["certificate"], tmp_path / "LIBRARY.json"
    for declared, word in ((None, "proved"), ("9", "REFUSED")):
        if declared:
            certificate["given"]["declared"] = declared
        file.write_text(json.dumps(certificate))
        command = [sys.executable, "-I", "certificates/check.py", str(file)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.stdout.startswith(word), done.stdout
    with pytest.raises(InputError, match="of a violated promise"):
        audit_measurement("opendp:laplace", {"scale": 1.5}).certificate()


def test_draws_tell_the_two_noises_apart():
    assert measurement_audit.noise_sampled(pure=True, top=False) == "exponential"
    assert measurement_audit.noise_sampled(pure=False, top=False) == "gumbel"


@pytest.mark.parametrize(("centre", "low", "high"), [(0, -2, 3), (3, -2, 3), (9, 0, 4)])
def test_clipped_law_by_summing(centre, low, high):
    q = Fraction(1, 3)
    plain = Counter()
    for k in range(-200, 201):
        value = min(max(min(max(centre, low), high) + k, low), high)
        plain[value] += (1 - q) / (1 + q) * q ** abs(k)
    law = measurement_audit.clipped(measurement_audit.ball(q), centre, low, high)
    expected = [float(plain[value]) for value in range(low, high + 1)]
    assert [float(x) for x in law] == pytest.approx(expected, abs=1e-15)


def test_two_tails_lose_what_all_outcomes_lose():
    q, d, epsilon = math.exp(-1 / 1.7), 3, 0.8
    masses = lambda centre: [q ** abs(k - centre) for k in range(-300, 301)]  # noqa: E731
    excess = sum(
        max(0, a - math.exp(epsilon) * b) for a, b in zip(masses(0), masses(d), strict=True)
    )
    laws = measurement_audit.two_tails(measurement_audit.ball(Fraction(q)), d)
    expected = excess * (1 - q) / (1 + q)
    assert float(measurement_audit.delta_at(*laws, epsilon)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "keys", "words"),
    [
        ("opendp:noisymax", {}, "did you mean 'noisy_max'"),
        ("numpy:laplace", {}, "allowed: opendp; for others write a function"),
        ("opendp:noisy_max", {"scale": 1, "top": 2}, "allowed with noisy_top_k"),
        ("opendp:noisy_max", {"scale": -1}, "scale"),
        ("opendp:noisy_max", {"scale": "1"}, "allowed: a number"),
        ("opendp:geometric", {"scale": 1, "bounds": "[3,1]"}, "two whole numbers that rise"),
        ("opendp:geometric", {"scale": 1, "bounds": "[-300,201]"}, "at most 500 apart"),
        ("opendp:randomized_response", {"prob": 0.1, "categories": 3}, "at least 1/k"),
    ],
)
def test_wrong_input_is_one_line(name, keys, words):
    with pytest.raises(InputError, match=words):
        audit_measurement(name, keys)
