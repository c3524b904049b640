"""The auditors' figures and their captions, from small tables."""

import numpy as np
import pandas as pd

from dpbandits.reproduction.fl.studies.lemma_a2 import LemmaParams, lemma_table
from dpbandits.reproduction.hu.studies.audit_cost import CostParams, cost_table
from dpbandits.reproduction.pipeline.figures import get_figure


def test_marker_is_filled_if_refuted_in_most_trials():
    """Two mechanisms, refuted in half and in all of the trials; the first has an infinite loss."""
    table = pd.DataFrame({
        "mechanism": ["a", "b"], "defect": ["half the noise", "none"], "claimed_epsilon": 1.0,
        "true_epsilon": [np.inf, 1.0], "exact_audit_refutes": [True, False], "samples": 500,
        "trials": 4, "refuted": [0.5, 1.0], "median_bound": [1.5, 0.5], "confidence": 0.9,
    })  # fmt: skip
    axes = get_figure("hu/audit_power").make(lambda name: table.copy()).figure.axes
    lines = [
        [x for x in ax.lines if len(x.get_xdata()) and x.get_marker() != "None"] for ax in axes
    ]
    filled = [
        x.get_xdata().tolist()
        for part in lines for x in part
        if x.get_markerfacecolor() != "none" and x.get_marker() != "|"
    ]  # fmt: skip
    assert [x for x in filled if x] == [[0.5]]
    true = [x.get_xdata().tolist() for part in lines for x in part if x.get_marker() == "|"]
    assert true == [[1.0], [1.5 * 1.06]]  # the sound one above
    assert [x.xy[0] for x in axes[1].texts] == [1.5 * 1.06]


def test_caption_and_edge_of_lemma_a2():
    table = lemma_table(
        LemmaParams(d=400, sparsity=(1, 10), epsilon=(1.0, 100.0, 200.0), delta=(0.01,))
    )
    drawing = get_figure("fl/lemma_a2").make(lambda name: table)
    assert "proved in 4 cells and violated in 2, first at ε = 100 and s = 10" in drawing.we_see
    (line,) = [x for x in drawing.figure.axes[0].lines if x.get_linestyle() == "--"]
    assert set(line.get_ydata()) == {0.5}  # (4/3) ln 100 = 6.1 is between s = 1 and s = 10


def test_caption_of_audit_runs():
    """One claim is refuted from 300 runs on, one never, a true one once in four audits."""
    table = pd.DataFrame({
        "mechanism": ["a", "a", "b", "b", "c", "c"], "runs": [100, 300] * 3, "trials": 4,
        "claim_is_false": [True] * 4 + [False] * 2, "refuted": [0.5, 1, 0, 0.75, 0.25, 0],
    })  # fmt: skip
    drawing = get_figure("hu/audit_runs").make(lambda name: table)
    assert "1 of 2 false claims are refuted" in drawing.we_see
    assert "1 of 8 audits refute a true one" in drawing.we_see
    assert drawing.table.to_numpy().tolist() == [["a", "300"], ["b", "not found"]]


def test_recorder_finds_what_exact_audits_find_and_tests_by_samples_some_of_it():
    table = cost_table(CostParams(samples=(300, 6000), trials=1))
    assert not table[table["defect"] == "none"]["found"].any()
    broken = table[table["defect"] != "none"].groupby("auditor")
    found = broken["found"].sum()
    assert found["exact"] == found["recorder"] == 7
    assert 0 < found["hockey-stick test"] <= found["samples"] < 7
    loss = table.pivot_table(index=["mechanism", "defect"], columns="auditor", values="loss",
                             sort=False)  # fmt: skip
    assert (loss["recorder"] >= loss["exact"] * (1 - 1e-9)).all()
    drawing = get_figure("hu/audit_cost").make(lambda name: table)
    assert "Of 7 broken mechanisms are found: exact 7, recorder 7" in drawing.we_see
    assert "of sound ones 0 are accused" in drawing.we_see
