"""Tables for a text, the time that is left, and what a run cost."""

import json
import logging
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from dpbandits.core.plaintext import plain
from dpbandits.pipeline.progress import Progress
from dpbandits.pipeline.timing import by_kind
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
    ) == ("loss against η, ε ≤ 2^k and Δₘᵢₙ for 5$ and 6")
    assert plain("costs $5 or\n$6") == "costs $5 or\n$6"


def event(name, **values):
    record = logging.LogRecord("x", logging.INFO, "", 0, None, None, None)
    record.__dict__.update(event=SimpleNamespace(value=name), **values)
    return record


def test_time_left_is_learnt_from_the_last_run_and_from_this_one(tmp_path, capsys):
    booked(tmp_path, "simulate/0", startup_seconds=0.5, work_seconds=9.5)
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
    now[0] = 40.0  # b took 40 s, the mean is 30 s; nothing runs, the drawing counts 30 s as well
    progress.emit(event("job_finished", job_id=2))
    assert progress.seconds_left() == pytest.approx((2 * 30 + 30) / 2)


def test_costs_are_added_up_by_kind_of_job(tmp_path):
    booked(tmp_path, "draw/a/1", startup_seconds=0.5, work_seconds=2.0, cpu_seconds=2.0)
    booked(tmp_path, "draw/b/2", startup_seconds=0.5, work_seconds=1.0, peak_mb=400.0)
    booked(tmp_path, "ledger")
    Path(tmp_path, "logs/draw/failed.log").write_text("Traceback", encoding="utf-8")
    table = by_kind(tmp_path)
    assert table["draw"] == {"jobs": 2, "wall": 4.0, "cpu": 3.0, "memory": 400.0}
    assert table["ledger"]["jobs"] == 1


def booked(results: Path, job: str, **numbers) -> None:
    usual = {"startup_seconds": 0.0, "work_seconds": 1.0, "cpu_seconds": 1.0, "peak_mb": 300.0}
    log = results / f"logs/{job}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text(json.dumps(usual | numbers), encoding="utf-8")
