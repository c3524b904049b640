"""Each row of the ledger that names a step has it evaluated by a test, or stands here by name.

The rows are those that the checks give for the smoke tables, and the published ones.
"""

import csv
from functools import cache
from pathlib import Path

from golden_rows import golden_rows
from test_kl_claims import CROSSINGS, crossed
from test_kl_earlier_steps import EARLIER, FIRST
from test_proof_steps import STEPS

from dpbandits.core.ledger import PRINTED

ROOT = Path(__file__).parents[2]
NOTHING_PRINTED = {  # no proof, or no step of one, to evaluate
    *("HU-S2.2", "HU-S7-witness", "HU-S6", "HU-S6-coefficient", "KL-S4.4-baselines"),
    *("FL-A5.2c", "FL-F1L", "FL-F1R", "FL-F2R", "FL-F3L", "FL-F3R"),
    *("US-S3-variance", "US-A2.8", "US-S4-identical", "US-S4-same"),
}
AT_LARGER_SCALES = {"FL-F2L", "US-ABS.measured", "US-ABS.measured-least-noise"}  # if rejected there
NO_INEQUALITY = {
    "HU-T9.first form": "r0 = log 0 is undefined for a bracket of one action",
    "HU-T12": "> for < in a sentence after the theorem, outside of its proof",
}


@cache
def ledger() -> dict[str, str]:
    """row -> the step that it names, if any: the published rows, then those of the smoke tables."""
    with open(ROOT / "figures/claims.csv", newline="", encoding="utf-8") as file:
        rows = [*csv.DictReader(file), *golden_rows()]
    return {
        row["id"] + (row["reading"] != PRINTED) * f".{row['reading']}": row["proof_step"]
        for row in rows
        if row["proof_step"]
    }


def certified() -> dict[str, str]:
    """KL's rows whose crossing has the steps: the step that fails first."""
    return {row: step for row, step in ledger().items() if row[:2] == "KL" and row not in STEPS}


def test_every_step_is_evaluated_or_an_exception():
    unevaluated = NOTHING_PRINTED | set(NO_INEQUALITY)
    evaluated = set(STEPS) | set(certified()) - unevaluated
    assert set(ledger()) - AT_LARGER_SCALES == evaluated | unevaluated
    assert not evaluated & unevaluated


def test_kls_crossings_fail_at_the_step_that_the_ledger_names():
    broken = {crossed(make).broken for make in CROSSINGS}
    for row, step in certified().items():
        assert row in NOTHING_PRINTED or step in broken, row
    for row, (make, _) in (EARLIER | FIRST).items():
        assert certified()[row] == make().broken


def test_a_crossing_of_one_step_has_its_earlier_ones_listed():
    listed = {make().broken for make, _ in (EARLIER | FIRST).values()}
    for make in CROSSINGS:
        found = crossed(make)
        assert len(found.steps) > 1 or found.broken in listed, make.__name__
