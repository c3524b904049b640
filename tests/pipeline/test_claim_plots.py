"""Plots of claims: how they look, and what is refused."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from looks import described, same

from dpbandits.reproduction.ledger.claims import claims
from dpbandits.reproduction.ledger.points import joined, points
from dpbandits.reproduction.ledger.verdicts import COLUMNS
from dpbandits.reproduction.pipeline import claim_plots
from dpbandits.reproduction.pipeline.figures import figures

AXES = ("x", "y")


def test_plot_without_points_is_refused():
    row = dict.fromkeys(COLUMNS, "") | {"id": "HU-T8"}
    other = points([1], [1], axes=AXES).assign(id="HU-T9", reading="printed")
    tables = {"verdicts": pd.DataFrame([row]), "points": other}
    with pytest.raises(ValueError, match="HU-T8 has no points"):
        claim_plots.plot("HU-T8", lambda name: tables[name])


def test_every_claim_is_a_figure():
    drawn = {f.name.rsplit("/", 1)[1] for f in figures().values() if f.folder == "claims"}
    assert drawn == set(claims())


def drawn(*parts, verdict="violated", **others):
    """The plot of HU-T8 with these points; `others`: further readings and their points."""
    row = dict.fromkeys(COLUMNS, "") | {
        "id": "HU-T8", "reading": "printed", "statement": "Theorem 8: eps-DP", "verdict": verdict,
        "method": "certified", "measured": "1.94 eps", "counterexample": "word " * 300,
    }  # fmt: skip
    rows = [row, *(row | {"reading": name, "counterexample": ""} for name in others)]
    frames = [joined(parts).assign(reading="printed")]
    frames += [joined(own).assign(reading=name) for name, own in others.items()]
    tables = {"verdicts": pd.DataFrame(rows), "points": pd.concat(frames).assign(id="HU-T8")}
    drawing = claim_plots.plot("HU-T8", lambda name: tables[name])
    plt.close(drawing.figure)
    return drawing


TEN = range(1, 11)
LOOKS = {  # by what can look otherwise: the points of one plot each
    "limits of one series, a cloud, names, an interval": [
        points(TEN, TEN, at_most=5, repaired=12, axes=AXES, panel="from above", series="a"),
        points(TEN, [2] * 10, at_least=1, axes=AXES, panel="from below", series="b"),
        points([1, 1, 2], [1, 2, 3], axes=AXES, panel="a cloud", series="a"),
        points(["p", "q"], [3, 1], at_most=[1, np.nan], axes=("", "y"), panel="names"),
        points([2], [3], low=[2.5], high=[4], at_most=2, repaired=5, axes=AXES, panel="one"),
    ],
    "limits of each series, equalities, logarithms": [
        points(TEN, TEN, at_most=5, repaired=11, axes=AXES, series="a", panel="two"),
        points(TEN, [6] * 10, at_most=8, repaired=9, axes=AXES, series="b", panel="two"),
        points([1, 2], [1, 3], at_least=2, at_most=2, axes=AXES, panel="equal"),
        points([1, 3, 1e9], [1e-12, 2, 5e7], at_most=9, axes=AXES, log="xy", panel="wide"),
        points(range(1, 31), np.arange(1, 31) ** 2, at_least=4, axes=AXES, log="xy", panel="near"),
    ],
    "a crowd, long names": [
        points(np.arange(45), np.arange(45) % 7, at_most=5, axes=AXES, panel="x"),
        points(["a long name of twenty", "another of as many !", "c"], TEN[:3], axes=AXES,
               panel="y", series="a", at_least=0),
        points(["p", "q"], TEN[:2], axes=AXES, panel="y", series="b", at_least=[0, 1]),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", LOOKS)
def test_looks_of_plots_are_the_golden_ones(name):
    """The first one has a second reading, which is named in panels and badges."""
    others = {"another": [points(["r"], [1], axes=AXES, panel="names")]} if "cloud" in name else {}
    same(f"claim plot: {name}", described(drawn(*LOOKS[name], **others)))
