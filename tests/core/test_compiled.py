"""Where compiled code is kept, without compiling: a folder per content of all that it can see.

That new processes then see an edit is tested in test_sources.
"""

import fcntl
import json
import os
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import numba
import pytest

from dpbandits.core import compiled, sources
from dpbandits.core.files import write_text


@pytest.fixture
def scripts(tmp_path, monkeypatch):
    """main.py imports near, and near far; of a package, of compiled code and of Python: nothing."""
    texts = {
        "main": "import near, json, whole, native, bare\nfrom dpbandits.core import errors\n",
        "near": "import main\nfrom far import x\nimport not_loaded\n",
        "far": "import dpbandits.core.steps\nx = 1\n",
        "apart": "x = 1\n",
    }
    files = {name: tmp_path / f"{name}.py" for name in texts}
    for name, text in texts.items():
        write_text(text, files[name])
    loaded = files | {"whole": tmp_path / "whole/__init__.py", "native": tmp_path / "native.so"}
    for name, file in (loaded | {"bare": None, "json": files["apart"]}).items():
        module = ModuleType(name)
        module.__file__ = file and str(file)
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(compiled, "source_of", lambda m: None if m in files else source_of(m))
    monkeypatch.setattr(compiled, "cache_folder", lambda: tmp_path / "cache")
    return files


source_of, folder_of = sources.source_of, compiled.folder_of.__wrapped__


def test_the_scripts_behind_a_script(scripts):
    assert compiled._scripts_behind(scripts["main"]) == {
        scripts[name] for name in ("main", "near", "far")
    }
    assert compiled._scripts_behind(scripts["apart"]) == {scripts["apart"]}


def test_the_folder_of_a_script_follows_all_that_it_sees(scripts, tmp_path, monkeypatch):
    def folder():
        sources.read.cache_clear()
        return folder_of("main", scripts["main"])

    first = folder()
    assert first.parent == tmp_path / "cache/numba"
    assert first.name.startswith("main-")
    assert len(first.name) == len("main-") + 16
    assert folder() == first
    write_text("x = 2\n", scripts["apart"])
    assert folder() == first
    write_text("import dpbandits.core.steps\nx = 2\n", scripts["far"])
    second = folder()
    assert second != first
    steps = write_text("a module of dpbandits", tmp_path / "steps.py") or tmp_path / "steps.py"
    ours = compiled.source_of
    monkeypatch.setattr(
        compiled, "source_of", lambda m: steps if m == "dpbandits.core.steps" else ours(m)
    )
    assert folder() not in (first, second)


def test_the_folder_of_a_module_of_ours(tmp_path, monkeypatch):
    monkeypatch.setattr(compiled, "cache_folder", lambda: tmp_path)
    near = {m: tmp_path / f"{m}.py" for m in ("a", "b", "c")}
    for name, file in near.items():
        write_text(name, file)
    behind = ["a", "b"]
    monkeypatch.setattr(compiled, "source_of", near.get)
    monkeypatch.setattr(compiled, "modules_behind", lambda module: set(behind))
    first = folder_of("a", tmp_path / "elsewhere.py")
    write_text("other", near["c"])
    assert folder_of("a", tmp_path / "elsewhere.py") == first
    seen = {first}
    for change in (
        lambda: behind.append("c"),
        lambda: write_text("ba", near["b"]),
        lambda: near.update(b=near["b"].rename(tmp_path / "d.py")),
    ):
        change()
        assert folder_of("a", tmp_path / "elsewhere.py") not in seen
        seen.add(folder_of("a", tmp_path / "elsewhere.py"))
    assert folder_of("unknown", tmp_path / "nowhere.py") is None


@pytest.mark.parametrize("chosen", ["", "mine"])
@pytest.mark.parametrize("known", [True, False])
def test_numba_is_told_where_and_how(chosen, known, tmp_path, monkeypatch):
    """In the folder unless the user says otherwise; what has no file is not kept; IEEE rules."""
    folder, seen = (tmp_path / "ours" if known else None), []
    chosen = chosen and str(tmp_path / chosen)
    njit = numba.njit

    def told(**options):
        seen.append(options)
        return njit(**options)

    monkeypatch.setattr(compiled, "folder_of", lambda module, file: folder)
    monkeypatch.setattr(numba.config, "CACHE_DIR", chosen)
    monkeypatch.setattr(numba, "njit", told)
    function = compiled.jit(folder_of)
    shared = {"error_model": "numpy", "no_cfunc_wrapper": True}
    assert seen == [shared | {"no_cpython_wrapper": inside} for inside in (False, True)]
    for one in (function, function.get_overload.__self__):
        assert one.py_func is folder_of
        if known:
            assert Path(one._cache.cache_path).parent == Path(chosen or folder)
        else:
            assert one._cache.cache_path is None
    assert chosen == numba.config.CACHE_DIR


FAR = """
from dpbandits.core.compiled import jit
@jit
def far(x):
    return x + 1
"""
NEAR = """
from far import far
from dpbandits.core.compiled import COMPILED, jit
@jit
def inner(x):
    return far(x)
@jit
def near(x):
    return 2 * inner(x)
"""


def asked_at_once(tmp_path, monkeypatch, processes):
    """What each of some processes that ask for near(1) at the same time compiled."""
    for name, text in (("far", FAR), ("near", NEAR)):
        write_text(text, tmp_path / f"{name}.py")
    monkeypatch.setattr(compiled, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(compiled, "folder_of", folder_of)
    monkeypatch.setattr(compiled, "COMPILED", Counter())  # not what other tests compiled
    monkeypatch.syspath_prepend(tmp_path)
    for i in range(processes):
        if os.fork() == 0:
            try:
                from near import COMPILED, near

                assert near(1) == 4
                write_text(json.dumps(COMPILED), tmp_path / f"{i}.json")
            finally:
                os._exit(0)
    for _ in range(processes):
        os.wait()
    return [json.loads((tmp_path / f"{i}.json").read_text()) for i in range(processes)]


def test_one_process_compiles_and_the_others_load(tmp_path, monkeypatch):
    found = asked_at_once(tmp_path, monkeypatch, 4)
    assert sorted(record["near.near"] > 0 for record in found) == [False, False, False, True]
    assert sum(record.get("far.far", 0.0) > 0 for record in found) == 1
    assert max(found, key=lambda record: record["near.near"]).keys() == {
        "near.near",
        "near.inner",
        "far.far",
    }


def test_all_goes_on_where_files_cannot_be_locked(tmp_path, monkeypatch):
    """Each has its answer, whoever else compiles the same meanwhile."""

    def refused(file, how):
        raise OSError("no locks available")

    monkeypatch.setattr(fcntl, "flock", refused)
    found = asked_at_once(tmp_path, monkeypatch, 2)
    assert any(record["near.near"] > 0 for record in found)


@pytest.fixture
def locks(monkeypatch, tmp_path):
    """How each lock was asked for. a imports b; c and d import each other; x is a script."""
    behind = {"a": {"a", "b"}, "b": {"b"}, "c": {"c", "d"}, "d": {"c", "d"}}
    asked = []
    monkeypatch.setattr(compiled, "source_of", behind.get)
    monkeypatch.setattr(compiled, "modules_behind", behind.get)
    monkeypatch.setattr(compiled, "_leads", compiled._leads.__wrapped__)
    monkeypatch.setattr(fcntl, "flock", lambda file, how: asked.append(how))
    return asked


@pytest.mark.parametrize(
    ("outer", "inner", "waits"),
    [
        ("a", "b", True),
        ("b", "a", False),
        ("c", "d", False),
        ("a", "x", False),
        ("x", "a", False),
        ("a", "a", False),
    ],
)
def test_no_two_processes_wait_for_each_other(outer, inner, waits, locks, tmp_path):
    first, second = (outer, "f"), (inner, "g")
    with compiled.alone(*first, tmp_path / outer):
        with compiled.alone(*second, tmp_path / inner), compiled.alone(*first, tmp_path / outer):
            assert [first, second, first] == compiled.HELD
        assert [first] == compiled.HELD
    assert not compiled.HELD
    inside = fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB)
    assert locks == [fcntl.LOCK_EX, inside, fcntl.LOCK_UN, fcntl.LOCK_UN]


def test_whoever_waits_goes_on_when_the_module_is_let_go(tmp_path):
    """A second process asks while the first holds it; it is let in after the first has left."""
    reading, writing = os.pipe()
    with compiled.alone("m", "f", tmp_path):
        if os.fork() == 0:
            compiled.HELD.clear()
            os.write(writing, b"asks ")
            with compiled.alone("m", "f", tmp_path):
                os.write(writing, b"has it")
            os._exit(0)
        assert os.read(reading, 5) == b"asks "
        os.write(writing, b"held ")
    os.wait()
    assert os.read(reading, 11) == b"held has it"
