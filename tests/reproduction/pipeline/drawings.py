"""Figures drawn from the smoke tables of tests/golden, those of claims from made-up points, and
check sums of what was drawn.

After an intended change of a figure, of tests/golden or of figures/claims.csv this file, run as a
script, writes drawings.csv again (a minute). Look at the pictures.
"""

from dpbandits.reproduction import processor

processor.pin()  # before NumPy: the arithmetic of jobs

import csv
import io
import re
from functools import partial
from pathlib import Path
from zlib import crc32

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from scratch import ROOT

from dpbandits.reproduction.ledger.claims import claims
from dpbandits.reproduction.ledger.points import points_of
from dpbandits.reproduction.pipeline.figures import drawn, figures

ALL = figures()
PUBLISHED = pd.read_csv(ROOT / "figures/claims.csv", dtype=str, keep_default_na=False)
KNOWN = {*zip(PUBLISHED["id"], PUBLISHED["reading"], strict=True)}
NEW = [  # rows that the next run publishes
    {"id": claim.id, "reading": reading.reading, "paper": claim.paper, "verdict": "untestable",
     "statement": claim.statement_of(reading.reading)}
    for claim in claims().values() for reading in claim.readings
    if (claim.id, reading.reading) not in KNOWN
]  # fmt: skip
LEDGER = pd.concat([PUBLISHED, pd.DataFrame(NEW, columns=["id", *PUBLISHED.columns[1:]])])
LEDGER = LEDGER.fillna("").reset_index(drop=True)
DRAWINGS = Path(__file__).with_name("drawings.csv")
_drawn = {}


def drawing(name):
    """A figure, which is drawn once for all tests."""
    if name not in _drawn:
        _drawn[name] = drawn(ALL[name], partial(table, ALL[name]))
        plt.close(_drawn[name].figure)
    return _drawn[name]


def table(entry, name):
    """A golden table of a smoke run; for claims, made-up ratios or points."""
    if name == "verdicts":
        ratios = np.resize([1.02, 3.0, 1e9, np.inf, ""], len(LEDGER))
        return LEDGER[LEDGER["paper"] == entry.paper.upper()].assign(ratio=ratios[: sum(
            LEDGER["paper"] == entry.paper.upper())], ratio_of="loss; T = 10")  # fmt: skip
    if name == "points":
        made = points_of([1, 2, 4], at_most=2, what="loss", series="one", x="x", at=[1, 10, 100])
        ids = {"id": entry.claims[0].split(" (")[0]}
        readings = ("printed", "fixed-kernel")
        return pd.concat([made.assign(**ids, reading=reading) for reading in readings])
    return pd.read_csv(ROOT / f"tests/golden/{entry.paper}/{name}.csv")


def sums(name) -> dict[str, str]:
    """Check sums: of the picture as SVG, to a tenth of a point and without the names of its parts,
    which are hashes of more digits; and of its data."""
    shown, svg, data = drawing(name), io.StringIO(), io.StringIO()
    with plt.rc_context({"svg.fonttype": "none"}):
        shown.figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
    unnamed = re.sub(r"\b[mp][0-9a-f]{10}\b", "", svg.getvalue())
    picture = re.sub(r"-?\d+\.\d+", lambda n: f"{float(n[0]) + 0:.1f}", unnamed)
    shown.data.to_csv(data, float_format="%.5g")
    whole = {"picture": picture, "data": data.getvalue()}
    return {"figure": name} | {k: f"{crc32(part.encode()):08x}" for k, part in whole.items()}


def golden() -> dict[str, dict[str, str]]:
    with open(DRAWINGS, newline="", encoding="utf-8") as file:
        return {line["figure"]: line for line in csv.DictReader(file)}


if __name__ == "__main__":
    with open(DRAWINGS, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ("figure", "picture", "data"), lineterminator="\n")
        writer.writeheader()
        writer.writerows(sums(name) for name in sorted(ALL))
