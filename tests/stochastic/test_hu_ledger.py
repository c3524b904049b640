"""HU's ledger: a failing step at its counterexample, severities and causes."""

import math
from functools import cache
from pathlib import Path

import numpy as np

from dpbandits.core.claims import claims, get_claim
from dpbandits.core.files import read_table

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests/golden/hu"
IDS = [id for id in claims() if id.startswith("HU-")]


@cache
def golden(name):
    return read_table(GOLDEN / f"{name}.csv")


@cache
def verdicts(id):
    """From the smoke tables."""
    return {verdict.reading: verdict for verdict in get_claim(id).verdicts(golden)}


def test_step_46_by_simulation():
    """400,000 plain runs of the first four rounds: above the certificate's lower bound, which is
    above 5^-3, and below the union's; the seed is fixed."""
    rng, runs, epsilon = np.random.default_rng(46), 400_000, 1.0
    noise = rng.laplace(0, 1 / epsilon, (runs, 2))
    wins = np.ones(runs, bool)
    for t in (3, 4):
        m = np.clip(noise + 3 * math.log(t) / epsilon, 0, 1)
        theta = rng.beta(m + 1, 2 - m)
        wins &= theta[:, 1] > theta[:, 0]
    stays = noise[~wins, 1]
    seen = (np.abs(stays) > 3 * math.log(5) / epsilon).mean()
    made = get_claim("HU-L23").certificates()["step (46)"]["enclosures"]
    assert 1 / 125 < float(made["left"][1]) < seen < (math.log2(5) + 1) / 125


def test_every_failing_row_has_a_severity_and_inherited_errors_a_cause():
    found = {(id, v.reading): v for id in IDS for v in verdicts(id).values()}
    failing = {key for key, v in found.items() if v.verdict in ("violated", "rejected")}
    assert all(found[key].severity and found[key].supremum for key in failing)
    assert {key: v.cause for key, v in found.items() if v.cause} == {("HU-ABS", "printed"): "HU-T8"}
    severe = {key for key in failing if found[key].severity == "conclusion"}
    assert severe == {("HU-T8", "printed"), ("HU-ABS", "printed")}
