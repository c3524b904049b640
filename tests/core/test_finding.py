"""How entries, modules and sources are found, on a made-up house of two papers."""

import importlib
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from dpbandits.core import registry, sources
from dpbandits.core.errors import InputError
from dpbandits.core.registry import Paper, Registry

HOUSE = {  # package: its modules; what each brings
    "dpbandits.aa": {"first": ["first"], "third-one": ["third_one"]},
    "bb": {"Second": ["second"]},
    "dpbandits.aa.figures": {"aa/one": ["one"], "aa/two": ["two"]},
    "bb.figures": {"bb/x": ["many"], "bb/y": ["many"]},
    "dpbandits.audit": {"m": ["m"]},
    "dpbandits.audit.figures": {"aa/z": ["power"]},
    "bb.mechanisms": {"own": ["own"]},
}


@pytest.fixture
def house(monkeypatch):
    """registry of a kind -> (it, the list of modules that it has imported)."""
    papers = {"aa": Paper("aa", "A", "dpbandits.aa"), "bb": Paper("bb", "B", "bb")}
    monkeypatch.setattr(registry, "papers", lambda: papers)
    modules = {
        package: tuple(dict.fromkeys(f"{package}.{file}" for [file] in brings.values()))
        for package, brings in HOUSE.items()
    }
    monkeypatch.setattr(registry, "modules_in", lambda package: modules.get(package, ()))

    def of(kind, folder=""):
        found, loaded = Registry(kind, folder), []

        def load(module):
            loaded.append(module)
            package, _, file = module.rpartition(".")
            for name, [place] in HOUSE[package].items():
                if place == file:
                    found._entries[name] = SimpleNamespace(name=name, module=module)

        monkeypatch.setattr(importlib, "import_module", load)
        return found, loaded

    return of


def test_only_the_file_of_a_name_is_imported(house):
    algorithms, loaded = house("algorithm")
    assert algorithms.get("third-one").name == "third-one"
    assert algorithms.get("FIRST").name == "first"
    assert algorithms.get("second").name == "Second"
    assert loaded == ["dpbandits.aa.third_one", "dpbandits.aa.first", "bb.second"]
    figures, loaded = house("figure", "figures")
    assert figures.get("aa/two").name == "aa/two"
    assert loaded == ["dpbandits.aa.figures.two"]
    figures, loaded = house("figure", "figures")
    assert figures.get("bb/y").name == "bb/y"  # in a file of another name: its paper's files
    assert set(loaded) == {"bb.figures.many"}
    figures, loaded = house("figure", "figures")
    assert figures.get("aa/z").name == "aa/z"  # of the audit, under a paper's name
    assert loaded[-1] == "dpbandits.audit.figures.power"


def test_all_entries_stand_in_the_order_of_papers_and_files(house):
    algorithms, loaded = house("algorithm")
    algorithms._entries["of a notebook"] = SimpleNamespace(module="__main__")
    assert list(algorithms.all()) == ["first", "third-one", "Second", "of a notebook"]
    assert loaded == ["dpbandits.aa.first", "dpbandits.aa.third_one", "bb.second"]
    mechanisms, loaded = house("mechanism", "mechanisms")
    assert list(mechanisms.all()) == ["own", "m"]
    figures, loaded = house("figure", "figures")
    assert list(figures.all("bb")) == ["bb/x", "bb/y", "aa/z"]
    assert loaded == ["bb.figures.many", "dpbandits.audit.figures.power"]


def test_what_is_unknown_gets_a_hint(house):
    algorithms, _ = house("algorithm")
    with pytest.raises(InputError) as caught:
        algorithms.get("frist")
    said = "unknown algorithm 'frist'; did you mean 'first'? allowed: Second, first, third-one"
    assert str(caught.value) == f"algorithm: {said}"
    with pytest.raises(InputError, match=r"^config: unknown"):
        algorithms.get("frist", "config")
    many, _ = house("figure", "figures")
    many._entries |= {f"x{i}": SimpleNamespace(module="") for i in range(12)}
    with pytest.raises(InputError, match=r"see dpbandits list figures$"):
        many.get("q")
    more, _ = house("algorithm")
    more._entries |= {f"x{i}": SimpleNamespace(module="") for i in range(12)}
    with pytest.raises(InputError, match=r"see dpbandits list algorithms$"):
        more.get("q")


def test_the_paper_of_a_module(house):
    keys = [registry.key_of(m) for m in ("dpbandits.aa.x", "bb", "bbb.x", "__main__", "bb.c.d")]
    assert keys == ["aa", "bb", "", "", "bb"]


def test_papers_stand_in_order_and_share_no_key(monkeypatch):
    a, b, c = Paper("z", "t", "pz", 1), Paper("b", "t", "pb", 2), Paper("a", "t", "pa", 2)
    modules = {"dpbandits.one": SimpleNamespace(PAPER=a), "dpbandits.two": SimpleNamespace()}
    infos = [SimpleNamespace(name=n, ispkg=n != "file") for n in ("one", "file", "two")]
    brought = [SimpleNamespace(load=lambda p=p: SimpleNamespace(PAPER=p)) for p in (b, c)]
    monkeypatch.setattr(registry.pkgutil, "iter_modules", lambda path: infos)
    monkeypatch.setattr(importlib, "import_module", modules.get)
    monkeypatch.setattr(registry, "entry_points", lambda group: brought)
    assert list(registry.papers.__wrapped__()) == ["z", "a", "b"]
    brought.append(SimpleNamespace(load=lambda: SimpleNamespace(PAPER=Paper("b", "t", "other"))))
    with pytest.raises(InputError, match="paper 'b' comes from pb and other"):
        registry.papers.__wrapped__()


def test_modules_of_a_package_and_of_none():
    found = registry.modules_in("dpbandits.audit")
    assert "dpbandits.audit.rnm" in found
    assert "dpbandits.audit.engine" not in found
    assert registry.modules_in("dpbandits.nowhere") == ()


def test_files_of_a_paper_stand_here_or_in_its_package(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    paper = Paper("k", "t", "dpbandits.core")
    inside = Path(registry.__file__).parent / "errors.py"
    assert paper.file("errors.py") == inside
    (tmp_path / "errors.py").write_text("")
    assert paper.file("errors.py") == Path("errors.py")


# Sources

TEXT = """
import x.y, z
from . import p
from .q import r
from ..s import t
from w import v as u
def f():
    import deep
"""


def test_every_name_that_a_file_may_import(tmp_path):
    file = tmp_path / "m.py"
    file.write_text(TEXT)
    assert sources.named_in(file, "a.b") == {
        *("x.y", "z", "deep", "w", "w.v"),
        *("a.b", "a.b.p", "a.b.q", "a.b.q.r", "a.s", "a.s.t"),
    }


def test_a_file_is_parsed_once_for_all_processes(tmp_path, monkeypatch):
    """Its bytes count, not its place; what is kept of it may be damaged; an edit is read."""
    monkeypatch.setattr(sources, "cache_folder", lambda: tmp_path / "cache")
    one, two = tmp_path / "one.py", tmp_path / "two.py"
    for file in (one, two):
        file.write_text(TEXT)
    found = sources.read_now(one)
    (kept,) = tmp_path.glob("cache/read/*")
    with monkeypatch.context() as context:
        context.setattr(sources.ast, "parse", None)
        assert sources.read_now(two) == sources.read_now(one) == found
    for damage in ("", "[]", "{", "\xff"):
        kept.write_text(damage, encoding="latin-1")
        assert sources.read_now(one) == found
    one.write_text(TEXT + "x = 1")
    assert sources.read_now(one).meaning != found.meaning
    monkeypatch.setattr(sources, "_reader", lambda: b"another Python")
    before = {*tmp_path.glob("cache/read/*")}
    assert sources.read_now(two) == found
    assert {*tmp_path.glob("cache/read/*")} > before


def test_imports_of_our_modules():
    core = "dpbandits.core"
    face = {core, "dpbandits", f"{core}.memory", f"{core}.processor"}
    assert sources.imports_of(f"{core}.steps") == {core}
    assert sources.imports_of(f"{core}.streams") == {core, f"{core}.models", f"{core}.philox"}
    assert sources.imports_of(core) == {"dpbandits"}
    assert sources.imports_of("dpbandits") == {core, f"{core}.memory", f"{core}.processor"}
    assert sources.modules_behind(f"{core}.steps") == {f"{core}.steps", *face}
    both = sources.modules_behind(f"{core}.steps", f"{core}.models")
    assert both == {f"{core}.steps", f"{core}.models", f"{core}.errors", *face}


def test_sources_of_modules(tmp_path):
    assert sources.source_of("dpbandits.core.steps") == sources.OURS / "core/steps.py"
    assert sources.source_of("dpbandits.core") == sources.OURS / "core/__init__.py"
    assert sources.source_of("dpbandits.core.nothing") is None
    assert sources.source_of("no_such_package.x") is None
    assert sources.home("__main__") is None
    for name in ("b/x.py", "a.txt", "__pycache__/c.pyc", "b/__pycache__/d.pyc", "a/y"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    names = [path.relative_to(tmp_path).as_posix() for path in sources.files_in(tmp_path)]
    assert names == ["a.txt", "a/y", "b/x.py"]


def test_a_hash_is_of_all_that_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "fingerprint", lambda: state)
    state, file = "now", tmp_path / "x"

    def found(*said):
        return sources.hash_of(*said, files=(file,))

    seen = [found("a", "b"), found("ab"), found("b", "a"), sources.hash_of("a", "b")]
    file.write_text("*")
    seen += [found("a", "b")]
    file.write_text("+")
    seen += [found("a", "b")]
    state = "later"
    seen += [found("a", "b")]
    assert len(set(seen)) == len(seen)
    assert found("a", "b") == seen[-1]
    assert len(seen[0]) == 16


def test_where_things_are_kept(monkeypatch):
    assert sources.cache_folder() == sources.OURS / "__pycache__"
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    monkeypatch.setenv("XDG_CACHE_HOME", "/home/me")
    assert sources.cache_folder() == Path("/home/me/dpbandits")
