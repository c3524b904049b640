"""The table of an experiment as Markdown and LaTeX (its cells: tests/pipeline)."""

import numpy as np
import pandas as pd

from dpbandits.pipeline.typeset import as_latex, as_markdown, readable


def test_last_round_with_a_column_per_epsilon():
    columns = ["algorithm", "setting", "epsilon", "metric", "t", "mean", "sem"]
    rows = [
        ("a", "linear", 0.5, "regret", 10, 1.0, 0.1),
        ("a", "linear", 0.5, "regret", 99, 12.3456, 0.123),
        ("a", "linear", np.inf, "regret", 99, 1234.5, 567.8),
        ("b_2", "linear", 0.5, "regret", 99, 7.0, np.nan),
    ]
    table, note = readable(pd.DataFrame(rows, columns=columns))
    assert list(table.columns) == ["algorithm", "setting", "metric", "ε = 0.5", "ε = ∞"]
    assert table.to_numpy().tolist() == [
        ["a", "linear", "regret", "12.35 ± 0.12", "1234 ± 568"],
        ["b_2", "linear", "regret", "7", ""],
    ]
    assert "standard error" in note
    assert "| b_2 | linear | regret | 7 |  |" in as_markdown(table, note)
    latex = as_latex(table, note)
    assert r"b\_2 & linear & regret & 7 &  \\" in latex
    assert r"12.35 $\pm$ 0.12" in latex
