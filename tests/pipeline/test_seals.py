"""What a run does first: sweep away what cannot be trusted, and what was made of it."""

import os
import time

from dpbandits.core.files import HOST, content, seal_of, write_seal, write_text
from dpbandits.pipeline import seals
from dpbandits.pipeline.seals import sweep


def made(path, *inputs):
    write_text(f"{path.name} of {[i.name for i in inputs]}", path)
    write_seal(path, "recipe", {str(i): content(i) for i in inputs})
    return path


def chain(folder):
    """source -> a -> b -> c, and an outsider."""
    source = folder / "source"
    source.write_text("a file that no job made")
    a = made(folder / "results/a.parquet", source)
    b = made(folder / "results/b.csv", a)
    return source, a, b, made(folder / "results/c.pdf", b), made(folder / "results/other.csv")


def test_what_is_whole_stays(tmp_path):
    *_, other = files = chain(tmp_path)
    assert sweep(tmp_path / "results") == []
    assert all(path.exists() for path in files)
    assert seal_of(other).exists()


def test_what_was_made_of_a_damaged_file_goes_with_it(tmp_path):
    _, a, b, c, other = chain(tmp_path)
    a.write_bytes(a.read_bytes()[:-1])
    said = []
    assert sweep(tmp_path / "results", said.append) == [a, b, c]
    assert said == [
        f"{a}: not what its job wrote; it is made again",
        f"{b}: {a} is no longer what it was made of; it is made again",
    ]
    assert other.exists()
    assert not any(path.exists() or seal_of(path).exists() for path in (a, b, c))


def test_a_file_that_is_gone_is_made_again_although_what_is_made_of_it_is_there(tmp_path):
    _, a, b, c, _ = chain(tmp_path)
    b.unlink()
    assert sweep(tmp_path / "results") == [b, c]
    assert a.exists()


def test_a_changed_source_takes_all_along(tmp_path):
    source, a, b, c, other = chain(tmp_path)
    source.write_text("changed")
    assert sweep(tmp_path / "results") == [a, b, c]
    assert other.exists()


def test_what_a_job_published_is_published_again_if_it_is_edited_or_lost(tmp_path):
    """It stands in the seal among the inputs, and no job of its own vouches for it."""
    figure = tmp_path / "figures/a.png"
    write_text("a picture", figure)
    for harm, said in (
        (lambda: figure.write_text("edited"), "is no longer what it was made of"),
        (figure.unlink, "is gone"),
    ):
        done = made(tmp_path / "results/published.txt", figure)
        harm()
        heard = []
        assert sweep(tmp_path / "results", heard.append) == [done]
        assert heard == [f"{done}: {figure} {said}; it is made again"]


def test_partial_files_go_unless_their_process_lives(tmp_path):
    results = tmp_path / "results"
    results.mkdir()
    living = results / f".a.{HOST}-{os.getpid()}.partial.csv"
    dead = results / f".b.{HOST}-{2**22 + 1}.partial.csv"
    elsewhere, old = results / ".c.abc-1.partial.csv", results / ".d.abc-2.partial.csv"
    for path in (living, dead, elsewhere, old):
        path.write_text("half")
    os.utime(old, (time.time() - 90_000,) * 2)
    sweep(results)
    assert sorted(results.iterdir()) == sorted([living, elsewhere])


def test_a_seal_that_is_none_and_one_without_its_file_are_swept(tmp_path):
    unread, gone, whole = (tmp_path / name for name in ("unread.csv", "gone.csv", "whole.csv"))
    for path in (unread, gone, whole):
        write_text("x", path)
        write_seal(path, "r", {})
    seal_of(unread).write_text("{")
    gone.unlink()
    said = []
    assert sweep(tmp_path, said.append) == [gone, unread]
    assert said == [
        f"{gone}: gone; it is made again", f"{unread}: not what its job wrote; it is made again",
    ]  # fmt: skip
    assert [p.name for p in sorted(tmp_path.iterdir())] == [seal_of(whole).name, "whole.csv"]


def test_a_file_from_the_future_becomes_one_of_now(tmp_path):
    """The clock was set back; a file of the past keeps its time."""
    future, past = tmp_path / "future.csv", tmp_path / "past.csv"
    for path, when in ((future, time.time() + 5000), (past, 1e9)):
        write_text("x", path)
        write_seal(path, "r", {})
        os.utime(path, (when, when))
    assert sweep(tmp_path) == []
    assert future.stat().st_mtime <= time.time()
    assert past.stat().st_mtime == 1e9


def test_what_other_processes_write_is_left_for_a_day(tmp_path, monkeypatch):
    """Here and now is second 10^9; a file of that very second keeps its time, too."""
    monkeypatch.setattr(seals.time, "time", lambda: 1e9)
    kept_names = [f".a.{HOST}-x.partial.csv", f".b.abc-{2**22 + 1}.partial.csv", ".c.abc-1.partial"]
    for age, name in (*((seals.DAY, n) for n in kept_names), (86_400.5, ".d.abc-1.partial")):
        (tmp_path / name).write_text("half")
        os.utime(tmp_path / name, (1e9 - age,) * 2)
    now = tmp_path / "now.csv"
    write_text("x", now)
    write_seal(now, "r", {})
    os.utime(now, (1e9, 1e9))
    assert sweep(tmp_path) == []
    assert sorted(p.name for p in tmp_path.glob(".*partial*")) == kept_names
    assert now.stat().st_mtime == 1e9
    assert seals.DAY == 86_400


def test_a_source_is_read_once_for_all_that_was_made_of_it(tmp_path, monkeypatch):
    source, asked = tmp_path / "src.py", []
    source.write_text("x")
    for name in ("a.csv", "b.csv"):
        write_text(name, tmp_path / "results" / name)
        write_seal(tmp_path / "results" / name, "r", {str(source): content(source)})
    monkeypatch.setattr(seals, "content", lambda path: asked.append(str(path)) or content(path))
    assert sweep(tmp_path / "results") == []
    assert asked.count(str(source)) == 1


def test_an_input_that_no_job_made_is_asked_for_once_and_its_absence_is_told(tmp_path):
    source, made = tmp_path / "src.py", tmp_path / "results/a.csv"
    source.write_text("x")
    write_text("made", made)
    write_seal(made, "r", {str(source): content(source)})
    assert sweep(tmp_path / "results") == []
    source.unlink()
    said = []
    assert sweep(tmp_path / "results", said.append) == [made]
    assert said == [f"{made}: {source} is gone; it is made again"]
