"""A job that reads what was damaged, or whose sources changed meanwhile, vouches for nothing."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from dpbandits.core.files import content, read_seal, write_seal
from dpbandits.pipeline.provenance import recipe
from dpbandits.pipeline.work import Stale, work


@pytest.fixture
def job(tmp_path):
    source, table, made = (tmp_path / name for name in ("code.py", "in.csv", "out.csv"))
    source.write_text("x = 1\n")
    table.write_text("x\n1\n")
    write_seal(table, "recipe", {})
    digest = recipe([], [source]).keep(tmp_path)
    return SimpleNamespace(
        rule="a_rule",
        source=source,
        log=[tmp_path / "log"],
        input=[str(table)],
        output=[str(made)],
        params=SimpleNamespace(recipe=str(tmp_path / f"{digest}.json")),
    )


def run(job, meanwhile=lambda: None):
    with work(job):
        meanwhile()
        Path(job.output[0]).write_text("made")


def write(path, text):
    return lambda: Path(path).write_text(text)


def test_a_job_seals_what_it_made(job):
    run(job, write(job.source, "x = 1  # a comment written meanwhile\n"))
    seal = read_seal(job.output[0])
    assert seal["inputs"] == {job.input[0]: content(job.input[0])}
    assert json.loads(job.log[0].read_text())["rule"] == "a_rule"


def test_a_damaged_input_is_refused(job):
    write(job.input[0], "x\n2\n")()
    with pytest.raises(Stale, match="was damaged after it was made"):
        run(job, lambda: pytest.fail("it was read"))


@pytest.mark.parametrize(
    ("changed", "text", "said"),
    [("input", "x\n2\n", "damaged while it was read"), ("source", "x = 2\n", "code.py changed")],
)
def test_what_changes_meanwhile_ends_in_no_seal(job, changed, text, said):
    path = job.input[0] if changed == "input" else job.source
    with pytest.raises(Stale, match=said):
        run(job, write(path, text))
    assert read_seal(job.output[0]) is None
    assert said in job.log[0].read_text()
