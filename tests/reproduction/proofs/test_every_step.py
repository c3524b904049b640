"""Each row of the ledger that names a step of a proof has a test that evaluates it, or is listed
here as an exception.

The rows are the published ones, and those of the smoke scale.
"""

import csv
from functools import cache

from golden_rows import golden_rows
from scratch import ROOT
from test_kl_earlier_steps import EARLIER, FIRST, STEPWISE
from test_proof_steps import STEPS

from dpbandits.reproduction.kl.counterexamples import COUNTEREXAMPLES
from dpbandits.reproduction.ledger.verdicts import PRINTED

NOTHING_PRINTED = {  # no proof, or no step of one, to evaluate
    *("HU-S2.2", "HU-S7-witness.first form", "HU-S6", "KL-S4.4-baselines"),
    "FL-A5.2c",
    *("US-S3-variance", "US-A2.8", "US-S4-identical"),
}
AT_LARGER_SCALES = {"FL-F2L", "US-ABS.measured"}  # if rejected there
NO_INEQUALITY = {
    "HU-T9.first form": "r0 = log 0 is undefined for a bracket of one action",
    "HU-T12": "> for < in a sentence after the theorem, outside of its proof",
}


@cache
def ledger() -> dict[str, str]:
    """{row: the step that it names}, of the published rows and those of the smoke scale."""
    with open(ROOT / "figures/claims.csv", newline="", encoding="utf-8") as file:
        rows = [*csv.DictReader(file), *golden_rows()]
    return {
        row["id"] + (row["reading"] != PRINTED) * f".{row['reading']}": row["proof_step"]
        for row in rows
        if row["proof_step"]
    }


def test_every_step_is_evaluated_or_an_exception():
    unevaluated = NOTHING_PRINTED | set(NO_INEQUALITY)
    certified = {*STEPWISE, *EARLIER, *FIRST}  # by tests/offline and test_kl_earlier_steps.py
    evaluated = set(STEPS) | certified - unevaluated
    assert set(ledger()) - AT_LARGER_SCALES == evaluated | unevaluated
    assert not evaluated & unevaluated


def test_counterexamples_of_one_step_have_their_earlier_steps_listed():
    for row, make in COUNTEREXAMPLES.items():
        assert len(make().steps) > 1 or row in EARLIER, row
    for make, _ in (EARLIER | FIRST).values():
        assert make().fails
