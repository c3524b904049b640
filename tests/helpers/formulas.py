"""Formulas and texts as they are shown: in plain Unicode, read line by line.

After a change that is meant: `python tests/helpers/formulas.py`, and look at the difference.
"""

import csv
from pathlib import Path

from dpbandits.reproduction.plots.words import readable

FILE = Path(__file__).with_suffix(".csv")
SHOWN = {"plain": readable}


def rows() -> list[dict[str, str]]:
    with open(FILE, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


if __name__ == "__main__":
    texts = [row["tex"] for row in rows()]
    with open(FILE, "w", newline="", encoding="utf-8") as file:
        lines = csv.DictWriter(file, ("tex", *SHOWN), lineterminator="\n")
        lines.writeheader()
        lines.writerows({"tex": t} | {n: show(t) for n, show in SHOWN.items()} for t in texts)
