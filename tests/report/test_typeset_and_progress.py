"""Tables for a text, the time that is left, and what a run cost."""

import logging
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from dpbandits.core.plaintext import plain
from dpbandits.pipeline.progress import Progress
from dpbandits.pipeline.timing import benchmark_table
from dpbandits.pipeline.typeset import MOST_ROWS, as_latex, as_markdown, readable


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
    ) == ("loss against η, ε ≤ 2^k and Δ_min for 5$ and 6")
    assert plain("costs $5 or\n$6") == "costs $5 or\n$6"


def event(name, **values):
    record = logging.LogRecord("x", logging.INFO, "", 0, None, None, None)
    record.__dict__.update(event=SimpleNamespace(value=name), **values)
    return record


def test_time_left_is_learnt_from_the_last_run_and_from_this_one(tmp_path, capsys):
    (tmp_path / "simulate").mkdir()
    (tmp_path / "simulate/0.tsv").write_text("s\tmax_rss\tcpu_time\n10.0\t50.5\t9.5\n")
    now = [0.0]
    progress = Progress(["simulate"] * 4 + ["draw_x"], tmp_path, 2, clock=lambda: now[0])
    assert progress.seconds_left() == pytest.approx((4 * 10 + 1) / 2)
    start = {"rule_name": "simulate", "rule_msg": "Simulate a"}
    progress.emit(event("job_info", jobid=1, **start))
    progress.emit(event("job_info", jobid=2, **start | {"rule_msg": "Simulate b"}))
    now[0] = 20.0
    progress.emit(event("job_finished", job_id=1))
    progress.emit(event("progress", done=1, total=5))
    assert progress.seconds_left() == pytest.approx((3 * 20 + 20 - 20) / 2)
    assert capsys.readouterr().out == "About 30 s left; now: Simulate b\n"


def test_costs_are_added_up_by_kind_of_job(tmp_path):
    for name, line in {"draw/a/1": "2.5\t300\t2.0", "draw/b/2": "1.5\t400\tNA"}.items():
        path = tmp_path / f"{name}.tsv"
        path.parent.mkdir(parents=True)
        path.write_text(f"s\tmax_rss\tcpu_time\n{line}\n")
    (tmp_path / "ledger.tsv").write_text("s\tmax_rss\tcpu_time\n1.0\t10\t-\n")
    table = benchmark_table(tmp_path)
    assert table["draw"] == {"jobs": 2, "wall": 4.0, "cpu": 2.0, "memory": 400.0}
    assert table["ledger"]["jobs"] == 1
