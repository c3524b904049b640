"""The ledger's rows on the golden tables, read: pipeline/test_ledger_golden.py computes them all,
once, and compares. That a row that fails says what is true instead, `Verdict` itself asks."""

import csv
from functools import cache
from pathlib import Path


@cache
def golden_rows() -> list[dict[str, str]]:
    path = Path(__file__).parents[1] / "reproduction/pipeline" / "ledger.csv"
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
