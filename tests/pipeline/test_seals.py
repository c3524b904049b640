"""What a run does first: sweep away what cannot be trusted, and what was made of it."""

import os
import time

from dpbandits.core.files import HOST, content, seal_of, write_seal, write_text
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
