"""Tables for a text, and what a run cost."""

import numpy as np
import pandas as pd
import pytest

from dpbandits.core.files import write_text
from dpbandits.pipeline.benchmarks import by_kind
from dpbandits.pipeline.typeset import MOST_ROWS, as_latex, as_markdown, readable
from dpbandits.plots.plaintext import plain


@pytest.fixture
def table():
    rows = [
        ("a", 0.5, 10, 1.0, 0.1),
        ("a", 0.5, 99, 12.3456, 0.123),
        ("a", np.inf, 99, 1234.5, 567.8),
        ("b_2", 0.5, 99, 7.0, np.nan),
    ]
    columns = ["algorithm", "epsilon", "t", "mean", "sem"]
    frame = pd.DataFrame(rows, columns=columns)
    frame.insert(1, "setting", "linear")
    frame.insert(3, "metric", "regret")
    return frame


def test_an_experiment_is_shown_at_its_end_with_a_column_per_epsilon(table):
    shown, note = readable(table)
    assert list(shown.columns) == ["algorithm", "setting", "metric", "ε = 0.5", "ε = ∞"]
    assert shown.to_numpy().tolist() == [
        ["a", "linear", "regret", "12.35 ± 0.12", "1234 ± 568"],
        ["b_2", "linear", "regret", "7", ""],
    ]
    assert "standard error" in note


def test_markdown_and_latex(table):
    shown, note = readable(table)
    assert "| b_2 | linear | regret | 7 |  |" in as_markdown(shown, note)
    latex = as_latex(shown, note)
    assert r"b\_2 & linear & regret & 7 &  \\" in latex
    assert r"12.35 $\pm$ 0.12" in latex
    assert latex.count("&") == 4 * 3


def test_a_long_table_is_thinned_and_says_so():
    shown, note = readable(pd.DataFrame({"n": range(1000), "loss": 0.5}))
    assert len(shown) == MOST_ROWS
    assert f"{MOST_ROWS} of 1000 rows" in note
    assert [shown["n"].iloc[0], shown["n"].iloc[-1]] == ["0", "999"]


def test_small_formulas_become_unicode():
    assert plain(
        r"loss against $\eta$, $\varepsilon \le 2^{k}$ and $\Delta_{\min}$ for 5$ and 6"
    ) == ("loss against η, ε ≤ 2^k and Δₘᵢₙ for 5$ and 6")
    assert plain("costs $5 or\n$6") == "costs $5 or\n$6"


def test_benchmarks_are_added_up_by_kind_of_job(tmp_path):
    head = "s\th:m:s\tmax_rss\tcpu_time\n"
    for name, row in (("draw/a", "2.5\t0:00:02\t300\t2"), ("draw/b", "1.5\t0:00:01\t400.5\t-"),
                      ("claims/hu", "1\t0:00:01\tNA\tNA")):  # fmt: skip
        write_text(f"{head}{row}\n", tmp_path / f"benchmarks/{name}.tsv")
    assert by_kind(tmp_path).to_dict("index") == {
        "claims": {"jobs": 1, "wall": 1.0, "cpu": 0.0, "memory": 0.0},
        "draw": {"jobs": 2, "wall": 4.0, "cpu": 2.0, "memory": 400.5},
    }
    assert by_kind(tmp_path / "none").empty
