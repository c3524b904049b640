"""The simulated times of workflow/schedule.py, against a job graph worked out by hand."""

import json

import pytest
import schedule

from dpbandits.core.files import content, write_seal


@pytest.fixture
def results(tmp_path):
    """Simulations of 5 and 3 s -> a table of 1 s; a study of 4.5 s; 2 s of notebook read both."""
    jobs = {
        "simulate/x/e/a/0": ("simulations/x/e/a/0.parquet", 5.0, []),
        "simulate/x/e/b/0": ("simulations/x/e/b/0.parquet", 3.0, []),
        "aggregate/x/e": (
            "tables/x/e.csv",
            1.0,
            ["simulations/x/e/a/0.parquet", "simulations/x/e/b/0.parquet"],
        ),
        "study/x/s": ("tables/x/s.csv", 4.5, []),
        "draw/x/n": ("notebooks/x/n.ipynb", 2.0, ["tables/x/e.csv", "tables/x/s.csv"]),
        "report": ("report.html", 1.5, []),
    }
    for name, (output, seconds, inputs) in jobs.items():
        path, log = tmp_path / output, tmp_path / f"logs/{name}.log"
        for file in (path, log):
            file.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name, encoding="utf-8")
        record = {"cpu_seconds": seconds, "startup_seconds": 0.5, "peak_mb": 1.0, "compiled": {}}
        log.write_text(json.dumps(record), encoding="utf-8")
        read = [tmp_path / x for x in inputs]
        write_seal(path, "recipe", {str(x): content(x) for x in read})
    return tmp_path


def graph(results):
    jobs = schedule.booked(results)
    needs = schedule.reads(results, jobs)
    return {job: jobs[job]["cpu_seconds"] for job in needs}, needs


def test_the_graph_is_read_from_the_seals(results):
    _, needs = graph(results)
    assert needs["aggregate/x/e"] == {"simulate/x/e/a/0", "simulate/x/e/b/0"}
    assert needs["draw/x/n"] == {"aggregate/x/e", "study/x/s"}
    assert needs["report"] == set(needs) - {"report"}
    assert needs["study/x/s"] == set()


def test_the_report_is_written_beside_publishing(results):
    path, log = results / "published.txt", results / "logs/publish.log"
    path.write_text("copied", encoding="utf-8")
    log.write_text((results / "logs/report.log").read_text(encoding="utf-8"), encoding="utf-8")
    _, needs = graph(results)
    assert needs["report"] == needs["publish"] == set(needs) - {"publish", "report"}


def test_a_study_that_is_split_now_did_not_run_whole(results):
    part = results / "logs/study/x/s/0.log"
    part.parent.mkdir()
    part.write_text((results / "logs/study/x/s.log").read_text())
    jobs = schedule.booked(results)
    assert "study/x/s/0" in jobs
    assert "study/x/s" not in jobs


def test_what_everything_waits_for(results):
    path = schedule.critical_path(*graph(results))
    assert path == ["simulate/x/e/a/0", "aggregate/x/e", "draw/x/n", "report"]


@pytest.mark.parametrize(
    ("cores", "seconds"),
    [
        (1, 5 + 3 + 1 + 4.5 + 2 + 1.5),  # one after the other
        (2, 12),  # a 0-5, study 0-4.5, b 4.5-7.5, table 7.5-8.5, notebook -10.5, report -12
        (3, 5 + 1 + 2 + 1.5),
        (64, 5 + 1 + 2 + 1.5),  # the chain
    ],
)
def test_makespans_by_hand(results, cores, seconds):
    """What most hangs on goes first: a (9.5 s), then the study (8 s), then b (7.5 s)."""
    found = schedule.makespan(*graph(results), cores, start=0, overhead=0)
    assert found == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("cores", "seconds"),
    [
        (1, 17 + 3),  # whoever comes first compiles
        (2, 15),  # a compiles m 0-2, n 2-3, -8; study waits for n -3, -7.5; b 7.5-10.5, ...
        (64, 12.5),  # b waits for m -2, -5, then the chain of a
    ],
)
def test_one_compiles_and_the_others_wait(results, cores, seconds):
    """Beside what the jobs took: on m a booked 1.5 s compiling and b 0.5 s, the study 1 s on n."""
    records = {job: {"compiled": {}} for job in schedule.booked(results)}
    records["simulate/x/e/a/0"] = {"compiled": {"m": 1.5, "n": 0.0}}
    records["simulate/x/e/b/0"] = {"compiled": {"m": 0.5}}
    records["study/x/s"] = {"compiled": {"n": 1.0}}
    compiling = schedule.Compiling(records)
    found = schedule.makespan(*graph(results), cores, compiling, start=0, overhead=0)
    assert found == pytest.approx(seconds)


def test_seconds_by_kind_of_work(results):
    log = results / "logs/simulate/x/e/a/0.log"
    log.write_text(json.dumps(json.loads(log.read_text()) | {"compiled": {"m": 1.25, "n": 0.5}}))
    kinds = {kind: row for kind, *row in schedule.by_kind(schedule.booked(results))}
    assert kinds["simulations"] == [5.0 + 3.0 - 1.75 - 1.0, 1.75, 1.0]
    assert kinds["notebooks"] == [1.5, 0.0, 0.5]
    own = schedule.START + 6 * schedule.OVERHEAD
    forks = 6 * schedule.FORK
    assert kinds["all"] == pytest.approx([17 - 1.75 - 3.0 + own, 1.75, 3.0 + forks])


def test_snakemakes_own_time_is_serial(results):
    seconds, needs = graph(results)
    nothing = dict.fromkeys(seconds, 0.0)
    assert schedule.makespan(nothing, needs, 64, start=8, overhead=0.4) == pytest.approx(10.4)


def test_what_a_job_compiles_counts_where_no_other_of_its_series_can():
    names = ["simulate/x/e/a/0", "simulate/x/e/b/0", "simulate/x/e/b/1", "study/x/s/0"]
    compiling = schedule.Compiling({name: {"compiled": {name: 1.5, "m": 0.5}} for name in names})
    assert [compiling.known(name) for name in names] == [2.0, 0.0, 0.0, 2.0]
    assert compiling.known("aggregate/x/e") == 0.0
