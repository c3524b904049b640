"""What jobs ask of a cluster follows from what was measured, with a margin."""

from dataclasses import replace

import pytest
from scratch import ROOT

from dpbandits.pipeline.plan import Cell, Job
from dpbandits.pipeline.resources import FILE, UNKNOWN, Measured, urgency, with_margin

MEASURED = Measured(
    {
        "simulate": {
            "hu/fig1/lazy": {
                "memory": 300, "start": 2.0, "per_run": 0.1, "horizon": 1000, "power": 0.5,
            }
        },
        "draw": {"hu/regret": {"memory": 480, "seconds": 11.0}},
        "study": {"kl/choice": {"memory": 300, "seconds": 12.0}},
        "extended study": {"kl/choice": {"memory": 400, "seconds": 1200.0}},
    }
)  # fmt: skip
CELL = Cell("lazy", "lazy", {}, {}, 1.0, 1000, (1, 1000), 0, 100)
JOB = Job("hu", "fig1", "lazy", 0, (CELL, CELL), ("regret",))


def test_a_notebook_asks_for_its_own_measure_with_a_margin():
    needs = MEASURED.of("draw", "hu/regret", "paper")
    assert needs == with_margin(480, 11.0)
    assert needs.mem_mb == 1100  # 1.5 x 480 + 350, in steps of 50
    assert needs.runtime == 2  # 4 x 11 s, begun minutes, and one to start


def test_another_scale_asks_for_its_own_measure_if_there_is_one():
    assert MEASURED.of("study", "kl/choice", "paper") == with_margin(300, 12.0)
    assert MEASURED.of("study", "kl/choice", "extended") == with_margin(400, 1200.0)
    assert MEASURED.of("draw", "hu/regret", "extended") == with_margin(480, 11.0)


def test_a_simulation_grows_with_its_runs_and_its_horizon():
    assert MEASURED.of_simulation(JOB).runtime == with_margin(0, 2 + 0.1 * 200).runtime
    longer = replace(JOB, cells=(replace(CELL, horizon=100_000),) * 2)
    assert MEASURED.of_simulation(longer).runtime == with_margin(0, 2 + 0.1 * 200 * 10).runtime
    many = replace(JOB, cells=(replace(CELL, seeds=10**6),) * 2)
    assert MEASURED.of_simulation(many).mem_mb > MEASURED.of_simulation(JOB).mem_mb + 1000


@pytest.mark.parametrize("name", ["unheard", "other"])
def test_what_was_never_measured_gets_the_usual(name):
    assert MEASURED.of("study", name, "paper") == UNKNOWN
    assert MEASURED.of_simulation(replace(JOB, series=name)) == UNKNOWN


def test_committed_measurements_can_be_read():
    data = Measured.load(ROOT / FILE).data
    assert {"simulate", "study", "aggregate", "claims", "draw"} <= set(data)
    for kind, entries in data.items():
        assert entries, kind
        for name in entries:
            assert kind == "simulate" or Measured(data).of(kind, name, "paper").mem_mb >= 400


def test_what_most_work_hangs_on_is_most_urgent():
    """A table of two parts, which the claims read; one notebook draws claims, one the table."""
    found = urgency(
        [
            (6.0, ["claims.ipynb"], ["verdicts.csv"]),
            (9.0, ["table.ipynb"], ["table.csv"]),
            (5.0, ["verdicts.csv", "points.csv"], ["table.csv", "study.csv"]),
            (1.0, ["table.csv"], ["part/0", "part/1"]),
            (20.0, ["part/0"], []),
            (30.0, ["part/1"], []),
            (3.0, ["study.csv"], []),
            (4.0, ["nobody.csv"], []),
        ]
    )
    assert found["points.csv"] == found["verdicts.csv"] == 5 + 6
    assert found["table.csv"] == 1 + max(5 + 6, 9)
    assert (found["part/0"], found["part/1"]) == (20 + 12, 30 + 12)
    assert (found["study.csv"], found["nobody.csv"]) == (3 + 11, 4)


def test_what_others_may_have_compiled_does_not_make_a_job_urgent():
    assert MEASURED.work(JOB) == pytest.approx(0.1 * 200)
    assert MEASURED.work(JOB, alone=True) == pytest.approx(2 + 0.1 * 200)
    assert MEASURED.work(replace(JOB, series="new")) == 60 * UNKNOWN.runtime
    assert MEASURED.seconds("study", "kl/choice", "extended") == 1200.0
