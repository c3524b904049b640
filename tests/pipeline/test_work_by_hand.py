"""What a job books and seals, and when it refuses: each answer worked out by hand."""

import json
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

from dpbandits.core.files import content, read_seal, write_seal, write_text
from dpbandits.pipeline import work
from dpbandits.pipeline.provenance import recipe


@pytest.fixture
def job(tmp_path):
    source, table = tmp_path / "code.py", tmp_path / "in.csv"
    source.write_text("x = 1\n")
    table.write_text("x\n1\n")
    digest = recipe([], [source]).keep(tmp_path)
    return SimpleNamespace(
        rule="a_rule",
        source=source,
        log=[str(tmp_path / "logs/rule/x.log")],
        input=[str(table)],
        output=[str(tmp_path / name) for name in ("a.csv", "b.csv")],
        params=SimpleNamespace(recipe=str(tmp_path / f"{digest}.json")),
    )


def run(job):
    with work.work(job) as inputs:
        for path in job.output:
            assert read_seal(path) is None  # an old seal never stands beside a new output
            Path(path).write_text(path)
        inputs["figure.png"] = "published"


def test_a_job_books_its_costs_and_seals_every_output(job, monkeypatch):
    """CPU time: that of the process (1 + 2 s) and of its children (3 + 4 s); memory: the larger."""
    used = {work.resource.RUSAGE_SELF: (1, 2, 3072), work.resource.RUSAGE_CHILDREN: (3, 4, 1024)}
    fake = lambda who: SimpleNamespace(  # noqa: E731
        **dict(zip(("ru_utime", "ru_stime", "ru_maxrss"), used[who], strict=True))
    )
    monkeypatch.setattr(work.resource, "getrusage", fake)
    clock = iter([5.0, 7.5004])
    times = SimpleNamespace(process_time=lambda: 0.25, perf_counter=lambda: next(clock))
    monkeypatch.setattr(work, "time", times)
    monkeypatch.setattr(work, "_now", lambda: "now")
    monkeypatch.setattr(work, "COMPILED", Counter({"a.b": 1.2501, "a.c": 0.0}))
    for path in job.output:
        write_text("old", path)
        write_seal(path, "old", {})
    run(job)
    record = json.loads(Path(job.log[0]).read_text())
    assert record == {
        "startup_seconds": 0.25, "work_seconds": 2.5, "cpu_seconds": 10.0, "peak_mb": 3.0,
        "rule": "a_rule", "outputs": job.output, "ended": "now",
        "compiled": {"a.b": 1.25, "a.c": 0},
    }  # fmt: skip
    for path in job.output:
        inputs = {job.input[0]: content(job.input[0]), "figure.png": "published"}
        digest = Path(job.params.recipe).stem
        assert read_seal(path) == {"content": content(path), "recipe": digest, "inputs": inputs}
    clock = iter([5.0, 7.0])
    run(job)  # once more: its log is there
    assert json.loads(Path(job.log[0]).read_text())["work_seconds"] == 2.0


def test_a_module_whose_text_is_shown_is_no_change(job, tmp_path):
    """It counts by its bytes alone: its meaning is not among the hashes."""
    digest = recipe([], [], ["dpbandits.core.words"]).keep(tmp_path)
    job.params.recipe = str(tmp_path / f"{digest}.json")
    run(job)
    assert read_seal(job.output[0])["recipe"] == digest


@pytest.mark.parametrize("when", ["before", "meanwhile"])
@pytest.mark.parametrize("becomes", ["x = 2\n", None])
def test_a_source_that_is_another_or_gone_stops_the_job(job, when, becomes):
    begun = []

    def change(now):
        if now == when:
            job.source.unlink() if becomes is None else job.source.write_text(becomes)

    def attempt():
        change("before")
        with work.work(job):
            begun.append(True)
            change("meanwhile")

    with pytest.raises(work.Stale, match=r"code\.py changed while"):
        attempt()
    assert bool(begun) == (when == "meanwhile")
    assert "code.py changed" in Path(job.log[0]).read_text()


def test_a_job_that_fails_leaves_its_traceback_and_no_seal(job):
    for path in job.output:
        write_text("old", path)
        write_seal(path, "old", {})
    with pytest.raises(ZeroDivisionError), work.work(job):
        raise ZeroDivisionError("by zero")
    assert "ZeroDivisionError: by zero" in Path(job.log[0]).read_text()
    assert [read_seal(path) for path in job.output] == [None, None]
