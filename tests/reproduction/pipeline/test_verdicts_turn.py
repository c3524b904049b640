"""Verdicts follow the tables: they turn at a stored number, and ignore series that no claim names.

Of each table that a claim reads, one number is made larger or smaller until a verdict of the claim
changes, or the run stops ("stops"), as a proof of ours is contradicted. turns.csv has the last
number that changes nothing, and the first that does. After an intended change this file, run as a
script, writes it again (some minutes). Look at the difference.
"""

import csv
import math
from functools import cache, partial
from pathlib import Path

import pandas as pd
import pytest
from scratch import ROOT

from dpbandits.core.errors import InputError, ProofError
from dpbandits.core.files import read_table
from dpbandits.reproduction.ledger.claims import claims
from dpbandits.reproduction.ledger.points import joined
from dpbandits.reproduction.studies import table_of

TURNS = Path(__file__).with_name("turns.csv")
COLUMNS = ("id", "table", "row", "column", "same", "turned", "to")
READING = {id: claim for id, claim in claims().items() if claim.reads}


@cache
def golden(id: str, name: str) -> pd.DataFrame:
    paper, own = table_of(READING[id].paper.lower(), name)
    return read_table(ROOT / f"tests/golden/{paper}/{own}.csv")


@cache
def turns() -> list[dict[str, str]]:
    with open(TURNS, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def judged(id: str, change=lambda name, table: table):
    """The verdicts of a claim on the golden tables after a change."""
    return READING[id].verdicts(lambda name: change(name, golden(id, name)))


def outcome(id: str, table: str = "", row: int = 0, column: str = "", value: float = 0) -> str:
    """The verdicts of a claim's readings, with one number of one table changed."""

    def change(name, frame):
        if name != table:
            return frame
        frame = frame.astype({column: float})
        frame.loc[row, column] = value
        return frame

    try:
        return ", ".join(verdict.verdict for verdict in judged(id, change))
    except (ProofError, InputError):  # the latter: values that contradict a verdict
        return "stops"


@pytest.mark.parametrize("id", dict.fromkeys(line["id"] for line in turns()))
def test_verdicts_turn_at_the_stored_numbers(id):
    before = outcome(id)
    for line in (line for line in turns() if line["id"] == id):
        changed = partial(outcome, id, line["table"], int(line["row"]), line["column"])
        assert changed(float(line["same"])) == before != line["to"], line
        assert changed(float(line["turned"])) == line["to"], line


def with_rivals(name: str, table: pd.DataFrame) -> pd.DataFrame:
    """Each series twice more under other names, a thousand times better and worse."""
    if "algorithm" not in table:
        return table
    numbers = [key for key in ("mean", "sem", "low", "high") if key in table]
    rivals = [table.assign(algorithm=f"rival-{x}-" + table["algorithm"]) for x in (1e-3, 1e3)]
    for rival, factor in zip(rivals, (1e-3, 1e3), strict=True):
        rival[numbers] *= factor
    return pd.concat([table, *rivals], ignore_index=True)


@pytest.mark.parametrize("id", [
    id for id, claim in READING.items()
    if any("algorithm" in golden(id, name) for name in claim.reads)
])  # fmt: skip
def test_added_rival_changes_no_verdict(id):
    for rivalled, plain in zip(judged(id, with_rivals), judged(id), strict=True):
        for field in ("verdict", "scope", "measured", "bound", "slack", "repaired_verdict"):
            assert getattr(rivalled, field) == getattr(plain, field)
        pd.testing.assert_frame_equal(joined(rivalled.points), joined(plain.points))


# Writing turns.csv ----------------------------------------------------------------------------

MEASURED = {
    *("mean", "low", "exceed", "largest", "ratio", "crossed", "exact", "delta", "afresh"),
    *("loss_over_epsilon", "sensitivity_over_bound", "loss_at_least_noise"),
    *("exact_over", "sparsity_below.gap"),  # elsewhere they are labels
}


def turn(changed, before: str, value: float) -> tuple[float, float, str] | None:
    """The last number that changes nothing, the first that does, to six digits, and to what."""
    for turned in ((value or 1) * factor for factor in (1e4, 1e-4)):
        same, to = value, changed(turned)
        while to != before and abs(turned - same) > 1e-6 * max(turned, 1e-3):
            middle = math.sqrt(same * turned) if same > 0 else (same + turned) / 2
            found = changed(middle)
            same, turned, to = (middle, turned, to) if found == before else (same, middle, found)
        if to != before:
            return same, turned, to
    return None


def found(id: str):
    """For each table and column, the last number of the first series that turns a verdict."""
    before = outcome(id)
    for name in READING[id].reads:
        table = golden(id, name)
        words = [key for key in table if key not in table.select_dtypes("number")]
        last = table.groupby(words, sort=False).tail(1).index if words else table.index[-1:]
        for column in (key for key in table if {key, f"{name}.{key}"} & MEASURED):
            for row in last:
                value = float(table.loc[row, column])
                changed = partial(outcome, id, name, row, column)
                if value >= 0 and (turned := turn(changed, before, value)):
                    yield dict(zip(COLUMNS, (id, name, row, column, *turned), strict=True))
                    break


if __name__ == "__main__":
    with open(TURNS, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for id in READING:
            writer.writerows(found(id))
